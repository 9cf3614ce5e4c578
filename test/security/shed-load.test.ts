/** What callers without a valid credential can cost: rejected credentials, unknown links, health checks and engagements. */
import { createExecutionContext } from "cloudflare:test";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { blockedAddresses } from "../../src/db/isolate-memory.ts";
import { Memory } from "../../src/domain/memory.ts";
import { serve } from "../../src/index.ts";
import { LINKS, PARTNERS } from "../campaign/support.ts";
import { call, countingDatabase, DEMO, env, freshDemo, IPHONE, NOW, ORIGIN, rows } from "../harness.ts";
import { failingDatabase } from "../support.ts";

beforeEach(async () => {
  blockedAddresses.clear();
  await freshDemo();
});

const MINUTE = 60_000;

/** Counts the calls to D1 and KV. */
function counting() {
  const { database, counts } = countingDatabase();
  const seen = { kv: 0, limiter: 0 };
  const watch = (kv: KVNamespace): KVNamespace =>
    new Proxy(kv, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          seen.kv++;
          return value.apply(target, values);
        };
      },
    });
  const bindings = { DB: database, TOKENS: watch(env.TOKENS), LINKS: watch(env.LINKS) };
  return { bindings, total: () => counts.calls + seen.kv };
}

/** Allows so many rejections of each address. */
function rejections(limit: number): RateLimit {
  const counts = new Map<string, number>();
  return {
    limit: async ({ key }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: Number(counts.get(key)) <= limit };
    },
  };
}

describe("an address above its limit of rejections", () => {
  const setUp = (address: string) => {
    const { bindings, total } = counting();
    const limited = { ...bindings, ADDRESS_REJECTIONS: rejections(2) };
    const send = async (token: string, now = NOW, path = LINKS) => {
      const before = total();
      const headers = { "cf-connecting-ip": address };
      const { status } = await call(path, { token, headers, now, env: limited });
      return { status, cost: total() - before };
    };
    const exhaust = async () => {
      for (const status of [401, 401, 429]) {
        expect((await send(createToken("api"))).status).toBe(status);
      }
    };
    return { send, exhaust };
  };

  it("costs no call to D1 and KV for a minute, on every API", async () => {
    const { send, exhaust } = setUp("203.0.113.1");
    await exhaust();
    for (const [kind, path] of [
      ["api", LINKS],
      ["api", "/operator/v1/apps"],
      ["live", "/cost/some-cost-id-01"],
    ] as const) {
      expect(await send(createToken(kind), NOW + MINUTE - 1, path)).toEqual({ status: 429, cost: 0 });
    }
    // One call to KV and one to D1.
    expect(await send(createToken("api"), NOW + MINUTE)).toEqual({ status: 429, cost: 2 });
  });

  it("lets a credential pass that was accepted in the last five minutes, and no other valid one", async () => {
    const { send, exhaust } = setUp("203.0.113.2");
    expect((await send(DEMO.apiToken, NOW - 5 * MINUTE + 1)).status).toBe(200);
    expect((await send(DEMO.costToken, NOW - 5 * MINUTE, "/cost")).status).toBe(200);
    await exhaust();
    expect((await send(DEMO.apiToken)).status).toBe(200);
    expect(await send(DEMO.costToken, NOW, "/cost")).toEqual({ status: 429, cost: 0 });
    expect(await send(DEMO.operatorToken)).toEqual({ status: 429, cost: 0 });
  });

  it("lets a credential that was reset pass only once", async () => {
    const { send, exhaust } = setUp("203.0.113.3");
    expect((await send(DEMO.apiToken)).status).toBe(200);
    await exhaust();
    await rows("DELETE FROM api_tokens WHERE user_id = 1");
    // D1 rejects it. KV is not asked about a token that was accepted.
    expect(await send(DEMO.apiToken)).toEqual({ status: 429, cost: 1 });
    expect(await send(DEMO.apiToken)).toEqual({ status: 429, cost: 0 });
  });

  it("does not affect another address", async () => {
    const { exhaust } = setUp("203.0.113.4");
    await exhaust();
    const { send } = setUp("203.0.113.5");
    expect((await send(DEMO.operatorToken, NOW, PARTNERS)).status).toBe(200);
  });
});

