/** Coverage and discrepancy as JSON and as a table, for a partner and for a round. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { FoundRates } from "../db/operator/rates.ts";
import { COST_TYPES, toTypes } from "../domain/cost-types.ts";
import { DISCREPANCY_THRESHOLD, RATE_DAYS, type RateCounts, toRates } from "../domain/rates.ts";
import { OF_IMPRESSIONS, WITH_DISCREPANCY } from "../domain/texts.ts";
import { describeDays } from "../domain/time.ts";
import type { Markup } from "../http/pages.ts";

export const rates = z
  .strictObject({
    cost_type: z.enum(COST_TYPES),
    matched: z.int().with(z.describe("Costs with a click or impression")),
    recorded: z
      .nullable(z.int())
      .with(
        z.describe(`Recorded clicks, for ${OF_IMPRESSIONS} impressions; null if there are too many to count`),
      ),
    coverage: z.nullable(z.number()).with(z.describe("matched ÷ recorded")),
    expected: z
      .nullable(z.int())
      .with(
        z.describe(
          `For ${WITH_DISCREPANCY}: clicks or impressions with cost data on, without those whose URL or cost has another cost type`,
        ),
      ),
    agreeing: z
      .nullable(z.int())
      .with(z.describe("Those with a matched cost that has an amount and does not differ from the URL")),
    discrepancy: z.nullable(z.number()).with(z.describe("1 − agreeing ÷ expected")),
    within_threshold: z
      .nullable(z.boolean())
      .with(z.describe(`Whether the discrepancy is below ${DISCREPANCY_THRESHOLD}`)),
  })
  .with(z.meta({ id: "Rates" }));

export type RatesItem = z.output<typeof rates>;

export function toRatesItem(counts: RateCounts): RatesItem {
  const { costType, matched, recorded, coverage, discrepancy, discrepancyRate, isWithinThreshold } =
    toRates(counts);
  return {
    cost_type: costType,
    matched,
    recorded,
    coverage,
    expected: discrepancy?.expected ?? null,
    agreeing: discrepancy?.agreeing ?? null,
    discrepancy: discrepancyRate,
    within_threshold: isWithinThreshold,
  };
}

/** The rates of the integrated cost types, which are a bit mask. */
export function toIntegratedRates(integratedTypes: number, { counts }: FoundRates): RatesItem[] {
  const types = toTypes(integratedTypes);
  return counts.filter(({ costType }) => types.includes(costType)).map(toRatesItem);
}

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
            ${[item.matched, item.recorded, percent(item.coverage), item.expected, item.agreeing].map((cell, at) => html`<td class="number" data-label="${HEADINGS[at]}">${cell ?? "–"}</td>`)}
            <td class="number" data-label="Discrepancy">${item.discrepancy === null ? "–" : html`<span class="badge ${item.within_threshold ? "ok" : "warn"}">${percent(item.discrepancy)}</span>`}</td>
          </tr>`,
      )}</tbody>
    </table></div>
    <p class="hint">Coverage is matched costs ÷ recorded clicks (for ${OF_IMPRESSIONS}, impressions). Discrepancy is the share of expected clicks or impressions without an agreeing cost. Below ${percent(DISCREPANCY_THRESHOLD)} is usual.</p>`;
}

function percent(share: number | null): string | null {
  return share === null ? null : `${Math.round(share * 10_000) / 100}%`;
}
