import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { formatDate } from "../../src/domain/time.ts";
import type { InputError } from "../../src/errors.ts";
import { parsePairs, readPairs } from "../../src/http/input/pairs.ts";
import { withQuery } from "../../src/pages/lists/query.ts";
import { describeDays } from "../../src/pages/locale.ts";
import {
  comparedDays,
  compareField,
  periodChecks,
  periodFields,
  periodPicker,
  rejectedDates,
  toPeriod,
} from "../../src/pages/periods.ts";

const NOW = Date.UTC(2026, 2, 15, 23, 59, 59, 999);
const schema = z
  .strictObject({ ...periodFields, ...compareField, q: z.optional(z.string()) })
  .check(...periodChecks);

function parse(search: string) {
  const errors: InputError[] = [];
  const query = parsePairs(schema, readPairs(search), "same text", errors);
  return { query, errors: errors.map(({ param, message }) => `${param} ${message}`) };
}

function days(search: string, now = NOW) {
  const { query, errors } = parse(search);
  expect(errors).toEqual([]);
  const { from, to, preset, previous } = toPeriod(query ?? {}, now);
  return [from, to, ...(previous ? [previous.from, previous.to] : [])].map(formatDate).concat(preset ?? []);
}

describe("the days of a query", () => {
  it.each([
    ["", ["2026-03-08", "2026-03-14", "7d"]],
    ["period=today", ["2026-03-15", "2026-03-15", "today"]],
    ["period=30d", ["2026-02-13", "2026-03-14", "30d"]],
    ["period=90d", ["2025-12-15", "2026-03-14", "90d"]],
    ["period=month", ["2026-03-01", "2026-03-14", "month"]],
    ["from=2026-01-31&to=2026-02-01", ["2026-01-31", "2026-02-01"]],
    ["from=2025-03-15&to=2026-03-15", ["2025-03-15", "2026-03-15"]],
    // A day more, and the last day before the first one.
    ["from=2025-03-15&to=2026-03-16", ["2026-03-08", "2026-03-14", "7d"]],
    ["from=2026-03-02&to=2026-03-01", ["2026-03-08", "2026-03-14", "7d"]],
    ["compare=1", ["2026-03-08", "2026-03-14", "2026-03-01", "2026-03-07", "7d"]],
    ["period=today&compare=1", ["2026-03-15", "2026-03-15", "2026-03-14", "2026-03-14", "today"]],
    ["from=2024-02-29&to=2024-03-01&compare=1", ["2024-02-29", "2024-03-01", "2024-02-27", "2024-02-28"]],
  ])("%j", (search, expected) => {
    expect(days(search)).toEqual(expected);
  });

  it("starts a day and a month at midnight in UTC", () => {
    expect(days("period=month", NOW + 1)).toEqual(["2026-03-01", "2026-03-15", "month"]);
    expect(days("period=month", Date.UTC(2026, 3, 1))).toEqual(["2026-04-01", "2026-04-01", "month"]);
  });

  it.each([
    [null, "7d"],
    ["2026-03-14", "7d"],
    ["2026-03-15", "today"],
  ])("by default are those that are over, of an app that was first used on %s: %s", (first, preset) => {
    const firstDay = first === null ? null : Date.parse(first) / 86_400_000;
    expect(toPeriod({}, NOW, firstDay).preset).toBe(preset);
    expect(toPeriod({ period: "30d" }, NOW, firstDay).preset).toBe("30d");
  });

  it.each([
    ["", ["2026-03-08", "2026-03-14", "2026-03-01", "2026-03-07"]],
    ["from=2026-03-13&to=2026-03-15", ["2026-03-13", "2026-03-14", "2026-03-11", "2026-03-12"]],
    ["period=today", undefined],
  ])("are compared without today: %j", (search, expected) => {
    const found = comparedDays(toPeriod(parse(search).query ?? {}, NOW), NOW);
    expect(
      found && [found.now.from, found.now.to, found.before.from, found.before.to].map(formatDate),
    ).toEqual(expected);
  });

  it.each([
    ["period=8d", ["period must be one of 7d, 30d, 90d, month, today"]],
    [
      "from=2026-02-30&to=15.3.2026",
      [
        "from must be a calendar date, for example 2026-03-14",
        "to must be a calendar date, for example 2026-03-14",
      ],
    ],
    ["from=2026-03-01", ["to is required with from"]],
    ["to=2026-03-01", ["from is required with to"]],
    ["period=7d&from=2026-03-01&to=2026-03-02", ["period can't be combined with from and to"]],
    ["compare=yes&form=2026-03-01", ["compare must be 1", "form is not a known parameter; remove it"]],
    ["period=7d&period=30d", ["period is given twice with different values; send it once"]],
  ])("names every error of %j", (search, expected) => {
    expect(parse(search).errors).toEqual(expected);
  });
});

