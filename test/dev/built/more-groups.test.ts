/** Groups in other configurations, and under load. */
import { Agent } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { shardFor } from "../../../src/db/ledger/shards.ts";
import { DEMO } from "../../../src/dev/demo.ts";
import { findLost } from "../../live-service.ts";
import { clicksOn, numbers } from "./clicks.ts";
import { type Answer, clickOf, costOf, type FaultyWorker, send, startFaulty, until } from "./faulty.ts";

let server: FaultyWorker;

const isLong = process.env.LONG === "1";
/** Plain clicks under load, in each of four ways. */
const CLICKS = isLong ? 10_000 : 40;
/** Costs of two credentials before one is revoked, and after that. */
const COSTS = isLong ? 300 : 200;
let next = 0;
const newId = () => `more-cost-${String(next++).padStart(5, "0")}`;
const newIds = (count: number) => Array.from({ length: count }, newId);
const ALL = Number.MAX_SAFE_INTEGER;
/** The first cost of a credential has a second statement, which asks for the credential's ID. */
const meet = () => send(server.url, costOf(newId())).answer;

describe("with the settings of wrangler.toml", () => {
  beforeAll(async () => {
    server = await startFaulty({ name: "default" });
  });
  afterAll(() => server.stop());

  test("by default, two calls are in flight before statements wait", async () => {
    await meet();
    await server.begin({ allowed: 0 });
    const sent = [];
    for (const count of [1, 1, 4]) {
      const { bound, calls } = await server.seen();
      sent.push(...newIds(count).map((id) => send(server.url, costOf(id))));
      await until(async () => {
        const seen = await server.seen();
        return seen.bound === bound + count && (calls.length === 2 || seen.calls.length > calls.length);
      });
    }
    expect((await server.seen()).calls).toEqual([1, 1]);
    await server.change({ allowed: ALL });
    for (const { answer } of sent) expect((await answer)?.status).toBe(200);
    expect((await server.seen()).calls).toEqual([1, 1, 4]);
  });

  test("a full group does not wait, and 1,000 statements are the most: then 503 with Retry-After 1, and clicks are lost, with one line a second that counts them", async () => {
    const total = () =>
      server.rows.prepare("SELECT sum(count) AS count FROM daily_engagements").first<number>("count");
    const before = (await total()) ?? 0;
    await server.begin();
    await send(server.url, clickOf()).answer;
    await until(async () => (await server.seen()).calls.length > 0);
    await server.begin({ allowed: 0 });
    // A hundred at a time, over as many connections.
    const agent = new Agent({ keepAlive: true });
    for (const _ of numbers(10)) {
      const clicked = await Promise.all(newIds(100).map((id) => send(server.url, clickOf(id), agent).answer));
      expect(new Set(clicked.map((answer) => answer?.status))).toEqual(new Set([302]));
    }
    agent.destroy();
    await until(async () => (await server.seen()).bound === 1_000);
    const { calls } = await server.seen();
    expect(calls.reduce((sum, size) => sum + size)).toBeGreaterThan(1_000 - 40);
    expect(Math.max(...calls)).toBe(40);
    const rejected = await Promise.all(newIds(3).map((id) => send(server.url, costOf(id)).answer));
    expect(rejected.map((answer) => [answer?.status, answer?.headers["retry-after"]])).toEqual(
      numbers(3).map(() => [503, "1"]),
    );
    const lost = () => server.lines.filter((line) => "lost_engagements" in line);
    const counted = [];
    for (const count of [4, 2]) {
      const clicked = await Promise.all(numbers(count).map(() => send(server.url, clickOf()).answer));
      expect(clicked.map((answer) => answer?.status)).toEqual(numbers(count).map(() => 302));
      counted.push({ level: "error", lost_engagements: count });
      await until(() => lost().length >= counted.length);
    }
    expect(lost()).toEqual(counted);
    await server.change({ allowed: ALL });
    // On a busy machine, some have waited for longer than the deadline. Each has a line, and perhaps was stored nevertheless.
    const late = () =>
      server.lines.filter(({ message }) => String(message).includes("did not answer before the deadline"));
    await until(async () => ((await total()) ?? 0) + late().length >= before + 1_001);
    expect(await total()).toBeLessThanOrEqual(before + 1_001);
    expect((await send(server.url, costOf(newId())).answer)?.status).toBe(200);
  });

  test("of two credentials in the same groups, one is rejected from its revocation on, and the other never", async () => {
    const rounds = isLong ? 3 : 1;
    for (let round = 0; round < rounds; round++) {
      const created = await send(server.url, {
        method: "POST",
        path: "/operator/v1/credentials",
        token: DEMO.operatorToken,
        json: { partner_id: 1, mode: "live", cost_types: ["cpc"] },
      }).answer;
      const { id, credential } = JSON.parse(created?.text ?? "").data.items[0];
      await server.begin({ delay: 3 });
      const agent = new Agent({ keepAlive: true });
      const results: { isRevoked: boolean; startedAt: number; id: string; answer: Answer | undefined }[] = [];
      let isOver = false;
      const work = async (worker: number) => {
        const isRevoked = worker % 2 === 0;
        for (let number = 0; !isOver; number++) {
          const startedAt = performance.now();
          const costId = `revoked-${round}-${worker}-${number}-0000`;
          const token = isRevoked ? credential : DEMO.costToken;
          const answer = await send(server.url, { ...costOf(costId), token }, agent).answer;
          results.push({ isRevoked, startedAt, id: costId, answer });
        }
      };
      const workers = numbers(32).map(work);
      await until(() => results.length > COSTS);
      const path = `/operator/v1/credentials/${id}/revoke`;
      const revoked = await send(server.url, { method: "POST", path, token: DEMO.operatorToken }).answer;
      const revokedAt = performance.now();
      expect(revoked?.status).toBe(200);
      const after = results.length;
      await until(() => results.length > after + COSTS);
      isOver = true;
      await Promise.all(workers);
      agent.destroy();
      const statusesOf = (some: typeof results) => [...new Set(some.map(({ answer }) => answer?.status))];
      const late = results.filter(({ isRevoked, startedAt }) => isRevoked && startedAt > revokedAt);
      expect(late.length).toBeGreaterThan(50);
      expect(statusesOf(late)).toEqual([403]);
      expect(statusesOf(results.filter(({ isRevoked }) => !isRevoked))).toEqual([200]);
      const stored = results.filter(({ answer }) => answer?.status === 200).map((result) => result.id);
      expect(await findLost(server.rows, 1, stored)).toEqual([]);
      expect(Math.max(...(await server.seen()).calls)).toBeGreaterThan(4);
    }
  });
});

