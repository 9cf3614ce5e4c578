/** Coverage and discrepancy of a cost type: how complete and how right a partner's costs are. Pure functions. */
import { COST_TYPE, type CostType, type Kind } from "../cost-types.ts";
import type { Engagements } from "../costs.ts";

/** The share without a cost, or with one that disagrees, from which a partner is usually asked to fix its costs. */
export const DISCREPANCY_THRESHOLD = 0.05;

/** Of fewer engagements, a share says little: no page marks it, and no rule opens an alert. */
export const MIN_EXPECTED = 20;

/** Whether it is usual that this share of so many engagements has no cost, by coverage or discrepancy. Null: there are too few. */
export const isUsual = (without: number, of: number): boolean | null =>
  of < MIN_EXPECTED ? null : without < DISCREPANCY_THRESHOLD;

/** The days that the rates of a partner cover, today included. */
export const RATE_DAYS = 7;

export interface RateCounts {
  costType: CostType;
  /** Costs with an engagement. */
  matched: number;
  /** Engagements of the counted kind that were recorded with an ID; null if there are too many to count. */
  recorded: number | null;
  /** Engagements that should have a cost of this type, and those whose cost has an amount and agrees with their URL. */
  discrepancy: { expected: number; agreeing: number } | null;
}

/** The cost that an ID of a round has. */
export type Match = { costType: CostType; amount: number | null; agreesWithUrl: boolean };

/** Counts the engagements on the links of a round. One that has another cost type is not expected to have a cost of this one. */
export function countRates(
  costType: CostType,
  matched: number,
  ids: { engagements: Partial<Engagements>; match: Match | undefined }[],
): RateCounts {
  const recorded = ids.flatMap(({ engagements, match }) => {
    const engagement = engagements[COST_TYPE[costType].fits[0]];
    return engagement ? [{ engagement, match }] : [];
  });
  const expected = recorded.filter(
    ({ engagement, match }) =>
      (engagement.urlCostType ?? costType) === costType && (match?.costType ?? costType) === costType,
  );
  const agreeing = expected.filter(({ match }) => match && match.amount !== null && match.agreesWithUrl);
  const hasDiscrepancy = COST_TYPE[costType].conversion === null;
  return {
    costType,
    matched,
    recorded: recorded.length,
    discrepancy: hasDiscrepancy ? { expected: expected.length, agreeing: agreeing.length } : null,
  };
}

/** Matched costs, priced or not, by the kind of engagement that their type is about, and recorded engagements. */
export interface CoverageCounts {
  matched: Record<Kind, number>;
  /** Null if there are too many to count. */
  recorded: Record<Kind, number | null>;
}

/** The share of recorded clicks with a cost of any type about clicks, and of impressions; null without recorded ones. */
export function toCoverage({ matched, recorded }: CoverageCounts): Record<Kind, number | null> {
  const of = (kind: Kind) => (recorded[kind] ? cut(matched[kind], recorded[kind]) : null);
  return { click: of("click"), impression: of("impression") };
}

export interface Rates extends RateCounts {
  /** From 0 to 1, cut to 4 places; null without engagements. More than 1 if costs also match engagements of another kind. */
  coverage: number | null;
  /** From 0 to 1, cut to 4 places; null without expected engagements, and for cost types without a discrepancy. */
  discrepancyRate: number | null;
  /** Whether the discrepancy is below the threshold; null with fewer than `MIN_EXPECTED`. */
  isWithinThreshold: boolean | null;
}

export function toRates(counts: RateCounts): Rates {
  const { matched, recorded, discrepancy } = counts;
  const missing = discrepancy && discrepancy.expected - discrepancy.agreeing;
  const isKnown = missing !== null && discrepancy !== null && discrepancy.expected > 0;
  return {
    ...counts,
    coverage: recorded ? cut(matched, recorded) : null,
    discrepancyRate: isKnown ? cut(missing, discrepancy.expected) : null,
    isWithinThreshold: isKnown ? isUsual(missing / discrepancy.expected, discrepancy.expected) : null,
  };
}

/** The type with the highest discrepancy, of those with enough engagements if there are any; undefined without a discrepancy. */
export function worstOf(rates: Rates[]): Rates | undefined {
  const known = rates.filter(({ discrepancyRate }) => discrepancyRate !== null);
  const enough = known.filter(({ isWithinThreshold }) => isWithinThreshold !== null);
  return (enough.length > 0 ? enough : known).toSorted(
    (one, other) => Number(other.discrepancyRate) - Number(one.discrepancyRate),
  )[0];
}

const cut = (count: number, of: number): number => Math.floor((count * 10_000) / of) / 10_000;
