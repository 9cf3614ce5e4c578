/** Limits the D1 calls and rows of the campaign API's requests, which are the same with 1,000 and with 100,000 links. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { asUser, LINKS, LINKS_V2, PARTNERS } from "../campaign/support.ts";
import { type Call, call, countingDatabase, DEMO, env, freshDemo, rows } from "../harness.ts";
import { isLong } from "../part.ts";

const CHILDREN = `${LINKS}/demo1nk008/children`;
const LISTS = [
  { list: "links", path: LINKS },
  { list: "links in version 2", path: LINKS_V2 },
  { list: "sub-links", path: CHILDREN },
  { list: "sub-links in version 2", path: `${LINKS_V2}/demo1nk008/children` },
];
const WRITES: { operation: string; path: string; options: Call; calls: number; written: number }[] = [
  { operation: "create a link", path: LINKS, options: { json: { name: "a" } }, calls: 1, written: 8 },
  {
    operation: "create a sub-link",
    path: LINKS,
    options: { json: { name: "a", parent_token: "demo1nk003" } },
    calls: 1,
    // One more than at level 1 for the index of the search, and one for the count of the parent.
    written: 10,
  },
  {
    operation: "update a creative",
    path: `${LINKS}/demo1nk004`,
    options: { method: "PATCH", json: { name: "b", archived: true, partner_id: 1, cost_data_enabled: true } },
    calls: 2,
    // Everything that an update can change, each with its index, the entry of the audit log, and what Undo needs.
    written: 10,
  },
  {
    operation: "switch cost data on for a creative that inherits a partner",
    path: `${LINKS}/demo1nk004`,
    options: { method: "PATCH", json: { name: "c", partner_id: null, cost_data_enabled: true } },
    calls: 2,
    written: 8,
  },
];

/** The counts of the requests in one app, in order. Both apps get the same requests. */
let recorded: { request: string; calls: number; read: number; written: number }[] = [];

/** Calls as the demo user and returns the counts. KV is warm. */
async function measure(path: string, options: Call = {}) {
  const { database, counts } = countingDatabase();
  const response = await call(path, { token: DEMO.apiToken, env: { DB: database }, ...options });
  recorded.push({ request: expect.getState().currentTestName?.replace(/^.*? > /, "") ?? "", ...counts });
  return { status: response.status, ...counts };
}

/** Adds links to the app, at level 1 or below a link. */
async function addLinks(count: number, parentId: number | null, prefix: string): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO links (token, app_token, parent_id, level, label, created_at)
     SELECT ?3 || i, '${DEMO.appToken}', ?2, iif(?2 IS NULL, 1, 2), 'Link ' || i, 0 FROM n`,
  )
    .bind(count, parentId, prefix)
    .run();
}

/** Returns the cursor of a list after this many items. */
async function cursorAfter(path: string, items: number): Promise<string> {
  let after = "";
  for (let left = items; left > 0; left -= 1_000) {
    const { body } = await asUser(`${path}?limit=${Math.min(left, 1_000)}${after && `&after=${after}`}`);
    after = body.data.paging.cursors.after ?? "";
  }
  return after;
}

const FEW = 200;
const MANY = isLong ? 100_000 : 4_000;
const recordings: (typeof recorded)[] = [];

describe.each([FEW, MANY])("in an app of %i links", (links) => {
  beforeAll(async () => {
    await freshDemo();
    await rows("UPDATE apps SET max_links = 1000000");
    await addLinks(links, null, "t");
    await addLinks(links, 8, "c");
    // Warms the caches of the isolate and KV.
    await asUser(LINKS);
    recorded = [];
  });
  afterAll(() => void recordings.push(recorded));

  it.each(LISTS)(
    "lists 50 $list with one call, at most 60 rows read and none written, on the first and a late page",
    async ({ path }) => {
      const after = await cursorAfter(path.replace("v2", "v1"), links - 100);
      for (const query of ["", `?after=${after}`, `?before=${after}`]) {
        const { status, calls, read, written } = await measure(`${path}${query}`);
        expect(status).toBe(200);
        expect(calls).toBe(1);
        expect(read).toBeGreaterThan(50);
        expect(read).toBeLessThanOrEqual(60);
        expect(written).toBe(0);
      }
    },
  );

  it("returns the total number of links from a stored counter", async () => {
    expect((await asUser(LINKS)).body.data.paging.total).toBe(String(links + 6));
    expect((await asUser(CHILDREN)).body.data.paging.total).toBe(String(links));
  });

  it("reads one link with one call and at most 15 rows", async () => {
    const { status, calls, read, written } = await measure(`${LINKS}/demo1nk004`);
    expect([status, calls, written]).toEqual([200, 1, 0]);
    expect(read).toBeLessThanOrEqual(15);
  });

  it("lists partners with one call and at most 60 rows", async () => {
    const { status, calls, read, written } = await measure(PARTNERS);
    expect([status, calls, written]).toEqual([200, 1, 0]);
    expect(read).toBeLessThanOrEqual(60);
  });

  it.each(WRITES)(
    "can $operation with $calls call(s), at most 30 rows read and $written written",
    async ({ path, options, calls, written }) => {
      const cost = await measure(path, options);
      expect(cost.status).toBe(path === LINKS && options.method !== "PATCH" ? 201 : 200);
      expect(cost.calls).toBe(calls);
      expect(cost.read).toBeLessThanOrEqual(30);
      expect(cost.written).toBe(written);
    },
  );

  it.each([...LISTS.map(({ list, path }) => ({ operation: `list ${list}`, path, options: {} })), ...WRITES])(
    "rejects an unknown token with one call and at most 3 rows read: $operation",
    async ({ path, options }) => {
      const { status, calls, read, written } = await measure(path, {
        ...options,
        token: createToken("api"),
      });
      expect([status, calls, written]).toEqual([401, 1, 0]);
      expect(read).toBeLessThanOrEqual(3);
    },
  );

  it.each([...LISTS, ...WRITES])(
    "rejects a malformed token without a call to D1: $path",
    async ({ path, ...more }) => {
      const options = "options" in more ? more.options : {};
      const { status, calls } = await measure(path, { ...options, token: "noise" });
      expect([status, calls]).toEqual([401, 0]);
    },
  );

  it("rejects another user's app and an invalid parameter with one call and at most 15 rows read", async () => {
    for (const [path, expected] of [
      [LINKS.replace(DEMO.appToken, DEMO.otherAppToken), 404],
      [`${LINKS}?limit=0`, 400],
    ] as const) {
      const { status, calls, read, written } = await measure(path);
      expect([status, calls, written]).toEqual([expected, 1, 0]);
      expect(read).toBeLessThanOrEqual(15);
    }
  });
});

it(`reads and writes the same number of rows with ${MANY} links as with ${FEW}`, () => {
  const [few = [], many] = recordings;
  // Three pages of each list, each write, both with an unknown and with a malformed token, and four others.
  expect(few).toHaveLength(5 * LISTS.length + 3 * WRITES.length + 4);
  // An update reads one more row if the next subject in the audit log was changed later. That depends on random tokens.
  const rounded = (request: (typeof few)[number]) => ({
    ...request,
    read: expect.closeTo(request.read, -0.5),
  });
  expect(many).toEqual(few.map(rounded));
});
