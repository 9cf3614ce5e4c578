import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CURRENCY_CODES, formatMoney } from "../../src/domain/money.ts";
import { scaleMoney, showAmount, showChange, showShare } from "../../src/pages/locale.ts";
import { changeText, moneyText, signedMoney } from "../../src/pages/money.ts";

it.each([
  [0n, "USD", "$0.00", undefined],
  [150_000_000n, "USD", "$1.50", undefined],
  [563_500_000n, "EUR", "€5.64", "€5.635"],
  [123_456_789_012_345_678n, "USD", "$1,234,567,890.12", "$1,234,567,890.12345678"],
  [
    12_345_678_901_234_567_890_123_456_789n,
    "USD",
    "$123,456,789,012,345,678,901.23",
    "$123,456,789,012,345,678,901.23456789",
  ],
  [-1_250_000_000n, "USD", "−$12.50", undefined],
  [123_450_000_000n, "JPY", "¥1,235", "¥1,234.5"],
  [123_450_000_000n, "BHD", "BHD 1,234.500", undefined],
  [1n, "USD", "&lt;$0.01", "$0.00000001"],
  [-1n, "USD", "&gt;−$0.01", "−$0.00000001"],
  [1n, "JPY", "&lt;¥1", "¥0.00000001"],
  [500_000n, "USD", "$0.01", "$0.005"],
])("shows %s units of %s as %s, with every digit in the title: %s", (units, currency, rounded, exact) => {
  const text = exact === undefined ? rounded : `<span title="${exact}">${rounded}</span>`;
  expect(String(moneyText(units, currency)).replace(/\u00a0/g, " ")).toBe(text);
});

it.each([
  [150_000_000n, "EUR", "+€1.50"],
  [-150_000_000n, "EUR", "−€1.50"],
  [0n, "EUR", "€0.00"],
  [120_000n, "EUR", "+€0.0012"],
  [-120_000n, "EUR", "−€0.0012"],
  [1n, "JPY", "+¥0.00000001"],
])("shows the difference of %s units of %s as %s", (units, currency, text) => {
  expect(signedMoney(units, currency)).toBe(text);
});

it.each([
  [1_136n, true, "change worse", "▲ +13.6%"],
  [1_010n, true, "change worse", "▲ +1.0%"],
  [990n, true, "change better", "▼ −1.0%"],
  // Less than 1% is noise.
  [1_009n, true, "change", "▲ +0.9%"],
  [1_001n, true, "change", "▲ +0.1%"],
  [999n, true, "change", "▼ −0.1%"],
  [1_000n, true, "change", "no change"],
  [1_136n, false, "change", "▲ +13.6%"],
])("shows the change from 1,000 to %s, of a price: %s, as %s: %s", (now, isPrice, name, text) => {
  const markup = String(changeText(now, 1_000n, { isPrice }));
  expect(markup).toMatch(new RegExp(`^<span class="${name}">`));
  expect(markup.replaceAll(/<[^>]*>/g, "")).toBe(text);
});

it("never changes an amount in a title, in any currency", () => {
  const trim = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  fc.assert(
    fc.property(
      fc.bigInt(-(10n ** 40n), 10n ** 40n),
      fc.constantFrom(...CURRENCY_CODES),
      (units, currency) => {
        const written = formatMoney(units);
        expect(
          trim(
            showAmount(written, currency)
              .replace("−", "-")
              .replace(/[^-\d.]/g, ""),
          ),
        ).toBe(written);
      },
    ),
  );
});

it.each([
  ["USD", 500, [0, 500, 1000, 1500], "$0 $500 $1K $1.5K"],
  ["USD", 0.25, [0, 0.25, 0.5, 0.75], "$0.00 $0.25 $0.50 $0.75"],
  ["USD", 0.00001, [0, 0.00001, 0.00002], "$0.00 $0.00001 $0.00002"],
  ["EUR", 2, [-2, 0, 2], "−€2 €0 €2"],
  ["USD", 2_500_000, [2_500_000, 5_000_000], "$2.5M $5M"],
  ["JPY", 0.5, [0, 0.5], "¥0 ¥0.5"],
  ["USD", 1.5, [1.5, 0.30000000000000004], "$1.50 $0.30"],
])("labels a scale in %s with steps of %s", (currency, step, values, labels) => {
  expect(values.map(scaleMoney(currency, step)).join(" ")).toBe(labels);
});

describe("a change", () => {
  it.each([
    [150n, 100n, "+50.0%"],
    [75n, 100n, "−25.0%"],
    [0n, 100n, "−100%"],
    [100n, 100n, "no change"],
    [0n, 0n, "no change"],
    [5n, 0n, "new"],
    [-5n, 0n, "new"],
    [100n, -100n, "+200%"],
    [-300n, -100n, "−200%"],
    [1001n, 3000n, "−66.6%"],
    [3_268n, 1_000n, "+227%"],
    [19_994n, 10_000n, "+99.9%"],
    [19_995n, 10_000n, "+100%"],
    [10n ** 30n, 10n ** 20n, "+999,999,999,900%"],
    [100_001n, 100_000n, "0.0%"],
  ])("from %s to %s", (now, before, text) => {
    expect(showChange(now, before)).toBe(text);
  });
});

it.each([
  [1n, 3n, "33.3%"],
  [3n, 3n, "100.0%"],
  [0n, 3n, "0.0%"],
  [-1n, 2n, "−50.0%"],
  [1n, 0n, "–"],
  [1n, -1n, "–"],
])("shows the share of %s in %s as %s", (part, total, text) => {
  expect(showShare(part, total)).toBe(text);
});
