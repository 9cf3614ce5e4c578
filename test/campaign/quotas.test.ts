/** How many links and stored responses an app can have. */
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_STORED_LENGTH } from "../../src/usecases/idempotency.ts";
import { ask, DEMO, freshDemo, rejection, rows } from "../harness.ts";
import { LINKS } from "./support.ts";

const token = DEMO.apiToken;
const operator = DEMO.operatorToken;
const APP = `/operator/v1/apps/${DEMO.appToken}`;
const FULL = { status: 403, code: "app_full", params: [] };

interface App {
  link_count: number;
  created_link_count: number;
  max_links: number;
}
const readApp = async () =>
  (await ask<{ data: { items: App[] } }>(APP, { token: operator })).body.data.items[0] as App;
const setRoom = async (room: number) => {
  const { created_link_count } = await readApp();
  const json = { max_links: created_link_count + room };
  expect((await ask(APP, { token: operator, method: "PATCH", json })).status).toBe(200);
};

beforeEach(freshDemo);

describe("the links of an app", () => {
  it("are at most 100,000 unless an operator changes it", async () => {
    const { max_links, created_link_count } = await readApp();
    expect(max_links).toBe(100_000);
    const [counted] = await rows<{ n: number }>(
      "SELECT count(*) AS n FROM links WHERE app_token = ? AND from_engagement = 0",
      DEMO.appToken,
    );
    expect(created_link_count).toBe(counted?.n);
    for (const wrong of [0, -1, 1.5, 10_000_001, "5"]) {
      const sent = { token: operator, method: "PATCH", json: { max_links: wrong } };
      expect(await rejection(APP, sent)).toMatchObject({ status: 400, params: ["max_links"] });
    }
  });

  it.each([
    ["at level 1", {}],
    ["below another link", { parent_token: "demo1nk003" }],
  ])("%s: the last one is created, one more is rejected, and an operator can allow more", async (_, more) => {
    await setRoom(1);
    const create = { token, json: { name: "a", ...more } };
    expect((await ask(LINKS, create)).status).toBe(201);
    expect(await rejection(LINKS, create)).toEqual(FULL);
    const keyed = { ...create, headers: { "idempotency-key": "quota-key" } };
    expect(await rejection(LINKS, keyed)).toEqual(FULL);
    await setRoom(1);
    expect((await ask(LINKS, keyed)).status).toBe(201);
    expect((await ask(LINKS, keyed)).status).toBe(201);
    expect(await rejection(LINKS, create)).toEqual(FULL);
  });

  it.each([{}, { "idempotency-key": "quota-bulk" }])(
    "of a bulk request are created up to the limit: %j",
    async (headers) => {
      await setRoom(2);
      const before = (await rows("SELECT id FROM links")).length;
      const links = [{ name: "a" }, { name: "" }, { name: "b", parent_token: "demo1nk001" }, { name: "c" }];
      const { body } = await ask<{ data: { items: { status: number; code?: string }[] } }>(`${LINKS}/bulk`, {
        token,
        json: { links },
        headers: headers as Record<string, string>,
      });
      expect(body.data.items.map(({ status, code }) => code ?? status)).toEqual([
        201,
        "invalid_request",
        201,
        "app_full",
      ]);
      expect(await rows("SELECT id FROM links")).toHaveLength(before + 2);
    },
  );

  it("that engagements create do not count", async () => {
    await setRoom(0);
    const { created_link_count } = await readApp();
    const fromEngagements = () => rows("SELECT id FROM links WHERE from_engagement");
    const before = (await fromEngagements()).length;
    const { status } = await ask(`/${DEMO.linkToken}?s2s=1&campaign=New+campaign`);
    expect(status).toBe(200);
    expect(await fromEngagements()).toHaveLength(before + 1);
    expect((await readApp()).created_link_count).toBe(created_link_count);
    expect(await rejection(LINKS, { token, json: { name: "a" } })).toEqual(FULL);
  });

  it("of one app do not count for another", async () => {
    await setRoom(0);
    const json = { name: "a" };
    const path = `/public/v1/apps/${DEMO.otherAppToken}/trackers`;
    expect((await ask(path, { token: operator, json })).status).toBe(201);
  });
});

describe("the stored responses of an app", () => {
  const lengths = async () => {
    const [row] = await rows<{ kept: number; real: number }>(
      `SELECT stored_length AS kept, (SELECT coalesce(sum(length(answer)), 0) FROM idempotency_keys) AS real
       FROM apps WHERE token = ?`,
      DEMO.appToken,
    );
    return row;
  };

  it("are counted by their length, and no longer when they are deleted", async () => {
    for (const key of ["one", "two"]) {
      await ask(LINKS, { token, json: { name: key }, headers: { "idempotency-key": key } });
    }
    expect(await rows("SELECT key FROM idempotency_keys ORDER BY key")).toEqual([
      { key: "one" },
      { key: "two" },
    ]);
    const stored = await lengths();
    expect(stored?.kept).toBe(stored?.real);
    await rows("DELETE FROM idempotency_keys");
    expect(await lengths()).toEqual({ kept: 0, real: 0 });
  });

  it("above 256 MiB get 429, without a new link; a request without a key and an earlier response still work", async () => {
    const keyed = (key: string) => ({ token, json: { name: "a" }, headers: { "idempotency-key": key } });
    expect((await ask(LINKS, keyed("first"))).status).toBe(201);
    await rows("UPDATE apps SET stored_length = ?", MAX_STORED_LENGTH + 1);
    const before = (await rows("SELECT id FROM links")).length;
    expect(await rejection(LINKS, keyed("second"))).toEqual({
      status: 429,
      code: "rate_limited",
      params: [],
    });
    expect(await rows("SELECT id FROM links")).toHaveLength(before);
    expect((await ask(LINKS, keyed("first"))).status).toBe(201);
    expect((await ask(LINKS, { token, json: { name: "a" } })).status).toBe(201);
  });
});
