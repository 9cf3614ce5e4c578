/** `/partner/totals`: the costs that count, by day, with totals by type and currency, as a page and as CSV. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { SignedInPartner } from "../../auth/partner-sessions.ts";
import { findMatched, type MatchedSums } from "../../db/operator/rates.ts";
import { MAX_COVERED } from "../../db/statement.ts";
import { COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import { currenciesOf, MIN_CLICKS, sumOf } from "../../domain/figures/performance.ts";
import { formatMoney, sumCosts } from "../../domain/money.ts";
import { inEnglish } from "../../domain/texts.ts";
import { DAY_MS, type DayRange, dayOf, formatDate, RETENTION_MS } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { csvResponse, toCsv } from "../../http/csv.ts";
import { readInput } from "../../http/input/input.ts";
import { chartScript } from "../../pages/chart/chart.ts";
import { costTypeName } from "../../pages/costs/cost-types.ts";
import { costCharts } from "../../pages/costs/day-charts.ts";
import { card, notice, pageHead } from "../../pages/elements.ts";
import { chartEvents, eventList } from "../../pages/events.ts";
import { type Column, firstRows, table } from "../../pages/lists/table.ts";
import { describeDay, showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import { periodChecks, periodFields, periodPicker, rejectedDates, toPeriod } from "../../pages/periods.ts";
import { silentDay, withStates } from "../../usecases/events.ts";
import { report, withLedger } from "../frame.ts";

const PATH = "/partner/totals";
const contract = {
  query: z.strictObject({ ...periodFields, rows: z.optional(z.string()) }).check(...periodChecks),
};

async function find(context: Context, { partnerId }: SignedInPartner) {
  const { query } = await readInput(context, contract);
  const period = toPeriod(query, context.now);
  return { period, ...(await findMatched(context.ledger, partnerId, period)) };
}

/** Costs of one type and currency. */
export interface Total {
  costType: CostType;
  currency: string;
  costs: number;
  unpriced: number;
  amount: bigint;
}

/** The sums of each type and currency, in the order of the types. */
export function toTotals(rows: MatchedSums[]): Total[] {
  return [...Map.groupBy(rows, ({ costType, currency }) => `${costType} ${currency}`).values()]
    .flatMap((same) => {
      const [first] = same;
      if (!first) return [];
      const { costType, currency } = first;
      const add = (of: (row: MatchedSums) => number) => sumOf(same, of);
      return {
        costType,
        currency,
        costs: add(({ sum }) => sum),
        unpriced: add(({ unpriced }) => unpriced),
        amount: sumCosts(same),
      };
    })
    .sort(
      (left, right) =>
        COST_TYPES.indexOf(left.costType) - COST_TYPES.indexOf(right.costType) ||
        left.currency.localeCompare(right.currency),
    );
}

type DayTotal = Total & { day: number };

/** The newest day first. */
const toDays = (rows: MatchedSums[]): DayTotal[] =>
  [...Map.groupBy(rows, ({ day }) => day)]
    .sort(([left], [right]) => right - left)
    .flatMap(([day, ofDay]) => toTotals(ofDay).map((total) => ({ day, ...total })));

/** Its costs, as long as they are kept. */
const hrefOfCosts = (day: number, today: number): string | undefined =>
  day > today - RETENTION_MS / DAY_MS ? `/partner/costs?day=${formatDate(day)}` : undefined;

/** A chart for each currency, and what happened to the partner. */
export function chartsOf(
  { partnerId: id, displayName, stoppedAt }: SignedInPartner,
  matched: MatchedSums[],
  days: DayRange,
  today: number,
): Markup {
  const isRegular = sumOf(matched, (one) => one.sum) >= MIN_CLICKS;
  const last = Math.max(...matched.map(({ day }) => day));
  const silentOn =
    isRegular && stoppedAt === null ? silentDay(last, { ...days, to: Math.min(days.to, today - 1) }) : null;
  const partners = new Map([[id, { displayName }]]);
  const events = withStates([], [{ id, stoppedAt, silentOn }], days);
  const charts = costCharts({
    name: "Costs",
    by: "cost type",
    keyOf: ({ costType }) => costType,
    nameOf: (costType) => costType,
    ...{ days, today },
    rows: matched,
    currencies: currenciesOf(matched.map(({ currency, sum }) => ({ currency, matched: sum }))),
    hrefOf: (day) => hrefOfCosts(day, today) ?? `${PATH}?from=${formatDate(day)}&to=${formatDate(day)}`,
    events: chartEvents(events, partners),
  });
  return html`${charts}${eventList(events, partners)}`;
}

