/** What waits for an operator because of what came on URLs: days of prices, and cost IDs that two apps have. */
import { beforeEach, describe, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { type Browser, freshSession } from "../account/support.ts";
import { ask, countingDatabase, DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { isWhole } from "../part.ts";
import { mainOf, tablesOf } from "../workspace/page-text.ts";

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword);
});

const today = Math.floor(NOW / DAY);
const MONEY = 100_000_000;
const isSharded = ledgerOn().shards.length > 0;
const waiting = async (options = {}) => {
  const text = mainOf((await operator.get("/operator", options)).text);
  const [list = []] = tablesOf(text.slice(text.indexOf('id="waiting"'), text.indexOf('id="spend"')));
  return list
    .slice(1)
    .map(({ cells, href }) => ({ what: cells[0] ?? "", urgency: cells[1], since: cells[2], href }))
    .filter(({ what }) => /URL|cost ID/.test(what));
};
/** Prices on URLs of a day, in one of the databases. */
const count = (
  day: number,
  sum: number,
  { at = 0, partner = 1, app = DEMO.appToken as string, currency = "USD" } = {},
) =>
  databasesOf(ledgerOn())
    .at(at)
    ?.prepare("INSERT INTO daily_url_prices VALUES (?, ?, ?, ?, ?, 0, 0)")
    .bind(partner, app, day, currency, sum)
    .run();

describe("prices on URLs", () => {
  beforeEach(() => rows("UPDATE partners SET max_url_spend = 1000 * 100000 WHERE id = 1"));

  it.runIf(isWhole).each([
    [799 * MONEY, []],
    [
      800 * MONEY,
      [
        {
          what: "Acme Ads : prices on URLs of Demo App add up to $800.00 on 15 Mar 2026 (UTC), and above $1,000.00 they are held",
          urgency: "Soon",
          since: "15 Mar, 00:00",
          href: "/operator/partners/1#templates",
        },
      ],
    ],
  ])("that add up to %i today wait from 80%% of the limit on", async (sum, found) => {
    // So that the day is not unusual.
    for (let ago = 1; ago <= 7; ago++) await count(today - ago, 700 * MONEY);
    await count(today, sum);
    expect(await waiting()).toEqual(found);
  });

  it.runIf(isWhole)("wait if a day has more than five times the usual sum", async () => {
    for (let ago = 1; ago <= 7; ago++) await count(today - ago, 25 * MONEY);
    await count(today, 125 * MONEY);
    expect(await waiting()).toEqual([]);
    // With shards, in another one.
    if (isSharded) await count(today, 1, { at: -1 });
    else await rows("UPDATE daily_url_prices SET counted = counted + 1 WHERE day = ?", today);
    expect(await waiting()).toEqual([
      {
        what: "Acme Ads : prices on URLs of Demo App add up to $125.00000001 on 15 Mar 2026 (UTC), more than 5 times the $25.00 that is usual in the 7 days before",
        urgency: "Soon",
        since: "15 Mar, 00:00",
        href: "/operator/partners/1/url-prices",
      },
    ]);
  });

  it("are those of all databases, and each app and currency for itself", async () => {
    await count(today, 400 * MONEY);
    await count(today, 400 * MONEY, { at: isSharded ? -1 : 0, currency: isSharded ? "USD" : "EUR" });
    const found = (await waiting()).filter(({ what }) => what.includes("are held"));
    expect(found.map(({ what }) => what.includes("$800.00"))).toEqual(isSharded ? [true] : []);
  });

  it("are read in the calls of the page, one more for names, and the days of each partner and app only", async () => {
    const read = async () => {
      const { database, counts } = countingDatabase();
      const found = await waiting({ env: { DB: database } });
      return { ...counts, found };
    };
    const before = await read();
    expect(before.found).toEqual([]);
    const [database] = databasesOf(ledgerOn());
    const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 360)";
    // A year of a partner, 20 apps of another one.
    await database?.exec(
      `${NUMBERS} INSERT INTO daily_url_prices SELECT 1, '${DEMO.appToken}', ${today} - 19 - i, 'USD', ${MONEY}, 0, 0 FROM n`,
    );
    const long = await read();
    expect([long.calls, long.found]).toEqual([before.calls, []]);
    expect(long.read - before.read).toBeLessThanOrEqual(400);
    await database?.exec(
      `${NUMBERS} INSERT INTO daily_url_prices SELECT 5, 'manyapps00' || (9 + i), ${today}, 'EUR', ${101 * MONEY}, 0, 0 FROM n WHERE i <= 20`,
    );
    const many = await read();
    expect(many.calls).toBe(before.calls + 1);
    expect(many.read - long.read).toBeLessThanOrEqual(20 * 12);
    expect(many.found.map(({ what }) => what)).toEqual([
      expect.stringMatching(
        /^Echo Media : prices on URLs of manyapps\d+ add up to €101.00 .*, and most of the 7 days before have none; and 19 more$/,
      ),
    ]);
  });
});

describe.runIf(isWhole)("a cost ID that another app had first", () => {
  const other = "demo1nk009";
  const click = (link: string, id: string, now = NOW) => ask(`/${link}?s2s=1&cost_id=${id}`, { now });

  it("waits with the app that gets no cost, the number and the first day, for seven days", async () => {
    await rows("UPDATE links SET partner_id = 1 WHERE token = ?", other);
    expect(await waiting()).toEqual([]);
    for (const id of ["two-apps-00001", "two-apps-00002"]) await click(DEMO.linkToken, id, NOW - 1);
    for (const id of ["two-apps-00001", "two-apps-00002", "two-apps-00002"]) await click(other, id);
    // Repeated in its own app: nothing for an operator.
    await click(DEMO.linkToken, "two-apps-00001");
    const [{ name }] = (await rows<{ name: string }>(
      "SELECT name FROM apps WHERE token = ?",
      DEMO.otherAppToken,
    )) as [{ name: string }];
    const item = {
      what: `Acme Ads : 3 clicks and impressions of ${name} in 7 days had a cost ID that another app had first, so no cost can match them`,
      urgency: "Soon",
      since: "15 Mar, 00:00",
      href: "/docs/operators#respond-to-incidents",
    };
    expect(await waiting()).toEqual([item]);
    for (const [day, shown] of [
      [today - 6, 1],
      [today - 7, 0],
    ] as const) {
      for (const db of databasesOf(ledgerOn()))
        await db.prepare("UPDATE dropped_parameters SET day = ? WHERE reason = 'other_app'").bind(day).run();
      expect(await waiting()).toHaveLength(shown);
    }
  });

  it("reads only such counts, however many others there are", async () => {
    const read = async () => {
      const { database, counts } = countingDatabase();
      await waiting({ env: { DB: database } });
      return counts.read;
    };
    const before = await read();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO dropped_parameters SELECT i, ?, 'cost_id', 'repeated_id', 1 FROM n`,
    )
      .bind(today)
      .run();
    expect(await read()).toBe(before);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
       INSERT INTO dropped_parameters SELECT i, ?, 'cost_id', 'other_app', 1 FROM n`,
    )
      .bind(today)
      .run();
    // 20,000 counts, each found in the index and read, grouped by link; and the owners of 1,000 links at most.
    expect((await read()) - before).toBeLessThanOrEqual(20_000 * 4 + 1_000 * 6);
  });
});
