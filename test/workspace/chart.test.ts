/** The scales of charts, and their markup as text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chart, dailyChart } from "../../src/pages/chart/chart.ts";
import { dayTicks, logarithmicTicks, rangeTicks, valueTicks } from "../../src/pages/chart/scales.ts";
import { countUnit, moneyUnit, percentUnit, priceUnit } from "../../src/pages/chart/units.ts";
import { describeDay } from "../../src/pages/locale.ts";

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

describe("the ticks of a range", () => {
  it.each([
    [0.49, 0.62, undefined, [0.48, 0.54, 0.6, 0.66]],
    [95, 101, undefined, [95, 97.5, 100, 102.5]],
    [0.943, 1, 1, [0.94, 0.96, 0.98, 1]],
    [0.97, 0.98, 1, [0.968, 0.972, 0.976, 0.98]],
    // Steps of 6% would end at 102%.
    [0.84, 0.98, 1, [0.7, 0.8, 0.9, 1]],
  ])("from %s to %s, at most %s, don't begin at zero: %j", (min, max, most, ticks) => {
    expect(rangeTicks(min, max, most)).toEqual(ticks);
  });

  it.each([
    ["that is at most a third of the highest", 0.2, 0.61],
    ["of zero", 0, 0.6],
    ["below zero", -0.1, 0.6],
    ["that is the highest too", 0.6, 0.6],
    ["that does not exist", Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ])("are none with a lowest value %s", (_, min, max) => {
    expect(rangeTicks(min, max)).toBeUndefined();
  });

  it("include every value, are evenly spaced, stay below the most, and leave less than half of the plot empty", () => {
    const value = fc.double({ min: 1e-6, max: 1, noNaN: true });
    fc.assert(
      fc.property(value, value, fc.constantFrom(1, undefined), (one, other, most) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)];
        fc.pre(max - min > 1e-7);
        const ticks = rangeTicks(min, max, most);
        if (!ticks) return;
        const [first = 0, second = 0, , last = 0] = ticks;
        expect(ticks).toHaveLength(4);
        expect(first).toBeGreaterThan(0);
        expect(first).toBeLessThanOrEqual(min);
        expect(last).toBeGreaterThanOrEqual(max);
        expect(last).toBeLessThanOrEqual(most ?? 2);
        expect(last - first).toBeCloseTo(3 * (second - first), 9);
        expect(max - min).toBeGreaterThan((last - first) / (most ? 6 : 3.01));
      }),
    );
  });
});

describe("the ticks of a logarithmic axis", () => {
  it.each([
    [0.409, 3.6, [0.2, 0.5, 1, 2, 5]],
    [0.19, 3.45, [0.1, 0.2, 0.5, 1, 2, 5]],
    [2.1, 6.4, [2, 5, 10]],
    [0.01, 0.5, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]],
    [0.01, 1, [0.01, 0.1, 1]],
    // Beside an end, no power of ten has room.
    [0.03, 29, [0.02, 0.1, 1, 10, 50]],
    [0.06, 12, [0.05, 1, 20]],
    [0.01, 10, [0.01, 0.1, 1, 10]],
    [0.01, 10.1, undefined],
    [1, 3, undefined],
    [0, 3, undefined],
    [2, 2, undefined],
  ])("from %s to %s are %j", (min, max, ticks) => {
    expect(logarithmicTicks(min, max)).toEqual(ticks);
  });

  it("include every value", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        fc.double({ min: 3.01, max: 999, noNaN: true }),
        (min, times) => {
          const ticks = logarithmicTicks(min, times * min) ?? [];
          expect(ticks.length).toBeGreaterThanOrEqual(2);
          expect(ticks.length).toBeLessThanOrEqual(6);
          expect(ticks[0]).toBeLessThanOrEqual(min);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(times * min);
        },
      ),
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
const CENT = USD / 100n;

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

/** The steps of a line through four days of zero. */
const ZEROS = " 1 0".repeat(4);

