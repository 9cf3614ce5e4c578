/** The prices on URLs of a partner, many at a time: an operator accepts or drops those that are held, and voids those of a day. */
import { html } from "hono/html";
import { MAX_PRICES } from "../../../db/ledger/url-prices/changes.ts";
import { listAppsWithArchived } from "../../../db/operator/apps.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import { DAY_MS, dayOf, formatDate } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import { buttonLink, card, nameText, notice, pageHead } from "../../../pages/elements.ts";
import { type Option, type RejectedForm, tokenOption } from "../../../pages/forms/fields.ts";
import { confirmation, type Fields, form } from "../../../pages/forms/form.ts";
import { table } from "../../../pages/lists/table.ts";
import { describeDay, showCount, showList, showPlural } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { amountText } from "../../../pages/money.ts";
import { notFound } from "../../api/common.ts";
import { decidePrices, readUrlPrices } from "../../api/url-prices.ts";
import { anyVoid, voidPricesOfDay } from "../../api/voids.ts";
import { type Act, idOf, type Page, partnerTrail, pick, type Show } from "../layout.ts";

/** How many calls in a row a form makes while they find nothing to void. */
const MAX_CALLS = 10;

const pathOf = (partnerId: number) => `/operator/partners/${partnerId}/url-prices`;

type Prices = Awaited<ReturnType<typeof readUrlPrices>>;

const isHeld = ({ held_count }: Prices[number]) => held_count > 0;
const pricesText = (count: number) => showPlural(count, "price", "prices");
const countOf = (prices: Prices) => sumOf(prices, ({ held_count }) => held_count);

/** On the page of a partner. */
export function urlPriceSection(partnerId: number, prices: Prices): Markup {
  const count = countOf(prices);
  return card(
    { id: "url-prices", title: "Prices on URLs" },
    count > 0
      ? notice(
          html`<strong>${showPlural(count, "price is", "prices are")} held</strong> above the daily limit. Accept or drop ${count === 1 ? "it" : "them"}.`,
          "warn",
        )
      : html`<p class="muted">No prices are held.</p>`,
    html`<p class="actions">${buttonLink(pathOf(partnerId), count > 0 ? "Decide held prices" : "Void the prices of a day")}</p>`,
  );
}

/** `outcome` says what a form did. */
async function pageOf(context: Context, rejected?: RejectedForm, outcome?: Markup): Promise<Page> {
  const id = idOf(context);
  const [partner, prices, apps] = await Promise.all([
    findPartner(context.env.DB, id),
    readUrlPrices(context, id),
    listAppsWithArchived(context.env.DB),
  ]);
  if (!partner) throw notFound("partner");
  const isVoid = context.url.pathname.endsWith("/voids");
  return {
    title: `Prices on URLs of ${partner.displayName}`,
    section: "Partners",
    body: html`
      ${partnerTrail({ id, name: partner.displayName }, "Prices on URLs")}
      ${pageHead(html`Prices on URLs of ${nameText(partner.displayName)}`)}
      ${outcome ?? ""}
      ${heldCard(id, prices.filter(isHeld), apps, isVoid ? undefined : rejected)}
      ${voidCard(context, apps, isVoid ? rejected : undefined)}`,
  };
}

export const urlPricesPage: Show = (context, rejected) => pageOf(context, rejected);

type Apps = { token: string; name: string }[];

const REASON = {
  reason: { label: "Reason", required: true, hint: "Up to 500 characters. The audit log shows it." },
} satisfies Fields;

function heldCard(partnerId: number, held: Prices, apps: Apps, rejected?: RejectedForm): Markup {
  const names = new Map(apps.map(({ token, name }) => [token, name]));
  const groups = [...Map.groupBy(held, ({ app_token, day }) => `${app_token}-${day}`)];
  return card(
    { id: "held", title: "Held prices" },
    html`<p class="muted">They would have exceeded <a href="/operator/partners/${partnerId}#templates">the daily limit</a>, so they don't count. An accepted price counts from then on, a dropped one never.</p>`,
    table({
      label: "Held prices",
      rows: groups.flatMap(([key, prices]) => (prices[0] ? [{ key, prices, ...prices[0] }] : [])),
      empty: html`<p>No prices are held.</p>`,
      columns: [
        { heading: "Day", kind: "day", cell: ({ day }) => describeDay(dayOf(Date.parse(day))) },
        {
          heading: "App",
          cell: ({ app_token }) =>
            html`<a href="/operator/apps/${app_token}">${nameText(names.get(app_token) ?? app_token)}</a>`,
        },
        {
          heading: "Held",
          kind: "number",
          cell: ({ prices }) =>
            html`${prices.map(({ held, currency }) => html`<div>${amountText(held, currency)}</div>`)}`,
        },
        {
          heading: "Prices",
          kind: "number",
          cell: ({ prices }) =>
            html`${prices.map(({ held_count }) => html`<div>${showCount(held_count)}</div>`)}`,
        },
        {
          heading: "Decide",
          kind: "action",
          cell: ({ key, day, app_token, prices }) =>
            html`${DECISIONS.map((decision) =>
              decisionForm({
                ...{ partnerId, decision, key, count: countOf(prices) },
                ...{ of: { app_token, day }, rejected },
              }),
            )}`,
        },
      ],
    }),
  );
}

