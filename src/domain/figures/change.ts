/** Why spend differs between two periods: how much, at which price, of which types. Pure. */
import { COST_TYPES, type CostType } from "../cost-types.ts";
import { divide } from "./performance.ts";

/** The costs of one type in a period, without adjustments. Money is in units of 0.00000001. */
export interface TypeSums {
  spend: bigint;
  /** Costs with an engagement and an amount. */
  matched: bigint;
}

export interface TypeChange {
  costType: CostType;
  /** A type that only one of the periods has is new or has ended: it has no price to compare, and all of its change is the rest. */
  state: "continued" | "new" | "ended";
  now: TypeSums;
  before: TypeSums;
  change: bigint;
  /** More or fewer costs at the price before, rounded to a unit. */
  volume: bigint;
  /** The same costs at another price: what remains, so that the parts add up to the change. */
  price: bigint;
}

export interface Change {
  change: bigint;
  volume: bigint;
  price: bigint;
  /** Types that are new or have ended, and adjustments. */
  rest: bigint;
  adjustments: bigint;
  types: TypeChange[];
}

type Periods<T> = { now: T; before: T };

/** `adjustments` are the sums of both periods. */
export function splitChange(
  byType: ReadonlyMap<CostType, Periods<TypeSums>>,
  adjusted: Periods<bigint>,
): Change {
  const types = COST_TYPES.flatMap((costType): TypeChange[] => {
    const { now, before } = byType.get(costType) ?? {};
    if (!now || !before || now.matched + before.matched === 0n) return [];
    const change = now.spend - before.spend;
    const of = { costType, now, before, change };
    if (before.matched === 0n || now.matched === 0n)
      return [{ ...of, state: before.matched === 0n ? "new" : "ended", volume: 0n, price: 0n }];
    const volume = divide((now.matched - before.matched) * before.spend, before.matched) ?? 0n;
    return [{ ...of, state: "continued", volume, price: change - volume }];
  });
  const sum = (of: (type: TypeChange) => bigint) => types.reduce((total, type) => total + of(type), 0n);
  const adjustments = adjusted.now - adjusted.before;
  const rest = adjustments + sum(({ state, change }) => (state === "continued" ? 0n : change));
  return {
    change: sum(({ change }) => change) + adjustments,
    volume: sum(({ volume }) => volume),
    price: sum(({ price }) => price),
    rest,
    adjustments,
    types,
  };
}
