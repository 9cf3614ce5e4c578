/** Coverage and discrepancy as JSON, for a partner and for a round. */
import * as z from "zod/mini";
import type { FoundRates } from "../db/operator/rates.ts";
import { COST_TYPES, toTypes } from "../domain/cost-types.ts";
import { DISCREPANCY_THRESHOLD, MIN_EXPECTED, type RateCounts, toRates } from "../domain/figures/rates.ts";
import { OF_IMPRESSIONS, WITH_DISCREPANCY } from "../domain/texts.ts";

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
      .with(
        z.describe(
          `Whether the discrepancy is below ${DISCREPANCY_THRESHOLD}; null with fewer than ${MIN_EXPECTED} expected`,
        ),
      ),
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
