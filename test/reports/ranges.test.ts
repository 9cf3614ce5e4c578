/**
 * Reports of more rows than a call reads: they are read in ranges of days, and say the same. What does not fit either is shown as far as
 * it fits, and the API says how much that is.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { MAX_CALLS } from "../../src/db/ledger/reports/ranges.ts";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { MAX_COVERED } from "../../src/db/statement.ts";
import { type Browser, signedIn } from "../account/support.ts";
import {
  ask,
  call,
  DAY,
  DEMO,
  env,
  ledgerOn,
  NOW,
  type ProblemBody,
  sendCost,
  withMethods,
  wrapDatabases,
} from "../harness.ts";
import { isLong } from "../part.ts";
import { freshLedger, inLedger } from "../support.ts";
import { APP, mainOf, textOf } from "../workspace/page-text.ts";

const PATH = `/public/v1/apps/${DEMO.appToken}`;
const today = Math.floor(NOW / DAY);
const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
const last = () => databasesOf(ledgerOn()).at(-1) as D1Database;

/** What a call covers at most: all days of a report, and a range of them, of one that reads its rows once and of one that reads them twice. */
const LIMITS = [MAX_COVERED, 120_000, 75_000];

interface Read {
  /** The rows that each call of a report read, by D1's meta, and "cost" for a call that stored one. */
  calls: (number | "cost")[];
}

/** Databases whose calls are noted. With `most`, a call reads that many rows of totals in the place of MAX_COVERED. */
function noted(most = MAX_COVERED, onCall?: (calls: Read["calls"]) => void) {
  const read: Read = { calls: [] };
  const smaller = (value: unknown) => (most < MAX_COVERED && LIMITS.includes(Number(value)) ? most : value);
  const database = wrapDatabases((real) =>
    withMethods(real, {
      prepare: (text: string) => {
        const statement = real.prepare(text);
        const isReport =
          /\bdaily_(totals|engagements|audience)\b[\s\S]*BETWEEN|WITH RECURSIVE[\s\S]*\bdays\(/.test(text);
        return withMethods(statement, {
          bind: (...values: unknown[]) =>
            withMethods(statement.bind(...values.map(smaller)), {
              isReport,
              isCost: /submissions/.test(text),
            }),
        });
      },
      batch: async (statements: (D1PreparedStatement & { isReport?: boolean; isCost?: boolean })[]) => {
        const isReport = statements.some((one) => one.isReport);
        if (isReport) onCall?.(read.calls);
        try {
          const results = await real.batch(statements);
          if (isReport) read.calls.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0));
          return results;
        } catch (error) {
          if (isReport) read.calls.push(0);
          throw error;
        } finally {
          if (statements.some((one) => one.isCost)) read.calls.push("cost");
        }
      },
    }),
  );
  return { env: { DB: database }, read };
}

/** `count` links below the demo link, and a click and a cost of each on each of some days. */
async function fill(count: number, days: number, first = 5_000) {
  const links = `WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})`;
  await env.DB.prepare(
    `${links} INSERT INTO links (id, token, app_token, parent_id, level, label, created_at, from_engagement)
     SELECT i, 'junk' || i, '${DEMO.appToken}', 1, 2, 'Junk ' || i, 0, 1 FROM n`,
  ).run();
  const rows = `${links}, d(day) AS (SELECT ${today - days + 1} UNION ALL SELECT day + 1 FROM d WHERE day < ${today})`;
  const key = `'${DEMO.appToken}'`;
  for (const query of [
    `INSERT INTO daily_engagements SELECT ${key}, day, i, 1, 'click', 2, 1 FROM n, d`,
    `INSERT INTO daily_totals SELECT ${key}, day, i, 1, 'cpc', 'USD', 'matched', 1, 100000 + i FROM n, d`,
    `INSERT INTO daily_audience SELECT ${key}, i, day, 1, 'click', iif(i % 2, 'DE', 'US'), 'ios', 2, 1 FROM n, d`,
    `INSERT INTO daily_audience_spend SELECT ${key}, i, day, 1, 'cpc', 'USD', 'matched', iif(i % 2, 'DE', 'US'), 'ios', 1, 100000 + i FROM n, d`,
  ])
    await last().prepare(`${rows} ${query}`).run();
}

const get = (report: string, query: string, options = {}) =>
  ask<ProblemBody & { data: { items: object[] } }>(`${PATH}/${report}?${query}`, {
    token: DEMO.apiToken,
    ...options,
  });
const days = (count: number, to = today) => `from=${dateOf(to - count + 1)}&to=${dateOf(to)}`;

