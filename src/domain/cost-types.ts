/** The cost types. Everything that differs between them is in one row for each; columns, texts and forms are made from the rows. */

export const KINDS = ["click", "impression"] as const;
/** The kinds of engagement. */
export type Kind = (typeof KINDS)[number];

interface CostTypeRow {
  /** Its bit in a set of cost types. Stored data depends on it, so it never changes. */
  bit: number;
  name: string;
  /** What reports call the average of its amounts, of 1,000 of them if they are per mille. */
  price: `cost_per_${string}`;
  /** The kinds of engagement that it can match, the preferred one first. Coverage is about that one. */
  fits: readonly [Kind, ...Kind[]];
  /** Whether the amount is the price of 1,000 impressions. */
  isPerMille: boolean;
  /** What an engagement must lead to before it costs. Null: each one costs, so a missing cost is a discrepancy. */
  conversion: string | null;
}

const ROWS = {
  cpc: {
    bit: 1,
    name: "cost per click",
    price: "cost_per_click",
    fits: ["click"],
    isPerMille: false,
    conversion: null,
  },
  cpi: {
    bit: 2,
    name: "cost per install",
    price: "cost_per_install",
    fits: ["click", "impression"],
    isPerMille: false,
    conversion: "an install",
  },
  cpe: {
    bit: 4,
    name: "cost per event",
    price: "cost_per_event",
    fits: ["click", "impression"],
    isPerMille: false,
    conversion: "an event",
  },
  cpm: {
    bit: 8,
    name: "cost per 1,000 impressions",
    price: "cost_per_mille",
    fits: ["impression"],
    isPerMille: true,
    conversion: null,
  },
} as const satisfies Record<string, CostTypeRow>;

export type CostType = keyof typeof ROWS;
export const COST_TYPE: Record<CostType, CostTypeRow> = ROWS;
/** The names of prices. */
export type PriceName = (typeof ROWS)[CostType]["price"];
export const COST_TYPES = Object.keys(ROWS) as [CostType, ...CostType[]];

export const TYPES_WITH_DISCREPANCY = COST_TYPES.filter((type) => COST_TYPE[type].conversion === null);
export const TYPES_PER_MILLE = COST_TYPES.filter((type) => COST_TYPE[type].isPerMille);

export const typeOfPrice = (name: string): CostType | undefined =>
  COST_TYPES.find((type) => COST_TYPE[type].price === name);

/** Those that cost something for each click. */
export const TYPES_PER_CLICK = TYPES_WITH_DISCREPANCY.filter((type) => COST_TYPE[type].fits[0] === "click");

/** A set of cost types as a bit mask: cpc and cpe are 1 + 4 = 5. */
export function toMask(types: readonly CostType[]): number {
  return types.reduce((mask, type) => mask | COST_TYPE[type].bit, 0);
}

/** The cost types of a bit mask, in the order of COST_TYPES. */
export const toTypes = (mask: number): CostType[] => COST_TYPES.filter((type) => mask & COST_TYPE[type].bit);
