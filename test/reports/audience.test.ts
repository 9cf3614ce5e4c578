/** Reports by country and platform: what is recorded, what is not, the days they cover, and their budget. */
import { beforeAll, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { createLink } from "../campaign/support.ts";
import {
  ANDROID,
  ask,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  env,
  IPHONE,
  ledgerOn,
  NOW,
  type ProblemBody,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isLong, isWhole } from "../part.ts";
import { freshLedger, inLedger, LINK } from "../support.ts";

const PATH = `/public/v1/apps/${DEMO.appToken}`;
const DAYS = "from=2026-03-01&to=2026-03-15";
const get = (report: string, query: string, options = {}) =>
  ask<ProblemBody & { data: { items: Record<string, unknown>[] } }>(`${PATH}/${report}?${query}`, {
    token: DEMO.apiToken,
    ...options,
  });
const items = async (report: string, query: string) =>
  (await get(report, `${DAYS}&${query}`)).body.data.items;
const phone = { headers: { "user-agent": ANDROID } };

/**
 * In Germany an iPhone opens the demo link twice, with a cost of 1 and without, in the USA an Android phone sees an impression with a cost
 * of 3 a thousand and opens a sub-link with a cost without an amount. An adjustment of 2 has neither country nor platform.
 */
async function send(): Promise<{ subLink: string }> {
  await freshLedger();
  const subLink = (await createLink("Audience", DEMO.linkToken)).token;
  await click("audience-report-1", { cf: { country: "DE" } });
  await call(LINK, { cf: { country: "DE" }, headers: { "user-agent": IPHONE } });
  await view("audience-report-2", { cf: { country: "US" }, ...phone });
  await click("audience-report-3", { cf: { country: "US" }, link: subLink, ...phone });
  await sendCost({ cost_id: "audience-report-1", cost_amount: "1" });
  await sendCost({ cost_id: "audience-report-2", cost_type: "cpm", cost_amount: "3" });
  await sendCost({ cost_id: "audience-report-3" });
  const adjustment = {
    app_token: DEMO.appToken,
    link_token: DEMO.linkToken,
    day: "2026-03-15",
    partner_id: 1,
  };
  await ask("/operator/v1/adjustments", {
    token: DEMO.operatorToken,
    json: { ...adjustment, cost_type: "cpc", currency: "USD", amount: "2", reason: "test" },
    headers: { "idempotency-key": "audience-adjustment" },
  });
  return { subLink };
}

const spend = (country: string | null, spend: string, matched: number, unpriced = 0, adjusted = "0") => ({
  country,
  currency: "USD",
  spend,
  adjusted,
  matched,
  unpriced,
});

describe("a report by country or platform", () => {
  let subLink = "";
  beforeAll(async () => {
    ({ subLink } = await send());
  });

  it("has a row for each, and one with null for adjustments", async () => {
    expect(await items("spend", "group_by=country")).toEqual([
      spend(null, "2", 0, 0, "2"),
      spend("DE", "1", 1),
      spend("US", "0.003", 1, 1),
    ]);
    expect(await items("engagements", "group_by=kind,country,platform")).toEqual([
      { kind: "click", country: "DE", platform: "ios", count: 2, recorded: 1 },
      { kind: "click", country: "US", platform: "android", count: 1, recorded: 1 },
      { kind: "impression", country: "US", platform: "android", count: 1, recorded: 1 },
    ]);
  });

  it("adds up links of a level, and shows the others beside the country", async () => {
    const shown = async (query: string) =>
      (await items("engagements", `kind=click&${query}`)).map(({ link_token, platform, count }) => [
        link_token,
        platform,
        count,
      ]);
    expect(await shown("group_by=link,platform&level=1")).toEqual([
      [DEMO.linkToken, "android", 1],
      [DEMO.linkToken, "ios", 2],
    ]);
    expect(await shown("group_by=link,platform")).toEqual([
      [DEMO.linkToken, "ios", 2],
      [subLink, "android", 1],
    ]);
  });

  it.runIf(isWhole).each([
    ["country=de", "group_by=country", [spend("DE", "1", 1)]],
    ["country=US&platform=Android", "group_by=country", [spend("US", "0.003", 1, 1)]],
    ["country=US&platform=ios", "group_by=country", []],
    ["country=FR", "group_by=country", []],
  ])("filtered by %s has only these", async (filter, groups, expected) => {
    expect(await items("spend", `${groups}&${filter}`)).toEqual(expected);
  });

  it("filtered by a country has no columns of it by other groups, and of one link only that link", async () => {
    expect(await items("spend", "group_by=cost_type&country=US")).toEqual([
      { cost_type: "cpc", currency: "USD", spend: "0", adjusted: "0", matched: 0, unpriced: 1 },
      { cost_type: "cpm", currency: "USD", spend: "0.003", adjusted: "0", matched: 1, unpriced: 0 },
    ]);
    expect(await items("engagements", `group_by=country&link=${subLink}`)).toEqual([
      { country: "US", count: 1, recorded: 1 },
    ]);
  });

  it.runIf(isWhole)("is the same as CSV, with empty cells for adjustments", async () => {
    const options = { token: DEMO.apiToken, headers: { accept: "text/csv" } };
    const response = await call(`${PATH}/spend?${DAYS}&group_by=country,platform`, options);
    expect(await response.text()).toBe(
      [
        "country,platform,currency,spend,adjusted,matched,unpriced",
        ",,USD,2,2,0,0",
        "DE,ios,USD,1,0,1,0",
        "US,android,USD,0.003,0,1,1",
        "",
      ].join("\r\n"),
    );
  });

  it("of performance has clicks, spend and cost per click of each", async () => {
    const found = await items("performance", "group_by=country&sort=country");
    expect(
      found.map(({ country, spend, clicks, impressions, cost_per_click }) => [
        country,
        spend,
        clicks,
        impressions,
        cost_per_click,
      ]),
    ).toEqual([
      ["DE", "1", 2, 0, "1"],
      ["US", "0.003", 1, 1, null],
      [null, "2", 0, 0, null],
    ]);
    const [filtered] = await items("performance", "group_by=platform&country=US&sort=platform");
    expect(filtered).toMatchObject({
      platform: "android",
      clicks: 1,
      coverage: "1",
      impression_coverage: "1",
    });
  });

  it.runIf(isWhole).each(["country=UK", "country=EUR", "platform=tv", "group_by=country,country"])(
    "rejects %s",
    async (query) => {
      const { status, body } = await get("spend", `${DAYS}&${query}`);
      expect([status, body.errors?.map(({ param }) => param)]).toEqual([400, [query.split("=")[0]]]);
    },
  );

  it.runIf(isWhole).each([
    ["31 days", "from=2026-02-13&to=2026-03-15&group_by=country", 200],
    ["32 days", "from=2026-02-12&to=2026-03-15&group_by=country", "to"],
    ["32 days up to today", "from=2026-02-12&group_by=platform", "from"],
    ["32 days of a filter", "from=2026-02-12&to=2026-03-15&country=DE", "to"],
    ["93 days of one link", `from=2025-12-13&to=2026-03-15&group_by=country&link=${DEMO.linkToken}`, 200],
    ["94 days of one link", `from=2025-12-12&to=2026-03-15&platform=ios&link=${DEMO.linkToken}`, "to"],
    ["367 days", "from=2025-03-14&to=2026-03-15&country=DE", "to"],
  ])("covers 31 days, and 93 of one link: %s", async (_, query, expected) => {
    for (const report of ["spend", "engagements", "performance"]) {
      // By performance, today is not in the days.
      const group =
        report === "performance" ? query.replace("from=2026-02-12&group", "from=2026-02-11&group") : query;
      const { status, body } = await get(report, group);
      const result = status === 200 ? 200 : body.errors?.map(({ param }) => param).join();
      expect([report, result]).toEqual([report, expected]);
    }
  });
});

describe("the budget", () => {
  const LINKS = isLong ? 40 : 12;
  const today = Math.floor(NOW / DAY);
  const COUNTRIES = ["US", "DE", "FR", "GB", "JP"];
  const isSharded = ledgerOn().shards.length > 0;
  const count = async (table: string, where = "true") =>
    (await rows<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)).reduce(
      (sum, { n }) => sum + n,
      0,
    );

  beforeAll(async () => {
    await freshLedger();
    const links = `FROM json_each('${JSON.stringify(Array.from({ length: LINKS }, (_, index) => 1_000 + index))}') l`;
    await env.DB.prepare(
      `INSERT INTO links (id, token, app_token, parent_id, level, label, created_at)
       SELECT l.value, 'audience' || l.value, '${DEMO.appToken}', iif(l.value < 1004, 1, 2), 2, 'Audience ' || l.value, 0 ${links}`,
    ).run();
    // 100 days of every link, of which a report covers some.
    const days = `json_each('${JSON.stringify(Array.from({ length: 100 }, (_, index) => today - index))}') d`;
    const countries = `json_each('${JSON.stringify(COUNTRIES)}') c`;
    const app = `'${DEMO.appToken}'`;
    const last = isSharded ? ledgerOn().shards.at(-1) : env.DB;
    await last?.batch(
      [
        `INSERT INTO daily_totals SELECT ${app}, d.value, l.value, 1, 'cpc', 'USD', 'matched', 10, 1000 ${links}, ${days}`,
        `INSERT INTO daily_engagements SELECT ${app}, d.value, l.value, 1, 'click', 10, 10 ${links}, ${days}`,
        `INSERT INTO daily_audience SELECT ${app}, l.value, d.value, 1, 'click', c.value, 'ios', 1, 1 ${links}, ${days}, ${countries}`,
        `INSERT INTO daily_audience_spend SELECT ${app}, l.value, d.value, 1, 'cpc', 'USD', 'matched', c.value, 'ios', 1, 100 ${links}, ${days}, ${countries}`,
      ].map((query) => last.prepare(query)),
    );
    await get("spend", "group_by=partner");
  });

  async function measure(report: string, query: string) {
    const { database, counts } = countingDatabase();
    const { status, body } = await get(report, query, { env: { DB: database } });
    expect(status).toBe(200);
    return { ...counts, items: body.data.items };
  }

  it.runIf(isWhole).each([
    ["spend", "daily_totals", "daily_audience_spend"],
    ["engagements", "daily_engagements", "daily_audience"],
  ])(
    "of %s of an app is 3 rows a row of totals and of audience in these days, and 4 a link",
    async (report, totals, audience) => {
      const own = await count(totals, `day > ${today - 31}`);
      const covered = own + (await count(audience, `day > ${today - 31}`));
      expect(covered).toBe(31 * LINKS * 6);
      for (const [groups, more, ofLink] of [
        ["country", 0, 4],
        ["platform,country", 0, 4],
        // The links of spend by day are found in a read of their own.
        ["day,country", report === "spend" ? 1 : 0, 4],
        // Each link is in four lists, and is looked up with the three above it.
        ["link,country,platform", 0, 11],
      ] as const) {
        const counts = await measure(report, `from=2026-02-13&to=2026-03-15&group_by=${groups}`);
        const OVERHEAD = 110 * (1 + ledgerOn().shards.length);
        expect(counts.read).toBeLessThanOrEqual(3 * covered + more * own + ofLink * LINKS + OVERHEAD);
        expect(counts.written).toBe(0);
      }
    },
  );

  it("of one link reads the audience of nothing but this link and those below it", async () => {
    const totals = await count("daily_totals", `day > ${today - 93}`);
    const counts = await measure("spend", `from=2025-12-13&to=2026-03-15&group_by=country&link=audience1003`);
    expect(counts.items).toHaveLength(COUNTRIES.length);
    expect(counts.read).toBeLessThanOrEqual(3 * totals + 3 * 93 * COUNTRIES.length + 20);
  });

  // ranges.test.ts has it with smaller limits.
  it.runIf(isLong)("of an app of more rows than a call reads is the same in ranges of days", async () => {
    const many = JSON.stringify(
      Array.from({ length: 70 }, (_, index) => `${String.fromCharCode(65 + (index % 26))}${index}`),
    );
    await inLedger(
      `INSERT INTO daily_audience SELECT app_token, link_id, day, 1, 'click', j.value, 'ios', 1, 1
       FROM daily_engagements, json_each('${many}') j WHERE day > ${today - 31} AND app_token = '${DEMO.appToken}' AND link_id >= 1000`,
    );
    const read = await measure("engagements", "from=2026-02-13&to=2026-03-15&group_by=country");
    expect(read.calls).toBeGreaterThan(3 * databasesOf(ledgerOn()).length - 1);
    expect(read.items).toHaveLength(COUNTRIES.length + 70);
    const one = await get("engagements", `from=2026-02-13&to=2026-03-15&group_by=country&link=audience1003`);
    expect(one.status).toBe(200);
  });
});
