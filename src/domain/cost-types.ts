/** The pricing models, and the engagements that each pays for. Every surface speaks of these; nothing is imported here. */

export const COST_TYPES = ["cpc", "cpi", "cpe", "cpm"] as const;
export type CostType = (typeof COST_TYPES)[number];

export type Kind = "click" | "impression";

/** The kinds that a cost type may be matched with, the better one first. */
export const KINDS_THAT_FIT: Record<CostType, Kind[]> = {
  cpm: ["impression"],
  cpc: ["click"],
  cpi: ["click", "impression"],
  cpe: ["click", "impression"],
};

/** What spend may be added up by, in the order in which a report names them. */
export const SPEND_GROUPS = ["day", "link", "partner", "cost_type"] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];