const DECISIONS = ["accept", "drop"] as const;
type Decision = (typeof DECISIONS)[number];
const VERBS: Record<Decision, { now: string; done: string; effect: string }> = {
  accept: {
    now: "Accept",
    done: "accepted",
    effect: "They count as spend of their day from now on. You can still void them.",
  },
  drop: {
    now: "Drop",
    done: "dropped",
    effect: "They never count. A call for the same ID still can. This can't be undone.",
  },
};

function decisionForm({
  partnerId,
  decision,
  key,
  count,
  of,
  rejected,
}: {
  partnerId: number;
  decision: Decision;
  key: string;
  count: number;
  of: { app_token: string; day: string };
  rejected: RejectedForm | undefined;
}): Markup {
  const sent = rejected?.form;
  const isThis =
    sent?.get("app_token") === of.app_token &&
    sent.get("day") === of.day &&
    sent.get("decision") === decision;
  const { now, effect } = VERBS[decision];
  const many = count > MAX_PRICES ? ` The oldest ${showCount(MAX_PRICES)} first, then you can continue.` : "";
  return confirmation(
    {
      id: `${decision}-${key}`,
      action: pathOf(partnerId),
      summary: html`${now}<span class="visually-hidden"> the prices of ${of.day} in ${of.app_token}</span>`,
      explanation: `${effect}${many}`,
      fields: REASON,
      hidden: { ...of, decision },
      button: `${now} ${pricesText(Math.min(count, MAX_PRICES))}`,
      isOpen: isThis,
    },
    isThis ? rejected : undefined,
  );
}

const WHICH: Option[] = [
  ["yes", "Without a cost_id on the URL"],
  ["no", "With a cost_id that no call has"],
];

function voidCard({ now, params }: Context, apps: Apps, rejected?: RejectedForm): Markup {
  const fields: Fields = {
    app_token: {
      label: "App",
      options: apps.map(tokenOption),
    },
    day: { label: "Day (UTC)", type: "date", required: true },
    generated: { label: "Prices", options: WHICH },
    ...REASON,
  };
  return card(
    { id: "void-day", title: "Void the prices on URLs of a day" },
    html`<p class="muted">For prices that strangers added. Costs that the partner sent are not changed. <a href="/docs/url-prices#void-the-prices-of-a-day">How to decide</a></p>`,
    confirmation(
      {
        id: "void-day",
        action: `${pathOf(Number(params.id))}/voids`,
        summary: "Void prices of a day",
        explanation:
          "They no longer count as spend. Only a call with the same ID and other values can replace one.",
        fields,
        values: { day: formatDate(dayOf(now - DAY_MS)), app_token: rejected?.form.get("app_token") },
        button: "Void prices",
        isOpen: rejected !== undefined,
      },
      rejected,
    ),
  );
}

interface Changed {
  count: number;
  sums: Record<string, string>;
}

/** `3 prices accepted: 60 USD.` */
function outcomeText({ count, sums }: Changed, verb: string): string {
  const money = Object.entries(sums).map(([currency, sum]) => amountText(sum, currency));
  return `${pricesText(count)} ${verb}${money.length > 0 ? `: ${showList(money)}` : ""}.`;
}

export const submitDecision: Act = async (context, session, sent) => {
  const id = idOf(context);
  const body = pick(sent, "app_token", "day", "decision", "reason");
  const { left, ...changed } = await decidePrices.submit(context, session, { path: { id }, body });
  const { now, done } = VERBS[body.decision as Decision];
  const outcome =
    left === 0
      ? notice(`${outcomeText(changed, done)} None are left of this app and day.`, "ok", { announced: true })
      : notice(
          `${outcomeText(changed, done)} ${showPlural(left, "price is", "prices are")} left of this app and day.`,
          "warn",
          {
            announced: true,
            action: form({
              action: pathOf(id),
              hidden: body,
              button: `${now} ${left === 1 ? "the last price" : `the next ${pricesText(Math.min(left, MAX_PRICES))}`}`,
            }),
          },
        );
  return pageOf(context, undefined, outcome);
};

const IS_GENERATED: Record<string, boolean> = { yes: true, no: false };

export const submitDayVoid: Act = async (context, session, sent) => {
  const id = idOf(context);
  const {
    generated: which = "",
    next: first,
    ...body
  } = pick(sent, ...["app_token", "day", "generated", "reason", "next"]);
  const generated = IS_GENERATED[which] ?? which;
  const voidNext = (next: string | undefined) =>
    voidPricesOfDay(context, session, id, parseOrThrow(anyVoid, { ...body, generated, next }));
  let voided = await voidNext(first);
  for (let call = 1; call < MAX_CALLS && voided.count === 0 && voided.next !== null; call++)
    voided = await voidNext(voided.next);
  const { left, next } = voided;
  const text = outcomeText(voided, "voided");
  const outcome =
    next === null
      ? notice(`${text} The search for prices of this day is complete.`, "ok", { announced: true })
      : notice(
          `${text} ${left > 0 ? showPlural(left, "price is left.", "prices are left.") : "There may be more."}`,
          "warn",
          {
            announced: true,
            action: form({
              action: `${pathOf(id)}/voids`,
              hidden: { ...body, generated: which, next },
              button: "Continue",
            }),
          },
        );
  return pageOf(context, undefined, outcome);
};
