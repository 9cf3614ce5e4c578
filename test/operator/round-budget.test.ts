import { beforeEach, expect, test } from "vitest";
import { ask, countingDatabase, DEMO, env, freshDemo, rows, sendCost } from "../harness.ts";

const token = DEMO.testCostToken;

/** Fills the round to 1,000 entries. All but the demo's have a click. */
async function fillRound(): Promise<void> {
  const ids = Array.from({ length: 987 }, (_, index) => `full-round-${index}`);
  await env.DB.prepare(
    `INSERT INTO ledger_entries (partner_id, cost_id, click_app_token, click_link_id, click_at, click_cost_data_on)
     SELECT 3, value, 'demoapp00001', 7, ?, 0 FROM json_each(?)`,
  )
    .bind(Date.UTC(2026, 2, 15), JSON.stringify(ids))
    .run();
  const cost = { cost_type: "cpc", cost_currency: "USD", tag: "t" };
  await ask("/cost/batch", { token, json: { costs: ids.map((cost_id) => ({ ...cost, cost_id })) } });
  expect(await rows("SELECT entry_count FROM rounds")).toEqual([{ entry_count: 1_000 }]);
}

beforeEach(freshDemo);

test("a test cost takes two database calls and writes two rows: its entry and the round", async () => {
  const { database, counts } = countingDatabase();
  await sendCost({ cost_id: "budget-cost-01" }, { token, env: { DB: database } });
  expect(counts).toMatchObject({ calls: 2, written: 2 });
});

test("the entries of an unknown round are not found, and an empty round has an empty list, in two database calls each", async () => {
  await rows("DELETE FROM round_entries");
  const list = async (id: number) => {
    const { database, counts } = countingDatabase();
    const path = `/operator/v1/rounds/${id}/entries`;
    const { status } = await ask(path, { token: DEMO.operatorToken, env: { DB: database } });
    return { status, calls: counts.calls };
  };
  // The first use of a token in a day is recorded, in a database call after the response.
  await list(1);
  expect(await list(999)).toEqual({ status: 404, calls: 2 });
  expect(await list(1)).toEqual({ status: 200, calls: 2 });
});

test("the report of a full round takes one database call and reads at most ten rows per entry", async () => {
  await fillRound();
  const { database, counts } = countingDatabase();
  await ask("/cost/round", { token, env: { DB: database } });
  expect(counts).toMatchObject({ calls: 1, written: 0 });
  expect(counts.read).toBeLessThanOrEqual(10_000);
});

/** Text of the given length in four-byte characters. */
const long = (characters: number) => "\u{1f600}".repeat(characters);
const longCosts = (count: number, from: number) =>
  Array.from({ length: count }, (_, index) => ({
    cost_type: "cpc",
    cost_currency: "USD",
    cost_id: `${from + index} ${long(250)}`,
    tag: long(128),
  }));

test("a batch of 650 costs of the maximum length is stored completely and in order", async () => {
  const costs = longCosts(650, 1_000);
  const { status, body } = await ask<{ results: { status: string }[] }>("/cost/batch", {
    token,
    json: { costs },
  });
  expect([status, body.results.length]).toEqual([200, 650]);
  const kept = await rows<{ cost_id: string }>(
    "SELECT cost_id FROM round_entries WHERE number > 13 ORDER BY number",
  );
  expect(kept.map(({ cost_id }) => cost_id)).toEqual(costs.map(({ cost_id }) => cost_id));
});

test("a body with ten thousand unknown names creates an entry of less than 10,000 bytes", async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => [`${index}${long(10)}`, 1]);
  const { status } = await ask("/cost/batch", { token, json: Object.fromEntries(names) });
  expect(status).toBe(400);
  const [entry] = await rows<{ bytes: number }>(
    "SELECT length(CAST(record AS BLOB)) AS bytes FROM round_entries ORDER BY number DESC LIMIT 1",
  );
  expect(entry?.bytes).toBeLessThan(10_000);
});

test("a round full of invalid costs of the maximum length can be closed, and its report is incomplete", async () => {
  for (const from of [1_000, 2_000, 3_000]) {
    const costs = longCosts(330, from).map((cost) => ({ ...cost, tag: long(300), cost_amount: long(75) }));
    expect((await ask("/cost/batch", { token, json: { costs } })).status).toBe(200);
  }
  const end = (path: string, method: string) =>
    ask<{ data: { items: RoundItem[] } }>(path, { method, token: DEMO.operatorToken });
  const open = await end("/operator/v1/rounds/1", "GET");
  const closed = await end("/operator/v1/rounds/1/close", "POST");
  expect([closed.status, closed.body.data.items[0]?.state]).toEqual([200, "closed"]);
  const [before, after] = [open, closed].map(({ body }) => body.data.items[0]?.report);
  expect([before?.complete, after?.complete]).toEqual([true, false]);
  expect(after?.types[0]?.counts).toEqual(before?.types[0]?.counts);
  expect(after?.types[0]?.findings).toHaveLength(379);
});

interface RoundItem {
  state: string;
  report: { complete: boolean; types: { counts: Record<string, number>; findings: object[] }[] };
}
