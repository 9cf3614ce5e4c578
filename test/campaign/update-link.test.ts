import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, freshDemo, NOW, ORIGIN, rows } from "../harness.ts";
import { asUser, createLink, errorsOf, LINKS, patchLink, readLink, rejected } from "./support.ts";

beforeEach(freshDemo);

const PLAIN = "demo1nk008";
const patch = (token: string) => `${LINKS}/${token}`;
const method = "PATCH";

describe("update link", () => {
  it("returns 200 with the updated link in the version 1 envelope, without paging", async () => {
    const json = { partner_id: 1, cost_data_enabled: true };
    const { status, body, headers } = await asUser(patch(PLAIN), { method, json });
    expect(status).toBe(200);
    const cost = "cost_id={acme_cost_id}&cost_type={acme_model}&cost_amount={acme_price}&cost_currency=USD";
    const macros = "campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}";
    expect(body).toEqual({
      data: {
        api_version: "1",
        request_id: headers.get("x-request-id"),
        timestamp: new Date(NOW).toISOString(),
        items: [
          {
            name: "Newsletter",
            token: PLAIN,
            label: "Newsletter",
            level: 1,
            archived: false,
            has_subtrackers: false,
            partner_id: 1,
            cost_data_enabled: true,
            url: `${ORIGIN}/${PLAIN}`,
            click_url: `${ORIGIN}/${PLAIN}?${macros}&note=%%ACME MACRO%%&${cost}`,
            impression_url: `${ORIGIN}/impression/${PLAIN}?${macros}&${cost}`,
            own: { partner_id: 1, cost_data_enabled: true, target: null },
          },
        ],
      },
    });
    expect(await readLink(PLAIN)).toEqual(body.data.items[0]);
  });

  it("returns cost data to inheriting with null, and follows the link above from then on", async () => {
    const sub = "demo1nk002";
    expect((await patchLink(sub, { cost_data_enabled: true })).own).toEqual({
      partner_id: null,
      cost_data_enabled: true,
      target: null,
    });
    await patchLink(DEMO.linkToken, { cost_data_enabled: false });
    expect(await readLink(sub)).toMatchObject({ cost_data_enabled: true });
    expect(await patchLink(sub, { cost_data_enabled: null })).toMatchObject({
      cost_data_enabled: false,
      own: { partner_id: null, cost_data_enabled: null, target: null },
    });
    await patchLink(DEMO.linkToken, { cost_data_enabled: true });
    expect(await readLink(sub)).toMatchObject({
      cost_data_enabled: true,
      own: { cost_data_enabled: null, target: null },
    });
    const [entry] = await rows<{ detail: string }>(
      `SELECT detail FROM audit_log WHERE subject = 'link ${sub}' ORDER BY id DESC`,
    );
    expect(JSON.parse(entry?.detail ?? "")).toEqual({ cost_data_enabled: { from: true, to: null } });
  });

  it("turns cost data off on a link of level 1 with null, because it inherits from no link", async () => {
    expect(await patchLink(DEMO.linkToken, { cost_data_enabled: null })).toMatchObject({
      cost_data_enabled: false,
      own: { partner_id: 1, cost_data_enabled: null, target: null },
    });
  });

  it("keeps inheriting if a partner without cost data is attached together with null", async () => {
    const sub = "demo1nk002";
    expect(await patchLink(sub, { partner_id: 2, cost_data_enabled: null })).toMatchObject({
      cost_data_enabled: false,
      own: { partner_id: 2, cost_data_enabled: null, target: null },
    });
    expect(await patchLink(sub, { partner_id: 1 })).toMatchObject({ cost_data_enabled: true });
  });

  it("attaches a partner and leaves cost data off until a request switches it on", async () => {
    expect(await patchLink(PLAIN, { partner_id: 1 })).toMatchObject({
      partner_id: 1,
      cost_data_enabled: false,
    });
    expect(await patchLink(PLAIN, { cost_data_enabled: true })).toMatchObject({ cost_data_enabled: true });
  });

  it("switches cost data off when the partner of level 1 is detached, and leaves it off when the partner is attached again", async () => {
    const detached = await patchLink(DEMO.linkToken, { partner_id: null });
    expect(detached).toMatchObject({
      partner_id: null,
      cost_data_enabled: false,
      click_url: `${ORIGIN}/${DEMO.linkToken}`,
      impression_url: `${ORIGIN}/impression/${DEMO.linkToken}`,
    });
    expect(await patchLink(DEMO.linkToken, { partner_id: 1 })).toMatchObject({ cost_data_enabled: false });
    expect(await readLink("demo1nk004")).toMatchObject({ cost_data_enabled: false });
  });

  it("switches cost data off when a partner without cost data is attached", async () => {
    expect(await patchLink(DEMO.linkToken, { partner_id: 2 })).toMatchObject({
      partner_id: 2,
      cost_data_enabled: false,
    });
    expect(await patchLink(DEMO.linkToken, { partner_id: 1 })).toMatchObject({ cost_data_enabled: false });
  });

  it("keeps cost data on when the current partner is attached again", async () => {
    expect(await patchLink(DEMO.linkToken, { partner_id: 1 })).toMatchObject({ cost_data_enabled: true });
  });

  it("switches cost data off and detaches in one request", async () => {
    const link = await patchLink(DEMO.linkToken, { partner_id: null, cost_data_enabled: false });
    expect(link).toMatchObject({ partner_id: null, cost_data_enabled: false });
  });

  it("switches cost data on for a sub-link with an inherited partner", async () => {
    await patchLink(DEMO.linkToken, { cost_data_enabled: false });
    expect(await patchLink("demo1nk004", { cost_data_enabled: true })).toMatchObject({
      partner_id: null,
      cost_data_enabled: true,
    });
    expect(await readLink("demo1nk005")).toMatchObject({ cost_data_enabled: false });
  });

  it.each([
    ["inherits cost data", {}, true, null],
    ["turns cost data off", { cost_data_enabled: false }, false, false],
  ])(
    "detaches the own partner of a sub-link, which %s with the partner above",
    async (_, change, isOn, own) => {
      await patchLink("demo1nk002", { partner_id: 2 });
      const link = await patchLink("demo1nk002", { partner_id: null, ...change });
      expect(link).toMatchObject({
        partner_id: null,
        cost_data_enabled: isOn,
        own: { partner_id: null, cost_data_enabled: own, target: null },
      });
      expect(link.click_url).toContain("campaign={campaign_name}");
      expect(link.click_url.includes("acme_cost_id")).toBe(isOn);
    },
  );

  it.each([
    ["inherits one", "demo1nk002", true],
    ["has none", PLAIN, false],
  ])("changes nothing when it detaches the partner of a link that %s", async (_, token, isOn) => {
    const before = await rows("SELECT * FROM links");
    expect(await patchLink(token, { partner_id: null })).toMatchObject({ cost_data_enabled: isOn });
    expect(await rows("SELECT * FROM links")).toEqual(before);
    expect(
      await rows(`SELECT 1 FROM audit_log WHERE subject = 'link ${token}' AND action = 'update link'`),
    ).toEqual([]);
  });

  it("shows the own partner of a sub-link in the list of sub-links", async () => {
    await patchLink("demo1nk002", { partner_id: 2 });
    const { items } = (await asUser(`${LINKS}/${DEMO.linkToken}/children`)).body.data;
    expect(items[0]).toMatchObject({ token: "demo1nk002", partner_id: 2 });
  });

  it("renames a link and every full name below it", async () => {
    expect(await patchLink(DEMO.linkToken, { name: " Zenith " })).toMatchObject({
      name: "Zenith",
      label: "Zenith",
    });
    expect((await readLink("demo1nk004")).name).toBe("Zenith::Spring::Runners::Video 15s");
    expect(await patchLink("demo1nk003", { name: "Walkers" })).toMatchObject({
      name: "Zenith::Spring::Walkers",
      label: "Walkers",
    });
    expect(await readLink("demo1nk004")).toMatchObject({
      name: "Zenith::Spring::Walkers::Video 15s",
      label: "Video 15s",
    });
  });

  it("archives and unarchives one link without those below it", async () => {
    expect(await patchLink(DEMO.linkToken, { archived: true })).toMatchObject({
      archived: true,
      partner_id: 1,
    });
    expect(await readLink(DEMO.linkToken)).toMatchObject({ archived: true });
    expect(await readLink("demo1nk002")).toMatchObject({ archived: false });
    expect((await asUser(LINKS)).body.data.paging.total).toBe("6");
    expect(await patchLink(DEMO.linkToken, { archived: false })).toMatchObject({ archived: false });
  });

  it("changes only the given fields", async () => {
    const before = await rows("SELECT * FROM links ORDER BY id");
    await patchLink("demo1nk006", { name: "Beacon" });
    expect(await rows("SELECT * FROM links ORDER BY id")).toEqual(before);
    await patchLink("demo1nk006", { archived: true });
    const after = await rows("SELECT * FROM links ORDER BY id");
    const archived = { archived: 1, archived_through: before.at(-1)?.id };
    expect(after).toEqual(before.map((row) => (row.token === "demo1nk006" ? { ...row, ...archived } : row)));
  });

  it("returns the same result when it is repeated", async () => {
    const json = { partner_id: 1, cost_data_enabled: true, name: "N", archived: true };
    expect(await patchLink(PLAIN, json)).toEqual(await patchLink(PLAIN, json));
  });

  it("counts null as absent, except for the partner and cost data", async () => {
    await patchLink(PLAIN, { archived: true, partner_id: 1, cost_data_enabled: true });
    const json = { name: null, archived: null, cost_data_enabled: null, partner_id: null };
    expect(await patchLink(PLAIN, json)).toMatchObject({
      name: "Newsletter",
      archived: true,
      own: { partner_id: null, cost_data_enabled: null, target: null },
    });
  });

  it("does not count a rename as a new link", async () => {
    const link = await createLink("One");
    await patchLink(link.token, { name: "Two" });
    expect((await asUser(LINKS)).body.data.paging.total).toBe("7");
  });
});

