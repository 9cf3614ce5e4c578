/** What the tests of the ledger share. */
import { DEMO, env, freshDemo, rows } from "./harness.ts";

/** The demo data, with the engagements that design names but without the weeks of spend: totals begin at nothing. */
export async function freshLedger(): Promise<void> {
  await freshDemo();
  await env.DB.batch(
    [
      "DELETE FROM costs",
      "DELETE FROM daily_totals",
      "DELETE FROM engagements WHERE cost_id LIKE 'demo-spend-%'",
    ].map((statement) => env.DB.prepare(statement)),
  );
}

/** What the daily totals hold, without what came to nothing. */
export function totals(columns = "state, count, amount") {
  return rows(`SELECT ${columns} FROM daily_totals WHERE count <> 0 ORDER BY day, ${columns}`);
}

/** D1 that fails whenever `fails` says so of the statements of a call; the call is not made. */
export function failingDatabase(fails: (call: number) => boolean): {
  database: D1Database;
  calls: () => number;
} {
  let calls = 0;
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          calls++;
          if (fails(calls)) throw new Error("injected: the database does not work");
          return target.batch(statements);
        };
      }
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { database, calls: () => calls };
}

/** Sets the cost switch of a demo link, as its owner would. */
export function setSwitch(linkToken: string, on: boolean) {
  return env.DB.prepare("UPDATE links SET cost_switch = ? WHERE token = ?").bind(Number(on), linkToken).run();
}

export const LINK = `/${DEMO.linkToken}`;