it.each([
  ["2026-03-09", "2026-03-15", "9 – 15 Mar 2026"],
  ["2026-03-15", "2026-03-15", "15 Mar 2026"],
  ["2026-02-27", "2026-03-05", "27 Feb – 5 Mar 2026"],
  ["2025-12-31", "2026-01-01", "31 Dec 2025 – 1 Jan 2026"],
])("describes %s to %s as %s", (from, to, text) => {
  const dayOf = (date: string) => Date.parse(date) / 86_400_000;
  expect(describeDays({ from: dayOf(from), to: dayOf(to) })).toBe(text);
});

it("changes a query and keeps the rest of it", () => {
  const url = new URL("https://example.com/apps/a?q=a%20b&q=c&period=7d");
  expect(withQuery(url, { period: null, from: "2026-03-01" })).toBe("/apps/a?q=a+b&q=c&from=2026-03-01");
  expect(withQuery(new URL("https://example.com/apps?period=7d"), { period: null })).toBe("/apps");
});

describe("the picker", () => {
  const show = async (search: string, compares = true) => {
    const url = new URL(`https://example.com/apps/a/links?${search}`);
    return String(await periodPicker(url, toPeriod(parse(search).query ?? {}, NOW), compares));
  };
  const hrefs = (markup: string) =>
    [...markup.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));

  it("keeps the rest of the query in its links and its form", async () => {
    const markup = await show("q=%22%3Cb%3E&from=2026-03-01&to=2026-03-02");
    expect(hrefs(markup)).toEqual([
      ...["7d", "30d", "90d", "month", "today"].map((name) => `/apps/a/links?q=%22%3Cb%3E&period=${name}`),
      "/apps/a/links?q=%22%3Cb%3E&from=2026-03-01&to=2026-03-02&compare=1",
    ]);
    expect(
      [...markup.matchAll(/<input[^>]*name="(\w+)"[^>]*value="([^"]*)"/g)].map((m) => m.slice(1)),
    ).toEqual([
      ["q", "&quot;&lt;b&gt;"],
      ["from", "2026-03-01"],
      ["to", "2026-03-02"],
    ]);
    expect(markup).not.toContain("aria-current");
  });

  it.each([
    ["from=2026-03-02&to=2026-03-01", "The To date must be on or after the From date."],
    ["from=2025-03-15&to=2026-03-16", "The To date must be at most 365 days after the From date."],
  ])("is open with the dates that it rejects and what to do: %s", async (dates, text) => {
    const markup = await show(`q=a&${dates}`);
    const [from = "", to = ""] = [...new URLSearchParams(dates).values()];
    expect(markup).toContain('<details class="menu " open><summary>Last 7 days</summary>');
    expect(markup).toContain(`name="from" value="${from}" required>`);
    expect(markup).toContain(
      `name="to" value="${to}" required aria-invalid="true" aria-describedby="period-error" autofocus>`,
    );
    expect(markup).toContain(`<p class="field-error" id="period-error" role="alert">${text}</p>`);
    // The page shows other days, and the presets are a way out.
    expect(markup).toContain("8 – 14 Mar 2026, UTC");
    expect(hrefs(markup)[0]).toBe("/apps/a/links?q=a&period=7d");
  });

  it.each(["from=2026-03-02&to=2026-03-02", "from=2026-03-02", "from=x&to=2026-03-01", "period=30d", ""])(
    "is closed with other dates: %j",
    async (dates) => {
      const url = new URL(`https://example.com/?${dates}`);
      expect(rejectedDates(url)).toBeUndefined();
      expect(String(await periodPicker(url, toPeriod({}, NOW)))).not.toMatch(/ open|field-error/);
    },
  );

  it("marks the preset in use, also by default", async () => {
    expect(await show("")).toMatch(/<summary>Last 7 days<[\s\S]*<a [^>]*aria-current="true">Last 7 days</);
    expect(await show("period=month")).toMatch(/<a [^>]*aria-current="true">This month</);
  });

  it("switches the comparison, and says which days are compared", async () => {
    const markup = await show("compare=1&period=today");
    expect(markup).toContain("15 Mar 2026, UTC, compared with 14 Mar 2026");
    expect(hrefs(markup).at(-1)).toBe("/apps/a/links?period=today");
    expect(await show("", false)).not.toContain("ompar");
  });
});
