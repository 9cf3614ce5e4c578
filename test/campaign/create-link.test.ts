import { beforeEach, describe, expect, it } from "vitest";
import { call, DEMO, env, freshDemo, NOW, ORIGIN, rows } from "../harness.ts";
import { asUser, createLink, errorsOf, LINKS, only, readLink, rejected } from "./support.ts";

beforeEach(freshDemo);

const countLinks = async () => (await rows<{ n: number }>("SELECT count(*) AS n FROM links"))[0]?.n;

describe("create link", () => {
  it("returns 201 with a link of level 1 in the version 1 envelope, without paging", async () => {
    const { status, body, headers } = await asUser(LINKS, { json: { name: "Summer" } });
    expect(status).toBe(201);
    const { token } = only({ body });
    expect(body).toEqual({
      data: {
        api_version: "1",
        request_id: headers.get("x-request-id"),
        timestamp: new Date(NOW).toISOString(),
        items: [
          {
            name: "Summer",
            token,
            label: "Summer",
            level: 1,
            archived: false,
            has_subtrackers: false,
            partner_id: null,
            cost_data_enabled: false,
            url: `${ORIGIN}/${token}`,
            click_url: `${ORIGIN}/${token}`,
            impression_url: `${ORIGIN}/impression/${token}`,
          },
        ],
      },
    });
  });

  it("returns the path of the new link in Location", async () => {
    for (const path of [LINKS, `${LINKS}/`]) {
      const { body, headers } = await asUser(path, { json: { name: "Summer" } });
      expect(headers.get("location")).toBe(`${LINKS}/${only({ body }).token}`);
      expect(only(await asUser(headers.get("location") ?? ""))).toMatchObject(only({ body }));
    }
  });

  it("joins the names of the parents and the sub-link with ::, down to level 4", async () => {
    const network = await createLink("Net");
    const campaign = await createLink("Cam", network.token);
    const group = await createLink("Gro", campaign.token);
    const creative = await createLink("Cre", group.token);
    expect(creative).toMatchObject({ name: "Net::Cam::Gro::Cre", label: "Cre", level: 4 });
    expect([campaign.level, group.level]).toEqual([2, 3]);
    expect(await readLink(network.token)).toMatchObject({ level: 1, has_subtrackers: true });
    expect(await readLink(creative.token)).toMatchObject({ has_subtrackers: false });
  });

  it("inherits the partner and the cost switch of the parent without a partner_id of its own", async () => {
    const link = await createLink("Autumn", DEMO.linkToken);
    expect(link).toMatchObject({ partner_id: null, cost_data_enabled: true });
    expect(link.click_url).toContain("campaign={campaign_name}");
    expect(link.click_url).toContain("cost_id={acme_cost_id}");
  });

  it("counts a new link in its own list, and a sub-link only in the list of its parent", async () => {
    await createLink("Summer");
    await createLink("Below", "demo1nk008");
    expect((await asUser(LINKS)).body.data.paging.total).toBe("7");
    expect((await asUser(`${LINKS}/demo1nk008/children`)).body.data.paging.total).toBe("1");
  });

  it("trims the name, counts it in characters, and allows duplicate names", async () => {
    expect(await createLink("  Summer \n")).toMatchObject({ name: "Summer", label: "Summer" });
    expect((await createLink("Summer")).name).toBe("Summer");
    const longest = "😀".repeat(255);
    expect((await createLink(longest)).name).toBe(longest);
    expect((await createLink("a:b: %%X%% <b>'\"\\")).name).toBe("a:b: %%X%% <b>'\"\\");
  });

  it("creates a new token each time that cannot be a word of a path", async () => {
    const tokens = new Set<string>();
    for (let count = 0; count < 20; count++) tokens.add((await createLink("Same")).token);
    expect(tokens.size).toBe(20);
    for (const token of tokens) expect(token).toMatch(/^[0-9b-df-hj-np-tv-z]{10}$/);
  });
});

it("creates a link of level 1 if the parent token is null", async () => {
  const one = await asUser(LINKS, { json: { name: "One", parent_token: null } });
  expect([one.status, one.body.data.items[0]]).toEqual([201, expect.objectContaining({ level: 1 })]);
  const links = [{ name: "Two", parent_token: null }];
  const many = await asUser<{ data: { items: object[] } }>(`${LINKS}/bulk`, { json: { links } });
  expect(many.body.data.items[0]).toMatchObject({ status: 201, link: { level: 1 } });
});