// The pauses between the calls of a report take no time, apart from the test that is about them.
beforeEach(() => {
  vi.spyOn(scheduler, "wait").mockResolvedValue(undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const REPORTS = [
  ["spend", "group_by=link,partner"],
  ["spend", "group_by=link&level=1&link=demo1nk001"],
  ["spend", "group_by=country"],
  ["engagements", "group_by=day,kind"],
  ["engagements", "group_by=platform&country=DE"],
] as const;
const PERFORMANCE = ["group_by=link&link=demo1nk001&level=1", "group_by=week", "group_by=country"];
const PAGES = [
  "",
  "/performance",
  "/performance?group_by=country",
  "/links",
  "/links/demo1nk001",
  "/partners",
  "/performance.csv",
];
/** Without what differs from request to request. */
const same = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "");

describe("a report of more rows than a call reads", () => {
  let browser: Browser;
  beforeAll(async () => {
    await freshLedger();
    await fill(12, 28);
    browser = await signedIn();
    // Once, so that the catalog of partners is known.
    await get("spend", days(1));
  });

  it.each(REPORTS)("is the same as in one call: %s, %s", async (report, query) => {
    const [whole, small] = [noted(), noted(200)];
    const one = await get(report, `${days(28)}&${query}`, whole);
    const ranges = await get(report, `${days(28)}&${query}`, small);
    expect([one.status, ranges.body.data.items]).toEqual([200, one.body.data.items]);
    expect(one.body.data.items.length).toBeGreaterThan(0);
    const databases = databasesOf(ledgerOn()).length;
    expect(whole.read.calls).toHaveLength(databases);
    expect(small.read.calls.length).toBeGreaterThan(3);
    expect(small.read.calls.length).toBeLessThanOrEqual(MAX_CALLS * databases);
  });

  it.each(PERFORMANCE)("is the same as in one call: performance, %s", async (query) => {
    const one = await get("performance", `${days(14)}&${query}`);
    const ranges = await get("performance", `${days(14)}&${query}`, noted(200));
    expect([one.status, ranges.body.data.items]).toEqual([200, one.body.data.items]);
  });

  it.each(PAGES)("is the same as in one call: %s", async (path) => {
    const address = `${APP}${path}${path.includes("?") ? "&" : "?"}${days(14)}`;
    const [one, ranges] = [await browser.get(address), await browser.get(address, noted(400))];
    expect([one.status, ranges.status]).toEqual([200, 200]);
    expect(same(ranges.text)).toBe(same(one.text));
  });

  it("lets a cost that waits go before each of its calls but the first ones", async () => {
    vi.restoreAllMocks();
    let isSent = false;
    const work: Promise<unknown>[] = [];
    const small = noted(200, (calls) => {
      // Sent while the report waits for a call.
      if (calls.length < 2) return;
      isSent = true;
      work.push(sendCost({ cost_id: `waiting-cost-${calls.length}` }, { env: small.env }));
    });
    expect((await get("spend", `${days(28)}&group_by=day`, small)).status).toBe(200);
    await Promise.all(work);
    expect(isSent).toBe(true);
    if (databasesOf(ledgerOn()).length > 1) return;
    const calls = small.read.calls.slice(2).map((one) => (one === "cost" ? "cost" : "report"));
    for (const [index, one] of calls.entries())
      if (one === "report" && index > 0)
        expect(calls.slice(0, index).lastIndexOf("cost")).toBeGreaterThanOrEqual(
          calls.slice(0, index).lastIndexOf("report"),
        );
  });
});

describe("a report of more rows than all of its calls read", () => {
  let browser: Browser;
  beforeAll(async () => {
    await freshLedger();
    await fill(30, 28);
    browser = await signedIn();
  });
  /** A call reads one day, so eight days are read. */
  const READ = MAX_CALLS - 2;

  it.each(["spend", "engagements"])("is rejected with the number of days that fit: %s", async (report) => {
    const { status, body } = await get(report, `${days(28)}&group_by=day`, noted(50));
    const message = `is too early: the days have more rows of totals than a report adds up; use fewer days: at most ${READ} days up to the last one`;
    expect([status, body.code, body.errors]).toEqual([400, "report_too_large", [{ param: "from", message }]]);
    expect((await get(report, `${days(READ)}&group_by=day`, noted(50))).status).toBe(200);
  });

  it("of performance is rejected with the number of days that fit with those before them", async () => {
    const { status, body } = await get("performance", `${days(14)}`, noted(70));
    expect([status, body.errors?.[0]?.message]).toEqual([
      400,
      expect.stringContaining("at most 4 days up to the last one"),
    ]);
    expect((await get("performance", days(4), noted(70))).status).toBe(200);
  });

  it("shows the newest days on pages, and says so", async () => {
    const range = days(14, today - 1);
    const text = async (path: string) => {
      const page = await browser.get(`${APP}${path}?${range}`, noted(70));
      expect([path, page.status]).toEqual([path, 200]);
      return textOf(mainOf(page.text));
    };
    const note = "There is too much data to add up for all of these days. The figures cover";
    for (const path of ["", "/performance", "/links", "/links/demo1nk001", "/partners"])
      expect([path, await text(path)]).toEqual([path, expect.stringContaining(note)]);
    expect(await text("/performance")).toContain(
      "There is too much data to add up for the days before, so nothing is compared.",
    );
    const csv = await browser.get(`${APP}/performance.csv?${range}&group_by=day`, noted(70));
    expect([csv.status, csv.text.trim().split("\r\n").length]).toEqual([200, 1 + READ]);
  });

  it("reads one day, whatever it has", async () => {
    const { status, body } = await get("engagements", `${days(1)}&group_by=kind`, noted(5));
    expect([status, body.data.items]).toEqual([200, [{ kind: "click", count: 60, recorded: 30 }]]);
  });
});

/** With the real limit. */
describe("more than 50,000 sums", () => {
  beforeAll(async () => {
    await freshLedger();
    await last()
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)
         INSERT INTO daily_totals SELECT '${DEMO.appToken}', ${today} - i % 2, 3000 + i, 1, 'cpc', 'USD', 'matched', 1, 100000 FROM n`,
      )
      .run();
  });

  // Of spend, the Overview's test has it in a single call.
  it.each(isLong ? ["performance", "spend"] : ["performance"])(
    "are rejected, of all ranges together: %s",
    async (report) => {
      const byLink = (count: number) => get(report, `${days(count)}&group_by=link`, noted(40_000));
      const { status, body } = await byLink(2);
      const message = "gives more than 50,000 rows; use fewer groups or fewer days";
      expect([status, body.errors]).toEqual([400, [{ param: "group_by", message }]]);
      if (isLong) expect((await byLink(1)).status).toBe(200);
    },
  );
});

/** With the real limits. The reports above have the same calls with smaller ones. */
describe.runIf(isLong)("junk", () => {
  const LINKS = 10_000;
  const DAYS = 21;
  let browser: Browser;
  beforeAll(async () => {
    await freshLedger();
    await fill(LINKS, DAYS);
    await inLedger("DELETE FROM audience_keys");
    browser = await signedIn();
  }, 120_000);

  it.each(["", `?${days(DAYS)}`, "?period=30d"])(
    "fails no page, and no call reads more than 600,000 rows: %s",
    async (query) => {
      const counted = noted();
      for (const path of [
        "",
        "/performance",
        "/performance?group_by=country",
        "/performance.csv",
        "/links",
        "/links/demo1nk001",
        "/partners",
      ]) {
        const more = path.includes("?") ? query.replace("?", "&") : query;
        const { status } = await browser.get(`${APP}${path}${more}`, counted);
        expect([path, status]).toEqual([path, 200]);
      }
      expect(Math.max(...counted.read.calls.map(Number))).toBeLessThanOrEqual(600_000);
    },
    120_000,
  );

  it("fails no report of the API with its default days, and no CSV", async () => {
    const counted = noted();
    for (const report of [
      "spend?",
      "engagements?",
      "performance?",
      "performance?group_by=link",
      `performance?group_by=country&${days(1, today - 1)}`,
      `engagements?group_by=country&${days(1, today - 1)}`,
    ])
      for (const accept of ["application/json", "text/csv"]) {
        const { status } = await call(`${PATH}/${report}`, {
          token: DEMO.apiToken,
          headers: { accept },
          env: counted.env,
        });
        expect([report, accept, status]).toEqual([report, accept, 200]);
      }
    expect(Math.max(...counted.read.calls.map(Number))).toBeLessThanOrEqual(600_000);
  }, 120_000);

  it("of 250,000 rows by country on one day, from before their number had an end, fails nothing either", async () => {
    // Rows by country of one day from before their number had an end.
    await last()
      .prepare(
        `INSERT INTO daily_audience SELECT '${DEMO.appToken}', i.link_id, ${today - 1}, 1, 'click', char(65 + c.value / 26, 65 + c.value % 26), 'android', 1, 0
           FROM daily_engagements i, json_each('[${Array.from({ length: 24 }, (_, index) => index)}]') c WHERE i.day = ${today - 1} AND i.app_token = '${DEMO.appToken}' AND i.link_id >= 5000`,
      )
      .run();
    const counted = noted();
    for (const path of [
      "/performance?group_by=country",
      "/performance.csv?group_by=country",
      "/links/demo1nk001",
    ]) {
      const { status } = await browser.get(`${APP}${path}`, counted);
      expect([path, status]).toEqual([path, 200]);
    }
    const day = days(1, today - 1);
    for (const query of [
      `performance?group_by=country&${day}`,
      `engagements?group_by=country&${day}`,
      `spend?group_by=country&${day}`,
    ])
      expect([
        query,
        (await get(query.split("?")[0] ?? "", query.split("?")[1] ?? "", counted)).status,
      ]).toEqual([query, 200]);
    // One day is read whatever it has: a call reads each of its rows at most four times.
    expect(Math.max(...counted.read.calls.map(Number))).toBeLessThanOrEqual(4 * 270_000);
  }, 120_000);
});
