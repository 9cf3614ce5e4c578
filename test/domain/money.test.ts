import * as fc from "fast-check";
import { expect, it } from "vitest";
import { formatAmount, formatSpend } from "../../src/domain/money.ts";
import { amount } from "../../src/http/input/fields.ts";

const MAX_UNITS = 1_000_000 * 100_000;

it.each([
  [0, "0"],
  [1, "0.00001"],
  [10, "0.0001"],
  [100_000, "1"],
  [110_000, "1.1"],
  [MAX_UNITS, "1000000"],
  [Number.MAX_SAFE_INTEGER, "90071992547.40991"],
  ["123456789012345678901234567890", "1234567890123456789012345.6789"],
  ["-1", "-0.00001"],
])("writes %s units as %s", (units, text) => {
  expect(formatAmount(units)).toBe(text);
});

it.each([
  [[], "0"],
  [[{ costsWhole: "0", costsRest: "25000000" }], "0.25"],
  [[{ costsWhole: "0", costsRest: "1" }], "0.00000001"],
  [[{ costsWhole: "1", costsRest: "99999999" }], "1.99999999"],
  [
    [
      { costsWhole: "9007199254740993", costsRest: "99999999" },
      { costsWhole: "9007199254740993", costsRest: "1", adjustedWhole: "-1", adjustedRest: "-99999999" },
    ],
    "18014398509481985.00000001",
  ],
  [[{ costsWhole: "-1", costsRest: "99999999" }], "-0.00000001"],
])("sums %j to %s", (rows, text) => {
  expect(formatSpend(rows)).toBe(text);
});

it("parses every amount that it formats", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_UNITS }), (units) => {
      expect(amount.parse(formatAmount(units))).toBe(units);
    }),
  );
});

it("parses every decimal exactly, and formats it without trailing zeros", () => {
  const text = fc
    .tuple(fc.integer({ min: 0, max: 999_999 }), fc.stringMatching(/^\d{0,5}$/))
    .map(([whole, places]) => ({ whole, places, text: places ? `${whole}.${places}` : `${whole}` }));
  fc.assert(
    fc.property(text, ({ whole, places, text }) => {
      const units = amount.parse(text);
      expect(BigInt(units)).toBe(BigInt(whole) * 100_000n + BigInt(places.padEnd(5, "0")));
      expect(formatAmount(units)).toBe(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    }),
  );
});

it("rejects everything that is not a plain decimal from 0 to 1,000,000", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(amount.safeParse(text).success).toBe(
        /^(0|[1-9][0-9]*)(\.[0-9]{1,5})?$/.test(text) && Number(text) <= 1_000_000,
      );
    }),
  );
});