describe("with other settings", () => {
  afterEach(() => server.stop());

  test('with GROUP_CALLS = "0", each request has a call of its own', async () => {
    server = await startFaulty({ name: "single", bindings: { GROUP_CALLS: "0" } });
    await meet();
    await server.begin({ allowed: 0 });
    const sent = newIds(5).map((id) => send(server.url, costOf(id)));
    await until(async () => (await server.seen()).calls.length === 5);
    await server.change({ allowed: ALL });
    for (const { answer } of sent) expect((await answer)?.status).toBe(200);
    expect((await server.seen()).calls).toEqual([1, 1, 1, 1, 1]);
    // No click waits, so none shares a row.
    expect(await (await clicksOn(server)).countUnderLoad(CLICKS)).toEqual([2, 2, 2, 2]);
  });

  test("requests of one shard fail with it, and those of the other are answered", async () => {
    server = await startFaulty({ name: "shards", databases: ["LEDGER_0", "LEDGER_1"] });
    for (const [index, name] of ["DB", "LEDGER_0", "LEDGER_1"].entries()) {
      const db = await server.miniflare.getD1Database(name);
      const identity = db.prepare("UPDATE shard_identity SET shards = 2, shard_index = ?");
      await identity.bind(index === 0 ? null : index - 1).run();
    }
    // The shards then have the credential.
    for (const id of newIds(10)) expect((await send(server.url, costOf(id)).answer)?.status).toBe(200);
    await (await clicksOn(server)).countUnderLoad(CLICKS);
    const message = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
    await server.begin({
      delay: 5,
      fault: { has: "", database: "LEDGER_1", times: ALL, when: "before", message },
    });
    const ledger = { control: "DB", shards: ["LEDGER_0", "LEDGER_1"] } as unknown as Parameters<
      typeof shardFor
    >[0];
    const ids = newIds(40);
    const expected = ids.map((costId) =>
      (shardFor(ledger, { partnerId: 1, costId }) as unknown) === "LEDGER_1" ? 503 : 200,
    );
    const answers = await Promise.all(ids.map((id) => send(server.url, costOf(id)).answer));
    expect(answers.map((answer) => answer?.status)).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set([200, 503]));
    expect(Math.max(...(await server.seen()).calls)).toBeGreaterThan(1);
  });

  test("on a database that is not migrated, all get 503 not_migrated", async () => {
    server = await startFaulty({ name: "empty", isMigrated: false, bindings: { GROUP_CALLS: "1" } });
    await server.begin({ allowed: 0 });
    const sent = newIds(5).map((id) => send(server.url, costOf(id)));
    await until(async () => (await server.seen()).bound === 10);
    await server.change({ allowed: ALL });
    const answers = await Promise.all(sent.map(({ answer }) => answer));
    expect(answers.map((answer) => [answer?.status, JSON.parse(answer?.text ?? "").code])).toEqual(
      numbers(5).map(() => [503, "not_migrated"]),
    );
    // Each also asks for the ID of the credential.
    expect((await server.seen()).calls).toEqual([2, 8]);
  });
});
