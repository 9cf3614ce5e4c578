import { beforeEach, expect, test } from "vitest";
import { ask, countingDatabase, DEMO, env, freshDemo, rows, sendCost } from "../harness.ts";

const token = DEMO.testCostToken;

/** A thousand costs, all but those of the demo with a click. */
async function fillRound(): Promise<void> {
  const ids = Array.from({ length: 987 }, (_, index) => `full-round-${index}`);
  await env.DB.prepare(
    `INSERT INTO engagements (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible)
     SELECT 3, value, 'click', 'demoapp00001', 7, ?, 0 FROM json_each(?)`,
  )
    .bind(Date.UTC(2026, 2, 15), JSON.stringify(ids))
    .run();
  const cost = { cost_type: "cpc", cost_currency: "USD", tag: "t" };
  await ask("/cost/batch", { token, json: { costs: ids.map((cost_id) => ({ ...cost, cost_id })) } });
  expect(await rows("SELECT entry_count FROM rounds")).toEqual([{ entry_count: 1_000 }]);
}

beforeEach(freshDemo);

test("a test cost takes two calls, and writes its entry and the round's count", async () => {
  const { database, counts } = countingDatabase();
  await sendCost({ cost_id: "budget-cost-01" }, { token, env: { DB: database } });
  expect(counts).toMatchObject({ calls: 2, written: 2 });
});

test("the report of a full round takes one call and at most ten rows an entry", async () => {
  await fillRound();
  const { database, counts } = countingDatabase();
  await ask("/cost/round", { token, env: { DB: database } });
  expect(counts).toMatchObject({ calls: 1, written: 0 });
  expect(counts.read).toBeLessThanOrEqual(10_000);
});
