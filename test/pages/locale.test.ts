import { describe, expect, it } from "vitest";
import {
  describeDay,
  describeDays,
  describeShortTime,
  describeTime,
  localeFor,
  showList,
} from "../../src/pages/locale.ts";
import { signedIn } from "../account/support.ts";
import { DEMO, freshWholeDemo } from "../harness.ts";

const us = localeFor(null);

describe("the locale", () => {
  it.each([
    ["de-DE,de;q=0.9", "1.234,5 %"],
    ["de-CH", "1'234.5%"],
    ["fr;q=0.1", "1 234,5 %"],
    ["xx-YY, sv", "1 234,5 %"],
    ["ar-EG", "1,234.5 %"],
    ["th-TH-u-ca-buddhist-nu-thai", "1,234.5%"],
    ["", "1,234.5%"],
    ["*", "1,234.5%"],
    ["a,b,c,d,e,de", "1,234.5%"],
    [`${"x".repeat(100_000)},de`, "1,234.5%"],
    ["de-\0", "1,234.5%"],
    ["__proto__", "1,234.5%"],
  ])("of %j writes 12.345 as %j", (header, written) => {
    expect(
      localeFor(header)
        .percent(12.345)
        .replace(/[\u00A0\u202F\u200E\u200F\u061C]/g, " ")
        .trim(),
    ).toBe(written);
  });

  it("is kept for the last 50 languages that were asked for", () => {
    const first = localeFor("de-AT");
    expect(localeFor("de-AT;q=0.5")).toBe(first);
    const regions = Array.from({ length: 50 }, (_, index) => `en-${String(index + 100)}`);
    for (const tag of regions) localeFor(tag);
    expect(localeFor("de-AT")).not.toBe(first);
  });
});

describe("money", () => {
  it.each<[bigint, string, string]>([
    [123_450_000_000n, "USD", "$1,234.50"],
    [-123_450_000_000n, "USD", "−$1,234.50"],
    [1n, "USD", "<$0.01"],
    [-1n, "USD", ">−$0.01"],
    [1n, "JPY", "<¥1"],
    [123_400_000_000n, "JPY", "¥1,234"],
    [0n, "EUR", "€0.00"],
    [2n ** 80n, "KWD", "KWD 12,089,258,196,146,291.747"],
  ])("%d units of %s: %s", (units, currency, written) => {
    expect(us.money(units, currency).replace("\u00A0", " ")).toBe(written);
  });

  it("has every digit of an amount, and short labels on an axis", () => {
    expect(us.amount("0.00012", "USD")).toBe("$0.00012");
    expect(us.amount("-12.5", "USD")).toBe("−$12.50");
    expect(us.moneyScale("USD", 500)(1_500)).toBe("$1.5K");
    expect(us.moneyScale("USD", 0.25)(0.25)).toBe("$0.25");
  });
});

it("writes changes and shares with one digit and a true minus sign", () => {
  expect([us.change(9n, 8n), us.change(7n, 8n), us.change(8n, 8n), us.change(8n, 0n)]).toEqual([
    "+12.5%",
    "−12.5%",
    "no change",
    "new",
  ]);
  expect([us.share(1n, 8n), us.share(1n, 0n), us.share(1n, -3n)]).toEqual(["12.5%", "–", "–"]);
  expect([us.number(-1_234), us.compact(1_500), us.plural(1, "link"), us.plural(5_000, "link")]).toEqual([
    "−1,234",
    "1.5K",
    "1 link",
    "5,000 links",
  ]);
  expect([us.bytes(0), us.bytes(1_249_999), us.bytes(999_900_000), us.bytes(7_210_000_000)]).toEqual([
    "0 MB",
    "1.2 MB",
    "999.9 MB",
    "7.2 GB",
  ]);
});

describe("days", () => {
  const day = (date: string) => Date.parse(date) / 86_400_000;
  it.each([
    ["2026-03-09", "2026-03-09", "9 Mar 2026"],
    ["2026-03-09", "2026-03-15", "9 – 15 Mar 2026"],
    ["2026-02-28", "2026-03-03", "28 Feb – 3 Mar 2026"],
    ["2025-12-30", "2026-01-02", "30 Dec 2025 – 2 Jan 2026"],
    ["2025-09-01", "2026-09-01", "1 Sep 2025 – 1 Sep 2026"],
  ])("from %s to %s: %s", (from, to, written) => {
    expect(describeDays({ from: day(from), to: day(to) })).toBe(written);
  });

  it("and times are in UTC", () => {
    expect(describeDay(day("2026-11-23"))).toBe("23 Nov 2026");
    expect(describeTime("2026-03-14T15:09:26.535Z")).toBe("14 Mar 2026, 15:09 UTC");
    const shortIn = (year: number) => describeShortTime("2026-03-14T15:09:26.535Z", Date.UTC(year, 4));
    expect([shortIn(2026), shortIn(2027)]).toEqual(["14 Mar, 15:09", "14 Mar 2026, 15:09"]);
    expect(describeTime(Date.parse("2026-03-14T15:09:26.535Z"), "seconds")).toBe("14 Mar 2026, 15:09:26 UTC");
  });
});

it("is that of the browser on every page, in English texts", async () => {
  await freshWholeDemo();
  const browser = await signedIn();
  const { text, headers } = await browser.get(`/apps/${DEMO.appToken}?from=2026-03-01&to=2026-03-14`, {
    headers: { "accept-language": "de-DE,de;q=0.9" },
  });
  expect(headers.get("vary")).toBe("Accept-Language");
  expect(text).toMatch(/\d,\d\d\u00A0€/);
  expect(text).toContain("1 – 14 Mar 2026");
  const { text: american } = await browser.get(`/apps/${DEMO.appToken}?from=2026-03-01&to=2026-03-14`);
  expect(american).toMatch(/€\d+\.\d\d/);
});

it("lists names", () => expect(showList(["Acme", "Beacon", "Corsair"])).toBe("Acme, Beacon, and Corsair"));
