/** Coverage and discrepancy as a table, for a partner and for a round. */
import { html } from "hono/html";
import type { FoundRates } from "../db/operator/rates.ts";
import { DISCREPANCY_THRESHOLD, RATE_DAYS } from "../domain/rates.ts";
import { OF_IMPRESSIONS } from "../domain/texts.ts";
import { type RatesItem, toIntegratedRates } from "../usecases/rates.ts";
import { badge, card, notice } from "./elements.ts";
import { describeDays, NONE, showCount, showPercent } from "./locale.ts";
import type { Markup } from "./markup.ts";
import { type Column, table } from "./table.ts";

/** The rates of a partner's last days, or nothing if it has not integrated a cost type. */
export function ratesSection(integratedTypes: number, found: FoundRates): Markup | "" {
  const items = toIntegratedRates(integratedTypes, found);
  if (items.length === 0) return "";
  const days = html`<p class="muted">${describeDays(found)}, UTC</p>`;
  return card(
    { id: "rates", title: "Coverage and discrepancy", aside: days },
    found.complete
      ? ""
      : notice(
          "There's more data than this page can read. Discrepancies cover a part of the cost IDs.",
          "warn",
        ),
    ratesTable(items, `Coverage and discrepancy of the last ${RATE_DAYS} days`),
  );
}

const COLUMNS: Column<RatesItem>[] = [
  { heading: "Cost type", cell: (item) => item.cost_type },
  { heading: "Matched", kind: "number", cell: (item) => count(item.matched) },
  { heading: "Recorded", kind: "number", cell: (item) => count(item.recorded) },
  { heading: "Coverage", kind: "number", cell: (item) => percent(item.coverage) },
  { heading: "Expected", kind: "number", cell: (item) => count(item.expected) },
  { heading: "Agreeing", kind: "number", cell: (item) => count(item.agreeing) },
  {
    heading: "Discrepancy",
    kind: "number",
    cell: ({ discrepancy, within_threshold }) =>
      discrepancy === null ? NONE : badge(percent(discrepancy), within_threshold ? "ok" : "warn"),
  },
];

export function ratesTable(items: RatesItem[], label: string): Markup {
  return html`
    ${table({ label, columns: COLUMNS, rows: items, layout: "figures-in-row" })}
    <p class="hint">Coverage is matched costs ÷ recorded clicks (for ${OF_IMPRESSIONS}, impressions). Discrepancy is the share of expected clicks or impressions without an agreeing cost. Below ${DISCREPANCY_THRESHOLD * 100}% is usual.</p>`;
}

const count = (number: number | null): string => (number === null ? NONE : showCount(number));
const percent = (share: number | null): string => (share === null ? NONE : showPercent(share));
