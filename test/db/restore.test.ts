/** Tests test/restore.ts, which most tests start with. */
import { beforeEach, expect, it } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import { call, click, DEMO, env, freshDemo, ledgerOn, rows, sendCost } from "../harness.ts";
import { readTables, tableNames } from "../restore.ts";

beforeEach(freshDemo);

/** Every row of every database, and everything that its schema has. */
async function everything(): Promise<unknown[]> {
  const read = async (db: D1Database) => {
    const names = [...(await tableNames(db)), "d1_migrations", "sqlite_sequence"];
    const { results: schema } = await db
      .prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
      .all();
    return [schema, await readTables(db, names)];
  };
  return Promise.all(databasesOf(ledgerOn()).map(read));
}

it("restores after any changes what a reset and the migrations set up", async () => {
  await rows("CREATE TABLE of_another_schema (a)");
  await freshDemo();
  const fresh = await everything();
  expect(JSON.stringify(fresh)).not.toContain("of_another_schema");
  expect(JSON.stringify(fresh)).toContain("CREATE TRIGGER call_changed");

  expect((await click("restore-1")).status).toBe(302);
  expect((await sendCost({ cost_id: "restore-cost-1", cost_amount: "1.5" })).status).toBe(200);
  const link = { name: "Restored" };
  const created = await call(`/public/v1/apps/${DEMO.appToken}/trackers`, {
    token: DEMO.apiToken,
    json: link,
  });
  expect(created.status).toBe(201);
  await rows("DELETE FROM memberships");
  await rows("UPDATE partners SET display_name = 'Other'");
  await env.TOKENS.put("a", "b");
  await env.LINKS.put("a", "b");
  await env.TEST_BUCKET.put("a", "b");
  expect(await everything()).not.toEqual(fresh);

  await freshDemo();
  expect(await everything()).toEqual(fresh);
  expect((await env.TOKENS.list()).keys).toEqual([]);
  expect((await env.LINKS.list()).keys).toEqual([]);
  expect((await env.TEST_BUCKET.list()).objects).toEqual([]);
});
