/** Coverage, discrepancy and rejected costs, for a partner and for a round. */
import { html } from "hono/html";
import type { DayOfRates, FoundRates } from "../../db/operator/rates.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { DISCREPANCY_THRESHOLD, MIN_EXPECTED, RATE_DAYS, toCoverage } from "../../domain/figures/rates.ts";
import { OF_IMPRESSIONS } from "../../domain/texts.ts";
import { ERRORS } from "../../errors.ts";
import { sumByCode } from "../../usecases/costs/rejections.ts";
import { type RatesItem, toIntegratedRates } from "../../usecases/rates.ts";
import { badge, card, notice } from "../elements.ts";
import { type Column, table } from "../lists/table.ts";
import { describeDays, describeShortDay, NONE, showCount, showPercent, showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";

/** The rates of a partner's last days, or nothing if it has not integrated a cost type and no cost was rejected. */
export function ratesSection(integratedTypes: number, found: FoundRates): Markup | "" {
  const items = toIntegratedRates(integratedTypes, found);
  const rejections = rejectionList(found);
  if (items.length === 0 && rejections === "") return "";
  return card(
    {
      id: "rates",
      title: "Coverage and discrepancy",
      aside: html`<p class="muted">Last ${RATE_DAYS} days with today: ${describeDays(found)}, UTC</p>`,
    },
    found.complete
      ? ""
      : notice(
          "There's more data than this page can read. Discrepancies, and the reasons for a low coverage, are about a part of the cost IDs.",
          "warn",
        ),
    items.length === 0
      ? ""
      : html`
        ${table({ label: `Discrepancy of the last ${RATE_DAYS} days`, columns: [TYPE, ...COLUMNS], rows: items, layout: "compact" })}
        <p class="hint">${DISCREPANCY}</p>
        ${coverageByDay(found)}`,
    rejections,
  );
}

const TYPE: Column<RatesItem> = { heading: "Cost type", cell: (item) => item.cost_type };
const MATCHED: Column<RatesItem> = {
  heading: "Matched",
  kind: "number",
  cell: (item) => count(item.matched),
};
const EXPECTED: Column<RatesItem>[] = [
  { heading: "Expected", kind: "number", cell: (item) => count(item.expected) },
  { heading: "With a matching cost", kind: "number", isMinor: true, cell: (item) => count(item.agreeing) },
  {
    heading: "Discrepancy",
    kind: "number",
    cell: ({ discrepancy, within_threshold }) => discrepancyBadge(discrepancy, within_threshold),
  },
];
const COLUMNS = [MATCHED, ...EXPECTED];
/** What is usual, and of how many a discrepancy says something. */
export const USUAL = `Below ${DISCREPANCY_THRESHOLD * 100}% is usual. With fewer than ${MIN_EXPECTED} expected, a discrepancy says little and isn't marked.`;
export const DISCREPANCY = `Discrepancy is the share of expected clicks or impressions without a matching cost. ${USUAL}`;

/** Marked if there are enough engagements to say that it is usual, or not. */
export const discrepancyBadge = (rate: number | null, isUsual: boolean | null): Markup | string =>
  rate === null ? NONE : badge(showPercent(rate), isUsual === null ? "" : isUsual ? "ok" : "warn");

/** The rates of a round, by cost type. */
export function ratesTable(items: RatesItem[], label: string): Markup {
  const coverage: Column<RatesItem>[] = [
    { heading: "Recorded", kind: "number", isMinor: true, cell: (item) => count(item.recorded) },
    { heading: "Coverage", kind: "number", cell: (item) => percent(item.coverage) },
  ];
  return html`
    ${table({ label, hasHeading: true, columns: [TYPE, MATCHED, ...coverage, ...EXPECTED], rows: items, layout: "compact" })}
    <p class="hint">Coverage is matched costs ÷ recorded clicks (for ${OF_IMPRESSIONS}, impressions). ${DISCREPANCY}</p>`;
}

/** How complete the costs of each day are, and why they are not. */
function coverageByDay({ days, to }: FoundRates): Markup {
  const number = (heading: string, of: (day: DayOfRates) => string, onPhone?: 5): Column<DayOfRates> => ({
    ...{ heading, kind: "number", cell: of },
    ...(onPhone && { onPhone }),
  });
  const reason = (heading: string, of: (day: DayOfRates) => number) =>
    days.some((day) => of(day) > 0) && number(heading, (day) => showCount(of(day)));
  const lapsed = reason("Lapsed", ({ lapsed }) => lapsed);
  const rejected = reason("Rejected", ({ rejected }) => sumOf(rejected, ({ count }) => count));
  const reasons = [
    reason("Cost data off", ({ costDataOff }) => costDataOff),
    reason("No cost", ({ noCost }) => noCost),
    reason("Voided", ({ voided }) => voided),
    lapsed,
    rejected,
  ];
  const columns = [
    {
      heading: "Day",
      kind: "day" as const,
      cell: ({ day }: DayOfRates) => `${describeShortDay(day)}${day === to ? ", so far" : ""}`,
    },
    number("Clicks", (day) => part(toCoverage(day).click, day.recorded.click), 5),
    number("Impressions", (day) => part(toCoverage(day).impression, day.recorded.impression), 5),
    ...reasons,
  ];
  return html`
    <h3>Coverage by day</h3>
    ${table({ label: "Coverage by day", columns, rows: days, layout: "figures-in-row" })}
    <p class="hint">Coverage is matched costs ÷ recorded clicks or, for ${OF_IMPRESSIONS}, impressions. ${reasons.some(Boolean) ? "The columns after it say why clicks and impressions of the day have no cost that counts." : ""} ${lapsed ? "A lapsed cost waited for its click or impression until that day." : ""} ${rejected ? "A rejected cost was sent on that day." : ""}</p>`;
}

/** Why costs of these days were rejected. */
function rejectionList({ days }: FoundRates): Markup | "" {
  const codes = sumByCode(days.flatMap(({ rejected }) => rejected));
  if (codes.length === 0) return "";
  return html`
    <h3 id="rejected">Rejected costs</h3>
    <ul>${codes.map(({ code, count }) => html`<li>${showPlural(count, "cost", "costs")}: <a href="/docs/errors#${code}">${ERRORS[code].title}</a></li>`)}</ul>`;
}

/** `92.1% of 1,234`. */
const part = (share: number | null, of: number | null): string =>
  share === null || of === null ? NONE : `${showPercent(share)} of ${showCount(of)}`;
const count = (number: number | null): string => (number === null ? NONE : showCount(number));
const percent = (share: number | null): string => (share === null ? NONE : showPercent(share));
