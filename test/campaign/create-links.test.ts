/** POST …/trackers/bulk: up to 100 links in one request, with a result for each. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { type Call, call, countingDatabase, DEMO, freshDemo, type ProblemBody, rows } from "../harness.ts";
import { asUser, type Envelope, errorsOf, LINKS, type Link, rejected } from "./support.ts";

const BULK = `${LINKS}/bulk`;

type Result = { status: number; link?: Link } & Partial<Omit<ProblemBody, "status">>;

const createAll = (links: unknown[], options: Call = {}) =>
  asUser<Envelope<Result, undefined>>(BULK, { json: { links }, ...options });

const linkCount = async () =>
  (await rows<{ count: number }>("SELECT count(*) AS count FROM links"))[0]?.count;

beforeEach(freshDemo);

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
      expect((await asUser(`${LINKS}/${link?.token}`)).body.data.items).toEqual([link]);
    }
    expect(body.data.items[0]?.link).toMatchObject({ level: 4, partner_id: null, cost_data_enabled: true });
  });

  it("updates total and has_subtrackers", async () => {
    await createAll([{ name: "One" }, { name: "Two" }, { name: "Three", parent_token: "demo1nk008" }]);
    const { items, paging } = (await asUser(LINKS)).body.data;
    expect(paging.total).toBe("6");
    expect(items.map(({ label }) => label).slice(-2)).toEqual(["One", "Two"]);
    expect(items.find(({ label }) => label === "Newsletter")?.has_subtrackers).toBe(true);
  });

  it("creates 100 links in one database call with at most 15 rows read and 6 written for each", async () => {
    const { database, counts } = countingDatabase();
    const links = Array.from({ length: 100 }, (_, index) => ({
      name: `Link ${index}`,
      ...(index % 2 && { parent_token: "demo1nk003" }),
    }));
    const { body } = await createAll(links, { env: { DB: database } });
    expect(body.data.items.every(({ status }) => status === 201)).toBe(true);
    expect(counts.calls).toBe(1);
    expect(counts.read).toBeLessThanOrEqual(1_500);
    expect(counts.written).toBeLessThanOrEqual(600);
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