describe("update link rejects", () => {
  it.each<[string, unknown, string]>([
    [
      "an empty object",
      {},
      "body: must contain at least one of name, archived, partner_id, cost_data_enabled, target",
    ],
    ["a negative partner", { partner_id: -1 }, "partner_id: must be a positive integer"],
    ["partner 0", { partner_id: 0 }, "partner_id: must be a positive integer"],
    ["a partner that is a string", { partner_id: "1" }, "partner_id: must be a positive integer"],
    ["a partner that is a fraction", { partner_id: 1.5 }, "partner_id: must be a positive integer"],
    ["a partner beyond 2^53", { partner_id: 2 ** 53 }, "partner_id: must be a positive integer"],
    ["a switch that is a string", { cost_data_enabled: "true" }, "cost_data_enabled: must be a boolean"],
    [
      "an object in which every key counts as absent",
      { name: null, archived: null },
      "body: must contain at least one of name, archived, partner_id, cost_data_enabled, target",
    ],
    ["an archived that is a number", { archived: 1 }, "archived: must be a boolean"],
    ["an empty name", { name: "" }, "name: must not be empty"],
    ["a name with ::", { name: "a::b" }, "name: must not contain ::, which joins the names of a path"],
    ["an unknown key that is null", { name: "x", level: null }, "level: is not a known parameter; remove it"],
    ["an unknown key", { parent_token: "demo1nk006" }, "parent_token: is not a known parameter; remove it"],
    ["a JSON array", [], "body: must be an object"],
    ["a JSON string", "x", "body: must be an object"],
  ])("%s", async (_, json, error) => {
    const before = await rows("SELECT * FROM links");
    expect(await errorsOf(patch(PLAIN), { method, json })).toContain(error);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it("every error in path and body in one response", async () => {
    const json = { name: "", archived: "no", partner_id: "1", cost_data_enabled: 0, color: "red" };
    expect(await errorsOf(`/public/v1/apps/demoapp000011/trackers/${PLAIN}`, { method, json })).toEqual([
      "app_token: must be exactly 12 letters and digits",
      "name: must not be empty",
      "archived: must be a boolean",
      "partner_id: must be a positive integer",
      "cost_data_enabled: must be a boolean",
      "color: is not a known parameter; remove it",
    ]);
  });

  it("an unknown partner and changes nothing", async () => {
    const problem = await rejected(patch(PLAIN), { method, json: { partner_id: 6, name: "x" } });
    expect(problem).toMatchObject({ status: 400, code: "unknown_partner" });
    expect(problem.errors?.map(({ param }) => param)).toEqual(["partner_id"]);
    expect(await readLink(PLAIN)).toMatchObject({ partner_id: null, name: "Newsletter" });
  });

  it.each<[string, string, object]>([
    ["without a partner", PLAIN, { cost_data_enabled: true }],
    ["with a partner without cost data", "demo1nk006", { cost_data_enabled: true }],
    [
      "while a partner without cost data is attached",
      DEMO.linkToken,
      { cost_data_enabled: true, partner_id: 2 },
    ],
    ["while the partner is detached", DEMO.linkToken, { cost_data_enabled: true, partner_id: null }],
  ])("switching cost data on %s and changes nothing", async (_, token, json) => {
    const before = await rows("SELECT * FROM links");
    const problem = await rejected(patch(token), { method, json });
    expect(problem).toMatchObject({ status: 400, code: "partner_without_cost_data" });
    expect(problem.errors?.map(({ param }) => param)).toEqual(["cost_data_enabled"]);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it.each([
    ["an unknown link", `${LINKS}/nosuchlink`],
    ["a link of another app", `${LINKS}/demo1nk009`],
    ["a link under another user's app", `/public/v1/apps/${DEMO.otherAppToken}/trackers/demo1nk009`],
  ])("%s with 404 and changes nothing", async (_, path) => {
    const before = await rows("SELECT * FROM links");
    expect(await rejected(path, { method, json: { archived: true } })).toMatchObject({ status: 404 });
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it("a link under another app of a user who is a member of both", async () => {
    const path = `/public/v1/apps/${DEMO.otherAppToken}/trackers/${PLAIN}`;
    const options = { method, json: { archived: true }, token: DEMO.operatorToken };
    expect((await rejected(path, options)).status).toBe(404);
    expect((await readLink(PLAIN)).archived).toBe(false);
  });
});
