import { applyD1Migrations } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { serve } from "../../src/index.ts";
import {
  call,
  click,
  DEMO,
  env,
  IPHONE,
  ledgerOn,
  NOW,
  ORIGIN,
  resetStorage,
  rows,
  view,
  withMethods,
} from "../harness.ts";
import { isLong, isWhole } from "../part.ts";
import { failingDatabase, freshLedger, LINK } from "../support.ts";

beforeEach(freshLedger);

const ID = "faulty-click-001";
const STORE = "https://apps.apple.com/app/id1234567890";
const recorded = () => rows("SELECT kind FROM engagements WHERE cost_id = ?", ID);

/** A KV namespace on which the named operations fail. */
const fails = () => Promise.reject(new Error("injected: KV is down"));
const failingKv = (...operations: string[]) =>
  withMethods(env.LINKS, Object.fromEntries(operations.map((name) => [name, fails])));

it("sends no query to D1 before the redirect if the link is cached, and does not wait for the recording", async () => {
  await click("faulty-warm-up-1");
  const never = new Promise<never>(() => undefined);
  const DB = withMethods(env.DB, { batch: () => never });
  const headers = { "user-agent": IPHONE };
  const request = new Request(`${ORIGIN}${LINK}?cost_id=${ID}`, { headers, redirect: "manual" });
  const pending: Promise<unknown>[] = [];
  const execution = { waitUntil: (work: Promise<unknown>) => void pending.push(work) };
  const response = await serve(request, { ...env, DB }, execution, () => NOW);
  expect([response.status, response.headers.get("location")]).toEqual([302, STORE]);
  expect(pending).toHaveLength(1);
});

it("redirects if every call to D1 fails and the link is cached", async () => {
  await click("faulty-warm-up-1");
  const { database, calls } = failingDatabase(() => true);
  const response = await click(ID, { env: { DB: database } });
  expect([response.status, response.headers.get("location")]).toEqual([302, STORE]);
  expect(calls()).toBe(1);
  expect(await recorded()).toEqual([]);
});

it("redirects if only the recording fails and the link is not cached", async () => {
  const { database, calls } = failingDatabase((number) => number > 1);
  const response = await click(ID, { env: { DB: database } });
  expect([response.status, response.headers.get("location")]).toEqual([302, STORE]);
  expect(calls()).toBe(2);
});

it.each([["get"], ["put"], ["get", "put"]])(
  "redirects and records through D1 if KV fails to %s",
  async (...operations) => {
    const response = await click(ID, { env: { LINKS: failingKv(...operations) } });
    expect([response.status, response.headers.get("location")]).toEqual([302, STORE]);
    expect((await view(ID, { env: { LINKS: failingKv(...operations) } })).status).toBe(200);
    expect(await recorded()).toEqual([{ kind: "click" }, { kind: "impression" }]);
  },
);

it("redirects if KV holds a malformed destination", async () => {
  await env.LINKS.put(`link:${DEMO.linkToken}`, DEMO.appToken);
  await env.LINKS.put(`app:${DEMO.appToken}`, "{not json");
  expect((await click(ID)).headers.get("location")).toBe(STORE);
  expect(await recorded()).toHaveLength(1);
});

it("returns 503 with Retry-After if neither KV nor D1 can provide the destination", async () => {
  const overloaded = () => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded"));
  const DB = withMethods(env.DB, { batch: overloaded });
  const response = await click(ID, { env: { DB } });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("5");
});

describe.runIf(isWhole).each<[string, (() => Promise<unknown>) | undefined]>([
  ["that is down", undefined],
  // Statements fail there as with the first migration.
  ...(isLong ? [["that is not migrated", resetStorage] as [string, () => Promise<unknown>]] : []),
  [
    "with only the first migration",
    async () => {
      await resetStorage();
      for (const db of databasesOf(ledgerOn())) await applyD1Migrations(db, env.TEST_MIGRATIONS.slice(0, 1));
    },
  ],
])("on a database %s", (_name, prepare) => {
  it("a link in KV redirects, without parameters, with a campaign and with a price", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await click("faulty-warm-up-1");
    const destination = (await env.LINKS.get(`app:${DEMO.appToken}`)) ?? "";
    await prepare?.();
    await env.LINKS.put(`app:${DEMO.appToken}`, destination);
    const down = prepare ? {} : { DB: failingDatabase(() => true).database };
    const options = { headers: { "user-agent": IPHONE }, env: down, replicates: false } as const;
    const queries = [
      "",
      "?campaign=New&adgroup=Newer",
      "?campaign=Spring&cost_id=faulty-click-002&cost_type=cpc&cost_amount=1&cost_currency=USD",
    ];
    for (const [position, query] of queries.entries()) {
      const unseen = `kvonly000${position}`;
      await env.LINKS.put(`link:${unseen}`, `${DEMO.appToken} 1`);
      for (const link of [DEMO.linkToken, unseen]) {
        const response = await call(`/${link}${query}`, options);
        expect([response.status, response.headers.get("location")], query).toEqual([302, STORE]);
        expect((await call(`/impression/${link}${query}`, options)).status, query).toBe(200);
      }
      // Nothing was recorded, and the log says so.
      expect(log, query).toHaveBeenCalledTimes(4 * (position + 1));
    }
    log.mockRestore();
  });
});
