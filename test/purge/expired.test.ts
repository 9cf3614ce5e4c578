/** The hourly purge outside the ledger: expired sessions, idempotency keys, and counts of dropped parameters, rejected costs and prices. */
import { beforeEach, describe, expect, it } from "vitest";
import { deleteExpired } from "../../src/db/upkeep/expired.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { LINKS } from "../campaign/support.ts";
import { call, countingDatabase, DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { failingDatabase, inLedger } from "../support.ts";

beforeEach(freshDemo);

const HOUR = 3_600_000;

/** Inserts sessions of the demo user with the given expiry. */
async function insertSessions(count: number, expiresAt: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     INSERT INTO sessions (id_hash, user_id, created_at, expires_at) SELECT ?2 || '-' || n, 1, 0, ?2 FROM numbers`,
  )
    .bind(count, expiresAt)
    .run();
}
/** Rows of a table, in all databases. */
const countOf = async (table: string) =>
  (await rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)).reduce(
    (sum, { count }) => sum + count,
    0,
  );
const countSessions = () => countOf("sessions");

it("deletes a session when it expires, and not a millisecond before", async () => {
  await insertSessions(2, NOW);
  await purge(ledgerOn(), NOW - 1);
  expect(await countSessions()).toBe(2);
  await insertSessions(1, NOW + 1);
  await purge(ledgerOn(), NOW);
  expect(await rows("SELECT expires_at FROM sessions")).toEqual([{ expires_at: NOW + 1 }]);
});

it("deletes an idempotency key after a day, and not a millisecond before", async () => {
  const headers = { "idempotency-key": "expiring-key-001" };
  const send = (now: number) => call(LINKS, { token: DEMO.apiToken, json: { name: "once" }, headers, now });
  const countCreated = async () => (await rows("SELECT 1 FROM links WHERE label = 'once'")).length;
  await send(NOW);
  await purge(ledgerOn(), NOW + DAY - 1);
  await send(NOW + DAY - 1);
  expect(await countCreated()).toBe(1);
  await purge(ledgerOn(), NOW + DAY);
  expect(await rows("SELECT 1 FROM idempotency_keys")).toEqual([]);
});

it("deletes what an import changed after a day, and not a millisecond before", async () => {
  await rows(
    "INSERT INTO link_changes VALUES (1, ?, ?, 'request', 'import', 1, 0, '[]', 'request')",
    DEMO.appToken,
    NOW,
  );
  await purge(ledgerOn(), NOW + DAY - 1);
  expect(await rows("SELECT id FROM link_changes")).toEqual([{ id: 1 }]);
  await purge(ledgerOn(), NOW + DAY);
  expect(await rows("SELECT id FROM link_changes")).toEqual([]);
});

it("deletes an alert 90 days after it closed, and never one that is open", async () => {
  const insert = "INSERT INTO alerts (id, rule_id, kind, subject, data, opened_at, closed_at)";
  await rows(
    `${insert} VALUES (1, 1, 'purge_late', 'a', '{}', 0, ${NOW}), (2, 1, 'purge_late', 'b', '{}', 0, NULL)`,
  );
  await purge(ledgerOn(), NOW + 90 * DAY - 1);
  expect(await rows("SELECT id FROM alerts")).toEqual([{ id: 1 }, { id: 2 }]);
  await purge(ledgerOn(), NOW + 90 * DAY);
  expect(await rows("SELECT id FROM alerts")).toEqual([{ id: 2 }]);
});

it("deletes an event with its deliveries after 30 days", async () => {
  await rows("INSERT INTO webhooks (id, url, secret, created_at) VALUES (1, 'https://example.com', '', 0)");
  await rows(
    `INSERT INTO webhook_events (id, message_id, type, body, happened_at)
     VALUES (1, 'a', 'webhook.test', '{}', ${NOW}), (2, 'b', 'webhook.test', '{}', ${NOW + 1})`,
  );
  await rows("INSERT INTO webhook_deliveries (webhook_id, event_id, rank) VALUES (1, 1, 1), (1, 2, 1)");
  const events = () =>
    rows(
      "SELECT e.id, d.id AS delivery FROM webhook_events e LEFT JOIN webhook_deliveries d ON d.event_id = e.id",
    );
  await purge(ledgerOn(), NOW + 30 * DAY - 1);
  expect(await events()).toHaveLength(2);
  await purge(ledgerOn(), NOW + 30 * DAY);
  expect(await events()).toEqual([{ id: 2, delivery: 2 }]);
});

it("deletes more sessions than fit into one call in several calls, and more than fit into one run in the next run", async () => {
  await insertSessions(82_000, NOW);
  await purge(ledgerOn(), NOW);
  expect(await countSessions()).toBe(2_000);
  await purge(ledgerOn(), NOW);
  expect(await countSessions()).toBe(0);
});

const TODAY = Math.floor(NOW / DAY);
/** 25 months before 15 March 2026. */
const LIMIT = Math.floor(Date.UTC(2024, 1, 15) / DAY);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Counts of dropped parameters on each of these days, for `links` links of the demo app beside its own, or for the links with these IDs. */
async function insertDropped(links: number, ...days: number[]): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
     INSERT INTO links (id, token, app_token, level, label, created_at)
     SELECT 1000 + n, 'dropped' || n, '${DEMO.appToken}', 1, 'n', 0 FROM numbers`,
  )
    .bind(links)
    .run();
  await env.DB.prepare(
    `INSERT INTO dropped_parameters (link_id, day, param, reason, count)
     SELECT l.id, j.value, 'cost_id', 'invalid', 1 FROM links l, json_each(?) j`,
  )
    .bind(JSON.stringify(days))
    .run();
}
const agesOfDropped = async () =>
  (
    await rows<{ age: number }>(`SELECT DISTINCT ${TODAY} - day AS age FROM dropped_parameters ORDER BY age`)
  ).map(({ age }) => age);

