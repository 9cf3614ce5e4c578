/** The start page of operators: what waits, health, spend, partners, and what a new deployment still needs. */
import { html } from "hono/html";
import { nameOfSingleSignOn } from "../../../auth/single-sign-on/settings.ts";
import { readStart, SPEND_DAYS, type SpendRow, type Start } from "../../../db/operator/start.ts";
import type { StoredRate } from "../../../db/operator/stored-rates.ts";
import { toMask, toTypes } from "../../../domain/cost-types.ts";
import { DISCREPANCY_THRESHOLD } from "../../../domain/figures/rates.ts";
import { sumAdjusted, sumCosts, sumSpend } from "../../../domain/money.ts";
import { toIso } from "../../../domain/time.ts";
import { partnerBadge } from "../../../pages/costs/states.ts";
import { badge, buttonLink, card, nameText, notice, pageHead, tiles } from "../../../pages/elements.ts";
import { table } from "../../../pages/lists/table.ts";
import {
  describeDays,
  describeTime,
  NONE,
  showChange,
  showPercent,
  showPlural,
} from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { moneyText } from "../../../pages/money.ts";
import type { Show } from "../layout.ts";
import { nextStep } from "../partners/next-step.ts";
import { healthSection, setupSection } from "./service.ts";
import { coverageOf, discrepancyOf, type Item, listWaiting } from "./waiting.ts";

/** The rest of a list is on a page of its own. */
const MOST_ITEMS = 10;
const MOST_PARTNERS = 15;

