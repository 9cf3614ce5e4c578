/** What the hourly cron finds of each partner: its last cost, its last click, and the open mismatches of its rounds. */
import { beforeEach, expect, it } from "vitest";
import { storeActivity } from "../../src/db/operator/partner-activity.ts";
import { ask, click, DAY, DEMO, ledgerOn, NOW, rows, sendCost } from "../harness.ts";
import { isWhole } from "../part.ts";
import { freshEmptyLedger } from "../support.ts";

const HOUR = 3_600_000;

beforeEach(freshEmptyLedger);

const run = (hours: number) => storeActivity(ledgerOn(), NOW + hours * HOUR);
const read = async (partner = 1) => {
  const { body } = await ask<{
    data: {
      items: { last_cost_at: string | null; last_click_at: string | null; open_mismatches: number | null }[];
    };
  }>(`/operator/v1/partners/${partner}`, { token: DEMO.operatorToken });
  const [item] = body.data.items;
  return [item?.last_cost_at, item?.last_click_at, item?.open_mismatches];
};
const at = (hours: number) => new Date(NOW + hours * HOUR).toISOString();
const COST = { cost_type: "cpc", cost_currency: "USD", tag: "t", cost_amount: "1" };
const ID = "active-cost-0001";

it.runIf(isWhole)("is unknown before the first run, and null without costs and clicks", async () => {
  expect(await read()).toEqual([null, null, null]);
  await run(0);
  expect(await read()).toEqual([null, null, 0]);
});

it("is the hour of the run that finds a click or a cost, whatever its state", async () => {
  await run(0);
  await click(ID, { now: NOW + 1 });
  await run(1);
  expect(await read()).toEqual([null, at(1), 0]);
  await sendCost({ ...COST, cost_id: ID }, { now: NOW + HOUR + 1 });
  await run(2);
  expect(await read()).toEqual([at(2), at(1), 0]);
  await sendCost({ ...COST, cost_id: "waiting-cost-001" }, { now: NOW + 2 * HOUR + 1 });
  await run(3);
  expect(await read()).toEqual([at(3), at(1), 0]);
  await run(4);
  expect(await read()).toEqual([at(3), at(1), 0]);
});

it("changes with a rejected cost, and not with a duplicate, a match of a waiting cost or a void", async () => {
  await sendCost({ ...COST, cost_id: ID });
  await run(1);
  // Before the first run nothing is known of the hour, so it is the last one of the day, and at most now.
  expect(await read()).toEqual([at(1), null, 0]);
  await sendCost({ ...COST, cost_id: ID }, { now: NOW + HOUR + 1 });
  await click(ID, { now: NOW + HOUR + 2 });
  await run(2);
  expect(await read()).toEqual([at(1), at(2), 0]);
  await ask(`/cost/${ID}/void`, { method: "POST", token: DEMO.costToken, now: NOW + 2 * HOUR + 1 });
  await run(3);
  expect(await read()).toEqual([at(1), at(2), 0]);
  await sendCost({ ...COST, cost_id: "short" }, { now: NOW + 3 * HOUR + 1 });
  await run(4);
  expect(await read()).toEqual([at(4), at(2), 0]);
});

it.runIf(isWhole)("stays when days leave the range, also after a pause of the cron", async () => {
  await sendCost({ ...COST, cost_id: ID });
  await run(1);
  for (const days of [21, 22, 23, 24, 60, 61]) {
    await run(days * 24);
    expect((await read())[0]).toBe(days < 60 ? at(1) : null);
  }
});

it.runIf(isWhole)("finds a cost on the day on which as many leave the range", async () => {
  await sendCost({ ...COST, cost_id: ID });
  await run(1);
  await run(22 * 24);
  await sendCost({ ...COST, cost_id: "later-cost-00001" }, { now: NOW + 23 * DAY - 1 });
  await run(23 * 24);
  expect((await read())[0]).toBe(at(23 * 24));
});

it.runIf(isWhole)("is the last hour of the newest day if the first run finds it", async () => {
  await sendCost({ ...COST, cost_id: ID }, { now: NOW - 3 * DAY });
  await run(0);
  expect((await read())[0]).toBe("2026-03-12T23:00:00.000Z");
});

it.runIf(isWhole)("is written once an hour: a run that was overtaken changes nothing", async () => {
  await run(2);
  await click(ID);
  await run(2);
  await run(1);
  expect(await read()).toEqual([null, null, 0]);
  await run(3);
  expect(await read()).toEqual([null, at(3), 0]);
});

it.runIf(isWhole)("has the open mismatches of the partner's rounds", async () => {
  await sendCost({ ...COST, cost_id: "short" }, { token: DEMO.testCostToken });
  await run(0);
  const [round] = await rows<{ id: number }>("SELECT id FROM rounds WHERE partner_id = 3 AND state = 'open'");
  const { body } = await ask<{
    data: {
      items: { report: { types: { open_mismatches: number }[]; other_findings: { state: string }[] } }[];
    };
  }>(`/operator/v1/rounds/${round?.id}`, { token: DEMO.operatorToken });
  const report = body.data.items[0]?.report;
  const open =
    (report?.types ?? []).reduce((sum, type) => sum + type.open_mismatches, 0) +
    (report?.other_findings ?? []).filter(({ state }) => state === "open").length;
  expect(open).toBeGreaterThan(0);
  expect((await read(3))[2]).toBe(open);
});
