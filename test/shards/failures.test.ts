/** A shard that is down, spend reports over shards, and the queue with shards. */
import { beforeEach, describe, expect, it } from "vitest";
import { ledgerOf } from "../../src/db/ledger/shards.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { recordQueued } from "../../src/engagement/queue.ts";
import worker from "../../src/index.ts";
import { ask, call, click, DAY, DEMO, env, ledgerOn, NOW, queueBatch, rows, sendCost } from "../harness.ts";
import { freshLedger, openedLink, totals } from "../support.ts";
import { databasesWith, downDatabase, idOn, shard } from "./support.ts";

beforeEach(freshLedger);

const item = (cost_id: string) => ({
  cost_id,
  cost_type: "cpc",
  cost_currency: "USD",
  tag: "t",
  cost_amount: "1",
});

interface Results {
  results: { status: "ok" | number; code?: string; cost_id?: string }[];
}

describe("a shard that is down", () => {
  const down = () => ({ LEDGER_1: downDatabase(shard(1)).database });

  it("returns 503 for each of its costs in a batch and accepts the others, in order", async () => {
    const ids = [idOn(0), idOn(1), idOn(2), idOn(1, "second-cost-"), idOn(3)];
    const costs = [...ids.map(item), { ...item(idOn(0)), cost_currency: "nonsense" }];
    const { status, body } = await ask<Results>("/cost/batch", {
      token: DEMO.costToken,
      json: { costs },
      env: down(),
    });
    expect(status).toBe(200);
    expect(body.results.map((result) => result.code ?? result.cost_id)).toEqual([
      ids[0],
      "unavailable",
      ids[2],
      "unavailable",
      ids[4],
      "invalid_request",
    ]);
    for (const [index, id] of ids.entries()) {
      expect(await databasesWith("costs", id)).toHaveLength([1, 3].includes(index) ? 0 : 1);
    }
    const again = await ask<Results>("/cost/batch", {
      token: DEMO.costToken,
      json: { costs: ids.map(item) },
    });
    expect(again.body.results.map((result) => result.status)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
    expect(await totals("state, count")).toEqual([{ state: "pending", count: 5 }]);
  });

  it("returns 503 for one of its costs, while costs on other shards are accepted", async () => {
    const failed = await sendCost(item(idOn(1)), { env: down() });
    expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await sendCost(item(idOn(2)), { env: down() })).status).toBe(200);
  });

  it("does not prevent the purge of the other shards", async () => {
    for (const number of [0, 1, 2, 3]) await click(idOn(number));
    const scheduledTime = NOW + 40 * DAY;
    const run = (bindings: object) =>
      worker.scheduled({ scheduledTime, cron: "", noRetry: () => undefined } as ScheduledController, {
        ...env,
        ...bindings,
      });
    await expect(run(down())).rejects.toThrow("overloaded");
    expect(await rows("SELECT cost_id FROM engagements WHERE cost_id LIKE 'sharded-%'")).toEqual([
      { cost_id: idOn(1) },
    ]);
    await run({});
    expect(await rows("SELECT cost_id FROM engagements")).toEqual([]);
  });
});

it("the readiness check reports since when the archive has failed for the first of several shards", async () => {
  for (const [number, hours] of [3, 1, 4, 2].entries()) {
    await shard(number)
      .prepare("UPDATE archive_state SET is_on = 1, failing_since = ?")
      .bind(NOW - hours * 3_600_000)
      .run();
  }
  const { body } = await ask<{ checks: { archive: object } }>("/readyz", {
    env: { ARCHIVE: env.TEST_BUCKET },
  });
  expect(body.checks.archive).toEqual({
    ok: false,
    reason:
      "The bucket ARCHIVE has rejected objects since 2026-03-15T08:00:00.000Z. Expired rows are kept until it accepts them.",
  });
});

describe("spend over shards", () => {
  it("is summed exactly beyond 2^53, with the totals in DB", async () => {
    const insert = "INSERT INTO daily_totals VALUES (?, ?, 1, 1, 'cpc', 'USD', 'matched', 2, ?)";
    for (const db of [env.DB, shard(0), shard(3)]) {
      await db
        .prepare(insert)
        .bind(DEMO.appToken, Math.floor(NOW / DAY), "9007199254740993")
        .run();
    }
    const path = `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-09&to=2026-03-15&group_by=link,partner`;
    const { body } = await ask<{ data: { items: object[] } }>(path, { token: DEMO.apiToken });
    expect(body.data.items).toEqual([
      {
        link_token: DEMO.linkToken,
        link_label: "Acme",
        link_name: "Acme",
        partner_id: 1,
        partner_name: "Acme Ads",
        currency: "USD",
        spend: "270215977642.22979",
        adjusted: "0",
        matched: 6,
        unpriced: 0,
      },
    ]);
  });
});

