/** The cost types, and the kinds of engagement that each can match. */

export const COST_TYPES = ["cpc", "cpi", "cpe", "cpm"] as const;
export type CostType = (typeof COST_TYPES)[number];

export type Kind = "click" | "impression";

/** The kinds of engagement that a cost type can match, the preferred kind first. */
export const KINDS_THAT_FIT: Record<CostType, Kind[]> = {
  cpm: ["impression"],
  cpc: ["click"],
  cpi: ["click", "impression"],
  cpe: ["click", "impression"],
};

/** The dimensions that a spend report can group by, in the order of the report's columns. */
export const SPEND_GROUPS = ["day", "link", "partner", "cost_type"] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];
