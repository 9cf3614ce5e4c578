/** Idempotency-Key on POST of links: the same key and body get the first response again for 24 hours. */
import { beforeEach, describe, expect, it } from "vitest";
import { purge } from "../../src/purge.ts";
import {
  type Call,
  call,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshDemo,
  ledgerOn,
  NOW,
  rejection,
  rows,
  withMethods,
} from "../harness.ts";
import { LINKS, patchLink } from "./support.ts";

const KEY = "order-4711";

/** The visible parts of a response, byte for byte, with the request ID replaced. Checks that the body has the ID of the header. */
async function post(json: unknown, options: Call & { key?: string; path?: string } = {}) {
  const { key = KEY, path = LINKS, ...rest } = options;
  const headers = { "idempotency-key": key };
  const response = await call(path, { token: DEMO.apiToken, json, headers, ...rest });
  const id = response.headers.get("x-request-id") ?? "";
  const body = await response.text();
  expect(body).toContain(`"request_id":"${id}"`);
  return {
    status: response.status,
    location: response.headers.get("location"),
    type: response.headers.get("content-type"),
    body: body.replaceAll(id, "<request>"),
  };
}

const codeOf = ({ body }: { body: string }) => JSON.parse(body).code;
const labels = async () =>
  (await rows<{ label: string }>("SELECT label FROM links WHERE id > 17 ORDER BY id")).map(
    ({ label }) => label,
  );

beforeEach(freshDemo);

describe.each([
  ["one link", LINKS, { name: "Once" }, 201],
  ["many links", `${LINKS}/bulk`, { links: [{ name: "Once" }, { name: "" }, 7] }, 200],
])("a key on %s", (_name, path, json, status) => {
  it("returns the status, Location and body of the first response again and creates nothing more", async () => {
    const first = await post(json, { path });
    expect(first.status).toBe(status);
    await patchLink("demo1nk001", { name: "Changed since" });
    expect(await post(json, { path, now: NOW + DAY - 1 })).toEqual(first);
    expect(await labels()).toEqual(["Once"]);
  });

  it("can be used again after 24 hours, before and after the purge", async () => {
    const first = await post(json, { path });
    const second = await post(json, { path, now: NOW + DAY });
    expect(second.body).not.toBe(first.body);
    await purge(ledgerOn(), NOW + DAY);
    expect(await post(json, { path, now: NOW + DAY + 1 })).toEqual(second);
    await purge(ledgerOn(), NOW + 2 * DAY);
    expect(await rows("SELECT * FROM idempotency_keys")).toEqual([]);
    expect((await post(json, { path, now: NOW + 2 * DAY })).body).not.toBe(second.body);
    expect(await labels()).toEqual(["Once", "Once", "Once"]);
  });

  it("with another body is rejected with 422 and creates nothing", async () => {
    await post(json, { path });
    const other = path === LINKS ? { name: "Twice" } : { links: [{ name: "Twice" }] };
    const second = await post(other, { path });
    expect([second.status, codeOf(second)]).toEqual([422, "idempotency_key_reused"]);
    expect(await labels()).toEqual(["Once"]);
  });

  it("of a request that is still running is rejected with 409 and then returns the first response", async () => {
    let second: Awaited<ReturnType<typeof post>> | undefined;
    const overtaken = beforeSecondBatch(async () => {
      second = await post(json, { path });
    });
    const first = await post(json, { path, env: { DB: overtaken } });
    expect(second?.status).toBe(status);
    expect([first.status, codeOf(first)]).toEqual([409, "idempotency_key_in_use"]);
    expect(await post(json, { path })).toEqual(second);
    expect(await labels()).toEqual(["Once"]);
  });

  it("leaves no partial work when the write fails, so that the same request then succeeds", async () => {
    const failing = beforeSecondBatch(async () => {
      throw new Error("D1_ERROR: injected");
    });
    expect((await post(json, { path, env: { DB: failing } })).status).toBe(500);
    expect([await labels(), await rows("SELECT * FROM idempotency_keys")]).toEqual([[], []]);
    expect((await post(json, { path })).status).toBe(status);
    expect(await labels()).toEqual(["Once"]);
  });

  it("does nothing for a caller who loses the app during the request", async () => {
    const late = beforeSecondBatch(async () => {
      await rows("DELETE FROM memberships WHERE user_id = 1");
    });
    expect((await post(json, { path, env: { DB: late } })).status).toBe(404);
    expect([await labels(), await rows("SELECT * FROM idempotency_keys")]).toEqual([[], []]);
  });
});