it("an unknown link token costs nothing for a minute after its first request", async () => {
  const { bindings, total } = counting();
  const open = async (path: string, now: number) => {
    const before = total();
    const { status } = await call(path, { headers: { "user-agent": IPHONE }, now, env: bindings });
    return { status, cost: total() - before };
  };
  expect(await open("/unkn0wn001", NOW)).toEqual({ status: 404, cost: 2 });
  expect(await open("/unkn0wn001", NOW + MINUTE - 1)).toEqual({ status: 404, cost: 0 });
  expect(await open("/impression/unkn0wn001", NOW + MINUTE - 1)).toEqual({ status: 404, cost: 0 });
  expect(await open("/unkn0wn001", NOW + MINUTE)).toEqual({ status: 404, cost: 2 });
});

it("a link that the database could not look up is not remembered as unknown", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { database } = failingDatabase(() => true);
  const headers = { "user-agent": IPHONE };
  expect((await call("/demo1nk006", { headers, env: { DB: database } })).status).toBe(500);
  expect((await call("/demo1nk006", { headers })).status).toBe(302);
});

it("/readyz checks at most once in five seconds", async () => {
  const { bindings, total } = counting();
  // The bindings of an isolate are one object.
  const isolate = { ...env, ...bindings };
  const ask = async (now: number) => {
    const before = total();
    const response = await serve(
      new Request(`${ORIGIN}/readyz`),
      isolate,
      createExecutionContext(),
      () => now,
    );
    return { status: response.status, cost: total() - before };
  };
  // D1 and both namespaces.
  expect(await ask(NOW)).toEqual({ status: 200, cost: 3 });
  expect(await ask(NOW + 4_999)).toEqual({ status: 200, cost: 0 });
  expect(await ask(NOW + 5_000)).toEqual({ status: 200, cost: 3 });
});

describe("engagements with s2s=1", () => {
  it("of an address above the limit get 429 and are not recorded, and browsers are not limited", async () => {
    const limited = { SERVER_ENGAGEMENTS: rejections(2) };
    const open = (path: string, address = "198.51.100.1") =>
      call(path, { headers: { "cf-connecting-ip": address, "user-agent": IPHONE }, env: limited });
    const server = `/${DEMO.linkToken}?s2s=1`;
    const image = `/impression/${DEMO.linkToken}?s2s=1`;
    const recorded = () => rows<{ n: number }>("SELECT coalesce(sum(count), 0) AS n FROM daily_engagements");
    const before = (await recorded())[0]?.n ?? 0;
    expect([(await open(server)).status, (await open(image)).status]).toEqual([200, 200]);
    const rejected = await open(server);
    expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await open(image)).status).toBe(429);
    expect((await recorded())[0]?.n).toBe(before + 2);
    expect((await open(server, "198.51.100.2")).status).toBe(200);
    expect((await open(`/${DEMO.linkToken}`)).status).toBe(302);
    expect((await open(`/impression/${DEMO.linkToken}`)).status).toBe(200);
  });

  it("count in the limiter of wrangler.toml", async () => {
    expect(env.SERVER_ENGAGEMENTS).toBeDefined();
  });
});

it("the memory of an isolate for these is bounded", () => {
  const set = new Memory<true>({ duration: 1_000 });
  for (let index = 0; index < 10_000; index++) set.set(String(index), true, 0);
  expect([set.has("0", 999), set.has("0", 1_000), set.has("9999", 999)]).toEqual([true, false, true]);
  set.set("one more", true, 0);
  expect([set.has("0", 999), set.has("one more", 999)]).toEqual([false, true]);
});
