/** POST /cost/batch: up to 1,000 costs in one request, each with its own result. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { insertEngagements } from "../../src/db/ledger/engagements.ts";
import {
  ask,
  type Call,
  type CostResult,
  click,
  countingDatabase,
  DAY,
  DEMO,
  freshDemo,
  ledgerOn,
  NOW,
  type ProblemBody,
  rejection,
  rows,
  sendCost,
  view,
} from "../harness.ts";
import { isLong, isWhole, runs } from "../part.ts";

type Result = Omit<CostResult, "status"> & Partial<Omit<ProblemBody, "status">> & { status: "ok" | number };

const cost = (cost_id: string, more: object = {}) => ({
  cost_type: "cpc",
  cost_currency: "USD",
  cost_id,
  tag: "batch",
  cost_amount: "0.25",
  ...more,
});

function sendBatch(costs: unknown, options: Call = {}) {
  return ask<{ results: Result[]; request_id: string }>("/cost/batch", {
    token: DEMO.costToken,
    json: { costs },
    ...options,
  });
}

const ledgerSize = async () => (await rows<{ size: number }>("SELECT count(*) AS size FROM costs"))[0]?.size;

beforeEach(freshDemo);

describe("a batch", () => {
  test("returns a result for each cost in order, and stores the valid ones beside the invalid ones", async () => {
    await view("batch-view-00001");
    await view("batch-view-00002");
    const { status, body, headers } = await sendBatch([
      cost("demo-click-recent-0001"),
      cost("batch-pending-01", { cost_amount: undefined }),
      cost("short"),
      cost("demo-click-expired-001"),
      cost("batch-view-00001"),
      cost("batch-view-00002", { cost_type: "CPM", cost_currency: "eur", cost_amount: "4.5" }),
    ]);
    expect(status).toBe(200);
    expect(body.request_id).toBe(headers.get("x-request-id"));
    expect(body.results).toEqual([
      { status: "ok", cost_id: "demo-click-recent-0001", match: "matched", duplicate: false, amount: "0.25" },
      { status: "ok", cost_id: "batch-pending-01", match: "pending", duplicate: false, amount: null },
      expect.objectContaining({
        status: 400,
        code: "invalid_request",
        errors: [{ param: "cost_id", message: expect.stringContaining("at least 12") }],
      }),
      expect.objectContaining({ status: 400, code: "window_closed" }),
      {
        status: "ok",
        cost_id: "batch-view-00001",
        match: "pending",
        duplicate: false,
        amount: "0.25",
        mismatch: "wrong_engagement",
      },
      { status: "ok", cost_id: "batch-view-00002", match: "matched", duplicate: false, amount: "4.5" },
    ]);
    expect(await rows("SELECT cost_id FROM costs WHERE tag = 'batch' ORDER BY cost_id")).toEqual([
      { cost_id: "batch-pending-01" },
      { cost_id: "batch-view-00001" },
      { cost_id: "batch-view-00002" },
      { cost_id: "demo-click-recent-0001" },
    ]);
  });

  test.runIf(isWhole)("names every invalid parameter of a cost in one result", async () => {
    const { body } = await sendBatch([{ cost_type: "cpx", cost_currency: "XXQ", tag: 7, cost_amount: "-1" }]);
    expect(body.results[0]?.errors?.map(({ param }) => param)).toEqual([
      "cost_type",
      "cost_currency",
      "cost_id",
      "tag",
      "cost_amount",
    ]);
  });

  test.runIf(isWhole)(
    "accepts an amount as a string or a number, and other values only as strings, as POST /cost does",
    async () => {
      const { body } = await sendBatch([
        cost("batch-number-001", { cost_amount: 0.25 }),
        cost("batch-number-002", { tag: 1 }),
      ]);
      expect(body.results[0]).toMatchObject({ status: "ok", amount: "0.25" });
      expect(body.results[1]?.errors).toEqual([{ param: "tag", message: "must be a string" }]);
    },
  );

  test.runIf(isWhole)("names an item that is not an object by its position", async () => {
    const { status, body } = await sendBatch([null, 7, "cost", [], true]);
    expect(status).toBe(200);
    expect(body.results.map(({ errors }) => errors)).toEqual(
      [0, 1, 2, 3, 4].map((index) => [{ param: `costs.${index}`, message: "must be an object" }]),
    );
  });

  test("treats a repeated cost ID as if each cost were sent separately, in order", async () => {
    const { body } = await sendBatch([
      cost("batch-again-0001", { cost_amount: undefined }),
      cost("batch-again-0001"),
      cost("batch-again-0001"),
      cost("batch-again-0001", { cost_amount: "0.26" }),
      cost("batch-again-0001", { cost_currency: "EUR" }),
    ]);
    expect(body.results.map((result) => [result.status, result.code ?? result.duplicate])).toEqual([
      ["ok", false],
      ["ok", false],
      ["ok", true],
      [400, "cost_id_conflict"],
      [400, "cost_id_conflict"],
    ]);
    const EARLIER = "an earlier call with this cost ID has";
    expect(body.results.slice(3).map(({ errors }) => errors)).toEqual([
      [{ param: "cost_amount", message: `is 0.26, but ${EARLIER} 0.25` }],
      [{ param: "cost_currency", message: `is EUR, but ${EARLIER} USD` }],
    ]);
    expect(await rows("SELECT amount FROM costs WHERE cost_id = 'batch-again-0001'")).toEqual([
      { amount: 25_000 },
    ]);
  });

  test("returns and stores the same as single calls, for any repeated IDs", async () => {
    const anyCost = fc.record({
      cost_id: fc.constantFrom("twice-click-0001", "twice-view-00001", "twice-none-00001"),
      cost_type: fc.constantFrom("cpc", "cpi", "cpm", "cpq"),
      cost_currency: fc.constantFrom("USD", "EUR"),
      cost_amount: fc.constantFrom(undefined, "0.1", "0.2"),
    });
    const prepare = async () => {
      await freshDemo();
      await click("twice-click-0001");
      await view("twice-view-00001", { query: "&cost_type=cpm&cost_currency=USD&cost_amount=0.1" });
    };
    const ledger = () =>
      rows("SELECT * FROM cost_states ORDER BY partner_id, cost_id, source").then(async (costs) => [
        costs,
        await rows(
          "SELECT * FROM daily_totals WHERE count <> 0 ORDER BY app_token, day, link_id, partner_id",
        ),
      ]);
    await fc.assert(
      fc.asyncProperty(fc.array(anyCost, { minLength: 1, maxLength: 8 }), async (picks) => {
        const costs = picks.map((pick) => JSON.parse(JSON.stringify({ ...pick, tag: "twice" })));
        await prepare();
        const singles: unknown[] = [];
        for (const each of costs) singles.push(withoutRequestId((await sendCost(each)).body));
        const afterSingles = await ledger();
        await prepare();
        const { body } = await sendBatch(costs);
        expect(body.results.map(withoutRequestId)).toEqual(singles);
        expect(await ledger()).toEqual(afterSingles);
      }),
      runs(12, isWhole ? 4 : 2),
    );
  });

  test.runIf(isWhole)("matches an engagement that arrives later", async () => {
    await sendBatch([cost("batch-early-0001"), cost("batch-early-0002")]);
    await click("batch-early-0002");
    expect(
      await rows("SELECT cost_id, state FROM cost_states WHERE cost_id LIKE 'batch-early%' ORDER BY cost_id"),
    ).toEqual([
      { cost_id: "batch-early-0001", state: "pending" },
      { cost_id: "batch-early-0002", state: "matched" },
    ]);
  });
});

describe.runIf(isWhole)("an invalid batch", () => {
  test.each<[string, unknown, string]>([
    ["no costs", [], "costs"],
    ["1,001 costs", Array.from({ length: 1_001 }, (_, index) => cost(`too-many-${index}-000`)), "costs"],
    ["an object instead of a list", {}, "costs"],
    ["no list at all", undefined, "costs"],
  ])("with %s is rejected as a whole", async (_name, costs, param) => {
    expect(await rejection("/cost/batch", { token: DEMO.costToken, json: { costs } })).toEqual({
      status: 400,
      code: "invalid_request",
      params: [param],
    });
  });

  test("with an unknown key is rejected, and the error names the key", async () => {
    const json = { costs: [cost("batch-key-000001")], cost: [] };
    expect(await rejection("/cost/batch", { token: DEMO.costToken, json })).toMatchObject({
      params: ["cost"],
    });
    expect(await rows("SELECT * FROM costs WHERE tag = 'batch'")).toEqual([]);
  });

  test("with a body that is not JSON is rejected", async () => {
    const headers = { "content-type": "application/json" };
    const broken = { token: DEMO.costToken, headers, body: '{"costs":[' };
    expect(await rejection("/cost/batch", broken)).toMatchObject({ status: 400, params: ["body"] });
  });

  test("sent as a form is rejected with 415", async () => {
    const form = { token: DEMO.costToken, body: new URLSearchParams({ costs: "[]" }) };
    expect(await rejection("/cost/batch", form)).toMatchObject({ status: 415 });
  });

  test("of one MiB is accepted, and of one byte more is rejected with 413", async () => {
    const send = (bytes: number) => {
      const text = JSON.stringify({ costs: [cost("batch-size-00001")] });
      return {
        token: DEMO.costToken,
        body: text.padEnd(bytes),
        headers: { "content-type": "application/json" },
      };
    };
    expect((await ask("/cost/batch", send(1024 * 1024))).status).toBe(200);
    expect(await rejection("/cost/batch", send(1024 * 1024 + 1))).toMatchObject({ status: 413 });
  });

  test("sent with GET is rejected with 405 and Allow", async () => {
    const { status, headers } = await ask("/cost/batch", { token: DEMO.costToken });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("a credential", () => {
  const request = { json: { costs: [cost("batch-cred-00001")] } };

  test.runIf(isWhole).each([
    ["that is missing", undefined, 401, "unauthorized"],
    ["that is malformed", "noise", 401, "unauthorized"],
    ["that is an API token", DEMO.apiToken, 401, "unauthorized"],
    ["that was never issued", createToken("live"), 401, "unauthorized"],
  ])("%s gets 401 without input errors, and nothing is stored", async (_name, token, status, code) => {
    const before = await ledgerSize();
    expect(await rejection("/cost/batch", { token, ...request })).toEqual({ status, code, params: [] });
    expect(await rejection("/cost/batch", { token, json: { costs: [7] } })).toEqual({
      status,
      code,
      params: [],
    });
    expect(await rejection("/cost/batch", { token, json: {} })).toEqual({ status, code, params: [] });
    expect(await ledgerSize()).toBe(before);
  });

  test("that is revoked gets 403, and nothing is stored", async () => {
    await rows("UPDATE credentials SET revoked_at = ? WHERE mode = 'live'", NOW);
    const before = await ledgerSize();
    for (const costs of [request.json.costs, [7]]) {
      expect(await rejection("/cost/batch", { token: DEMO.costToken, json: { costs } })).toMatchObject({
        status: 403,
        code: "credential_revoked",
      });
    }
    expect(await ledgerSize()).toBe(before);
  });

  test("that is not cleared for a cost type gets errors only for the costs of that type", async () => {
    await rows("UPDATE credentials SET cost_types = 2 WHERE mode = 'live'");
    const { body } = await sendBatch([
      cost("batch-type-00001"),
      cost("batch-type-00002", { cost_type: "cpi" }),
    ]);
    expect(body.results.map(({ status, code }) => [status, code])).toEqual([
      [403, "cost_type_not_integrated"],
      ["ok", undefined],
    ]);
  });

  test("never matches another partner's engagement", async () => {
    await rows("UPDATE credentials SET partner_id = 2 WHERE mode = 'live'");
    await rows("UPDATE partners SET supports_cost_data = 1 WHERE id = 2");
    const { body } = await sendBatch([cost("demo-click-recent-0001")]);
    expect(body.results[0]).toMatchObject({ status: "ok", match: "pending" });
  });
});

describe("the budget", () => {
  test("allows one call, 16 rows read and 3 written for each cost, and 0 written for duplicates", async () => {
    // Those of 1,000 are in test/db/ledger-budgets.test.ts.
    const count = isLong ? 1_000 : 100;
    const ids = Array.from({ length: count }, (_, index) => `batch-budget-${String(index).padStart(4, "0")}`);
    await insertEngagements(
      ledgerOn(),
      ids.map((costId, index) => ({
        partnerId: 1,
        costId,
        kind: index % 2 ? "click" : "impression",
        appToken: DEMO.appToken,
        linkId: 1,
        occurredAt: NOW - DAY,
        costDataOn: true,
        urlCostType: null,
        urlCurrency: null,
        urlAmount: null,
        priceCounts: false,
        country: "US",
        platform: "ios",
      })),
      NOW,
    );
    await sendBatch([cost("batch-budget-warm")]);
    const costs = ids.map((id) => cost(id, { cost_type: "cpi" }));
    const { database, counts } = countingDatabase();
    const first = await sendBatch(costs, { env: { DB: database } });
    expect(first.body.results.filter(({ match }) => match === "matched")).toHaveLength(count);
    expect(counts.calls).toBe(Math.max(1, ledgerOn().shards.length));
    expect(counts.read).toBeLessThanOrEqual(16 * count);
    expect(counts.written).toBe(3 * count);
    const again = await sendBatch(costs, { env: { DB: database } });
    expect(again.body.results.map(({ duplicate }) => duplicate)).toEqual(Array(count).fill(true));
    expect(counts.written).toBe(3 * count);
  });
});

/** Removes the request ID, which differs in every response. */
function withoutRequestId(result: object): object {
  return { ...result, request_id: undefined };
}
