/** The calls to D1 of an hourly run: an invocation can make 1,000, also with 32 shards and much to do. */
import { expect, it } from "vitest";
import { judgeAlerts } from "../../src/alerts.ts";
import { runHourly } from "../../src/cron.ts";
import { MAX_RULES } from "../../src/db/alerts/rules.ts";
import type { Ledger } from "../../src/db/ledger/shards.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { DAY, env, freshDemo, NOW, rows, withMethods } from "../harness.ts";
import { isLong } from "../part.ts";

/** What the purge walks through: with slices of one key, more than fits into the runs of a test. */
const addKeys = (keys: number) =>
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at)
     SELECT 1, printf('calls-%06d', i), 'cpc', 'USD', 1, 't', ${NOW} FROM n`,
  ).bind(keys);
const PURGED = NOW + RETENTION_MS + DAY;

/** Many databases in one: each call says first which of them it is for. */
function ledgerWith(shards: number) {
  let calls = 0;
  const databaseAt = (index: number | null): D1Database =>
    withMethods(env.DB, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        const place = env.DB.prepare(
          "UPDATE shard_identity SET shards = ?, shard_index = ? WHERE id = 1",
        ).bind(shards, index);
        const [, ...results] = await env.DB.batch([place, ...statements]);
        return results;
      },
    });
  const ledger: Ledger = {
    control: databaseAt(null),
    shards: Array.from({ length: shards }, (_, index) => databaseAt(index)),
  };
  return { ledger, calls: () => calls };
}

// The rules of alerts below have 32 shards too, with the most to do.
it.runIf(isLong).each([0, 1, 8, 32])(
  "are at most 1,000 with %i shards, of which the purge takes what is left",
  async (shards) => {
    await freshDemo();
    await env.DB.batch([
      addKeys(1_500),
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 82000)
       INSERT INTO sessions (id_hash, user_id, created_at, expires_at) SELECT 'calls-' || i, 1, 0, 1 FROM n`,
      ),
    ]);
    const { ledger, calls } = ledgerWith(shards);
    const results = await runHourly(ledger, PURGED, true, 1);
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(calls()).toBeLessThanOrEqual(1_000);
    expect(calls()).toBeGreaterThan(800);
  },
);

/** The apps whose rules are judged after each run: 40 in each. */
const JUDGED = isLong ? [40, 80, 100, 100] : [40, 41];
const APPS = Math.max(...JUDGED);
const HOUR = 3_600_000;

it("judge the most rules of many apps with 32 shards, those that waited longest first", async () => {
  await freshDemo();
  const day = Math.floor(PURGED / DAY);
  const app = (number: string) => `printf('manyapp%05d', ${number})`;
  const apps = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${APPS})`;
  const spend = (rest: string) => `'{"amount":0,"currency":"USD","period":"day"${rest}}'`;
  const rules = `${apps}, m(j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM m WHERE j < ${MAX_RULES})
    INSERT INTO alert_rules (app_token, kind, settings)`;
  await env.DB.batch([
    addKeys(1_000 * (JUDGED.length - 1)),
    ...[
      "DELETE FROM alert_rules",
      `${apps} INSERT INTO apps (token, name, default_url, redirect_hosts, redirect_schemes, created_at)
       SELECT ${app("i")}, 'App', 'https://example.com', '[]', '[]', 0 FROM n`,
      `${apps} INSERT INTO links (id, token, app_token, level, label, created_at)
       SELECT 1000 + i, printf('manylink%05d', i), ${app("i")}, 1, 'Link', 0 FROM n`,
      `${apps} INSERT INTO daily_totals (app_token, day, link_id, partner_id, cost_type, currency, state, count, amount)
       SELECT ${app("i")}, ${day}, 1000 + i, 1, 'cpc', 'USD', 'matched', 1, 100 FROM n`,
      // Of each app, one rule is about a link, and half of the others about a partner.
      `${rules} SELECT ${app("i")}, 'spend_above', CASE WHEN j = 1
         THEN json_set(${spend("")}, '$.link_token', printf('manylink%05d', i))
         ELSE iif(j % 2, ${spend("")}, ${spend(',"partner_id":1')}) END FROM n CROSS JOIN m`,
      `${rules} SELECT NULL, 'spend_above', ${spend("")} FROM m`,
    ].map((sql) => env.DB.prepare(sql)),
  ]);
  const { ledger, calls } = ledgerWith(32);
  const opened: number[] = [];
  for (let run = 0, before = 0; run < JUDGED.length; run++, before = calls()) {
    const now = PURGED + run * HOUR;
    // The first time, only with the calls that the purge leaves for it.
    if (run === 0) await judgeAlerts(ledger, now, true, () => 155 - calls());
    else {
      const results = await runHourly(ledger, now, true, 1);
      expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
      expect(calls() - before).toBeLessThanOrEqual(1_000);
      expect(calls() - before).toBeGreaterThan(800);
    }
    const [found] = await rows<{ apps: number; operators: number }>(
      `SELECT count(DISTINCT app_token) AS apps, sum(app_token IS NULL) AS operators FROM alerts
       WHERE kind = 'spend_above' AND closed_at IS NULL`,
    );
    opened.push(found?.apps ?? 0);
    expect(found?.operators).toBe(MAX_RULES);
  }
  expect(opened).toEqual(JUDGED);
  expect(
    await rows("SELECT count(*) AS n, min(data ->> '$.spend') AS least FROM alerts WHERE app_token > ''"),
  ).toEqual([{ n: APPS * MAX_RULES, least: "0.033" }]);
});