const AUDIENCE = ["daily_audience", "daily_audience_spend"];
const countAudience = () => Promise.all(AUDIENCE.map(countOf));
/** Counts by country and platform on each of these days for links with these IDs, in every database. */
async function insertAudience(ids: number[], days: number[]): Promise<void> {
  const from = `FROM json_each('${JSON.stringify(ids)}') l, json_each('${JSON.stringify(days)}') d`;
  await inLedger(
    "DELETE FROM daily_audience",
    "DELETE FROM daily_audience_spend",
    `INSERT INTO daily_audience SELECT '${DEMO.appToken}', l.value, d.value, 1, 'click', 'US', 'ios', 1, 1 ${from}`,
    `INSERT INTO daily_audience_spend
     SELECT '${DEMO.appToken}', l.value, d.value, 1, 'cpc', 'USD', 'matched', 'US', 'ios', 1, 100 ${from}`,
    "DELETE FROM audience_keys",
  );
  const last = Math.max(...ids);
  await env.DB.prepare(
    `INSERT OR IGNORE INTO links (id, token, app_token, level, label, created_at)
     VALUES (?, 'lastlink1', '${DEMO.appToken}', 1, 'n', 0)`,
  )
    .bind(last)
    .run();
}
const daysLeft = async (table: string) => {
  const found = await rows<{ day: number }>(`SELECT DISTINCT day FROM ${table}`);
  return [...new Set(found.map(({ day }) => day))].sort((one, other) => one - other);
};

it("counts of dropped parameters are deleted after 400 days, those by country and platform of every link after 25 months, and not a day before, in the runs of 23 hours", async () => {
  await insertDropped(230, TODAY, TODAY - 399, TODAY - 400, TODAY - 401, TODAY - 500);
  await insertAudience([1, 2, 14, 600, 5_000], [TODAY, LIMIT + 1, LIMIT, LIMIT - 1, LIMIT - 400]);
  const engagements = await rows("SELECT * FROM daily_engagements");
  const start = TODAY * DAY;
  for (const hour of upTo(23)) await purge(ledgerOn(), start + DAY - 1 - hour * HOUR);
  expect(await agesOfDropped()).toEqual([0, 399, 400]);
  for (const table of AUDIENCE) expect(await daysLeft(table)).toEqual([LIMIT, LIMIT + 1, TODAY]);
  for (const hour of upTo(23)) await purge(ledgerOn(), start + DAY + hour * HOUR);
  expect(await agesOfDropped()).toEqual([0, 399]);
  for (const table of AUDIENCE) expect(await daysLeft(table)).toEqual([LIMIT + 1, TODAY]);
  const databases = 1 + ledgerOn().shards.length;
  expect(await countAudience()).toEqual([10 * databases, 10 * databases]);
  expect(await rows("SELECT * FROM daily_engagements")).toEqual(engagements);
});