const legendOf = (markup: string) =>
  [...markup.matchAll(/<tr[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) =>
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
      [2, 3.14, 8, 33.33, 66.67],
      [5, 3.14, 8, 0, 33.33],
      [2, 88.86, 8, 66.67, 33.33],
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
    // On the days without spend there is only the axis.
    expect(markup.match(/<rect class="area"/g)).toHaveLength(7);
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

  it.each([
    // Below a fiftieth of the highest value.
    [-199n, ["$0", "$40", "$80", "$120"], 100],
    [-200n, ["$0", "$50", "$100"], 98.04],
    [-2500n, ["$0", "$50", "$100"], 80],
    [-5000n, ["−$50", "$0", "$50", "$100"], 66.67],
  ])(
    "ends the axis at the lowest value, or at zero where nobody could see it: %s cents beside 10,000",
    async (below, ticks, zero) => {
      const markup = await draw({ series: [named("Acme Ads", [0, 100n * USD], [1, below * CENT])] });
      expect(texts(markup, "value")).toEqual(ticks);
      expect(markup).toContain(`<line class="base" x1="0" x2="100%" y1="${zero}%"`);
      expect(bars(markup)[1]?.slice(-2)).toEqual([zero, Math.round((100 - zero) * 100) / 100]);
      expect(labels(markup)[1]).toMatch(/^2 Mar 2026: −\$\d+\.\d\d \(/);
      expect(markup).not.toContain("axis from");
    },
  );

  it("gives the first five series different colors and adds up the others", async () => {
    const units = (name: string, index: number) => named(name, [0, BigInt(8 - index) * USD]);
    const series = ["A", "B", "C", "D", "E", "F", "G", "H"].map(units);
    const markup = await draw({ series });
    expect(labels(markup)[0]).toBe(
      "1 Mar 2026: $36.00 (A $8.00, B $7.00, C $6.00, D $5.00, E $4.00, 3 others $6.00)",
    );
    const patterns = [...markup.matchAll(/<pattern id="([^"]*)".*?d="([^"]*)"/g)];
    expect(patterns.map(([, id]) => id)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `spend-USD-${n}`));
    expect(new Set(patterns.map(([, , marks]) => marks)).size).toBe(6);
    expect(legendOf(markup)).toEqual([
      "A $8.00",
      "B $7.00",
      "C $6.00",
      "D $5.00",
      "E $4.00",
      "3 others $6.00",
    ]);
    expect(markup).toContain('data-marks="1 2 3 4 5 6"');
  });

  it("gives a series the same color in each order, and beside others", async () => {
    const colorsOf = async (...keys: string[]) => {
      const series = keys.map((key, index) => ({ ...named(`Partner ${key}`, [index, USD]), key }));
      const drawn = bars(await draw({ series }));
      return new Map(keys.map((key, index) => [key, drawn[index]?.[0]]));
    };
    // 4 and 14 want one color, and so do the two campaigns: the first key has it.
    const keys = ["13", "4", "12", "14", "5"];
    const colors = await colorsOf(...keys);
    expect(Object.fromEntries(colors)).toEqual({ "12": 3, "13": 4, "14": 5, "4": 2, "5": 1 });
    expect(await colorsOf(...keys.toReversed())).toEqual(new Map([...colors].toReversed()));
    expect((await colorsOf("13", "11", "12")).get("13")).toBe(colors.get("13"));
    const campaigns = await colorsOf("atlas01070", "atlas01007");
    expect(campaigns).toEqual(
      new Map([
        ["atlas01070", 1],
        ["atlas01007", 2],
      ]),
    );
  });

  it("has areas of many days below each other in the order of the series, whatever their colors are", async () => {
    const markup = await draw({
      days: { from: FIRST, to: FIRST + 40 },
      series: [
        { ...named("Acme Ads", [0, 2n * USD], [40, USD]), key: "4" },
        { ...named("Beacon", [0, USD], [20, 3n * USD]), key: "1" },
      ],
    });
    // The first series is drawn last. On the last day the other one has nothing, and so it ends at the first.
    const layers = [...markup.matchAll(/<path class="layer series-(\d)" d="([^"]*)V/g)];
    expect(layers.map(([, color]) => color)).toEqual(["2", "5"]);
    const heights = layers.map(([, , path = ""]) => {
      let y = 0;
      return [...path.slice(1).matchAll(/(-?\d+) ?(-?\d+)/g)].map(([, , step]) => (y += Number(step)));
    });
    expect(heights.map((all) => [all[1], all.at(-1)])).toEqual([
      [0, 667],
      [333, 667],
    ]);
  });

  it("keeps the color of a series in a chart without its values, and gray for the others", async () => {
    const markup = await draw({
      series: [
        named("Acme Ads"),
        { ...named("7 others", [0, USD]), isRest: true },
        named("Beacon", [0, 9n * USD]),
      ],
    });
    expect(bars(markup).map(([color]) => color)).toEqual([5, 6]);
    expect(legendOf(markup)).toEqual(["Beacon $9.00", "7 others $1.00"]);
  });

  it.each([
    [10n, false],
    [11n, true],
  ])(
    "draws lines of the total and of each series once the others are over half: %s of 20",
    async (rest, isLines) => {
      const [one, other] = [(20n - rest) * USD, rest * USD];
      const markup = await draw({
        series: [
          { ...named("Acme Ads", [0, one], [1, one]), change: "+5%" },
          { ...named("7 others", [0, other], [1, other]), isRest: true },
        ],
        whole: { ...named("Total", [0, 20n * USD], [1, 20n * USD]), change: "+9%" },
        before: named("", [0, 30n * USD], [1, 10n * USD]).values,
      });
      expect(bars(markup).length).toBe(isLines ? 0 : 4);
      expect(markup.match(/<path class="line [^"]*" d="m[^"]*"/g)).toEqual([
        ...(isLines ? [`<path class="line series-2" d="m0 700 1 0 1 300${ZEROS}"`] : []),
        ...["behind", "before"].map((name) => `<path class="line ${name}" d="m0 0 1 667 1 333${ZEROS}"`),
        ...(isLines ? [`<path class="line whole" d="m0 333 1 0 1 667${ZEROS}"`] : []),
      ]);
      // What is added up is no line, and the days say what the lines do.
      expect(legendOf(markup)).toEqual(
        isLines
          ? ["Total $40.00 +9%", "Acme Ads $18.00 +5%", "Previous period $40.00"]
          : ["Acme Ads $20.00 +5%", "7 others $20.00", "Previous period $40.00"],
      );
      expect(labels(markup)[0]).toBe(
        `1 Mar 2026: $20.00 (Acme Ads ${isLines ? "$9.00" : "$10.00, 7 others $10.00"}, Previous period $30.00)`,
      );
      expect(markup).toContain(`data-marks="${isLines ? "2" : "2 6"} before"`);
      expect(texts(markup, "value")[0]).toBe("$0");
    },
  );

  it.each([
    [4n, 20n, ["Total $20.00", "Acme Ads $4.00"], "Spend by day"],
    // Its line would be flat.
    [4n, 21n, [], "Spend by day"],
  ])(
    "draws only the total, as bars, once it is over five times the largest series: %s of %s",
    async (one, all, legend, title) => {
      const markup = await draw({
        title: "Spend by day",
        by: "campaign",
        series: [
          named("Acme Ads", [0, one * USD]),
          { ...named("7 others", [0, (all - one) * USD]), isRest: true },
        ],
      });
      expect(legendOf(markup)).toEqual(legend);
      expect(bars(markup)).toHaveLength(legend.length > 0 ? 0 : 1);
      expect(labels(markup)[0]).toBe(`1 Mar 2026: $${all}.00${legend.length > 0 ? " (Acme Ads $4.00)" : ""}`);
      expect(markup).toContain(`>${title}: $${all}.00<`);
    },
  );

  it("names what its series are where there are several", async () => {
    const title = async (...series: Chart["series"]) =>
      /<figcaption><span[^>]*>([^<]*)/.exec(await draw({ title: "Spend", by: "campaign", series }))?.[1];
    expect(await title(named("A", [0, USD]), named("B", [0, USD]))).toBe("Spend and campaign: $2.00");
    expect(await title(named("A", [0, USD]), named("B"))).toBe("Spend: $1.00");
  });

  it("says what the dashed line is also without other names", async () => {
    const markup = await draw({
      series: [named("", [0, 3n * USD])],
      before: named("", [0, 6n * USD]).values,
    });
    expect(legendOf(markup)).toEqual(["Previous period $6.00"]);
    expect(markup).toContain('data-marks="before"');
  });

  it("draws the period before as a dashed line, and today as an outline", async () => {
    const markup = await draw({
      series: [named("", [0, 3n * USD], [6, 3n * USD])],
      before: named("", [0, 6n * USD], [6, 3n * USD]).values,
      today: FIRST + 6,
    });
    expect(texts(markup, "value")).toEqual(["$0", "$2", "$4", "$6"]);
    expect(markup).toContain('<path class="line before" d="m0 0 1 1000 1 0 1 0 1 0 1 0 1-500"/>');
    expect(markup.match(/<rect class="bar today /g)).toHaveLength(1);
    expect(labels(markup)[0]).toBe("1 Mar 2026: $3.00 (Previous period $6.00, Not final)");
    expect(labels(markup)[6]).toBe("7 Mar 2026, so far: $3.00 (Previous period $3.00, Not final)");
  });

  it("draws zero for the days before without a value, since the first day with data", async () => {
    const linesOf = async (firstDay: number) =>
      (
        await draw({
          series: [named("", [0, 3n * USD])],
          before: named("", [3, 3n * USD], [5, 3n * USD]).values,
          firstDay,
        })
      ).match(/<path class="line before" d="([^"]*)"/)?.[1];
    expect(await linesOf(FIRST - 7)).toBe("m0 1000 1 0 1 0 1-1000 1 1000 1-1000 1 1000");
    expect(await linesOf(FIRST - 5)).toBe("m2 1000 1-1000 1 1000 1-1000 1 1000");
  });

  it("draws lines of values that don't add up, also with days without a value", async () => {
    const markup = await draw({
      unit: priceUnit("USD"),
      series: [named("A", [0, USD], [2, 2n * USD])],
      whole: { ...named("All", [0, 3n * USD], [2, USD]), total: 2n * USD },
    });
    expect(bars(markup)).toEqual([]);
    expect(markup).toContain('<path class="line series-1" d="m0 680 2-320"/>');
    expect(markup).toContain('<path class="line whole" d="m0 40 2 640"/>');
    const samples = [...markup.matchAll(/<svg class="sample" aria-hidden="true"><path class="([^"]*)"/g)];
    expect(samples.map(([, name]) => name)).toEqual(["line whole", "line series-1"]);
    expect(labels(markup).slice(0, 2)).toEqual(["1 Mar 2026: $3.000 (A $1.000)", "2 Mar 2026: –"]);
    expect(markup).toContain(">Spend by day in USD: $2.000<");
  });

  it("says what the values of its days are", async () => {
    const shown = { unit: priceUnit("USD"), whole: named("All", [0, USD], [6, USD]), today: FIRST + 6 };
    const markup = await draw({ ...shown, kind: "7-day average" });
    expect(markup).toContain(">7-day average<");
    expect(labels(markup)[0]).toBe("1 Mar 2026, 7-day average: $1.000 (Not final)");
    expect(labels(markup)[6]).toBe("7 Mar 2026, so far, 7-day average: $1.000 (Not final)");
    expect(await draw(shown)).not.toContain("average");
    // Of open and final days, the open ones are hatched.
    expect(markup).toContain('<small class="from">Not final<');
    expect(await draw({ ...shown, days: { from: FIRST - 2, to: FIRST + 6 } })).not.toContain(
      "No day is final",
    );
  });

  it("has one line for the events of a day, and marks them all in one place", async () => {
    const event = (day: number, text: string) => ({ day, text });
    const marksOf = (markup: string) =>
      [...markup.matchAll(/<svg class="(event[^"]*)"[^>]*><title>([^<]*)</g)].map(([, ...mark]) => mark);
    const days = { from: FIRST, to: FIRST + 89 };
    const events = [
      event(FIRST + 60, "A"),
      event(FIRST + 60, "B"),
      event(FIRST + 58, "C"),
      event(FIRST + 57, "D"),
    ];
    const shown = { series: [named("", [0, USD])], days, events };
    const markup = await draw(shown);
    const [first = "", second = ""] = [60, 58].map(
      (at) => new RegExp(`aria-label="(${describeDay(FIRST + at)}[^"]*)"`).exec(markup)?.[1] ?? "",
    );
    expect([first, second]).toEqual([
      expect.stringMatching(/\(2 events\)$/),
      expect.stringMatching(/\(C\)$/),
    ]);
    // In a narrow window, the second one would be on the first, and the third one has room.
    expect(marksOf(markup)).toEqual([
      ["event", `${describeDay(FIRST + 60)}:\nA\nB`],
      ["event near", `${describeDay(FIRST + 58)}:\nC`],
      ["event", `${describeDay(FIRST + 57)}:\nD`],
    ]);
    const year = await draw({ ...shown, days: { from: FIRST, to: FIRST + 364 } });
    expect(marksOf(year)).toEqual([["event", `${describeDay(FIRST + 60)}:\nA\nB`]]);
  });

  it("has an axis for the range of ratios, which says where it starts", async () => {
    const shown = {
      series: [named("A", [0, 49n * CENT], [1, 62n * CENT])],
      whole: named("All", [0, 55n * CENT]),
    };
    const markup = await draw({ ...shown, unit: priceUnit("USD") });
    expect(texts(markup, "value")).toEqual(["$0.48", "$0.54", "$0.60", "$0.66"]);
    expect(markup).toContain(">axis from $0.48<");
    expect(markup).not.toContain('class="base"');
    const wide = await draw({ ...shown, unit: priceUnit("USD"), before: named("", [0, CENT]).values });
    expect(texts(wide, "value")).toEqual(["$0.01", "$0.10", "$1.00"]);
    expect(wide).toContain(">log axis<");
    // Above the last tick and below the first one, there is room.
    expect(wide).toMatch(/<path class="line series-\d" d="m0 183 1-48"/);
    expect(wide).toContain('y1="96%"');
    expect(wide).toContain('y1="4%"');
    // A third of the way up from $0.01 to $1.00 there is about $0.04.
    const placed = await draw({
      ...shown,
      unit: priceUnit("USD"),
      before: named("", [0, CENT], [2, 4n * CENT]).values,
    });
    expect(placed).toContain('<path class="line before" d="m0 960 2-277"/>');
    const zero = await draw({ ...shown, unit: priceUnit("USD"), before: named("", [0, 0n]).values });
    expect(texts(zero, "value")[0]).toBe("$0.00");
    expect(zero).not.toContain("axis from");
    // Sums always begin at zero.
    expect(texts(await draw(shown), "value")[0]).toBe("$0.00");
  });

  it.each([
    [
      [95n, 100n],
      ["94%", "96%", "98%", "100%"],
    ],
    [
      // Steps of 6% would end at 102%.
      [84n, 98n],
      ["70%", "80%", "90%", "100%"],
    ],
    [
      [5n, 100n],
      ["0%", "50%", "100%"],
    ],
  ])("has no percentage above 100%% on its axis: %j", async ([low = 0n, high = 0n], ticks) => {
    const markup = await draw({
      unit: percentUnit,
      series: [],
      whole: { ...named("All", [0, low * CENT], [1, high * CENT]), total: null },
    });
    expect(texts(markup, "value")).toEqual(ticks);
  });

  it("has an axis for the range of the total where a single line would press all others together", async () => {
    const markup = await draw({
      unit: percentUnit,
      series: [named("A", [0, 0n], [1, 97n * CENT])],
      whole: { ...named("All", [0, 95n * CENT], [1, 98n * CENT]), total: null },
    });
    expect(texts(markup, "value")).toEqual(["95%", "96%", "97%", "98%"]);
    expect(markup).toContain(">axis from 95%, lower values at its edge<");
    expect(markup).toContain('<path class="line series-1" d="m0 1000 1-653"/>');
  });

  it("dots the way to a day that isn't over, and names it on the axis", async () => {
    const markup = await draw({
      unit: priceUnit("USD"),
      series: [],
      whole: named("All", [4, USD], [5, USD], [6, USD]),
      today: FIRST + 6,
    });
    const paths = [...markup.matchAll(/<path class="(line [^"]*)" d="([^"]*)"/g)].map(
      ([, ...found]) => found,
    );
    expect(paths[0]?.[0]).toBe("line whole");
    expect(paths.slice(0, 2).map(([name, d]) => [name, d?.replace(/ \d+ /, " y ")])).toEqual([
      ["line whole", "m4 y 1 0"],
      ["line whole open", "m5 y 1 0"],
    ]);
    expect(texts(markup, "day").at(-1)).toBe("7 Mar so far");
  });

  const openDays = (markup: string) =>
    /<rect fill="url\(#spend-USD-open\)" x="([\d.]+)%" width="([\d.]+)%" height="100%"/
      .exec(markup)
      ?.slice(1)
      .map(Number);

  it.each([
    // Costs for the last day can arrive until today.
    [13, [85.71, 14.29], ["1 Mar 2026: $1.00", "7 Mar 2026: $1.00 (Not final)"]],
    [14, undefined, ["1 Mar 2026: $1.00", "7 Mar 2026: $1.00"]],
    [8, [14.29, 85.71], ["1 Mar 2026: $1.00", "7 Mar 2026: $1.00 (Not final)"]],
    // All of them are alike.
    [7, undefined, ["1 Mar 2026: $1.00 (Not final)", "7 Mar 2026: $1.00 (Not final)"]],
  ])("hatches the days that are not final, %s days after the first one", async (today, hatched, ends) => {
    const shown = { series: [named("", [0, USD], [6, USD])], today: FIRST + today };
    const markup = await draw(shown);
    expect(openDays(markup)).toEqual(hatched);
    expect([labels(markup)[0], labels(markup).at(-1)]).toEqual(ends);
    expect(legendOf(markup)).toEqual(hatched ? ["Not final"] : []);
    expect(markup.includes('<pattern id="spend-USD-open"')).toBe(hatched !== undefined);
    const lines = await draw({ ...shown, unit: priceUnit("USD"), whole: named("All", [0, USD], [6, USD]) });
    expect(openDays(lines)).toEqual(hatched);
    // Clicks can't arrive later.
    expect(await draw({ ...shown, unit: countUnit })).not.toContain("-open");
  });

  it.each([
    ["in the period", 20, 35, 15, " · No data before 21 Mar 2026"],
    ["in the last week", 33, 35, 7, " · No data before 3 Apr 2026"],
    ["the first of the period", 0, 35, 35, ""],
    ["before the period", -1, 35, 35, ""],
    ["not known", null, 35, 35, ""],
    ["in a period of less than a week", 2, 3, 3, ""],
  ])("begins with the first day with data, and shows a week: %s", async (_, first, length, shown, note) => {
    const markup = await draw({
      days: { from: FIRST, to: FIRST + length - 1 },
      series: [named("", [length - 1, USD])],
      firstDay: first === null ? null : FIRST + first,
    });
    const days = labels(markup);
    expect([days.length, days.at(-1)?.endsWith(": $1.00")]).toEqual([shown, true]);
    const notes = [...markup.matchAll(/<span class="from">([^<]*)</g)].map(([, text]) => ` · ${text}`);
    expect(notes.join("")).toBe(note);
  });

  it("draws the line of a single day as a dot", async () => {
    const markup = await draw({ unit: priceUnit("USD"), series: [], whole: named("All", [2, USD]) });
    expect(markup).toMatch(/<path class="line whole point" d="m2 \d+h0"\/>/);
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
    expect(texts(markup, "value")).toEqual(["$0", "$5", "$10"]);
    const zeros = " 1 0".repeat(30);
    expect(
      [...markup.matchAll(/<path class="layer series-(\d)" d="([^"]*)"/g)].map(([, ...found]) => found),
    ).toEqual([
      ["2", `m0 769 0-692 1 231 1 461 1-77 1 77${zeros}V769z`],
      ["1", `m0 769 0-461 1 0 1 692 1-231 1 0${zeros}V769z`],
    ]);
  });

  it("draws one day and 366 days", async () => {
    const one = await draw({ days: { from: FIRST, to: FIRST }, series: [named("A", [0, USD])] });
    expect(bars(one)).toEqual([[1, 46, 8, 16.67, 83.33]]);
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
