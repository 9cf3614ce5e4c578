/** Coverage and discrepancy as a table, for a partner and for a round. */
import { html } from "hono/html";
import type { FoundRates } from "../db/operator/rates.ts";
import { DISCREPANCY_THRESHOLD, RATE_DAYS } from "../domain/rates.ts";
import { OF_IMPRESSIONS } from "../domain/texts.ts";
import { type RatesItem, toIntegratedRates } from "../usecases/rates.ts";
import { describeDays, NONE, showCount, showPercent } from "./locale.ts";
import type { Markup } from "./markup.ts";

/** The rates of a partner's last days, or nothing if it has not integrated a cost type. */
export function ratesSection(integratedTypes: number, found: FoundRates): Markup | "" {
  const items = toIntegratedRates(integratedTypes, found);
  if (items.length === 0) return "";
  return html`
    <section class="card" aria-labelledby="rates">
      <div class="head"><h2 id="rates">Coverage and discrepancy</h2><p class="muted">${describeDays(found)}, UTC</p></div>
      ${found.complete ? "" : html`<p class="notice warn">There's more data than this page can read. Discrepancies cover a part of the cost IDs.</p>`}
      ${ratesTable(items, `Coverage and discrepancy of the last ${RATE_DAYS} days`)}
    </section>`;
}

const HEADINGS = ["Matched", "Recorded", "Coverage", "Expected", "Agreeing", "Discrepancy"];

export function ratesTable(items: RatesItem[], label: string): Markup {
  return html`
    <div class="table stacked figures-in-row" tabindex="0" role="region" aria-label="${label}"><table>
      <caption class="visually-hidden">${label}</caption>
      <thead><tr><th scope="col">Cost type</th>${HEADINGS.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
      <tbody>${items.map(
        (item) => html`
          <tr>
            <th scope="row">${item.cost_type}</th>
            ${[count(item.matched), count(item.recorded), percent(item.coverage), count(item.expected), count(item.agreeing)].map((cell, at) => html`<td class="number" data-label="${HEADINGS[at]}">${cell}</td>`)}
            <td class="number" data-label="Discrepancy">${item.discrepancy === null ? NONE : html`<span class="badge ${item.within_threshold ? "ok" : "warn"}">${percent(item.discrepancy)}</span>`}</td>
          </tr>`,
      )}</tbody>
    </table></div>
    <p class="hint">Coverage is matched costs ÷ recorded clicks (for ${OF_IMPRESSIONS}, impressions). Discrepancy is the share of expected clicks or impressions without an agreeing cost. Below ${DISCREPANCY_THRESHOLD * 100}% is usual.</p>`;
}

const count = (number: number | null): string => (number === null ? NONE : showCount(number));
const percent = (share: number | null): string => (share === null ? NONE : showPercent(share));
