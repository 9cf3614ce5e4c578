/** Tests the check of test/plans.ts, which makes every test file fail if one of its statements scans a table. */
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { runBatch, statement } from "../../src/db/statement.ts";
import { env, freshDatabase } from "../harness.ts";
import { takeScans } from "../plans.ts";

it.each([
  ["a table", sql`SELECT * FROM links WHERE label = ${sql.placeholder("label")}`, "links"],
  ["a table under another name", sql`SELECT 1 FROM users u JOIN links l ON l.label = u.email`, "l"],
  ["an index", sql`SELECT count(*) FROM links`, "links USING COVERING INDEX"],
])("reports a statement that scans %s", async (_what, query, step) => {
  await freshDatabase();
  await runBatch(env.DB, statement(query)(env.DB, { label: "a" }));
  expect((await takeScans()).join()).toContain(`SCAN ${step}`);
});

it("reports no scan for a statement that finds its rows by key, also from a list or a subquery", async () => {
  await freshDatabase();
  const query = sql`
    SELECT l.id FROM (SELECT j.value AS id FROM json_each('[1, 2]') j UNION ALL SELECT 3) n CROSS JOIN links l ON l.id = n.id
  `;
  await runBatch(env.DB, statement(query)(env.DB, {}));
  expect(await takeScans()).toEqual([]);
});