describe("the counts of dropped parameters", () => {
  const countLeft = () => countOf("dropped_parameters");

  it("are deleted too if the cron runs once a day", async () => {
    await insertDropped(100, TODAY - 500);
    for (const day of upTo(23)) await deleteExpired(env.DB, "dropped_parameters", NOW + day * DAY, 100);
    expect(await countLeft()).toBe(0);
  });

  it("are deleted in bounded calls, of a part of the links in each run", async () => {
    await insertDropped(2_300, ...upTo(10).map((day) => TODAY - 500 - day));
    const all = await countLeft();
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    const deleted = all - (await countLeft());
    // The part of the IDs that this run looks at has 17 of these links.
    expect(deleted).toBe(17 * 10);
    expect(counts.read).toBeLessThanOrEqual(12 * deleted);
  });

  it("without any, are looked for in a part of the links only", async () => {
    await inLedger(
      ...["daily_audience", "daily_audience_spend", "ledger_entries"].map((name) => `DELETE FROM ${name}`),
    );
    await insertDropped(2_300);
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    expect(counts.read).toBeLessThanOrEqual(3 * (3_300 / 23));
  });
});

describe("the counts by country and platform", () => {
  it("are deleted in calls of 10,000 rows a table, of a part of the links in each run, and without reading what stays", async () => {
    await insertAudience(
      [5, 30, 230],
      upTo(12_000)
        .map((day) => LIMIT - 1 - day)
        .concat(upTo(700).map((day) => TODAY - day)),
    );
    const { database, counts } = countingDatabase();
    const databases = 1 + ledgerOn().shards.length;
    // A part has at most two of the links: those up to 10 and from 30 on.
    await purge(ledgerOn(database), 23 * HOUR * Math.ceil(NOW / (23 * HOUR)));
    expect(await countAudience()).toEqual([
      25_400 * databases + 700 * databases,
      25_400 * databases + 700 * databases,
    ]);
    expect(counts.read).toBeLessThanOrEqual(databases * 2 * 12_000 * 6);
  });

  it("have a number for each app and day, which is deleted when no engagement is recorded on that day anymore", async () => {
    const last = TODAY - RETENTION_MS / DAY;
    await inLedger(
      "DELETE FROM audience_keys",
      `INSERT INTO audience_keys SELECT '${DEMO.appToken}', value, 5 FROM json_each('[${[last - 300, last - 2, last - 1, last, TODAY]}]')`,
    );
    await purge(ledgerOn(), NOW);
    const left = await rows<{ day: number }>("SELECT DISTINCT day FROM audience_keys ORDER BY day");
    expect(left.map(({ day }) => day)).toEqual([last - 1, last, TODAY]);
  });

  it("without old ones, cost two rows read a link", async () => {
    await inLedger("DELETE FROM ledger_entries");
    await insertAudience(
      upTo(100).map((id) => id + 1),
      upTo(100).map((day) => TODAY - day),
    );
    const read: number[] = [];
    // A run looks at every 23rd part of the links.
    for (const hour of upTo(6)) {
      const { database, counts } = countingDatabase();
      await purge(ledgerOn(database), NOW + hour * HOUR);
      read.push(counts.read);
    }
    const { database, counts } = countingDatabase();
    await inLedger("DELETE FROM daily_audience", "DELETE FROM daily_audience_spend");
    await purge(ledgerOn(database), NOW);
    const databases = 1 + ledgerOn().shards.length;
    const sum = read.reduce((total, one) => total + one - counts.read, 0);
    expect(sum).toBeLessThanOrEqual((databases * 2 * 100 * 4 * 6) / 23);
  });
});

