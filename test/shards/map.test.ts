/** Selects the shard of an ID, and adds shards while the service runs. */
import { beforeEach, describe, expect, it, test } from "vitest";
import { hashToken } from "../../src/auth/secrets.ts";
import { submitCosts } from "../../src/db/ledger/costs.ts";
import { insertEngagement } from "../../src/db/ledger/engagements.ts";
import { checkLedgerBindings, type Ledger, shardFor } from "../../src/db/ledger/shards.ts";
import { COST_WINDOW_MS } from "../../src/domain/matching.ts";
import { call, click, DEMO, env, NOW, sendCost } from "../harness.ts";
import { freshLedger, inLedger, totals } from "../support.ts";
import { CHANGE, databasesWith, idOn, mapped, SWITCH_TIME, shard } from "./support.ts";

beforeEach(freshLedger);

describe("LEDGER_MAP", () => {
  it("always selects the same shard for an ID", () => {
    const shards = ["acme-click-20260701", "0b6f5b0e-6f0c-4a4e", "ключ-клика-0001"].map((costId) =>
      [...mapped("4").databases].findIndex(
        ([, db]) => db === shardFor(mapped("4"), { partnerId: 1, costId }),
      ),
    );
    expect(shards).toEqual([3, 3, 1]);
  });

  it("distributes IDs evenly, also sequential ones", () => {
    for (const idOf of [
      (index: number) => `sequence-${1e6 + index}`,
      (index: number) => `${index}-suffix-0001`,
    ]) {
      const counts = new Map<D1Database, number>();
      for (let index = 0; index < 4_000; index++) {
        const database = shardFor(mapped("4"), { partnerId: 1, costId: idOf(index) });
        counts.set(database, (counts.get(database) ?? 0) + 1);
      }
      expect(counts.size).toBe(4);
      for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
    }
  });

  it.each([
    "5",
    "x",
    "-1",
    "4, 4 from 2026-01-01",
    "4, 2 from 2026-01-01",
    "2, 4",
    "2, 4 from soon",
    "4 from 2026-01-01",
  ])("is rejected with the value %s", async (LEDGER_MAP) => {
    expect(checkLedgerBindings({ ...env, LEDGER_MAP })).toEqual([
      "LEDGER_MAP must be a number of shards that is at most 4, the number of bound LEDGER_ databases.",
    ]);
    expect((await call("/healthz", { env: { LEDGER_MAP } })).status).toBe(503);
  });

  it("is required when shards are bound, so that binding another shard does not move IDs", () => {
    const { LEDGER_MAP: _, ...bindings } = env;
    expect(Object.keys(bindings).filter((name) => name.startsWith("LEDGER_"))).toEqual([
      "LEDGER_0",
      "LEDGER_1",
      "LEDGER_2",
      "LEDGER_3",
    ]);
    expect(checkLedgerBindings(bindings)).toEqual([
      "LEDGER_MAP must be a number of shards that is at most 4, the number of bound LEDGER_ databases.",
    ]);
  });

  it("keeps the ledger in DB with the value 0", async () => {
    const costId = idOn(2);
    await click(costId, { env: { LEDGER_MAP: "0" } });
    expect((await sendCost({ cost_id: costId }, { env: { LEDGER_MAP: "0" } })).body.match).toBe("matched");
    expect([await databasesWith("engagements", costId), await databasesWith("costs", costId)]).toEqual([
      ["DB"],
      ["DB"],
    ]);
  });
});

test.each([0, 1, 2, 3])("stores a cost and its click only on shard %i", async (number) => {
  const costId = idOn(number);
  await click(costId);
  expect((await sendCost({ cost_id: costId, cost_amount: "1" })).body.match).toBe("matched");
  const name = `LEDGER_${number}`;
  expect([await databasesWith("engagements", costId), await databasesWith("costs", costId)]).toEqual([
    [name],
    [name],
  ]);
});

