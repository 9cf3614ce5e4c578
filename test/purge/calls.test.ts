/** The calls to D1 of an hourly run: an invocation can make 1,000, also with 32 shards and much to do. */
import { expect, it } from "vitest";
import { runHourly } from "../../src/cron.ts";
import type { Ledger } from "../../src/db/ledger/shards.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { DAY, env, freshDemo, NOW, withMethods } from "../harness.ts";

const KEYS = 1_500;

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

it.each([0, 1, 8, 32])(
  "are at most 1,000 with %i shards, of which the purge takes what is left",
  async (shards) => {
    await freshDemo();
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${KEYS})
       INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at)
       SELECT 1, printf('calls-%06d', i), 'cpc', 'USD', 1, 't', ${NOW} FROM n`,
      ),
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 82000)
       INSERT INTO sessions (id_hash, user_id, created_at, expires_at) SELECT 'calls-' || i, 1, 0, 1 FROM n`,
      ),
    ]);
    const { ledger, calls } = ledgerWith(shards);
    // A slice of one key, so that there is more to walk through than fits into a run.
    const results = await runHourly(ledger, NOW + RETENTION_MS + DAY, true, 1);
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(calls()).toBeLessThanOrEqual(1_000);
    expect(calls()).toBeGreaterThan(800);
  },
);
