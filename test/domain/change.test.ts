/** How a change of spend is split into parts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COST_TYPES, type CostType } from "../../src/domain/cost-types.ts";
import { splitChange, type TypeSums } from "../../src/domain/figures/change.ts";

const NOTHING = { now: 0n, before: 0n };
const NONE = { spend: 0n, matched: 0n };
const split = (type: CostType, now: TypeSums, before: TypeSums) =>
  splitChange(new Map([[type, { now, before }]]), NOTHING);

describe("the parts of a change", () => {
  it.each<[string, TypeSums, TypeSums, volume: bigint, price: bigint]>([
    ["the same price", { spend: 300n, matched: 3n }, { spend: 500n, matched: 5n }, -200n, 0n],
    ["the same number", { spend: 450n, matched: 3n }, { spend: 300n, matched: 3n }, 0n, 150n],
    ["fewer at a higher price", { spend: 300n, matched: 2n }, { spend: 400n, matched: 4n }, -200n, 100n],
    ["no price before", { spend: 9n, matched: 3n }, { spend: 0n, matched: 2n }, 0n, 9n],
    ["a price that does not end", { spend: 2n, matched: 2n }, { spend: 10n, matched: 3n }, -3n, -5n],
    ["half a unit, away from zero", { spend: 0n, matched: 1n }, { spend: 3n, matched: 2n }, -2n, -1n],
  ])("%s", (_, now, before, volume, price) => {
    expect(split("cpc", now, before)).toMatchObject({
      change: now.spend - before.spend,
      volume,
      price,
      rest: 0n,
      types: [{ costType: "cpc", state: "continued", volume, price }],
    });
  });

  it.each<[string, TypeSums, TypeSums, bigint]>([
    ["new", { spend: 7n, matched: 2n }, NONE, 7n],
    ["ended", NONE, { spend: 7n, matched: 2n }, -7n],
  ])("of a type that is %s are its whole change, in the rest", (state, now, before, rest) => {
    expect(split("cpi", now, before)).toMatchObject({
      ...{ change: rest, rest, volume: 0n, price: 0n, adjustments: 0n },
      types: [{ state, volume: 0n, price: 0n, change: rest }],
    });
  });

  it("have adjustments in the rest, also without any cost", () => {
    expect(splitChange(new Map([["cpc", { now: NONE, before: NONE }]]), { now: -5n, before: 2n })).toEqual({
      ...{ change: -7n, rest: -7n, adjustments: -7n, volume: 0n, price: 0n, types: [] },
    });
  });
});

it("the parts add up to the change exactly, and those of each type too, for any sums", () => {
  const sums = fc.oneof(
    fc.constant(NONE),
    fc.record({ spend: fc.bigInt(0n, 10n ** 24n), matched: fc.bigInt(1n, 10n ** 9n) }),
  );
  const money = fc.bigInt(-(10n ** 20n), 10n ** 20n);
  const types = fc.uniqueArray(fc.constantFrom(...COST_TYPES), { minLength: 1 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(sums, sums), { minLength: 4, maxLength: 4 }),
      types,
      money,
      money,
      (all, names, now, before) => {
        const byType = new Map(
          names.map((name, index) => {
            const [now, before] = all[index] ?? [NONE, NONE];
            return [name, { now, before }] as const;
          }),
        );
        const change = splitChange(byType, { now, before });
        expect(change.volume + change.price + change.rest).toBe(change.change);
        const total = (of: "now" | "before") =>
          [...byType.values()].reduce((sum, periods) => sum + periods[of].spend, 0n);
        expect(change.change).toBe(total("now") + now - total("before") - before);
        for (const type of change.types) {
          expect(type.change).toBe(type.now.spend - type.before.spend);
          expect(type.volume + type.price).toBe(type.state === "continued" ? type.change : 0n);
        }
      },
    ),
  );
});
