import { beforeAll, describe, expect, it } from "vitest";
import { DEMO, freshDemo, NOW, ORIGIN } from "../harness.ts";
import { asUser, type Envelope, errorsOf, LINKS, LINKS_V2, type Link, type PagingV2 } from "./support.ts";

const FIELDS = [
  "name",
  "token",
  "label",
  "level",
  "archived",
  "has_subtrackers",
  "partner_id",
  "cost_data_enabled",
  "url",
  "click_url",
  "impression_url",
];

beforeAll(freshDemo);

describe("list links", () => {
  it("returns the links of level 1 in creation order in the version 1 envelope", async () => {
    const { status, body, headers } = await asUser(LINKS);
    expect(status).toBe(200);
    expect(body.data.items.map((link) => link.label)).toEqual([
      "Acme",
      "Beacon",
      "Corsair",
      "Newsletter",
      "Delta",
      "Echo",
    ]);
    expect(body.data.items.map((link) => link.level)).toEqual(Array(6).fill(1));
    expect({ ...body.data, items: [] }).toEqual({
      api_version: "1",
      request_id: headers.get("x-request-id"),
      timestamp: new Date(NOW).toISOString(),
      paging: {
        page_size: "50",
        collection_size: "6",
        total: "6",
        next: null,
        previous: null,
        cursors: { after: null, before: null },
      },
      items: [],
    });
    expect(Object.keys(body)).toEqual(["data"]);
  });

  it("returns the version 2 envelope with only paging and items", async () => {
    const { status, body } = await asUser<Envelope<Link, PagingV2>>(LINKS_V2);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["data"]);
    expect(Object.keys(body.data)).toEqual(["paging", "items"]);
    expect(body.data.paging).toEqual({ cursor: null, next: null });
    expect(body.data.items).toEqual((await asUser(LINKS)).body.data.items);
  });

  it("returns exactly the fields of a link", async () => {
    const { body } = await asUser(LINKS);
    expect(body.data.items.map((link) => Object.keys(link))).toEqual(Array(6).fill(FIELDS));
    expect(body.data.items[3]).toEqual({
      name: "Newsletter",
      token: "demo1nk008",
      label: "Newsletter",
      level: 1,
      archived: false,
      has_subtrackers: false,
      partner_id: null,
      cost_data_enabled: false,
      url: `${ORIGIN}/demo1nk008`,
      click_url: `${ORIGIN}/demo1nk008`,
      impression_url: `${ORIGIN}/impression/demo1nk008`,
    });
    expect(body.data.items[0]).toMatchObject({
      has_subtrackers: true,
      partner_id: 1,
      cost_data_enabled: true,
    });
  });

  it("returns an empty page for a link (this link only)", async () => {
    const app = `/public/v1/apps/${DEMO.otherAppToken}/trackers`;
    const { body } = await asUser(`${app}/demo1nk009/children`, { token: DEMO.operatorToken });
    expect(body.data.items).toEqual([]);
    expect(body.data.paging).toMatchObject({ collection_size: "0", total: "0", next: null, previous: null });
  });
});

describe("list links rejects", () => {
  const message = "app_token: must be exactly 12 letters and digits";
  it.each(["demoapp0001", "demoapp000011", "demo-app0001", "demoapp0000%C3%A9", "demoapp%2F0001"])(
    "the app token %s",
    async (appToken) => {
      expect(await errorsOf(`/public/v1/apps/${appToken}/trackers`)).toEqual([message]);
      expect(await errorsOf(`/public/v2/apps/${appToken}/trackers`)).toEqual([message]);
    },
  );

  it("every error in path and query in one response, including cursors", async () => {
    expect(await errorsOf("/public/v1/apps/short/trackers?limit=0&after=x&before=y&limit=2")).toEqual([
      "after: is not a cursor from this list",
      "before: is not a cursor from this list",
      message,
      "limit: is given twice with different values; send it once",
      "limit: must be a positive integer",
    ]);
  });

  it("a cursor of another app's list", async () => {
    const other = await asUser(`/public/v1/apps/${DEMO.appToken}/trackers?limit=1`);
    const cursor = other.body.data.paging.cursors.after;
    expect(cursor).not.toBeNull();
    expect(await errorsOf(`/public/v1/apps/${DEMO.otherAppToken}/trackers?cursor=${cursor}`)).toEqual([
      "cursor: is not a cursor from this list",
    ]);
  });
});