export const totalsPage = withLedger(
  "/partner/totals",
  report(async (context, partner, caller) => {
    // The totals are found by the partner's ID, which the database has just read for the session.
    caller.authorize(partner);
    const { period, matched, complete } = await find(context, partner);
    const today = dayOf(context.now);
    const days = toDays(matched);
    const shown = firstRows(context.url, days);
    const file = `${PATH}.csv?${new URLSearchParams({ from: formatDate(period.from), to: formatDate(period.to) })}`;
    return {
      title: "Totals",
      scripts: [chartScript.href],
      ...(rejectedDates(context.url) && { status: 400 }),
      body: html`
        ${pageHead("Totals")}
        <p class="lead">${ABOUT}</p>
        ${periodPicker(context.url, period)}
        ${complete ? "" : notice(TOO_MANY, "warn")}
        ${
          days.length === 0
            ? notice("No matched costs in this period.")
            : html`
              ${card({ id: "all", title: "All days" }, table({ label: "Totals by type and currency", layout: "compact", rows: toTotals(matched), columns: TOTAL_COLUMNS }), chartsOf(partner, matched, period, today))}
              ${card(
                { id: "days", title: "By day", aside: html`<a href="${file}">Download CSV</a>` },
                table({
                  label: "Totals by day",
                  layout: "compact",
                  rows: shown.rows,
                  columns: [
                    { heading: "Day", kind: "day", cell: ({ day }) => dayLink(day, today) },
                    ...TOTAL_COLUMNS,
                  ],
                }),
                shown.more,
              )}`
        }`,
    };
  }),
);

function dayLink(day: number, today: number): Markup | string {
  const href = hrefOfCosts(day, today);
  return href === undefined ? describeDay(day) : html`<a href="${href}">${describeDay(day)}</a>`;
}

export const ABOUT =
  "Matched costs, on the UTC day of their click or impression. Pending, lapsed and voided costs aren't in these totals, and neither are adjustments by operators.";
const TOO_MANY = `These days have more than ${inEnglish(MAX_COVERED)} totals, so some are missing here. Choose fewer days.`;

export const TOTAL_COLUMNS: Column<Total>[] = [
  { heading: "Cost type", cell: ({ costType }) => costTypeName(costType) },
  { heading: "Currency", isMinor: true, cell: ({ currency }) => currency },
  { heading: "Costs", kind: "number", cell: ({ costs }) => showCount(costs) },
  {
    heading: "Costs without amount",
    kind: "number",
    isMinor: true,
    cell: ({ unpriced }) => showCount(unpriced),
  },
  { heading: "Amount", kind: "number", cell: ({ amount, currency }): Markup => moneyText(amount, currency) },
];

export const totalsFile = withLedger(
  "/partner/totals",
  report(async (context, partner, caller) => {
    caller.authorize(partner);
    const rejected = rejectedDates(context.url);
    if (rejected) throw rejected.error;
    const { period, matched, complete } = await find(context, partner);
    if (!complete) throw new AppError("report_too_large", TOO_MANY);
    const rows = toDays(matched).map(({ day, costType, currency, costs, unpriced, amount }) => [
      ...[formatDate(day), costType, currency],
      ...[costs, unpriced, formatMoney(amount)],
    ]);
    const header = ["day", "cost_type", "currency", "costs", "unpriced", "amount"];
    const name = `totals-${formatDate(period.from)}-${formatDate(period.to)}.csv`;
    return csvResponse(toCsv(header, rows, ["amount"]), name);
  }),
);
