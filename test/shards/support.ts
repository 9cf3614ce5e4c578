/** Helpers for the tests of a sharded ledger. */
import { type Ledger, ledgerOf, shardFor } from "../../src/db/ledger/shards.ts";
import { env, NOW, withMethods } from "../harness.ts";

export const SWITCH_TIME = NOW;
export const CHANGE = `1, 4 from ${new Date(SWITCH_TIME).toISOString()}`;

/** The ledger with a LEDGER_MAP, at a time. */
export function mapped(LEDGER_MAP: string, now = NOW): Ledger {
  return ledgerOf({ ...env, LEDGER_MAP }, now);
}

export function shard(number: number): D1Database {
  const found = env[`LEDGER_${number}`];
  if (!found) throw new Error("The tests do not bind this shard.");
  return found;
}

/** Returns a cost ID of partner 1 that belongs to a shard, of four. */
export function idOn(number: number, prefix = "sharded-cost"): string {
  for (let index = 0; ; index++) {
    const costId = `${prefix}-${String(index).padStart(4, "0")}`;
    if (shardFor(mapped("4"), { partnerId: 1, costId }) === shard(number)) return costId;
  }
}

/** Returns the names of the databases that have a row for an ID. */
export async function databasesWith(table: "costs" | "engagements", costId: string): Promise<string[]> {
  const found = [...mapped("4").databases].map(async ([name, db]) => {
    const row = await db.prepare(`SELECT 1 FROM ${table} WHERE cost_id = ?`).bind(costId).first();
    return row ? [name] : [];
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
