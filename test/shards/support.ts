/** Helpers for the tests of a sharded ledger. */
import { databasesOf, nameOf, shardFor } from "../../src/db/ledger/shards.ts";
import { env, ledgerOn, withMethods } from "../harness.ts";

export function shard(number: number): D1Database {
  const found = env[`LEDGER_${number}`];
  if (!found) throw new Error("The tests do not bind this shard.");
  return found;
}

/** Returns a cost ID of partner 1 that belongs to a shard. */
export function idOn(number: number, prefix = "sharded-cost"): string {
  for (let index = 0; ; index++) {
    const costId = `${prefix}-${String(index).padStart(4, "0")}`;
    if (shardFor(ledgerOn(), { partnerId: 1, costId }) === shard(number)) return costId;
  }
}

const IS_STORED = {
  costs: "received_at IS NOT NULL",
  engagements: "click_at IS NOT NULL OR impression_at IS NOT NULL",
};

/** Returns the names of the databases that have a call, or an engagement, for an ID. */
export async function databasesWith(what: keyof typeof IS_STORED, costId: string): Promise<string[]> {
  const found = databasesOf(ledgerOn()).map(async (db) => {
    const row = await db
      .prepare(`SELECT 1 FROM ledger_entries WHERE cost_id = ? AND (${IS_STORED[what]})`)
      .bind(costId)
      .first();
    return row ? [nameOf(ledgerOn(), db)] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Wraps D1 so that every call fails as when it is overloaded. `calls` counts the calls. */
export function downDatabase(real: D1Database): { database: D1Database; calls: () => number } {
  let calls = 0;
  const database = withMethods(real, {
    batch: async () => {
      calls++;
      throw new Error("D1_ERROR: D1 DB is overloaded");
    },
  });
  return { database, calls: () => calls };
}