describe("create link rejects", () => {
  it.each<[string, unknown, string]>([
    ["a missing name", {}, "name: is required"],
    ["an empty name", { name: "" }, "name: must not be empty"],
    ["a blank name", { name: " \t " }, "name: must not be empty"],
    [
      "a name of 256 characters",
      { name: "x".repeat(256) },
      "name: has 256 characters; it can have at most 255",
    ],
    ["a name with ::", { name: "a::b" }, "name: must not contain ::, which joins the names of a path"],
    ["a name with NUL", { name: "a\0b" }, "name: must not contain control characters"],
    ["a name with a line break", { name: "a\nb" }, "name: must not contain control characters"],
    ["a name with a lone surrogate", { name: "a\ud800b" }, "name: must be well-formed Unicode"],
    ["a name that is a number", { name: 5 }, "name: must be a string"],
    ["a name that is null", { name: null }, "name: must be a string"],
    ["a parent token that is a number", { name: "a", parent_token: 1 }, "parent_token: must be a string"],
    ["an unknown key", { name: "a", level: 3 }, "level: is not a known parameter; remove it"],
    [
      "the key __proto__",
      JSON.parse('{"name":"a","__proto__":{}}'),
      "__proto__: is not a known parameter; remove it",
    ],
    [
      "the key constructor",
      { name: "a", constructor: 1 },
      "constructor: is not a known parameter; remove it",
    ],
    ["a JSON array", [{ name: "a" }], "body: must be an object"],
    ["a JSON string", "name", "body: must be an object"],
    ["JSON null", null, "body: must be an object"],
  ])("%s", async (_, json, error) => {
    expect(await errorsOf(LINKS, { json })).toEqual([error]);
    expect(await countLinks()).toBe(17);
  });

  const headers = { "content-type": "application/json" };
  it.each([
    ["broken JSON", '{"name":', "body: must be JSON in UTF-8"],
    ["an empty body", "", "body: must not be empty"],
    ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "body: must be JSON in UTF-8"],
    ["65,000 brackets", "[".repeat(65_000), "body: must be JSON in UTF-8"],
  ])("%s", async (_, body, error) => {
    expect(await errorsOf(LINKS, { method: "POST", body, headers })).toEqual([error]);
  });

  it("a request without a body", async () => {
    expect(await errorsOf(LINKS, { method: "POST", headers })).toEqual(["body: must not be empty"]);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "the content type '%s' with 415",
    async (type) => {
      const options = { method: "POST", body: '{"name":"a"}', headers: { "content-type": type } };
      expect(await rejected(LINKS, options)).toMatchObject({ status: 415, code: "unsupported_media_type" });
      expect(await countLinks()).toBe(17);
    },
  );

  it.each([
    "application/json; charset=iso-8859-1",
    'application/json;charset="UTF-16"',
    "application/merge-patch+json; profile=x; CHARSET = windows-1252",
    "application/json; charset=utf-8; charset=latin1",
    "application/json; charset=",
  ])("JSON in another charset with 415: %s", async (type) => {
    const options = { method: "POST", body: '{"name":"a"}', headers: { "content-type": type } };
    expect(await rejected(LINKS, options)).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
      detail: "JSON must be in UTF-8: send `charset=utf-8`, or no charset.",
    });
    expect(await countLinks()).toBe(17);
  });

  it.each([
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"; profile="charset=latin1"',
    "Application/JSON ; Charset=utf8",
    "application/merge-patch+json",
  ])("nothing with the content type %s", async (type) => {
    const options = { method: "POST", body: '{"name":"a"}', headers: { "content-type": type } };
    expect((await call(LINKS, { ...options, token: DEMO.apiToken })).status).toBe(201);
  });

  it("every error in path and body in one response", async () => {
    const json = { name: "::\0", parent_token: 5, color: "red" };
    expect(await errorsOf("/public/v1/apps/demo-app0001/trackers", { json })).toEqual([
      "app_token: must be exactly 12 letters and digits",
      "name: must not contain control characters",
      "name: must not contain ::, which joins the names of a path",
      "parent_token: must be a string",
      "color: is not a known parameter; remove it",
    ]);
  });

  it.each([
    ["unknown", "nosuchlink"],
    ["of another app", "demo1nk009"],
    ["empty", ""],
  ])("a parent token that is %s with 404 and names the parameter", async (_, parent_token) => {
    const problem = await rejected(LINKS, { json: { name: "a", parent_token } });
    expect(problem).toMatchObject({ status: 404, code: "not_found" });
    expect(problem.errors?.map(({ param }) => param)).toEqual(["parent_token"]);
    expect(await countLinks()).toBe(17);
  });

  it("a parent of another app, also for a member of both apps", async () => {
    const options = { json: { name: "a", parent_token: "demo1nk009" }, token: DEMO.operatorToken };
    expect((await rejected(LINKS, options)).status).toBe(404);
    expect(await countLinks()).toBe(17);
  });

  it("a parent of level 4 and names the parameter", async () => {
    const problem = await rejected(LINKS, { json: { name: "a", parent_token: "demo1nk004" } });
    expect(problem).toMatchObject({ status: 400, code: "level_limit" });
    expect(problem.errors?.map(({ param }) => param)).toEqual(["parent_token"]);
    expect(await countLinks()).toBe(17);
  });

  it("an app of another user and writes nothing there", async () => {
    const path = `/public/v1/apps/${DEMO.otherAppToken}/trackers`;
    expect((await rejected(path, { json: { name: "a" } })).status).toBe(404);
    expect(await countLinks()).toBe(17);
    expect(
      await env.DB.prepare("SELECT link_count FROM apps WHERE token = ?")
        .bind(DEMO.otherAppToken)
        .first("link_count"),
    ).toBe(1);
  });

  it("a POST in version 2, which has no create", async () => {
    const response = await call(LINKS.replace("v1", "v2"), { json: { name: "a" }, token: DEMO.apiToken });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });
});
