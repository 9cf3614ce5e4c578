/**
 * The database budget of the Links page in an app of more links than a search reads, some of them active each day: the session, one
 * list and one report of seven days.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../account/support.ts";
import { countingDatabase, DAY, DEMO, env, ledgerOn, NOW } from "../harness.ts";
import { freshLedger } from "../support.ts";
import { hrefOf, mainOf } from "../workspace/page-text.ts";

const PAGE = `/apps/${DEMO.appToken}/links`;
const LINKS = 30_000;
const ACTIVE = 300;
const DAYS = 7;
const FIRST = 1_000;
const today = Math.floor(NOW / DAY);

let browser: Browser;

beforeAll(async () => {
  await freshLedger();
  // A tenth at level 1. Each of those has nine below it: three at each of the levels 2, 3 and 4.
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${LINKS - 1})
     INSERT INTO links (id, token, app_token, parent_id, level, label, created_at)
     SELECT ${FIRST} + i, 'budget' || i, ?, iif(i % 10 = 0, NULL, ${FIRST} + i - iif(i % 10 < 4, i % 10, 3)),
       CASE WHEN i % 10 = 0 THEN 1 WHEN i % 10 < 4 THEN 2 WHEN i % 10 < 7 THEN 3 ELSE 4 END, 'Link ' || (i * 7919 % ${LINKS}), 0 FROM n`,
  )
    .bind(DEMO.appToken)
    .run();
  const active = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${ACTIVE * DAYS - 1})`;
  const linkId = `${FIRST} + i * 7 % ${LINKS}`;
  await env.DB.batch(
    [
      `${active} INSERT INTO daily_engagements SELECT ?, ${today} - i % ${DAYS}, ${linkId}, 1, 'click', 3, 1 FROM n`,
      `${active} INSERT INTO daily_totals SELECT ?, ${today} - i % ${DAYS}, ${linkId}, 1, 'cpc', 'USD', 'matched', 1, 25000 FROM n`,
    ].map((sql) => env.DB.prepare(sql).bind(DEMO.appToken)),
  );
  browser = await signedIn();
  // Fills the isolate's memory of partners.
  await browser.get(PAGE);
});

async function measure(path: string) {
  const { database, counts } = countingDatabase();
  const { status, text } = await browser.get(path, { env: { DB: database } });
  expect(status).toBe(200);
  const rows = [...mainOf(text).matchAll(/<th scope="row"/g)].length;
  return { ...counts, text, rows };
}

/** The session with the apps of its user, and one list of 50. */
const SESSION = 8;
const LIST = 60;
/** The access checks of a report's statements and judgements, and in each shard its identity: what it reads without totals. */
const CHECKS = 26 + 21 * ledgerOn().shards.length;
/** Each active link has a total of clicks and one of spend. */
const COVERED = 2 * ACTIVE * DAYS;
const REPORT = 3 * COVERED + 4 * ACTIVE * DAYS + CHECKS;
/** The session, the list and the report; with shards, each of them and the links above the active ones. */
const calls = () => {
  const { length } = ledgerOn().shards;
  return 3 + (length > 0 ? length + 1 : 0);
};

describe(`the Links page of ${LINKS} links`, () => {
  it.each(["", "?period=7d&archived=all"])("reads one list and one report: %s", async (query) => {
    const first = await measure(PAGE + query);
    expect(first.rows).toBe(50);
    expect([first.calls, first.written]).toEqual([calls(), 0]);
    expect(first.read).toBeGreaterThan(COVERED);
    expect(first.read).toBeLessThanOrEqual(SESSION + LIST + REPORT);
    const second = await measure(hrefOf(first.text, "Show 50 more"));
    expect(second.read).toBeLessThanOrEqual(SESSION + LIST + REPORT);
    expect(second.calls).toBe(calls());
  });

  it("reads no more than a list for its links, on the first and on a late page", async () => {
    const position = btoa(JSON.stringify(["name", 1, 1, "Link 9"])).replaceAll("=", "");
    for (const query of [
      "from=2025-01-01&to=2025-01-02",
      `from=2025-01-01&to=2025-01-02&after=-.${position}`,
    ]) {
      const { read, rows } = await measure(`${PAGE}?${query}`);
      expect(rows).toBe(50);
      expect(read).toBeLessThanOrEqual(SESSION + LIST + CHECKS);
    }
  });

  it("reads a list for each open branch", async () => {
    const { read } = await measure(`${PAGE}?from=2025-01-01&to=2025-01-02&open=budget0,budget1,budget10`);
    expect(read).toBeLessThanOrEqual(SESSION + 4 * LIST + CHECKS);
  });

  it("reads at most 20,000 links for a search by words, each once", async () => {
    const { read, rows } = await measure(`${PAGE}?from=2025-01-01&to=2025-01-02&q=link%201`);
    expect(rows).toBe(50);
    expect(read).toBeGreaterThan(20_000);
    expect(read).toBeLessThanOrEqual(SESSION + 20_001 + CHECKS + 20);
  });

  it("reads only links with settings of their own for those filters", async () => {
    for (const filter of ["partner=1", "cost=on", "cost=off", "partner=2&cost=off"]) {
      const { read } = await measure(`${PAGE}?from=2025-01-01&to=2025-01-02&${filter}`);
      expect(read).toBeLessThanOrEqual(SESSION + CHECKS + 30);
    }
  });

  it("finds the highest of all links before it reads 50 of them", async () => {
    const { read, rows, calls: made } = await measure(`${PAGE}?sort=-spend`);
    expect([rows, made]).toEqual([50, calls()]);
    // The IDs of the ranked links are a list in JSON, of which each is a row.
    expect(read).toBeLessThanOrEqual(SESSION + LIST * 2 + REPORT + ACTIVE * DAYS);
  });
});
