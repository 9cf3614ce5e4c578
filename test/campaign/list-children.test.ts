import { beforeAll, describe, expect, it } from "vitest";
import { DEMO, freshDemo } from "../harness.ts";
import {
  asUser,
  type Envelope,
  errorsOf,
  LINKS,
  LINKS_V2,
  type Link,
  type PagingV2,
  rejected,
} from "./support.ts";

beforeAll(freshDemo);

describe("list sub-links", () => {
  it.each([
    ["demo1nk002", 3, ["Acme::Spring::Runners"], true],
    ["demo1nk003", 4, ["Acme::Spring::Runners::Video 15s", "Acme::Spring::Runners::Video 30s"], false],
  ])(
    "returns the direct sub-links of %s at level %i, without a partner of their own",
    async (token, level, names, has_subtrackers) => {
      const { status, body } = await asUser(`${LINKS}/${token}/children`);
      expect(status).toBe(200);
      expect(body.data.items.map((link) => link.name)).toEqual(names);
      for (const link of body.data.items) {
        expect(link).toMatchObject({ level, has_subtrackers, partner_id: null, cost_data_enabled: true });
      }
      expect(Object.keys(body.data)).toEqual(["api_version", "request_id", "timestamp", "paging", "items"]);
      expect(body.data.paging).toMatchObject({ total: String(names.length), next: null, previous: null });
    },
  );

  it("returns sub-links that a user created and those that clicks created alike", async () => {
    const { body } = await asUser(`${LINKS}/${DEMO.linkToken}/children`);
    expect(body.data.items.map(({ name, has_subtrackers }) => [name, has_subtrackers])).toEqual([
      ["Acme::Spring", true],
      ["Acme::Brand search", true],
      ["Acme::Retargeting", false],
      ["Acme::Launch week", true],
    ]);
  });

  it("returns the same links in version 2 with only paging and items", async () => {
    const { body } = await asUser<Envelope<Link, PagingV2>>(`${LINKS_V2}/demo1nk003/children`);
    expect(Object.keys(body.data)).toEqual(["paging", "items"]);
    expect(body.data.paging).toEqual({ cursor: null, next: null });
    expect(body.data.items).toEqual((await asUser(`${LINKS}/demo1nk003/children`)).body.data.items);
  });

  it("returns no links below a creative", async () => {
    const { body } = await asUser(`${LINKS}/demo1nk004/children`);
    expect(body.data.items).toEqual([]);
    expect(body.data.paging.total).toBe("0");
  });
});

describe("list sub-links rejects", () => {
  it.each([
    ["an unknown link", "nosuchlink"],
    ["a link of another app", "demo1nk009"],
    ["a link token that decodes to NUL", "%00"],
    ["a link token that does not decode", "%E0%A4%A"],
  ])("%s with 404", async (_, token) => {
    expect(await rejected(`${LINKS}/${token}/children`)).toMatchObject({ status: 404, code: "not_found" });
    expect(await rejected(`${LINKS_V2}/${token}/children`)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("the cursor of another link's list", async () => {
    const { body } = await asUser(`${LINKS}/demo1nk003/children?limit=1`);
    const cursor = body.data.paging.cursors.after;
    expect(cursor).not.toBeNull();
    expect(await errorsOf(`${LINKS}/demo1nk002/children?after=${cursor}`)).toEqual([
      "after: is not a cursor from this list",
    ]);
    expect(await errorsOf(`${LINKS}?after=${cursor}`)).toEqual(["after: is not a cursor from this list"]);
  });

  it("a malformed app token, limit and cursor in one response", async () => {
    expect(await errorsOf("/public/v2/apps/bad/trackers/demo1nk001/children?limit=abc&cursor=zzz")).toEqual([
      "cursor: is not a cursor from this list",
      "app_token: must be exactly 12 letters and digits",
      "limit: must be a positive integer",
    ]);
  });

  it("a link of another app for a user who is not a member, as if the app did not exist", async () => {
    const strange = await rejected(`/public/v1/apps/${DEMO.otherAppToken}/trackers/demo1nk009/children`);
    const unknown = await rejected("/public/v1/apps/nosuchapp001/trackers/demo1nk009/children");
    expect({ ...strange, request_id: "" }).toEqual({ ...unknown, request_id: "" });
    expect(strange.status).toBe(404);
  });
});
