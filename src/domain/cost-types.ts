/** The cost types, the kinds of engagement that each can match, and sets of cost types as the database stores them. */

export const COST_TYPES = ["cpc", "cpi", "cpe", "cpm"] as const;
export type CostType = (typeof COST_TYPES)[number];

/** The bit of each cost type in a mask. Stored data and the triggers depend on these values. */
export const COST_TYPE_BITS: Record<CostType, number> = { cpc: 1, cpi: 2, cpe: 4, cpm: 8 };

/** A set of cost types as a bit mask: cpc and cpe are 1 + 4 = 5. */
export function toMask(types: readonly CostType[]): number {
  return types.reduce((mask, type) => mask | COST_TYPE_BITS[type], 0);
}

/** The cost types of a bit mask, in the order of COST_TYPES. */
export function toTypes(mask: number): CostType[] {
  return COST_TYPES.filter((type) => mask & COST_TYPE_BITS[type]);
}

export const KINDS = ["click", "impression"] as const;
export type Kind = (typeof KINDS)[number];

/** The kinds of engagement that a cost type can match, the preferred kind first. */
export const KINDS_THAT_FIT: Record<CostType, Kind[]> = {
  cpm: ["impression"],
  cpc: ["click"],
  cpi: ["click", "impression"],
  cpe: ["click", "impression"],
};
