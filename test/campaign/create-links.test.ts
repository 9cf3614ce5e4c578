/** POST …/trackers/bulk: up to 100 links in one request, with a result for each. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { misreportingDatabase } from "../faults/faulty.ts";
import {
  type Call,
  call,
  countingDatabase,
  DEMO,
  freshDemo,
  type ProblemBody,
  rejection,
  rows,
} from "../harness.ts";
import { asUser, type Envelope, errorsOf, LINKS, type Link, rejected } from "./support.ts";

const BULK = `${LINKS}/bulk`;

type Result = { status: number; link?: Link } & Partial<Omit<ProblemBody, "status">>;

const createAll = (links: unknown[], options: Call = {}) =>
  asUser<Envelope<Result, undefined>>(BULK, { json: { links }, ...options });

const linkCount = async () =>
  (await rows<{ count: number }>("SELECT count(*) AS count FROM links"))[0]?.count;

beforeEach(freshDemo);
afterEach(() => vi.restoreAllMocks());

describe("create links", () => {
  it("returns a result for each link in order and creates the valid ones beside the invalid", async () => {
    const { status, body, headers } = await createAll([
      { name: " Summer " },
      { name: "Deep", parent_token: "demo1nk003" },
      { name: "Too deep", parent_token: "demo1nk004" },
      { name: "Orphan", parent_token: "nowhere" },
      { name: "a::b", color: "red" },
      { name: "Summer" },
    ]);
    expect(status).toBe(200);
    expect(body.data.request_id).toBe(headers.get("x-request-id"));
    expect(Object.keys(body.data)).toEqual(["api_version", "request_id", "timestamp", "items"]);
    const { items } = body.data;
    expect(items.map(({ status, code, link }) => [status, code ?? link?.name])).toEqual([
      [201, "Summer"],
      [201, "Acme::Spring::Runners::Deep"],
      [400, "level_limit"],
      [404, "not_found"],
      [400, "invalid_request"],
      [201, "Summer"],
    ]);
    expect(items[4]?.errors?.map(({ param }) => param)).toEqual(["name", "color"]);
    expect(items[3]?.errors).toEqual([{ param: "parent_token", message: "is not a link of this app" }]);
    expect(items[0]?.link?.token).not.toBe(items[5]?.link?.token);
  });

  it("returns each link as a read of it does, with what it inherits", async () => {
    const { body } = await createAll([{ name: "Deep", parent_token: "demo1nk003" }, { name: "Flat" }]);
    for (const { link } of body.data.items) {
      const own = { partner_id: null, cost_data_enabled: null, target: null };
      expect((await asUser(`${LINKS}/${link?.token}`)).body.data.items).toEqual([{ ...link, own }]);
    }
    expect(body.data.items[0]?.link).toMatchObject({ level: 4, partner_id: null, cost_data_enabled: true });
  });

  it("updates total and has_subtrackers", async () => {
    await createAll([{ name: "One" }, { name: "Two" }, { name: "Three", parent_token: "demo1nk008" }]);
    const { items, paging } = (await asUser(LINKS)).body.data;
    expect(paging.total).toBe("8");
    expect(items.map(({ label }) => label).slice(-2)).toEqual(["One", "Two"]);
    expect(items.find(({ label }) => label === "Newsletter")?.has_subtrackers).toBe(true);
  });

  it("creates 100 links in one database call with at most 25 rows read and 10 written for each", async () => {
    const { database, counts } = countingDatabase();
    const links = Array.from({ length: 100 }, (_, index) => ({
      name: `Link ${index}`,
      ...(index % 2 && { parent_token: "demo1nk003" }),
    }));
    const { body } = await createAll(links, { env: { DB: database } });
    expect(body.data.items.map(({ status }) => status)).toEqual(Array(100).fill(201));
    expect(counts.calls).toBe(1);
    expect(counts.read).toBeLessThanOrEqual(2_500);
    expect(counts.written).toBeLessThanOrEqual(50 * 9 + 50 * 10);
  });
});

describe("create links rejects", () => {
  it.each([
    ["no links", { links: [] }, "links: must contain at least one link"],
    ["101 links", { links: Array(101).fill({ name: "x" }) }, "links: must contain at most 100 links"],
    ["an object instead of a list", { links: {} }, "links: must be an array"],
    ["a body without links", {}, "links: is required"],
    ["a list without an object around it", [], "body: must be an object"],
    ["an unknown key", { links: [{ name: "x" }], link: 1 }, "link: is not a known parameter; remove it"],
  ])("%s", async (_name, json, error) => {
    const before = await linkCount();
    expect(await errorsOf(BULK, { json })).toEqual([error]);
    expect(await linkCount()).toBe(before);
  });

  it("each item that is not an object and names its position", async () => {
    const { status, body } = await createAll([null, "x", 7, []]);
    expect(status).toBe(200);
    expect(body.data.items.map(({ errors }) => errors?.[0]?.param)).toEqual([
      "links.0",
      "links.1",
      "links.2",
      "links.3",
    ]);
  });

  it("GET, PATCH and a body that is not JSON", async () => {
    expect(await rejected(BULK)).toMatchObject({ status: 405 });
    expect(await rejected(BULK, { method: "PATCH", json: {} })).toMatchObject({ status: 405 });
    expect(await rejected(BULK, { body: "links" })).toMatchObject({ status: 415 });
  });

  it("an app of another user and inserts nothing there", async () => {
    const before = await linkCount();
    const path = `/public/v1/apps/${DEMO.otherAppToken}/trackers/bulk`;
    const links = [{ name: "Mine" }, { name: "Below", parent_token: "demo1nk009" }];
    expect(await rejected(path, { json: { links } })).toMatchObject({ status: 404 });
    expect(await linkCount()).toBe(before);
  });

  it("a parent of another app like one that does not exist", async () => {
    const { body } = await createAll([{ name: "Below", parent_token: "demo1nk009" }]);
    expect(body.data.items[0]).toMatchObject({ status: 404, code: "not_found" });
  });

  it("an unknown token and inserts nothing", async () => {
    const before = await linkCount();
    for (const token of [createToken("api"), DEMO.costToken, "noise"]) {
      const { status } = await call(BULK, { token, json: { links: [{ name: "x" }] } });
      expect(status).toBe(401);
    }
    expect(await linkCount()).toBe(before);
  });
});

describe.each([
  ["without an Idempotency-Key", {}],
  ["with an Idempotency-Key", { "idempotency-key": "disagree-key-1" }],
])("if the database and the rules disagree on the created links, %s,", (_, headers) => {
  beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

  const FAILED = { status: 500, code: "internal_error", params: [] };
  const sendTo = (DB: D1Database, json: object, path = BULK) =>
    rejection(path, { token: DEMO.apiToken, headers, json, env: { DB } });

  /** A database that reports altered tokens for the links that it inserts. */
  const reportingTokens = (alter: (tokens: unknown[]) => unknown[]) =>
    misreportingDatabase((batch) =>
      batch.map((result) => {
        const isInsertion =
          result.length > 0 && result.every((row) => Object.keys(row).join() === "token,ids");
        return isInsertion
          ? alter(result.map(({ token }) => token)).map((token) => ({ token, ids: "1" }))
          : result;
      }),
    );
  /** A database that reports level 3 for every parent, so that the rules allow a link below it. */
  const reportingLevelThree = () =>
    misreportingDatabase((batch) =>
      batch.map((result) =>
        result.map((row) => ("newToken" in row && row.level ? { ...row, level: 3 } : row)),
      ),
    );

  it("confirms every link if only the order of the tokens differs", async () => {
    const DB = reportingTokens((tokens) => tokens.reverse());
    const links = Array.from({ length: 5 }, (_, index) => ({ name: `Link ${index}` }));
    const { status, body } = await createAll(links, { headers, env: { DB } });
    expect([status, body.data.items.map((item) => item.status)]).toEqual([200, [201, 201, 201, 201, 201]]);
    expect(await linkCount()).toBe(22);
  });

  it.each<[string, (tokens: unknown[]) => unknown[]]>([
    ["no token", () => []],
    ["another token", (tokens) => tokens.map(() => "0000000000")],
    ["one more token", (tokens) => [...tokens, "0000000000"]],
  ])("returns 500 for one link if the database reports %s", async (_, alter) => {
    expect(await sendTo(reportingTokens(alter), { name: "One" }, LINKS)).toEqual(FAILED);
  });

  it("returns one 500 for two links if the token of one is missing", async () => {
    const links = [{ name: "One" }, { name: "Two", parent_token: "demo1nk003" }];
    const DB = reportingTokens((tokens) => tokens.slice(1));
    expect(await sendTo(DB, { links })).toEqual(FAILED);
  });

  it("returns 500 for a link that only the rules accept, and does not create it, also beside a valid link", async () => {
    const tooDeep = { name: "Too deep", parent_token: "demo1nk004" };
    expect(await sendTo(reportingLevelThree(), tooDeep, LINKS)).toEqual(FAILED);
    expect(await linkCount()).toBe(17);
    expect(await sendTo(reportingLevelThree(), { links: [tooDeep, { name: "One" }] })).toEqual(FAILED);
    expect(await rows("SELECT label FROM links WHERE id > 17")).toEqual([{ label: "One" }]);
  });

  it("returns 400 for a retry of such a link, with and without a key", async () => {
    const tooDeep = { name: "Too deep", parent_token: "demo1nk004" };
    expect(await sendTo(reportingLevelThree(), tooDeep, LINKS)).toEqual(FAILED);
    const again = await asUser(LINKS, { headers, json: tooDeep });
    expect([again.status, await linkCount()]).toEqual([400, 17]);
  });
});
