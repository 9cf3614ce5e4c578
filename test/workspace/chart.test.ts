/** The scales of charts, and their markup as text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chart, dailyChart } from "../../src/pages/chart/chart.ts";
import { dayTicks, valueTicks } from "../../src/pages/chart/scales.ts";
import { countUnit, moneyUnit } from "../../src/pages/chart/units.ts";

describe("the ticks of values", () => {
  it.each([
    [0, 0, [0, 1, 2, 3]],
    [0, 10, [0, 4, 8, 12]],
    [0, 9, [0, 3, 6, 9]],
    [0, 4.1, [0, 1.5, 3, 4.5]],
    [0, 1_000_000, [0, 400_000, 800_000, 1_200_000]],
    [0, 0.00001, [0, 0.000004, 0.000008, 0.000012]],
    [-5, 10, [-5, 0, 5, 10]],
    [-10, 0, [-12, -8, -4, 0]],
    [-1, 100, [-50, 0, 50, 100]],
    [20, 30, [0, 10, 20, 30]],
  ])("from %s to %s are %j", (min, max, ticks) => {
    expect(valueTicks(min, max, false)).toEqual(ticks);
  });

  it.each([
    [1, [0, 1, 2, 3]],
    [2, [0, 1, 2, 3]],
    [4, [0, 2, 4, 6]],
    [45, [0, 15, 30, 45]],
  ])("are integers for counts up to %s", (max, ticks) => {
    expect(valueTicks(0, max, true)).toEqual(ticks);
  });

  it("include every value, are evenly spaced, and leave less than half of the plot empty", () => {
    const value = fc
      .double({ min: -1e12, max: 1e12, noNaN: true })
      .filter((n) => n === 0 || Math.abs(n) > 1e-9);
    fc.assert(
      fc.property(value, value, fc.boolean(), (one, other, isWhole) => {
        const values = isWhole ? [Math.round(one), Math.round(other)] : [one, other];
        const [low, high] = [Math.min(...values, 0), Math.max(...values, 0)];
        const ticks = valueTicks(low, high, isWhole);
        const [first = 0, , , last = 0] = ticks;
        expect(ticks).toHaveLength(4);
        expect(ticks).toContain(0);
        expect(first).toBeLessThanOrEqual(low);
        expect(last).toBeGreaterThanOrEqual(high);
        if (isWhole) expect(ticks.every(Number.isInteger)).toBe(true);
        if (high - low >= 3) expect(high - low).toBeGreaterThan((last - first) / 3.01);
      }),
    );
  });
});

describe("the ticks of days", () => {
  it("are all days of up to a week", () => {
    for (const length of [1, 2, 6, 7]) expect(dayTicks({ from: 10, to: 9 + length })).toHaveLength(length);
  });

  it("are five to seven of more days, with the first and the last", () => {
    for (let length = 8; length <= 366; length++) {
      const ticks = dayTicks({ from: 10, to: 9 + length });
      expect([5, 6, 7]).toContain(ticks.length);
      expect([ticks[0], ticks.at(-1)]).toEqual([10, 9 + length]);
      const gaps = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
      expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    }
  });
});

const FIRST = Date.UTC(2026, 2, 1) / 86_400_000;
const USD = 100_000_000n;

function chartOf(more: Partial<Chart>): Chart {
  return {
    id: "spend-USD",
    title: "Spend by day in USD",
    days: { from: FIRST, to: FIRST + 6 },
    series: [],
    unit: moneyUnit("USD"),
    hrefOf: (day) => `/apps/a/spend?a=1&from=${day - FIRST}`,
    ...more,
  };
}
const named = (name: string, ...values: [day: number, value: bigint][]) => ({
  name,
  values: new Map(values.map(([day, value]) => [FIRST + day, value])),
});
const draw = async (more: Partial<Chart>) => String(await dailyChart(chartOf(more)));
const labels = (markup: string) =>
  [...markup.matchAll(/aria-label="(\d[^"]*)"/g)].map(([, label = ""]) => label.replaceAll(",\n", ", "));
const texts = (markup: string, name: string) =>
  [...markup.matchAll(new RegExp(`<text class="${name}[^>]*>(.*?)</text>`, "g"))].map(([, text = ""]) =>
    text.replace(/<[^>]*>/g, " ").trim(),
  );
const bars = (markup: string) =>
  [
    ...markup.matchAll(
      /<rect class="bar outline-\d" rx="2" fill="url\(#spend-USD-(\d)\)" x="([\d.]+)%" width="([\d.]+)%" y="([\d.]+)%" height="([\d.]+)%"/g,
    ),
  ].map((found) => found.slice(1).map(Number));

const legendOf = (markup: string) =>
  [...markup.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) =>
    row
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  );

describe("the chart", () => {
  it("stacks the series of each day to scale, and links each day", async () => {
    const markup = await draw({
      series: [named("Acme Ads", [0, 6n * USD], [6, 3n * USD]), named("Beacon", [0, 3n * USD])],
    });
    expect(texts(markup, "value")).toEqual(["$0", "$3", "$6", "$9"]);
    expect(texts(markup, "day")).toEqual(["1 Mar", "2 Mar", "3 Mar", "4 Mar", "5 Mar", "6 Mar", "7 Mar"]);
    expect(bars(markup)).toEqual([
      [1, 4.64, 5, 33.33, 66.67],
      [2, 4.64, 5, 0, 33.33],
      [1, 90.36, 5, 66.67, 33.33],
    ]);
    expect(labels(markup)).toEqual([
      "1 Mar 2026: $9.00 (Acme Ads $6.00, Beacon $3.00)",
      "2 Mar 2026: $0.00",
      "3 Mar 2026: $0.00",
      "4 Mar 2026: $0.00",
      "5 Mar 2026: $0.00",
      "6 Mar 2026: $0.00",
      "7 Mar 2026: $3.00 (Acme Ads $3.00)",
    ]);
    expect(markup).toContain('<a href="/apps/a/spend?a=1&amp;from=6" ');
    expect(markup).toContain(">Spend by day in USD: $12.00<");
    expect(markup).toContain(">Highest: 1 Mar 2026, $9.00<");
    // The days without spend are drawn too.
    expect(markup.match(/class="none"/g)).toHaveLength(5);
    expect(markup.match(/class="grid"/g)).toHaveLength(3);
    expect(markup.match(/class="base"/g)).toHaveLength(1);
  });

  it("draws what is below zero downward from zero", async () => {
    const markup = await draw({ series: [named("Acme Ads", [0, 10n * USD], [1, -5n * USD])] });
    expect(texts(markup, "value")).toEqual(["−$5", "$0", "$5", "$10"]);
    expect(bars(markup).map(([, , , y, height]) => [y, height])).toEqual([
      [0, 66.67],
      [66.67, 33.33],
    ]);
    expect(labels(markup)[1]).toBe("2 Mar 2026: −$5.00 (Acme Ads −$5.00)");
  });

  it("gives the five highest series their own color and adds up the others, in each chart by itself", async () => {
    const units = (name: string, index: number) => named(name, [0, BigInt(index + 1) * USD]);
    const series = ["A", "B", "C", "D", "E", "F", "G", "H"].map(units);
    expect(labels(await draw({ series }))[0]).toBe(
      "1 Mar 2026: $36.00 (H $8.00, G $7.00, F $6.00, E $5.00, D $4.00, 3 others $6.00)",
    );
    const other = await draw({ series: series.toReversed().map(({ name }, index) => units(name, index)) });
    expect(labels(other)[0]).toBe(
      "1 Mar 2026: $36.00 (A $8.00, B $7.00, C $6.00, D $5.00, E $4.00, 3 others $6.00)",
    );
    const patterns = [...other.matchAll(/<pattern id="([^"]*)".*?d="([^"]*)"/g)];
    expect(patterns.map(([, id]) => id)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `spend-USD-${n}`));
    expect(new Set(patterns.map(([, , marks]) => marks)).size).toBe(6);
    expect(legendOf(other)).toEqual([
      "A $8.00",
      "B $7.00",
      "C $6.00",
      "D $5.00",
      "E $4.00",
      "3 others $6.00",
    ]);
  });

  it("has no place for a series without values, and puts what is a rest already last", async () => {
    const markup = await draw({
      series: [
        named("Acme Ads"),
        { ...named("7 others", [0, 9n * USD]), isRest: true },
        named("Beacon", [0, USD]),
      ],
    });
    expect(bars(markup).map(([series]) => series)).toEqual([1, 2]);
    expect(legendOf(markup)).toEqual(["Beacon $1.00", "7 others $9.00"]);
  });

  it("draws the period before as a dashed line, and today as an outline", async () => {
    const markup = await draw({
      series: [named("", [0, 3n * USD], [6, 3n * USD])],
      before: named("", [0, 6n * USD], [6, 3n * USD]).values,
      today: FIRST + 6,
    });
    expect(texts(markup, "value")).toEqual(["$0", "$2", "$4", "$6"]);
    expect(markup).toContain('<path class="line before" d="m0 0 6 500"/>');
    expect(markup.match(/<rect class="bar today /g)).toHaveLength(1);
    expect(labels(markup)[0]).toBe("1 Mar 2026: $3.00 (Previous period $6.00)");
    expect(labels(markup)[6]).toBe("7 Mar 2026, so far: $3.00 (Previous period $3.00)");
  });

  it("draws lines of values that don't add up, also with days without a value", async () => {
    const markup = await draw({
      series: [named("A", [0, USD], [2, 2n * USD])],
      whole: { ...named("All", [0, 3n * USD], [2, USD]), total: 2n * USD },
    });
    expect(bars(markup)).toEqual([]);
    expect(markup).toContain('<path class="line series-1" d="m0 667 2-334"/>');
    expect(markup).toContain('<path class="line whole" d="m0 0 2 667"/>');
    const samples = [...markup.matchAll(/<svg class="sample" aria-hidden="true"><path class="([^"]*)"/g)];
    expect(samples.map(([, name]) => name)).toEqual(["line whole", "line series-1"]);
    expect(labels(markup).slice(0, 2)).toEqual(["1 Mar 2026: $3.00 (A $1.00)", "2 Mar 2026: –"]);
    expect(markup).toContain(">Spend by day in USD: $2.00<");
  });

  it.each([
    [34, 0],
    [35, 2],
  ])("draws areas from 35 days on: %s", async (length, areas) => {
    const days = { from: FIRST, to: FIRST + length - 1 };
    const markup = await draw({ days, series: [named("A", [0, USD]), named("B", [0, USD])] });
    expect(markup.match(/<path class="layer/g) ?? []).toHaveLength(areas);
    expect(bars(markup)).toHaveLength(areas === 0 ? 2 : 0);
  });

  it("draws each area from zero to the sum of its series and those before, and the first on top", async () => {
    const days = { from: FIRST, to: FIRST + 34 };
    const markup = await draw({
      days,
      series: [named("A", [0, 6n * USD], [1, 6n * USD], [2, -3n * USD]), named("B", [0, 3n * USD], [3, USD])],
    });
    expect(texts(markup, "value")).toEqual(["−$5", "$0", "$5", "$10"]);
    const zeros = " 1 0".repeat(30);
    expect(
      [...markup.matchAll(/<path class="layer series-(\d)" d="([^"]*)"/g)].map(([, ...found]) => found),
    ).toEqual([
      ["2", `m0 667 0-600 1 200 1 400 1-67 1 67${zeros}V667z`],
      ["1", `m0 667 0-400 1 0 1 600 1-200 1 0${zeros}V667z`],
    ]);
  });

  it("draws one day and 366 days", async () => {
    const one = await draw({ days: { from: FIRST, to: FIRST }, series: [named("A", [0, USD])] });
    expect(bars(one)).toEqual([[1, 47.5, 5, 16.67, 83.33]]);
    expect(texts(one, "day")).toEqual(["1 Mar"]);
    const year = await draw({ days: { from: FIRST, to: FIRST + 365 }, series: [named("A", [365, USD])] });
    expect(labels(year)).toHaveLength(366);
    expect(texts(year, "day")).toEqual(["1 Mar 2026", "13 May", "25 Jul", "6 Oct", "18 Dec", "1 Mar 2027"]);
  });

  it("draws no spend at all, and counts", async () => {
    const none = await draw({});
    expect(texts(none, "value")).toEqual(["$0", "$1", "$2", "$3"]);
    expect(none).not.toMatch(/NaN|Infinity|Highest/);
    const counts = await draw({ unit: countUnit, series: [named("", [0, 4n], [1, 1_234_567n])] });
    expect(texts(counts, "value")).toEqual(["0", "500K", "1M", "1.5M"]);
    expect(labels(counts).slice(0, 3)).toEqual(["1 Mar 2026: 4", "2 Mar 2026: 1,234,567", "3 Mar 2026: 0"]);
    expect(legendOf(counts)).toEqual([]);
  });

  it("escapes names and addresses, and has no inline style", async () => {
    const markup = await draw({ title: "<b>", series: [named(`"><script>`, [0, USD])] });
    expect(markup).not.toMatch(/<b>|<script>|\sstyle=/);
  });
});
