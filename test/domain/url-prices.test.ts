import { describe, expect, it } from "vitest";
import { judgeUrlPrices } from "../../src/domain/figures/url-prices.ts";

const TODAY = 20_000;
const MONEY = 100_000_000n;
const of = { partnerId: 1, appToken: "demoapp00001", currency: "USD" };
/** Sums of today and of the days before, the latest first. */
const judge = (sums: (number | bigint)[], limit: number | null = null) =>
  judgeUrlPrices(
    { ...of, counted: new Map(sums.map((sum, ago) => [TODAY - ago, BigInt(sum)])) },
    limit,
    TODAY,
  ).map(({ day, counted, limit, usual }) => ({ ago: TODAY - day, counted, limit, usual }));

describe("prices of today", () => {
  it.each([
    [80n * MONEY - 1n, []],
    [80n * MONEY, [{ ago: 0, counted: 80n * MONEY, limit: 100n * MONEY, usual: undefined }]],
  ])("that add up to %s are near a limit of 100 from 80%% on", (counted, found) => {
    // 100 in units of 0.00001.
    expect(judge([counted], 10_000_000)).toEqual(found);
  });

  it("of yesterday are not near the limit of today, and without a limit nothing is near it", () => {
    expect(judge([0, 100n * MONEY], 10_000_000)).toEqual([]);
    expect(judge([90n * MONEY])).toEqual([]);
  });
});

describe("a day", () => {
  const usual = [30n, 10n, 40n, 20n, 70n, 60n, 50n].map((sum) => sum * MONEY);

  it.each([
    [200n * MONEY, []],
    [200n * MONEY + 1n, [{ ago: 0, counted: 200n * MONEY + 1n, limit: undefined, usual: 40n * MONEY }]],
  ])("with %s is unusual above five times the median of the seven before", (counted, found) => {
    expect(judge([counted, ...usual])).toEqual(found);
  });

  it.each([
    [100n * MONEY, []],
    [100n * MONEY + 1n, [{ ago: 0, counted: 100n * MONEY + 1n, limit: undefined, usual: 0n }]],
  ])("with %s is unusual above 100 if there were none before", (counted, found) => {
    expect(judge([counted])).toEqual(found);
  });

  it("that had none counts as zero in the median", () => {
    expect(judge([101n * MONEY, 30n * MONEY, 30n * MONEY, 30n * MONEY])).toMatchObject([{ usual: 0n }]);
    expect(judge([101n * MONEY, 30n * MONEY, 30n * MONEY, 30n * MONEY, 30n * MONEY])).toEqual([]);
  });

  it("is today or yesterday, and no earlier one", () => {
    expect(judge([0, 500n * MONEY, ...usual])).toMatchObject([{ ago: 1 }]);
    expect(judge([0, 0, 500n * MONEY, ...usual])).toEqual([]);
  });
});
