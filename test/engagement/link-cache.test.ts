import { beforeEach, expect, it } from "vitest";
import { ask, call, click, DEMO, env, freshDemo, IPHONE } from "../harness.ts";
import { failingDatabase } from "../support.ts";

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

it("reads the app of a link from KV once, and the destination of the app every time", async () => {
  const link = await createLink();
  const { LINKS, reads } = watchedKv();
  for (let opened = 0; opened < 3; opened++) await call(`/${link}`, { env: { LINKS } });
  const app = `app:${DEMO.appToken}`;
  expect(reads.map(({ key }) => key)).toEqual([`link:${link}`, app, app, app]);
});
