import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, env, freshDemo, NOW, ORIGIN } from "../harness.ts";
import { asUser, LINKS, only, patchLink, readLink, rejected } from "./support.ts";

beforeEach(freshDemo);

const CLICK = "campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}&note=%%ACME MACRO%%";
const IMPRESSION = "campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}";
const COST = "cost_id={acme_cost_id}&cost_type={acme_model}&cost_amount={acme_price}&cost_currency=USD";

describe("read link", () => {
  it("returns one link in the version 1 envelope, without paging", async () => {
    const { status, body, headers } = await asUser(`${LINKS}/${DEMO.linkToken}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        api_version: "1",
        request_id: headers.get("x-request-id"),
        timestamp: new Date(NOW).toISOString(),
        items: [
          {
            name: "Acme",
            token: DEMO.linkToken,
            label: "Acme",
            level: 1,
            archived: false,
            has_subtrackers: true,
            partner_id: 1,
            cost_data_enabled: true,
            url: `${ORIGIN}/${DEMO.linkToken}`,
            click_url: `${ORIGIN}/${DEMO.linkToken}?${CLICK}&${COST}`,
            impression_url: `${ORIGIN}/impression/${DEMO.linkToken}?${IMPRESSION}&${COST}`,
            own: { partner_id: 1, cost_data_enabled: true, target: null },
          },
        ],
      },
    });
  });

  it("returns a link as the list of its level does, and its own settings", async () => {
    const { items } = (await asUser(`${LINKS}/demo1nk003/children`)).body.data;
    expect(items).toHaveLength(2);
    const own = { partner_id: null, cost_data_enabled: null, target: null };
    for (const link of items) expect(await readLink(link.token)).toEqual({ ...link, own });
  });
});

describe("the URLs of a link", () => {
  it("keep a partner's templates byte for byte: macros, spaces, quotes, braces, brackets, percent signs", async () => {
    const raw = "a={b c}&d=[e]&f=%%G H%%&i=%7B%zz&j=\"'<é😀>&k=$l#m?n=o&&p";
    await env.DB.prepare("UPDATE partners SET click_parameters = ?, impression_parameters = ? WHERE id = 2")
      .bind(raw, `${raw}2`)
      .run();
    expect(await readLink("demo1nk006")).toMatchObject({
      url: `${ORIGIN}/demo1nk006`,
      click_url: `${ORIGIN}/demo1nk006?${raw}`,
      impression_url: `${ORIGIN}/impression/demo1nk006?${raw}2`,
    });
  });

  it("are in the JSON text without extra escapes in a template", async () => {
    const { body } = await asUser<unknown>(`${LINKS}/${DEMO.linkToken}`);
    expect(JSON.stringify(body)).toContain(`?${CLICK}&${COST}"`);
  });

  it("have s2s=1 only on the impression and only for a server-to-server partner", async () => {
    const corsair = await readLink("demo1nk007");
    expect(corsair.impression_url).toBe(`${ORIGIN}/impression/demo1nk007?sub={sub_id}&s2s=1`);
    expect(corsair.click_url).toBe(`${ORIGIN}/demo1nk007?sub={sub_id}`);
    expect((await readLink("demo1nk006")).impression_url).not.toContain("s2s");
    await env.DB.prepare("UPDATE partners SET impression_parameters = '' WHERE id = 3").run();
    expect((await readLink("demo1nk007")).impression_url).toBe(`${ORIGIN}/impression/demo1nk007?s2s=1`);
  });

  it("have the partner's cost parameters only while cost data is on", async () => {
    await patchLink(DEMO.linkToken, { cost_data_enabled: false });
    const off = await readLink(DEMO.linkToken);
    expect(off.click_url).toBe(`${ORIGIN}/${DEMO.linkToken}?${CLICK}`);
    expect(off.impression_url).toBe(`${ORIGIN}/impression/${DEMO.linkToken}?${IMPRESSION}`);
    await patchLink(DEMO.linkToken, { cost_data_enabled: true });
    const on = await readLink(DEMO.linkToken);
    expect(on.click_url).toBe(`${ORIGIN}/${DEMO.linkToken}?${CLICK}&${COST}`);
    expect(on.impression_url).toBe(`${ORIGIN}/impression/${DEMO.linkToken}?${IMPRESSION}&${COST}`);
  });

  it("lose the cost parameters when the partner no longer supports cost data", async () => {
    await env.DB.prepare("UPDATE partners SET supports_cost_data = 0 WHERE id = 1").run();
    const link = await readLink(DEMO.linkToken);
    expect(link.cost_data_enabled).toBe(false);
    expect(link.click_url).toBe(`${ORIGIN}/${DEMO.linkToken}?${CLICK}`);
  });

  it("use the origins of CLICK_URL and IMPRESSION_URL if those are set", async () => {
    const hosts = { CLICK_URL: "https://go.example/", IMPRESSION_URL: "https://view.example:8443" };
    const link = only(await asUser(`${LINKS}/demo1nk008`, { env: hosts }));
    expect(link.url).toBe("https://go.example/demo1nk008");
    expect(link.click_url).toBe("https://go.example/demo1nk008");
    expect(link.impression_url).toBe("https://view.example:8443/impression/demo1nk008");
  });
});

describe("a sub-link", () => {
  it("inherits the partner and the cost switch from the nearest link above that has them, at every level", async () => {
    for (const token of ["demo1nk002", "demo1nk003", "demo1nk004"]) {
      expect(await readLink(token)).toMatchObject({
        partner_id: null,
        cost_data_enabled: true,
        click_url: `${ORIGIN}/${token}?${CLICK}&${COST}`,
      });
    }
    await patchLink("demo1nk003", { partner_id: 2 });
    expect(await readLink("demo1nk002")).toMatchObject({ partner_id: null, cost_data_enabled: true });
    for (const token of ["demo1nk003", "demo1nk004", "demo1nk005"]) {
      expect(await readLink(token)).toMatchObject({
        partner_id: token === "demo1nk003" ? 2 : null,
        cost_data_enabled: false,
        click_url: `${ORIGIN}/${token}?cid=[click_id]`,
      });
    }
  });

  it("is switched off with the link above and keeps its own switch", async () => {
    await patchLink("demo1nk002", { cost_data_enabled: false });
    expect((await readLink("demo1nk001")).cost_data_enabled).toBe(true);
    expect((await readLink("demo1nk002")).cost_data_enabled).toBe(false);
    expect((await readLink("demo1nk004")).cost_data_enabled).toBe(false);
    await patchLink("demo1nk004", { cost_data_enabled: true });
    expect((await readLink("demo1nk004")).cost_data_enabled).toBe(true);
    expect((await readLink("demo1nk005")).cost_data_enabled).toBe(false);
  });
});

describe("read link rejects", () => {
  it.each([
    ["an unknown link", LINKS, "nosuchlink"],
    ["a link of another app under the user's own app", LINKS, "demo1nk009"],
    ["a link under another user's app", `/public/v1/apps/${DEMO.otherAppToken}/trackers`, "demo1nk009"],
    [
      "the user's own link under another user's app",
      `/public/v1/apps/${DEMO.otherAppToken}/trackers`,
      DEMO.linkToken,
    ],
    ["version 2", LINKS.replace("v1", "v2"), DEMO.linkToken],
  ])("%s with 404", async (_, list, token) => {
    expect(await rejected(`${list}/${token}`)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("a malformed app token with 400", async () => {
    expect((await rejected(`/public/v1/apps/demo/trackers/${DEMO.linkToken}`)).status).toBe(400);
  });
});