describe("the queue", () => {
  const engagement = (costId: string, more: Partial<OpenedLink> = {}) =>
    openedLink(costId, {
      occurredAt: NOW - 5_000,
      urlCostType: "cpc",
      urlCurrency: "USD",
      urlAmount: 100_000,
      ...more,
    });

  /** A batch that records whether each message is acknowledged or retried. */
  function batchOf(engagements: OpenedLink[]) {
    const outcomes: string[] = [];
    const batch = queueBatch(engagements);
    const messages = batch.messages.map((message, index) => ({
      id: message.id,
      timestamp: message.timestamp,
      attempts: message.attempts,
      body: message.body,
      ack: () => {
        outcomes[index] = "ack";
      },
      retry: () => {
        outcomes[index] = "retry";
      },
    }));
    return { outcomes, batch: { queue: batch.queue, messages } as unknown as MessageBatch<OpenedLink> };
  }

  it("gets a click with its time, but not a click with s2s=1, which is recorded before the response", async () => {
    const sent: OpenedLink[] = [];
    const ENGAGEMENTS = { send: async (message: OpenedLink) => void sent.push(message) };
    const bindings = { ENGAGEMENTS: ENGAGEMENTS as unknown as Queue<OpenedLink> };
    const costId = idOn(1);
    await click(costId, { env: bindings, now: NOW - 7 });
    expect(sent).toMatchObject([{ costId, linkToken: DEMO.linkToken, kind: "click", occurredAt: NOW - 7 }]);
    expect(await databasesWith("engagements", costId)).toEqual([]);
    await call(`/${DEMO.linkToken}?cost_id=${costId}&s2s=1`, { env: bindings });
    expect(sent).toHaveLength(1);
    expect(await databasesWith("engagements", costId)).toEqual(["LEDGER_1"]);
  });

  it("is bypassed when it rejects a click, which is then recorded directly", async () => {
    const ENGAGEMENTS = { send: () => Promise.reject(new Error("injected: the queue failed")) };
    await click(idOn(2), { env: { ENGAGEMENTS: ENGAGEMENTS as unknown as Queue<OpenedLink> } });
    expect(await databasesWith("engagements", idOn(2))).toEqual(["LEDGER_2"]);
  });

  it("records a batch once when it is delivered twice", async () => {
    const engagements = [0, 1, 2, 3, 3].map((number) => engagement(idOn(number)));
    for (const _ of [1, 2]) {
      const { outcomes, batch } = batchOf(engagements);
      await recordQueued(batch, ledgerOn(), NOW);
      expect(outcomes).toEqual(["ack", "ack", "ack", "ack", "ack"]);
      expect(await totals()).toEqual([{ state: "matched", count: 4, amount: 400_000 }]);
    }
    expect(await rows("SELECT DISTINCT occurred_at FROM engagements WHERE cost_id = ?", idOn(3))).toEqual([
      { occurred_at: NOW - 5_000 },
    ]);
  });

  it("records a price on a shard without a copy of the partner, unless its type is not integrated", async () => {
    await shard(1).exec("DELETE FROM credentials; DELETE FROM partners");
    await env.DB.exec("UPDATE partners SET integrated_types = 1 WHERE id = 1");
    const { batch } = batchOf([
      engagement(idOn(1)),
      engagement(idOn(1, "second-cost-"), { urlCostType: "cpi" }),
    ]);
    await recordQueued(batch, ledgerOn(), NOW);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 100_000 }]);
  });

  it("records the earliest engagement of an ID in a batch", async () => {
    await recordQueued(
      batchOf([engagement(idOn(1), { occurredAt: NOW }), engagement(idOn(1), { occurredAt: NOW - 9 })]).batch,
      ledgerOn(),
      NOW,
    );
    expect(await rows("SELECT occurred_at FROM engagements WHERE cost_id = ?", idOn(1))).toEqual([
      { occurred_at: NOW - 9 },
    ]);
  });

  it("retries the messages for a shard that is down", async () => {
    const { outcomes, batch } = batchOf([0, 1, 2, 3].map((number) => engagement(idOn(number))));
    await recordQueued(batch, ledgerOf({ ...env, LEDGER_1: downDatabase(shard(1)).database }), NOW);
    expect(outcomes).toEqual(["ack", "retry", "ack", "ack"]);
    const again = batchOf([engagement(idOn(1))]);
    await recordQueued(again.batch, ledgerOn(), NOW);
    expect(again.outcomes).toEqual(["ack"]);
    expect(await totals()).toEqual([{ state: "matched", count: 4, amount: 400_000 }]);
  });
});
