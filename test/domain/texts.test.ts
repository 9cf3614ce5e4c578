import { describe, expect, it, test } from "vitest";
import { describeFits, inDays, inEnglish, listOf } from "../../src/domain/texts.ts";
import { DAY_MS } from "../../src/domain/time.ts";

describe("days", () => {
  it.each([
    [1, "one day"],
    [7, "seven days"],
    [10, "ten days"],
    [11, "11 days"],
    [14, "14 days"],
  ])("of %d are %s", (days, text) => {
    expect(inDays(days * DAY_MS)).toBe(text);
  });
});

it.each([0, 7, 999, 1_000, 9_999, 12_345, 123_456, 1_000_000, 1_234_567_890])(
  "%d is written as Intl writes it in English",
  (count) => {
    expect(inEnglish(count)).toBe(count.toLocaleString("en-US"));
  },
);

it.each([
  [["cpm"], "cpm"],
  [["cpc", "cpm"], "cpc and cpm"],
  [["cpc", "cpi", "cpe"], "cpc, cpi and cpe"],
])("lists %j as %s", (words, text) => {
  expect(listOf(words, "and")).toBe(text);
});

test("what fits each cost type is one sentence, types with the same kinds together", () => {
  expect(describeFits((type) => `\`${type}\``)).toBe(
    "`cpc` fits a click, `cpi` and `cpe` a click or an impression, `cpm` an impression",
  );
});