export const startPage: Show = async (context) => {
  const { now, env } = context;
  const hasSingleSignOn = nameOfSingleSignOn(env) !== undefined;
  const start = await readStart(context.ledger, now, hasSingleSignOn);
  const spendOf = spendByPartner(start.spend ?? []);
  const waiting = listWaiting(start, { now, hasSingleSignOn }, (id) => spendOf.has(id));
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
      ${partnerSection(start, spendOf)}
      ${isNew ? "" : setupSection(context, start)}
      ${healthSection(context, start)}`,
  };
};

type Sums = Map<string, { spend: bigint; before: bigint; count: number }>;

const isOf = (before: 0 | 1) => (row: SpendRow) => row.isBefore === before;
const sum = (rows: SpendRow[]) =>
  sumCosts(
    rows.flatMap(({ costsWhole, costsRest }) =>
      costsWhole === undefined || costsRest === undefined ? [] : [{ costsWhole, costsRest }],
    ),
  ) + sumAdjusted(rows);

/** By currency, the one with the most costs first. */
function byCurrency(rows: SpendRow[]): Sums {
  const sums = [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, ofCurrency]) => {
    const now = ofCurrency.filter(isOf(0));
    const count = now.reduce((total, row) => total + (row.count ?? 0), 0);
    return [currency, { spend: sum(now), before: sum(ofCurrency.filter(isOf(1))), count }] as const;
  });
  return new Map(sums.sort(([, one], [, other]) => other.count - one.count));
}

/** Of the partners that have spend in the days. */
const spendByPartner = (rows: SpendRow[]): Map<number, Sums> =>
  new Map(
    [...Map.groupBy(rows.filter(isOf(0)), ({ partnerId }) => partnerId)].map(([id, ofPartner]) => [
      id,
      byCurrency(ofPartner),
    ]),
  );

/** The sums of several partners. */
function added(all: Sums[]): Sums | undefined {
  const sums: Sums = new Map();
  for (const [currency, { spend, before, count }] of all.flatMap((one) => [...one])) {
    const sum = sums.get(currency) ?? { spend: 0n, before: 0n, count: 0 };
    sums.set(currency, { spend: sum.spend + spend, before: sum.before + before, count: sum.count + count });
  }
  return sums.size === 0
    ? undefined
    : new Map([...sums].sort(([, one], [, other]) => other.count - one.count));
}

const amounts = (sums: Sums | undefined): Markup | string =>
  sums === undefined
    ? NONE
    : html`${[...sums].map(([currency, { spend }]) => html`<div>${moneyText(spend, currency)}</div>`)}`;

const MARKS = { error: "Urgent", warn: "Soon", "": "Later", ok: "" } as const;

function waitingSection(start: Start, items: Item[], now: number, spendOf: Map<number, Sums>): Markup {
  const checked = html`<p class="muted">Checked ${describeTime(now)}. ${ratesChecked(start, now)}</p>`;
  if (items.length === 0)
    return card(
      { id: "waiting", title: "Waiting for you" },
      notice(html`Nothing waits. Checked ${describeTime(now)}.`, "ok"),
      html`<p class="muted">${ratesChecked(start, now)}</p>`,
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
          cell: ({ name, what, isGroup }) => html`${nameText(name)}${isGroup ? "" : ":"} ${what}`,
        },
        { heading: "Urgency", cell: ({ tone }) => badge(MARKS[tone], tone) },
        { heading: "Since", kind: "day", cell: ({ since }) => (since === null ? NONE : time(toIso(since))) },
        {
          heading: `Spend, ${SPEND_DAYS} days`,
          kind: "number",
          cell: ({ partnerIds = [] }) => amounts(added(partnerIds.flatMap((id) => spendOf.get(id) ?? []))),
        },
        {
          heading: "Next step",
          cell: ({ text, href, name }) =>
            html`<a href="${href}">${text}<span class="visually-hidden">: ${name}</span></a>`,
        },
      ],
    }),
    rest > 0 ? html`<p class="muted">${showPlural(rest, "more line")} with less urgency.</p>` : "",
    checked,
  );
}

/** When the cron counted the rates that the page shows. */
function ratesChecked({ rates, partners }: Start, now: number): string {
  const counted = new Set(rates.map(({ partnerId }) => partnerId));
  const missing = partners.filter(
    ({ id, integratedTypes }) => integratedTypes !== 0 && !counted.has(id),
  ).length;
  const oldest = rates.reduce((first, { computedAt }) => Math.min(first, computedAt), now);
  const times =
    rates.length === 0
      ? ""
      : `Discrepancies were counted by the daily job, the oldest ${describeTime(oldest)}.`;
  if (missing === 0) return times;
  return `${times} Discrepancies of ${showPlural(missing, "partner")} couldn't be checked: the daily job hasn't counted them yet.`.trim();
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
    ([currency, rows]) =>
      html`<li>${showPlural(
        rows.reduce((total, { count }) => total + count, 0),
        "pending cost",
      )} (${moneyText(sumSpend(rows), currency)})</li>`,
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
                : `${showChange(spend, before)} compared with the 7 days before`,
          })),
        ),
    pendingText.length === 0
      ? ""
      : html`<p><a href="/operator/spend#pending">Waiting for their click or impression:</a></p><ul>${pendingText}</ul>`,
  );
}

function partnerSection(start: Start, spendOf: Map<number, Sums>): Markup {
  const { partners, openRounds, rates } = start;
  const rounds = Map.groupBy(openRounds, ({ partnerId }) => partnerId);
  const ratesOfPartner = Map.groupBy(rates, ({ partnerId }) => partnerId);
  const shown = partners.map((partner) => {
    const own = rounds.get(partner.id) ?? [];
    const typesInRound = toMask(own.flatMap(({ costTypes }) => toTypes(costTypes)));
    const stored = ratesOfPartner.get(partner.id) ?? [];
    const state = {
      ...partner,
      typesInRound,
      openRounds: JSON.stringify(own.map(({ id }) => id)),
      hasLiveCredential: Number(start.live.has(partner.id)),
    };
    return { ...state, stored, step: nextStep(state, stored), spend: spendOf.get(partner.id) };
  });
  const costs = ({ spend }: (typeof shown)[number]) =>
    [...(spend?.values() ?? [])].reduce((total, { count }) => total + count, 0);
  return card(
    {
      id: "partners",
      title: `Partners (${partners.length})`,
      aside: html`<a href="/operator/partners">All partners</a>`,
    },
    table({
      label: "Partners",
      rows: shown.sort((one, other) => costs(other) - costs(one)).slice(0, MOST_PARTNERS),
      empty: html`<p class="muted">No partners yet. <a href="/operator/partners/new">Create the first one</a>.</p>`,
      columns: [
        {
          heading: "Partner",
          cell: ({ id, displayName }) =>
            html`<a href="/operator/partners/${id}">${nameText(displayName)}</a>`,
        },
        { heading: "State", cell: partnerBadge },
        {
          heading: "Live types",
          kind: "day",
          cell: ({ integratedTypes }) => toTypes(integratedTypes).join(", ") || NONE,
        },
        { heading: `Spend, ${SPEND_DAYS} days`, kind: "number", cell: ({ spend }) => amounts(spend) },
        { heading: "Coverage", kind: "number", cell: ({ stored }) => coverageText(stored) },
        { heading: "Discrepancy", kind: "number", cell: ({ stored }) => discrepancyBadge(stored) },
        {
          heading: "Next step",
          cell: ({ step }) =>
            step ? html`<a href="${step.href}">${step.text}</a>` : html`<span class="muted">None</span>`,
        },
      ],
    }),
    partners.length > MOST_PARTNERS
      ? html`<p class="muted">The ${MOST_PARTNERS} partners with the most costs. <a href="/operator/partners">Show all</a></p>`
      : "",
  );
}

function discrepancyBadge(stored: StoredRate[]): Markup | string {
  const rates = stored.flatMap((rate) => discrepancyOf(rate) ?? []);
  const highest = Math.max(...rates);
  return rates.length === 0
    ? NONE
    : badge(showPercent(highest), highest < DISCREPANCY_THRESHOLD ? "ok" : "warn");
}

/** Of clicks; of impressions for a partner that has only costs for those. */
function coverageText(stored: StoredRate[]): string {
  const { click, impression } = coverageOf(stored);
  const share = click ?? impression;
  return share === null ? NONE : showPercent(share);
}