describe("a switch from one shard to four", () => {
  const costId = idOn(3);
  const before = { env: { LEDGER_MAP: CHANGE }, now: SWITCH_TIME - 1 };
  const after = { env: { LEDGER_MAP: CHANGE }, now: SWITCH_TIME };
  const cost = { cost_id: costId, cost_amount: "1" };

  it("keeps a cost on the old shard when its click was recorded there before", async () => {
    await click(costId, before);
    expect((await sendCost(cost, after)).body).toMatchObject({ match: "matched", duplicate: false });
    expect((await sendCost(cost, after)).body).toMatchObject({ match: "matched", duplicate: true });
    expect(await databasesWith("costs", costId)).toEqual(["LEDGER_0"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("keeps a click on the old shard when its cost is pending there", async () => {
    expect((await sendCost(cost, before)).body.match).toBe("pending");
    await click(costId, after);
    expect(await databasesWith("engagements", costId)).toEqual(["LEDGER_0"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    const read = await call(`/cost/${costId}`, { token: DEMO.costToken, ...after });
    expect(await read.json()).toMatchObject({ match: "matched", engagement: { link_token: DEMO.linkToken } });
  });

  it("stores a new ID on the new shard", async () => {
    await click(costId, after);
    expect((await sendCost(cost, after)).body.match).toBe("matched");
    expect([await databasesWith("costs", costId), await databasesWith("engagements", costId)]).toEqual([
      ["LEDGER_3"],
      ["LEDGER_3"],
    ]);
    expect((await sendCost(cost, { env: { LEDGER_MAP: "4" } })).body.duplicate).toBe(true);
  });

  it("does not use the new shard before the switch time", async () => {
    await click(costId, before);
    expect(await databasesWith("engagements", costId)).toEqual(["LEDGER_0"]);
  });

  it("also works from a ledger in DB to four shards", async () => {
    const map = `0, 4 from ${new Date(SWITCH_TIME).toISOString()}`;
    await click(costId, { env: { LEDGER_MAP: map }, now: SWITCH_TIME - 1 });
    expect((await sendCost(cost, { env: { LEDGER_MAP: map } })).body.match).toBe("matched");
    expect(await databasesWith("costs", costId)).toEqual(["DB"]);
    const other = idOn(1);
    await click(other, { env: { LEDGER_MAP: map } });
    expect(await databasesWith("engagements", other)).toEqual(["LEDGER_1"]);
  });

  it("returns 503 and stores nothing in a deployment that still has the old number", async () => {
    await sendCost(cost, after);
    const other = { ...cost, cost_id: idOn(2) };
    const outdated = await sendCost(other, { env: { LEDGER_MAP: "1" } });
    expect(outdated.status).toBe(503);
    expect(await databasesWith("costs", other.cost_id)).toEqual([]);
  });
});

describe("a request during which the switch happens", () => {
  const hash = hashToken(DEMO.costToken, ["live"]) ?? "";
  const costId = idOn(3);
  const submit = (ledger: Ledger) =>
    submitCosts(ledger, {
      tokenHash: hash,
      costs: [{ costId, costType: "cpc", currency: "USD", amount: 100_000, tag: "t" }],
      now: NOW,
      windowMs: COST_WINDOW_MS,
    });
  const engage = (ledger: Ledger) =>
    insertEngagement(ledger, {
      partnerId: 1,
      costId,
      kind: "click",
      appToken: DEMO.appToken,
      linkId: 1,
      occurredAt: NOW,
      eligible: true,
      urlCostType: null,
      urlCurrency: null,
      urlAmount: null,
    });
  const early = mapped(CHANGE, SWITCH_TIME - 1);
  const late = mapped(CHANGE, SWITCH_TIME);

  it("is routed again, so that a cost is stored once", async () => {
    await submit(late);
    await submit(early);
    expect(await databasesWith("costs", costId)).toEqual(["LEDGER_3"]);
    expect(await engage(early)).toBe(true);
    expect(await engage(late)).toBe(false);
    expect(await databasesWith("engagements", costId)).toEqual(["LEDGER_3"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("never stores an ID in two databases, in any order of concurrent requests", async () => {
    for (let round = 0; round < 8; round++) {
      await inLedger(
        "DELETE FROM costs",
        "DELETE FROM engagements",
        "DELETE FROM daily_totals",
        "UPDATE ledger_fence SET size = 0",
      );
      const done = await Promise.all(
        round % 2
          ? [submit(early), engage(late), submit(late), engage(early)]
          : [engage(late), submit(early), engage(early), submit(late)],
      );
      expect(done).toHaveLength(4);
      const names = [await databasesWith("costs", costId), await databasesWith("engagements", costId)];
      expect(names[0]).toHaveLength(1);
      expect(names[1]).toEqual(names[0]);
      expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    }
  });

  it("does not raise the fence of a database in which no ID was looked up", async () => {
    await submit(early);
    expect(await shard(0).prepare("SELECT size FROM ledger_fence").first("size")).toBe(0);
    await submit(late);
    expect(await shard(0).prepare("SELECT size FROM ledger_fence").first("size")).toBe(4);
    expect(await databasesWith("costs", costId)).toEqual(["LEDGER_0"]);
  });
});
