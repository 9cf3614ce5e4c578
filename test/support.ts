/** Helpers for the tests of the ledger. */
import { databasesOf } from "../src/db/ledger/shards.ts";
import type { OpenedLink } from "../src/domain/costs.ts";
import { UNKNOWN_COUNTRY, UNKNOWN_PLATFORM } from "../src/domain/engagements/audience.ts";
import {
  DEMO,
  env,
  freshDemo,
  freshState,
  ledgerOn,
  NOW,
  ORIGIN,
  rows,
  withMethods,
  wrapDatabases,
} from "./harness.ts";

/** Resets to the demo data without its spend and its counts, so that the totals start at zero. */
export async function freshLedger(): Promise<void> {
  await freshState("ledger", async () => {
    await freshDemo();
    await inLedger(
      "DELETE FROM daily_totals",
      "DELETE FROM daily_engagements",
      "DELETE FROM daily_audience",
      "DELETE FROM daily_audience_spend",
      "DELETE FROM audience_keys",
      "DELETE FROM ledger_entries WHERE cost_id LIKE 'demo-spend-%'",
    );
  });
}

/** Resets to the demo data with an empty ledger. */
export async function freshEmptyLedger(): Promise<void> {
  await freshState("empty ledger", async () => {
    await freshLedger();
    await inLedger("DELETE FROM ledger_entries");
  });
}

/** Runs statements on every database of the ledger. */
export async function inLedger(...statements: string[]): Promise<void> {
  for (const db of databasesOf(ledgerOn())) {
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
}

/** Returns some columns of the daily totals, or of those by country and platform, summed over all databases, without totals that are zero. */
export async function totals(
  columns = "state, count, amount",
  table: "daily_totals" | "daily_audience_spend" = "daily_totals",
): Promise<Record<string, string | number | undefined>[]> {
  const named = columns.split(", ");
  const found = await rows<Record<string, string | number>>(`SELECT * FROM ${table} WHERE count <> 0`);
  const keysOf = ({ count: _, amount: __, ...keys }: Record<string, string | number>) => JSON.stringify(keys);
  const sums = [...Map.groupBy(found, keysOf).values()].map((same) => ({
    ...same[0],
    count: same.reduce((sum, row) => sum + Number(row.count), 0),
    amount: same.reduce((sum, row) => sum + Number(row.amount), 0),
  }));
  const order = ["day", ...named] as (keyof (typeof sums)[number])[];
  const sorted = sums.sort((left, right) => {
    const by = order.find((name) => left[name] !== right[name]);
    return by === undefined ? 0 : left[by] < right[by] ? -1 : 1;
  });
  return sorted.map((row) => Object.fromEntries(order.slice(1).map((name) => [name, row[name]])));
}

/** Wraps D1 so that a call fails without reaching the database when `fails` returns true. */
export function failingDatabase(fails: (call: number) => boolean): {
  database: D1Database;
  calls: () => number;
} {
  let calls = 0;
  const database = wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        if (fails(calls)) throw new Error("injected: the database failed");
        return real.batch(statements);
      },
    }),
  );
  return { database, calls: () => calls };
}

/** Wraps D1 so that `change` is done before the call of this number. That call and all later ones wait for it. */
export function changedBefore(number: number, change: () => Promise<unknown>): D1Database {
  let calls = 0;
  let changed: Promise<unknown> | undefined;
  return wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        calls++;
        if (calls >= number) {
          changed ??= change();
          await changed;
        }
        return real.batch(statements);
      },
    }),
  );
}

/** Returns a function that resolves when it was called so many times. */
export function meeting(count: number): () => Promise<void> {
  let arrived = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  return () => {
    arrived++;
    if (arrived === count) resolve();
    return promise;
  };
}

/** Sets the cost switch of a demo link. */
export function setSwitch(linkToken: string, on: boolean) {
  return env.DB.prepare("UPDATE links SET cost_switch = ? WHERE token = ?").bind(Number(on), linkToken).run();
}

export const LINK = `/${DEMO.linkToken}`;

/** A click on the demo link, as the queue delivers it. */
export function openedLink(costId: string, more: Partial<OpenedLink> = {}): OpenedLink {
  return {
    linkToken: DEMO.linkToken,
    kind: "click",
    occurredAt: NOW,
    costId,
    isGenerated: false,
    urlCostType: null,
    urlCurrency: null,
    urlAmount: null,
    subLinks: [2, 3, 4].map(() => ({ name: null, reason: null, token: "" })),
    dropped: [],
    country: UNKNOWN_COUNTRY,
    platform: UNKNOWN_PLATFORM,
    ...more,
  };
}

/** Settings with which the console offers single sign-on. */
export const SINGLE_SIGN_ON = {
  ORIGIN,
  OIDC_ISSUER: "https://login.test/tenant",
  OIDC_CLIENT_ID: "linkledger",
  OIDC_CLIENT_SECRET: "secret",
};
