/** The counts of rejected costs: each rejection of a live credential counts once, under the app of its engagement. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DAY,
  DEMO,
  NOW,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { runs } from "../part.ts";
import { signedIn } from "../partner/support.ts";
import { freshLedger, setSwitch } from "../support.ts";

beforeEach(freshLedger);

const TODAY = NOW / DAY - 0.5;
const APP = DEMO.appToken;
/** App, day relative to the present one, code and count of each row, in this order. With shards, the sum of their rows. */
const counted = async () => {
  const found = await rows<{
    partner_id: number;
    app_token: string;
    day: number;
    code: string;
    count: number;
  }>("SELECT partner_id, app_token, day, code, count FROM daily_rejections");
  const sums = new Map<string, [string, number, string, number]>();
  for (const { partner_id, app_token, day, code, count } of found) {
    expect(partner_id).toBe(1);
    const key = JSON.stringify([app_token, day, code]);
    sums.set(key, [app_token, day - TODAY, code, count + (sums.get(key)?.[3] ?? 0)]);
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
};

const COST = { cost_type: "cpc", cost_currency: "USD", tag: "t", cost_amount: "1" };
type Values = Record<string, string>;

/** Each way to send a cost. */
const WAYS: Record<string, (cost: Values, options?: Call) => Promise<unknown>> = {
  "one cost": (cost, options) =>
    ask(`/cost?${new URLSearchParams(cost)}`, { method: "POST", token: DEMO.costToken, ...options }),
  "a JSON batch": (cost, options) =>
    ask("/cost/batch", { token: DEMO.costToken, json: { costs: [cost] }, ...options }),
  "a CSV batch": (cost, options) => {
    const body = `${Object.keys(cost).join()}\n${Object.values(cost).join()}\n`;
    return ask("/cost/batch", {
      method: "POST",
      token: DEMO.costToken,
      body,
      headers: { "content-type": "text/csv" },
      ...options,
    });
  },
};
const ID = "rejected-cost-01";

/** Everything that a live credential gets 400 or 403 for: how it comes to it, and under which app it counts. */
const CASES: [code: string, app: string, prepare: () => Promise<unknown>, more: Values][] = [
  ["invalid_request", "", () => click(ID), { cost_amount: "1.234567" }],
  [
    "cost_type_not_integrated",
    APP,
    () => click(ID).then(() => rows("UPDATE credentials SET cost_types = 2")),
    {},
  ],
  ["partner_stopped", "", () => rows("UPDATE partners SET stopped_at = 1 WHERE id = 1"), {}],
  ["cost_data_disabled", APP, () => setSwitch(DEMO.linkToken, false).then(() => click(ID)), {}],
  ["window_closed", APP, () => click(ID, { now: NOW - COST_WINDOW_MS - DAY }), {}],
  ["cost_id_conflict", APP, () => click(ID).then(() => sendCost({ cost_id: ID, cost_amount: "2" })), {}],
  ["cost_id_conflict", "", () => sendCost({ cost_id: ID, cost_amount: "2" }), {}],
];

/** Batches share the statement: one case of what is wrong with the cost, and one of what the ledger says. */
const SHARED = CASES.filter(([code]) => code === "invalid_request" || code === "window_closed");

describe.each(Object.entries(WAYS))("a rejection of %s counts once", (name, send) => {
  it.each(name === "one cost" ? CASES : SHARED)("%s in app '%s'", async (code, app, prepare, more) => {
    await prepare();
    await send({ ...COST, cost_id: ID, ...more });
    expect(await counted()).toEqual([[app, 0, code, 1]]);
    await send({ ...COST, cost_id: ID, ...more }, { now: NOW + DAY });
    await send({ ...COST, cost_id: ID, ...more }, { now: NOW + DAY });
    expect(await counted()).toEqual([
      [app, 0, code, 1],
      [app, 1, code, 2],
    ]);
  });
});

describe("the app of a rejection", () => {
  it.each([
    ["cpc", click],
    ["cpm", view],
    ["cpi", view],
    ["cpi", click],
  ] as const)("is that of an engagement that fits %s", async (type, open) => {
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    await open(ID);
    await WAYS["one cost"]?.({ ...COST, cost_type: type, cost_id: ID });
    expect(await counted()).toEqual([[APP, 0, "partner_stopped", 1]]);
  });

  it.each([
    ["cpc", view],
    ["cpm", click],
  ] as const)("is empty if %s has only an engagement of the other kind", async (type, open) => {
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    await open(ID);
    await WAYS["one cost"]?.({ ...COST, cost_type: type, cost_id: ID });
    expect(await counted()).toEqual([["", 0, "partner_stopped", 1]]);
  });

  it("is that of the click if the impression of the ID is in another app", async () => {
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    const [other] = await rows<{ token: string }>(
      "UPDATE links SET partner_id = 1 WHERE app_token <> ? AND level = 1 RETURNING token",
      APP,
    );
    await view(ID, { link: other?.token ?? "" });
    await WAYS["one cost"]?.({ ...COST, cost_type: "cpi", cost_id: ID }, { now: NOW + DAY });
    await click(ID);
    await WAYS["one cost"]?.({ ...COST, cost_type: "cpi", cost_id: ID });
    expect(await counted()).toEqual([
      [APP, 0, "partner_stopped", 1],
      [DEMO.otherAppToken, 1, "partner_stopped", 1],
    ]);
  });

  it("is empty once the engagement is forgotten, when the retention is over", async () => {
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    await click(ID);
    await WAYS["one cost"]?.({ ...COST, cost_id: ID }, { now: NOW + RETENTION_MS });
    await WAYS["one cost"]?.({ ...COST, cost_id: ID }, { now: NOW + RETENTION_MS + 1 });
    expect(await counted()).toEqual([
      ["", RETENTION_MS / DAY, "partner_stopped", 1],
      [APP, RETENTION_MS / DAY, "partner_stopped", 1],
    ]);
  });
});

describe("no rejection is counted", () => {
  const revoke = () => rows("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 1");
  const send = (costs: Values[]) => ask("/cost/batch", { token: DEMO.costToken, json: { costs } });
  it.each<[string, () => Promise<unknown>]>([
    ["of a revoked credential", () => revoke().then(() => send([{ ...COST, cost_id: ID }, {}]))],
    ["of an invalid cost of a revoked credential", () => revoke().then(() => send([{}]))],
    [
      "of an accepted cost and its duplicate",
      () => sendCost({ cost_id: ID }).then(() => sendCost({ cost_id: ID })),
    ],
    ["of an unknown credential", () => sendCost({ cost_id: ID }, { token: `ll_live_${"x".repeat(40)}` })],
    ["of a test credential", () => sendCost({ cost_id: "short" }, { token: DEMO.testCostToken })],
    ["of a body that is too large", () => call("/cost", { token: DEMO.costToken, body: "x".repeat(70_000) })],
    ["of a body of another type", () => call("/cost", { token: DEMO.costToken, body: new FormData() })],
    ["of a list with an invalid query", () => ask("/cost?limit=0", { token: DEMO.costToken })],
    ["of a void", () => ask(`/cost/${ID}/void`, { method: "POST", token: DEMO.costToken })],
  ])("%s", async (_name, send) => {
    await send();
    expect(await counted()).toEqual([]);
  });
});

describe("a batch", () => {
  it("counts and keeps each of its costs, with two rows written a rejection", async () => {
    await click(ID, { now: NOW - COST_WINDOW_MS - DAY });
    const costs = [
      ...Array.from({ length: 40 }, (_, index) => ({ ...COST, cost_id: `short-${index % 10}` })),
      { ...COST, cost_id: ID },
      ...Array.from({ length: 59 }, (_, index) => ({ ...COST, cost_id: `batch-cost-${1000 + index}` })),
    ];
    const { database, counts } = countingDatabase();
    await ask("/cost/batch", { token: DEMO.costToken, json: { costs }, env: { DB: database } });
    expect(await counted()).toEqual([
      ["", 0, "invalid_request", 40],
      [APP, 0, "window_closed", 1],
    ]);
    // 59 pending costs with their totals, and the rejections with their counts.
    expect(counts.written).toBe((59 + 41) * 2);
  });

  it("of 1,000 rejected costs is counted in one statement, with two rows written a cost", async () => {
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    const costs = Array.from({ length: 1_000 }, (_, index) => ({
      ...COST,
      cost_id: `batch-cost-${1000 + index}`,
    }));
    const { database, counts } = countingDatabase();
    await ask("/cost/batch", { token: DEMO.costToken, json: { costs }, env: { DB: database } });
    expect(await counted()).toEqual([["", 0, "partner_stopped", 1_000]]);
    expect(counts.written).toBe(2_000);
    expect(counts.read).toBeLessThanOrEqual(20 * 1_000);
  });

  it("whose body cannot be read counts as one cost", async () => {
    await call("/cost/batch", {
      method: "POST",
      token: DEMO.costToken,
      body: "{",
      headers: { "content-type": "application/json" },
    });
    expect(await counted()).toEqual([["", 0, "invalid_request", 1]]);
  });
});

describe("an uploaded file", () => {
  it("is counted when it is imported, and not when it is checked", async () => {
    const browser = await signedIn();
    const file = `${Object.keys(COST).join()},cost_id\n${Object.values(COST).join()},${ID}\n`;
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    await browser.upload(file);
    expect(await counted()).toEqual([]);
    await rows("UPDATE partners SET stopped_at = NULL WHERE id = 1");
    const checked = await browser.upload(file);
    await rows("UPDATE partners SET stopped_at = 1 WHERE id = 1");
    await browser.confirm(checked);
    expect(await counted()).toEqual([["", 0, "partner_stopped", 1]]);
  });
});

it("counts exactly the rejections that were answered, whatever is sent in whatever order", async () => {
  const id = fc.integer({ min: 1, max: 6 }).map((number) => `random-cost-0${number}`);
  const cost = fc.record({
    cost_type: fc.constantFrom("cpc", "cpi", "cpm", "cpx"),
    cost_currency: fc.constantFrom("USD", "EUR"),
    cost_id: fc.oneof(id, fc.constant("short")),
    cost_amount: fc.constantFrom("1", "2"),
    tag: fc.constant("t"),
  });
  const action = fc.oneof(
    fc.record({
      open: id,
      before: fc.integer({ min: 0, max: 9 }),
      isImpression: fc.boolean(),
      on: fc.boolean(),
    }),
    fc.record({ costs: fc.array(cost, { minLength: 1, maxLength: 5 }), isBatch: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
      await freshLedger();
      const expected: Record<string, number> = {};
      for (const one of actions) {
        if ("open" in one) {
          await setSwitch(DEMO.linkToken, one.on);
          await (one.isImpression ? view : click)(one.open, { now: NOW - one.before * DAY });
          continue;
        }
        const answers = one.isBatch
          ? (
              await ask<{ results: { code?: string }[] }>("/cost/batch", {
                token: DEMO.costToken,
                json: { costs: one.costs },
              })
            ).body.results
          : await Promise.all(one.costs.slice(0, 1).map(async (values) => (await sendCost(values)).body));
        for (const { code } of answers) if (code) expected[code] = (expected[code] ?? 0) + 1;
      }
      const found: Record<string, number> = {};
      for (const [, , code, count] of await counted())
        found[String(code)] = (found[String(code)] ?? 0) + Number(count);
      expect(found).toEqual(expected);
    }),
    runs(100, 5),
  );
});
