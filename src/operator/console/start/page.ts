/** The start page of operators: what waits, health, spend, partners, and what a new deployment still needs. */
import { html } from "hono/html";
import { nameOfSingleSignOn } from "../../../auth/single-sign-on/settings.ts";
import { SPEND_DAYS } from "../../../db/operator/lists/partner-spend.ts";
import { readStart, type Start } from "../../../db/operator/start.ts";
import { sumOf } from "../../../domain/figures/performance.ts";
import { sumSpend } from "../../../domain/money.ts";
import { dayOf, toIso } from "../../../domain/time.ts";
import { badge, buttonLink, card, nameText, notice, pageHead, tiles } from "../../../pages/elements.ts";
import { inOrder } from "../../../pages/lists/order.ts";
import { table } from "../../../pages/lists/table.ts";
import {
  describeDay,
  describeDays,
  describeShortDay,
  describeTime,
  NONE,
  showCount,
  showPlural,
} from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { changeText, moneyText } from "../../../pages/money.ts";
import type { Show } from "../layout.ts";
import { addedUp, amounts, byCurrency, type Sums, spendByPartner } from "../partners/money.ts";
import { type Item, isNotCounted } from "../partners/steps.ts";
import { ABOUT_TABLE, PARTNER_ORDER, partnerTable, whenCounted, withFigures } from "../partners/table.ts";
import { healthSection, setupSection } from "./service.ts";
import { listWaiting } from "./waiting.ts";

/** The rest of a list is on a page of its own. */
const MOST_ITEMS = 10;
const MOST_PARTNERS = 15;

export const startPage: Show = async (context) => {
  const { now, env } = context;
  const hasSingleSignOn = nameOfSingleSignOn(env) !== undefined;
  const start = await readStart(context.ledger, now, hasSingleSignOn);
  const spendOf = spendByPartner(start.spend ?? []);
  const bySpend = inOrder(withFigures(start), "-spend", PARTNER_ORDER);
  const places = new Map(bySpend.filter(({ id }) => spendOf.has(id)).map(({ id }, index) => [id, index]));
  const waiting = listWaiting(
    start,
    { now, hasSingleSignOn },
    (id) => places.get(id) ?? Number.POSITIVE_INFINITY,
  );
  const isNew = !start.partners.some(({ supportsCostData }) => supportsCostData);
  return {
    title: "Overview",
    section: "Overview",
    body: html`
      ${pageHead(
        "Overview",
        html`<div class="actions">${buttonLink("/operator/partners/new", "New partner", "")} ${buttonLink("/operator/users/new", "New user")}</div>`,
      )}
      ${isNew ? setupSection(context, start) : ""}
      ${waitingSection(start, waiting, now, spendOf)}
      ${spendSection(start)}
      ${partnerSection(start, bySpend)}
      ${isNew ? "" : setupSection(context, start)}
      ${healthSection(context, start)}`,
  };
};

const MARKS = { error: "Urgent", warn: "Soon", "": "Later", ok: "" } as const;

function waitingSection(start: Start, items: Item[], now: number, spendOf: Map<number, Sums>): Markup {
  const checked = html`<p class="muted">Checked ${describeTime(now)}. ${whenCounted(start.partners, now)}</p>`;
  if (items.length === 0)
    return card(
      { id: "waiting", title: "Waiting for you" },
      start.partners.some(isNotCounted)
        ? notice("Nothing is waiting for you so far. Not all partners are checked yet.")
        : notice("Nothing is waiting for you.", "ok"),
      checked,
    );
  const rest = items.length - MOST_ITEMS;
  return card(
    { id: "waiting", title: `Waiting for you (${items.length})` },
    table({
      label: "Waiting for you",
      rows: items.slice(0, MOST_ITEMS),
      columns: [
        {
          heading: "What",
          cell: ({ name, what, isGroup }) =>
            html`<span class="sentence">${nameText(name)}${isGroup ? "" : ":"} ${what}</span>`,
        },
        { heading: "Urgency", onPhone: 5, cell: ({ tone }) => badge(MARKS[tone], tone) },
        {
          heading: "Since, UTC",
          kind: "day",
          isMinor: true,
          cell: ({ since }) => (since === null ? NONE : shortTime(since, now)),
        },
        {
          heading: `Spend, ${SPEND_DAYS} days`,
          kind: "number",
          cell: ({ partnerIds = [] }) => amounts(addedUp(partnerIds.flatMap((id) => spendOf.get(id) ?? []))),
        },
        {
          heading: "Next step",
          onPhone: 7,
          cell: ({ text, href, name }) =>
            html`<a class="words" href="${href}">${text}<span class="visually-hidden">: ${name}</span></a>`,
        },
      ],
    }),
    rest > 0 ? html`<p class="muted">${showPlural(rest, "more line")} with less urgency.</p>` : "",
    checked,
  );
}

/** `23 Nov, 23:00`, or the day with its year if that is another one. */
function shortTime(instant: number, now: number): Markup {
  const [at, day] = [toIso(instant), dayOf(instant)];
  const isOfYear = at.slice(0, 4) === toIso(now).slice(0, 4);
  return html`<time datetime="${at}">${isOfYear ? `${describeShortDay(day)}, ${at.slice(11, 16)}` : describeDay(day)}</time>`;
}

function spendSection({ spend, pending, days }: Start): Markup {
  const head = { id: "spend", title: "Spend", aside: html`<p class="muted">${describeDays(days)}, UTC</p>` };
  if (!spend)
    return card(
      head,
      notice(
        "The spend couldn't be added up: a database doesn't respond, or there are too many costs.",
        "warn",
      ),
    );
  const waiting = Map.groupBy(pending, ({ currency }) => currency);
  const currencies = [...byCurrency(spend)];
  const pendingText = [...waiting].map(
    ([currency, rows], at) =>
      html`${at > 0 ? ", " : ""}${moneyText(sumSpend(rows), currency)} (${showCount(sumOf(rows, ({ count }) => count))})`,
  );
  return card(
    head,
    currencies.length === 0
      ? html`<p class="muted">No matched costs in these days.</p>`
      : tiles(
          "Spend by currency",
          currencies.map(([currency, { spend, before }]) => ({
            name: `Spend in ${currency}`,
            value: moneyText(spend, currency),
            href: `/operator/spend#spend-${currency}`,
            note:
              before === 0n
                ? "no data in the 7 days before"
                : html`${changeText(spend, before)} vs the 7 days before`,
          })),
        ),
    pendingText.length === 0
      ? ""
      : html`<p><a href="/operator/spend#pending">Pending</a>: ${pendingText}</p>`,
  );
}

function partnerSection({ partners, days }: Start, rows: ReturnType<typeof withFigures>): Markup {
  return card(
    {
      id: "partners",
      title: `Partners (${partners.length})`,
      aside: html`<p class="actions"><span class="muted">${describeDays(days)}, UTC</span> <a href="/operator/partners">All partners</a></p>`,
    },
    partnerTable({
      rows: rows.slice(0, MOST_PARTNERS),
      empty: html`<p class="muted">No partners yet. <a href="/operator/partners/new">Create the first one</a>.</p>`,
    }),
    partners.length > MOST_PARTNERS
      ? html`<p class="muted">The ${MOST_PARTNERS} partners with the highest spend. <a href="/operator/partners">Show all</a></p>`
      : "",
    html`<p class="hint">${ABOUT_TABLE}</p>`,
  );
}
