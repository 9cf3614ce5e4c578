/** Where an id lives, and how the ledger is spread over more databases while it runs. */
import { beforeEach, describe, expect, it, test } from "vitest";
import { hashToken } from "../../src/auth/secrets.ts";
import { submitCosts } from "../../src/db/ledger/costs.ts";
import { insertEngagement } from "../../src/db/ledger/engagements.ts";
import { type Ledger, shardFor } from "../../src/db/ledger/shards.ts";
import { COST_WINDOW_MS } from "../../src/domain/matching.ts";
import { call, click, DEMO, env, NOW, sendCost } from "../harness.ts";
import { freshLedger, inLedger, totals } from "../support.ts";
import { CHANGE, homesOf, INSTANT, idOn, mapped, shard } from "./support.ts";

beforeEach(freshLedger);

describe("the map", () => {
  it("places the same id the same way for ever", () => {
    const places = ["acme-click-20260701", "0b6f5b0e-6f0c-4a4e", "ключ-клика-0001"].map((costId) =>
      [...mapped("4").databases].findIndex(
        ([, db]) => db === shardFor(mapped("4"), { partnerId: 1, costId }),
      ),
    );
    expect(places).toEqual([3, 3, 1]);
  });

  it("spreads ids evenly, whatever they look like", () => {
    for (const idOf of [
      (index: number) => `sequence-${1e6 + index}`,
      (index: number) => `${index}-suffix-0001`,
    ]) {
      const counts = new Map<D1Database, number>();
      for (let index = 0; index < 4_000; index++) {
        const place = shardFor(mapped("4"), { partnerId: 1, costId: idOf(index) });
        counts.set(place, (counts.get(place) ?? 0) + 1);
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
  ])("is refused as %s", async (LEDGER_MAP) => {
    expect(() => mapped(LEDGER_MAP)).toThrow("LEDGER_MAP");
    expect((await call("/healthz", { env: { LEDGER_MAP } })).status).toBe(500);
  });

  it("must be said where shards are bound, so that binding one more moves nothing", () => {
    const { LEDGER_MAP: _, ...bindings } = env;
    expect(() => mapped(undefined as unknown as string)).toThrow("LEDGER_MAP");
    expect(Object.keys(bindings).filter((name) => name.startsWith("LEDGER_"))).toEqual([
      "LEDGER_0",
      "LEDGER_1",
      "LEDGER_2",
      "LEDGER_3",
    ]);
  });

  it("of none is the ledger in DB", async () => {
    const costId = idOn(2);
    await click(costId, { env: { LEDGER_MAP: "0" } });
    expect((await sendCost({ cost_id: costId }, { env: { LEDGER_MAP: "0" } })).body.match).toBe("matched");
    expect([await homesOf("engagements", costId), await homesOf("costs", costId)]).toEqual([["DB"], ["DB"]]);
  });
});

test.each([0, 1, 2, 3])(
  "a cost and its click live together on shard %i, and nowhere else",
  async (number) => {
    const costId = idOn(number);
    await click(costId);
    expect((await sendCost({ cost_id: costId, cost_amount: "1" })).body.match).toBe("matched");
    const name = `LEDGER_${number}`;
    expect([await homesOf("engagements", costId), await homesOf("costs", costId)]).toEqual([[name], [name]]);
  },
);

describe("from one shard to four, an id that moves", () => {
  const costId = idOn(3);
  const before = { env: { LEDGER_MAP: CHANGE }, now: INSTANT - 1 };
  const after = { env: { LEDGER_MAP: CHANGE }, now: INSTANT };
  const cost = { cost_id: costId, cost_amount: "1" };

  it("stays where its click was recorded before", async () => {
    await click(costId, before);
    expect((await sendCost(cost, after)).body).toMatchObject({ match: "matched", duplicate: false });
    expect((await sendCost(cost, after)).body).toMatchObject({ match: "matched", duplicate: true });
    expect(await homesOf("costs", costId)).toEqual(["LEDGER_0"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("stays where its cost waits since before", async () => {
    expect((await sendCost(cost, before)).body.match).toBe("pending");
    await click(costId, after);
    expect(await homesOf("engagements", costId)).toEqual(["LEDGER_0"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    const read = await call(`/cost/${costId}`, { token: DEMO.costToken, ...after });
    expect(await read.json()).toMatchObject({ match: "matched", engagement: { link_token: DEMO.linkToken } });
  });

  it("goes to its new place where nothing is known of it", async () => {
    await click(costId, after);
    expect((await sendCost(cost, after)).body.match).toBe("matched");
    expect([await homesOf("costs", costId), await homesOf("engagements", costId)]).toEqual([
      ["LEDGER_3"],
      ["LEDGER_3"],
    ]);
    expect((await sendCost(cost, { env: { LEDGER_MAP: "4" } })).body.duplicate).toBe(true);
  });

  it("is moved by the instant, not by the deployment", async () => {
    await click(costId, before);
    expect(await homesOf("engagements", costId)).toEqual(["LEDGER_0"]);
  });

  it("goes on from DB alone too", async () => {
    const map = `0, 4 from ${new Date(INSTANT).toISOString()}`;
    await click(costId, { env: { LEDGER_MAP: map }, now: INSTANT - 1 });
    expect((await sendCost(cost, { env: { LEDGER_MAP: map } })).body.match).toBe("matched");
    expect(await homesOf("costs", costId)).toEqual(["DB"]);
    const other = idOn(1);
    await click(other, { env: { LEDGER_MAP: map } });
    expect(await homesOf("engagements", other)).toEqual(["LEDGER_1"]);
  });

  it("is told 503 by a deployment that knows nothing of the change, and counted nowhere", async () => {
    await sendCost(cost, after);
    const other = { ...cost, cost_id: idOn(2) };
    const late = await sendCost(other, { env: { LEDGER_MAP: "1" } });
    expect(late.status).toBe(503);
    expect(await homesOf("costs", other.cost_id)).toEqual([]);
  });
});

describe("a request that the change overtakes", () => {
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
  const early = mapped(CHANGE, INSTANT - 1);
  const late = mapped(CHANGE, INSTANT);

  it("is placed anew, so that a cost is there once", async () => {
    await submit(late);
    await submit(early);
    expect(await homesOf("costs", costId)).toEqual(["LEDGER_3"]);
    expect(await engage(early)).toBe(true);
    expect(await engage(late)).toBe(false);
    expect(await homesOf("engagements", costId)).toEqual(["LEDGER_3"]);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("never puts an id in two places, however the two meet", async () => {
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
      const homes = [await homesOf("costs", costId), await homesOf("engagements", costId)];
      expect(homes[0]).toHaveLength(1);
      expect(homes[1]).toEqual(homes[0]);
      expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
    }
  });

  it("leaves a database that was never looked at as it is", async () => {
    await submit(early);
    expect(await shard(0).prepare("SELECT size FROM ledger_fence").first("size")).toBe(0);
    await submit(late);
    expect(await shard(0).prepare("SELECT size FROM ledger_fence").first("size")).toBe(4);
    expect(await homesOf("costs", costId)).toEqual(["LEDGER_0"]);
  });
});
