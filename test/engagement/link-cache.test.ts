import { beforeEach, describe, expect, it } from "vitest";
import { destinations } from "../../src/db/isolate-memory.ts";
import type { Env } from "../../src/env.ts";
import { ask, type Call, call, click, DEMO, env, freshDemo, IPHONE, NOW, withMethods } from "../harness.ts";
import { failingDatabase, meeting } from "../support.ts";

beforeEach(freshDemo);

const STORE = "https://apps.apple.com/app/id1234567890";

/** The real KV namespace with a record of every read and write and their options. */
function watchedKv() {
  const reads: { key: string; options: unknown }[] = [];
  const writes: [key: string, options: unknown][] = [];
  const LINKS = new Proxy(env.LINKS, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (key: string, ...rest: unknown[]) => {
        if (name === "get") reads.push({ key, options: rest[0] });
        if (name === "put") writes.push([key, rest[1] ?? {}]);
        return value.call(target, key, ...rest);
      };
    },
  });
  return { LINKS, reads, writes };
}

async function createLink(): Promise<string> {
  const { body } = await ask<{ data: { items: { token: string }[] } }>(
    `/public/v1/apps/${DEMO.appToken}/trackers`,
    { token: DEMO.apiToken, json: { name: "Cached" } },
  );
  return body.data.items[0]?.token ?? "";
}

it("opens a new link without D1 immediately after its creation", async () => {
  await click("cached-warm-up-01");
  const link = await createLink();
  const { database } = failingDatabase(() => true);
  const response = await call(`/${link}`, { headers: { "user-agent": IPHONE }, env: { DB: database } });
  expect([response.status, response.headers.get("location")]).toEqual([302, STORE]);
});

it("puts every created link of a bulk request into KV, and no rejected one", async () => {
  const links = [
    { name: "One" },
    { name: "" },
    { name: "Two" },
    { name: "Orphan", parent_token: "nowhere000" },
  ];
  await call(`/public/v1/apps/${DEMO.appToken}/trackers/bulk`, { token: DEMO.apiToken, json: { links } });
  const { keys } = await env.LINKS.list({ prefix: "link:" });
  expect(keys).toHaveLength(2);
});

it("lets KV cache a missing link for at most one minute", async () => {
  const { LINKS, reads } = watchedKv();
  const unknown = await call("/n0suchl1nk", { env: { LINKS } });
  expect(unknown.status).toBe(404);
  await click("cached-cost-id-01", { env: { LINKS } });
  expect(reads.map(({ key }) => key)).toContain("link:n0suchl1nk");
  for (const { options } of reads) {
    expect((options as { cacheTtl?: number } | undefined)?.cacheTtl ?? 60).toBeLessThanOrEqual(60);
  }
});

it("keeps the destination of an app in KV for an hour, and the app of a link, which never changes, without an end", async () => {
  const { LINKS, writes } = watchedKv();
  const app = [`app:${DEMO.appToken}`, { expirationTtl: 3600 }];
  await click("cached-cost-id-02", { env: { LINKS } });
  expect(writes.splice(0).toSorted()).toEqual([app, [`link:${DEMO.linkToken}`, {}]]);
  const path = `/operator/v1/apps/${DEMO.appToken}`;
  await call(path, { method: "PATCH", json: { name: "b" }, token: DEMO.operatorToken, env: { LINKS } });
  expect(writes).toEqual([app]);
});

it("reads the app of a link from KV once, and the destination of the app once in five seconds", async () => {
  const link = await createLink();
  const { LINKS, reads } = watchedKv();
  for (const passed of [0, 1, 4_999, 5_000, 5_001])
    await call(`/${link}`, { env: { LINKS }, now: NOW + passed });
  const app = `app:${DEMO.appToken}`;
  expect(reads.map(({ key }) => key)).toEqual([`link:${link}`, app, app]);
});

describe("a changed destination", () => {
  const targetOf = async (more: Call = {}) =>
    (await call(`/${DEMO.linkToken}`, more)).headers.get("location");
  const change = (url: string, more: Call = {}) =>
    call(`/operator/v1/apps/${DEMO.appToken}`, {
      method: "PATCH",
      token: DEMO.operatorToken,
      json: { default_url: url },
      ...more,
    });
  const NEW = "https://demo.example/new";

  it("is used by the next click in the same isolate, also while KV has the old one", async () => {
    const old = await targetOf();
    const LINKS = withMethods(env.LINKS, { put: () => new Promise(() => undefined) });
    const never = { waitUntil: () => undefined };
    expect((await change(NEW, { env: { LINKS }, execution: never })).status).toBe(200);
    expect(old).not.toBe(NEW);
    expect(await env.LINKS.get(`app:${DEMO.appToken}`)).toContain(String(old));
    expect(await targetOf()).toBe(NEW);
  });

  it("is used in another isolate five seconds after KV shows it", async () => {
    await targetOf();
    const key = `app:${DEMO.appToken}`;
    const stored = await env.LINKS.get<object>(key, "json");
    await env.LINKS.put(key, JSON.stringify({ ...stored, defaultUrl: NEW }));
    expect(await targetOf({ now: NOW + 4_999 })).not.toBe(NEW);
    expect(await targetOf({ now: NOW + 5_000 })).toBe(NEW);
  });

  it.each(["KV", "D1"])(
    "is not replaced by the old one from a read of %s that was under way",
    async (from) => {
      if (from === "KV") await targetOf();
      destinations.clear();
      const begun = meeting(1);
      const changed = Promise.withResolvers<void>();
      const held = <T extends object, K extends keyof T>(binding: T, method: K) =>
        withMethods(binding, {
          [method]: async (...values: unknown[]) => {
            const found = await (binding[method] as (...all: unknown[]) => Promise<unknown>).apply(
              binding,
              values,
            );
            void begun();
            await changed.promise;
            return found;
          },
        });
      const slow: Partial<Env> =
        from === "KV" ? { LINKS: held(env.LINKS, "get") } : { DB: held(env.DB, "batch") };
      const early = targetOf({ env: slow });
      await begun();
      await change(NEW);
      changed.resolve();
      expect(await early).not.toBe(NEW);
      expect(await targetOf()).toBe(NEW);
      expect(await env.LINKS.get(`app:${DEMO.appToken}`)).toContain(NEW);
    },
  );
});

it("an isolate remembers at most 1,000 destinations", () => {
  const destination = {
    defaultUrl: "",
    iosUrl: null,
    androidUrl: null,
    redirectHosts: [],
    redirectSchemes: [],
  };
  for (let app = 0; app < 1_001; app++) destinations.set(String(app), destination, NOW);
  expect(["0", "999", "1000"].map((app) => destinations.has(app, NOW))).toEqual([false, false, true]);
});
