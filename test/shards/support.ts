/** What the tests of a spread ledger share. */
import { type Ledger, ledgerOf, shardFor } from "../../src/db/ledger/shards.ts";
import { env, NOW, withMethods } from "../harness.ts";

export const INSTANT = NOW;
export const CHANGE = `1, 4 from ${new Date(INSTANT).toISOString()}`;

/** The ledger under a map, at a time. */
export function mapped(LEDGER_MAP: string, now = NOW): Ledger {
  return ledgerOf({ ...env, LEDGER_MAP }, now);
}

export function shard(number: number): D1Database {
  const found = env[`LEDGER_${number}`];
  if (!found) throw new Error("the tests bind no such shard");
  return found;
}

/** An id of partner 1 that lives on a shard, of four. */
export function idOn(number: number, prefix = "sharded-cost"): string {
  for (let index = 0; ; index++) {
    const costId = `${prefix}-${String(index).padStart(4, "0")}`;
    if (shardFor(mapped("4"), { partnerId: 1, costId }) === shard(number)) return costId;
  }
}

/** On which databases there is a row for an id. */
export async function homesOf(table: "costs" | "engagements", costId: string): Promise<string[]> {
  const found = [...mapped("4").databases].map(async ([name, db]) => {
    const row = await db.prepare(`SELECT 1 FROM ${table} WHERE cost_id = ?`).bind(costId).first();
    return row ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}

/** D1 of which every call fails as it does when it is overloaded; `calls` counts them. */
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