describe("a key", () => {
  it("is rejected if the response is too long to store, and nothing is created", async () => {
    await rows(
      "UPDATE partners SET click_parameters = ?, cost_parameters = ? WHERE id = 1",
      ...[1, 2].map(() => '"'.repeat(4096)),
    );
    const child = { name: "Long", parent_token: "demo1nk001" };
    const bulk = { links: Array.from({ length: 100 }, () => child) };
    const long = await post(bulk, { path: `${LINKS}/bulk` });
    expect([long.status, codeOf(long), await labels()]).toEqual([413, "payload_too_large", []]);
    expect((await post({ links: [child] }, { path: `${LINKS}/bulk` })).status).toBe(200);
  });

  it("is rejected if the response is too long in bytes, but not in characters", async () => {
    await rows(
      "UPDATE partners SET click_parameters = ?, cost_parameters = ? WHERE id = 1",
      ...[1, 2].map(() => "é".repeat(4096)),
    );
    const child = { name: "Long", parent_token: "demo1nk001" };
    const bulk = (count: number) => post({ links: Array(count).fill(child) }, { path: `${LINKS}/bulk` });
    const long = await bulk(100);
    expect([long.status, codeOf(long), await labels()]).toEqual([413, "payload_too_large", []]);
    const half = await bulk(50);
    expect([half.status, await labels()]).toEqual([200, Array(50).fill("Long")]);
  });

  it("belongs to one user, one app and one path", async () => {
    const json = { name: "Once" };
    const mine = await post(json);
    const operators = await post(json, { token: DEMO.operatorToken });
    expect(operators.status).toBe(201);
    expect(operators.location).not.toBe(mine.location);
    const path = `/public/v1/apps/${DEMO.otherAppToken}/trackers`;
    expect((await post(json, { path, token: DEMO.operatorToken })).status).toBe(201);
    expect((await post({ links: [json] }, { path: `${LINKS}/bulk` })).status).toBe(200);
    expect(await labels()).toHaveLength(4);
  });

  it("returns nothing to a caller who lost the app or whose token was reset", async () => {
    await post({ name: "Once" });
    await rows("DELETE FROM memberships WHERE user_id = 1");
    expect((await post({ name: "Once" })).status).toBe(404);
    await rows("DELETE FROM api_tokens WHERE user_id = 1");
    expect((await post({ name: "Once" })).status).toBe(401);
  });

  it("recognizes the same body in another JSON notation", async () => {
    const first = await post({ name: "Once", parent_token: DEMO.linkToken });
    expect(await post({ parent_token: DEMO.linkToken, name: " Once " })).toEqual(first);
  });

  it("stays unused after a rejected request, so that the caller can fix the request", async () => {
    expect((await post({ name: "Once", parent_token: "nowhere" })).status).toBe(404);
    expect((await post({ name: "" })).status).toBe(400);
    expect((await post({ name: "Once" })).status).toBe(201);
  });

  it.each([
    ["of 255 characters is accepted", "k".repeat(255), 201],
    ["of 256 characters is rejected", "k".repeat(256), 400],
    ["of 300 characters is rejected", "k".repeat(300), 400],
    ["that is empty is rejected", "", 400],
    ["with a space is rejected", "a b", 400],
    ["that is not ASCII is rejected", "schl\u00fcssel", 400],
  ])("%s", async (_name, key, status) => {
    expect((await post({ name: "Once" }, { key })).status).toBe(status);
  });

  it("that is malformed is reported with every other error", async () => {
    const headers = { "idempotency-key": "k".repeat(300) };
    expect(await rejection(LINKS, { token: DEMO.apiToken, json: { name: "" }, headers })).toEqual({
      status: 400,
      code: "invalid_request",
      params: ["Idempotency-Key", "name"],
    });
  });

  it("costs one call and two rows more than a request without a key", async () => {
    const { database, counts } = countingDatabase();
    const json = { name: "Deep", parent_token: "demo1nk003" };
    await call(LINKS, { token: DEMO.apiToken });
    await call(LINKS, { token: DEMO.apiToken, json, env: { DB: database } });
    const bare = { ...counts };
    expect(bare.calls).toBe(1);
    expect(bare.read).toBeLessThanOrEqual(30);
    // The link, its five indexes, the number of sub-links above it, the number of links of the app, and the entry of the audit
    // log with its index.
    expect(bare.written).toBeLessThanOrEqual(10);
    await post(json, { env: { DB: database } });
    expect(counts.calls - bare.calls).toBe(2);
    // The response, and the length of all responses of the app.
    expect(counts.written - bare.written).toBe(bare.written + 2);
    const keyed = { ...counts };
    await post(json, { env: { DB: database } });
    expect([counts.calls - keyed.calls, counts.written - keyed.written]).toEqual([1, 0]);
  });

  it("is optional: the same request twice without a key creates two links", async () => {
    for (const _ of [1, 2]) await call(LINKS, { token: DEMO.apiToken, json: { name: "Once" } });
    expect(await labels()).toEqual(["Once", "Once"]);
    expect(await rows("SELECT * FROM idempotency_keys")).toEqual([]);
  });

  it("in twenty concurrent requests creates one link, and each response is that link or 409", async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => post({ name: "Once" })));
    expect(await labels()).toEqual(["Once"]);
    const created = responses.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ body }) => body)).size).toBe(1);
    expect(responses.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  });
});

/** Real D1 that does something before its second batch. */
function beforeSecondBatch(first: () => Promise<void>): D1Database {
  let calls = 0;
  return withMethods(env.DB, {
    batch: async (statements: D1PreparedStatement[]) => {
      if (++calls === 2) await first();
      return env.DB.batch(statements);
    },
  });
}