describe("the counts of rejected costs", () => {
  const insertCounts = (ages: number[]) =>
    inLedger(
      `INSERT INTO daily_rejections (partner_id, app_token, day, code, count)
       SELECT p.id, a.value, ${TODAY} - d.value, c.value, 1
       FROM partners p, json_each('["", "demoapp00001", "other"]') a, json_each('${JSON.stringify(ages)}') d,
         json_each('["window_closed", "invalid_request"]') c WHERE p.id <= 3`,
    );
  const agesLeft = async () =>
    (
      await rows<{ age: number; n: number }>(
        `SELECT ${TODAY} - day AS age, count(*) AS n FROM daily_rejections GROUP BY day ORDER BY age`,
      )
    )
      .map(({ age }) => age)
      .filter((age, index, all) => all.indexOf(age) === index);

  it("are deleted after 400 days and not a day before, in every database", async () => {
    await insertCounts([0, 399, 400, 401, 700]);
    const start = TODAY * DAY;
    await purge(ledgerOn(), start);
    expect(await agesLeft()).toEqual([0, 399, 400]);
    await purge(ledgerOn(), start + DAY - 1);
    expect(await agesLeft()).toEqual([0, 399, 400]);
    await purge(ledgerOn(), start + DAY);
    expect(await agesLeft()).toEqual([0, 399]);
  });

  it("are looked for with a few rows read for each partner and app, however many are kept", async () => {
    const idle = countingDatabase();
    await purge(ledgerOn(idle.database), NOW);
    await insertCounts(Array.from({ length: 400 }, (_, day) => day));
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    const databases = 1 + ledgerOn().shards.length;
    expect(counts.read - idle.counts.read).toBeLessThanOrEqual(6 * 3 * 3 * databases);
    expect(counts.written).toBe(idle.counts.written);
  });
});

describe("the sums of prices on URLs", () => {
  const insertSums = (ages: number[]) =>
    inLedger(
      "DELETE FROM daily_url_prices",
      `INSERT INTO daily_url_prices (partner_id, app_token, day, currency, counted, held, held_count)
       SELECT p.id, a.value, ${TODAY} - d.value, c.value, 1, 1, 1
       FROM partners p, json_each('["demoapp00001", "other"]') a, json_each('${JSON.stringify(ages)}') d,
         json_each('["EUR", "USD"]') c WHERE p.id <= 3`,
    );
  const left = () =>
    rows<{ age: number; n: number }>(
      `SELECT ${TODAY} - day AS age, count(*) AS n FROM daily_url_prices GROUP BY day ORDER BY age`,
    );
  const agesLeft = async () => [...new Set((await left()).map(({ age }) => age))];
  const databases = 1 + ledgerOn().shards.length;

  it("are deleted after 400 days and not a day before, in every database", async () => {
    await insertSums([0, 399, 400, 401, 700]);
    expect((await left()).reduce((sum, { n }) => sum + n, 0)).toBe(5 * 3 * 2 * 2 * databases);
    const start = TODAY * DAY;
    await purge(ledgerOn(), start + DAY - 1);
    expect(await agesLeft()).toEqual([0, 399, 400]);
    await purge(ledgerOn(), start + DAY);
    expect(await agesLeft()).toEqual([0, 399]);
    expect((await left()).reduce((sum, { n }) => sum + n, 0)).toBe(2 * 3 * 2 * 2 * databases);
  });

  it("are looked for with a few rows read for each partner and app, however many are kept", async () => {
    await insertSums([]);
    const idle = countingDatabase();
    await purge(ledgerOn(idle.database), NOW);
    await insertSums(Array.from({ length: 400 }, (_, day) => day));
    const { database, counts } = countingDatabase();
    await purge(ledgerOn(database), NOW);
    expect(counts.read - idle.counts.read).toBeLessThanOrEqual(6 * 3 * 2 * databases);
    expect(counts.written).toBe(idle.counts.written);
  });
});

it("deletes sessions even if the purge of the ledger fails, and throws that error", async () => {
  await insertSessions(1, NOW);
  const walks = 1 + ledgerOn().shards.length;
  const { database } = failingDatabase((number) => number <= walks);
  await expect(purge(ledgerOn(database), NOW)).rejects.toThrow("injected");
  expect(await countSessions()).toBe(0);
});
