/** Creating the links of one path in the browser. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession, type PageResponse } from "../account/support.ts";
import { readLink } from "../campaign/support.ts";
import { countingDatabase, DEMO, env, freshDemo, NOW, rows } from "../harness.ts";
import { failingDatabase } from "../support.ts";
import { readText } from "./files.ts";
import { APP, decode, hrefOf, linksOf, mainOf, open, textOf } from "./page-text.ts";

const NEW = `${APP}/links/new`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

/** The links whose names begin with "New", with their paths and settings. */
const created = () =>
  rows<{ path: string; level: number; partner_id: number | null; cost_switch: number | null; token: string }>(
    `SELECT concat_ws('::', l3.label, l2.label, l1.label, l.label) AS path, l.level, l.partner_id, l.cost_switch, l.token
     FROM links l LEFT JOIN links l1 ON l1.id = l.parent_id LEFT JOIN links l2 ON l2.id = l1.parent_id
     LEFT JOIN links l3 ON l3.id = l2.parent_id
     WHERE l.label LIKE 'New%' AND l.token NOT LIKE 'demo%' ORDER BY path`,
  );
const paths = async () => (await created()).map(({ path }) => path);

const create = (fields: Record<string, string>, path = NEW, options = {}) =>
  browser.post(path, fields, options);

/** What a rejected form says about its fields. */
const errorsOf = ({ text }: PageResponse) =>
  linksOf(/<div class="notice error"[\s\S]*?<\/div>/.exec(text)?.[0] ?? "");

describe("the form for one link", () => {
  it("can be undone: the links that it created are archived, and no other", async () => {
    await create({ network: "New Net" });
    await create({ network: "New Net", campaign: "New Campaign", ad_group: "New Group" });
    const page = await open(browser, `${APP}/links/undo`);
    const changes = [...page.matchAll(/name="change" value="([^"]*)"/g)].map(([, change]) => change ?? "");
    expect(changes).toHaveLength(2);
    expect(textOf(page)).toMatch(/New link 2 links Undo .* New link 1 link Undo /);
    const undone = await browser.post(`${APP}/links/undo`, { change: changes[0] ?? "" });
    expect(textOf(undone.text)).toContain("2 links archived.");
    expect(await rows("SELECT label, archived FROM links WHERE label LIKE 'New %' ORDER BY id")).toEqual([
      { label: "New Net", archived: 0 },
      { label: "New Campaign", archived: 1 },
      { label: "New Group", archived: 1 },
    ]);
    // A form that created nothing has nothing to undo.
    await create({ network: "New Net" });
    expect(await open(browser, `${APP}/links/undo`)).not.toContain(changes[0]);
  });

  it("creates every level of a path that is missing, and leads to its last link", async () => {
    const response = await create({
      network: "New Net",
      campaign: "New Campaign",
      ad_group: "New Group",
      creative: " New Video ",
      partner_id: "1",
      cost_data: "on",
    });
    expect(response.status).toBe(303);
    const links = await created();
    expect(links.map(({ token: _, ...link }) => link)).toEqual([
      { path: "New Net", level: 1, partner_id: null, cost_switch: null },
      { path: "New Net::New Campaign", level: 2, partner_id: null, cost_switch: null },
      { path: "New Net::New Campaign::New Group", level: 3, partner_id: null, cost_switch: null },
      { path: "New Net::New Campaign::New Group::New Video", level: 4, partner_id: 1, cost_switch: 1 },
    ]);
    const location = response.headers.get("location") ?? "";
    expect(location).toBe(`${APP}/links/${links[3]?.token}?notice=created`);
    const page = await open(browser, location);
    expect(textOf(mainOf(page))).toContain("New Video Creative Settings Link created.");
    expect(hrefOf(page, "Last 30 days")).not.toContain("notice");
    for (const { token } of links) {
      expect(token).toMatch(/^[0-9bcdfghjkmnpqrstvwxyz]{10}$/);
      expect(await env.LINKS.get(`link:${token}`)).toMatch(new RegExp(`^${DEMO.appToken} \\d+`));
    }
    expect(
      await rows("SELECT link_count, created_link_count FROM apps WHERE token = ?", DEMO.appToken),
    ).toEqual(
      await rows(
        `SELECT sum(parent_id IS NULL) AS link_count, sum(NOT from_engagement) AS created_link_count
         FROM links WHERE app_token = ?`,
        DEMO.appToken,
      ),
    );
  });

  it("uses the links that exist on the path, in exactly this spelling", async () => {
    await create({ network: "Acme", campaign: "Spring", ad_group: "New Group" });
    await create({ network: "acme", campaign: "New Campaign" });
    expect(await paths()).toEqual(["Acme::Spring::New Group", "acme::New Campaign"]);
    expect(await rows("SELECT level FROM links WHERE label = 'acme'")).toEqual([{ level: 1 }]);
  });

  it("uses the oldest link of several with this name, but not an archived one before another", async () => {
    await rows(
      `INSERT INTO links (id, token, app_token, parent_id, level, label, archived, created_at) VALUES
       (101, 'same1', ?1, NULL, 1, 'Same', 1, 0), (102, 'same2', ?1, NULL, 1, 'Same', 0, 0), (103, 'same3', ?1, NULL, 1, 'Same', 0, 0)`,
      DEMO.appToken,
    );
    await create({ network: "Same", campaign: "New A" });
    expect(await rows("SELECT parent_id FROM links WHERE label = 'New A'")).toEqual([{ parent_id: 102 }]);
    await rows("UPDATE links SET archived = 1 WHERE label = 'Same'");
    await create({ network: "Same", campaign: "New B" });
    expect(await rows("SELECT parent_id FROM links WHERE label = 'New B'")).toEqual([{ parent_id: 101 }]);
  });

  it("does not change a link that exists, and says so", async () => {
    const before = await rows("SELECT * FROM links");
    const response = await create({ network: "Acme", partner_id: "2", cost_data: "off" });
    expect(response.headers.get("location")).toBe(`${APP}/links/demo1nk001?notice=differs`);
    expect(await rows("SELECT * FROM links")).toEqual(before);
    expect(textOf(await open(browser, `${APP}/links/demo1nk001?notice=differs`))).toContain(
      "This link already exists, with other settings than you chose. Nothing was created or changed.",
    );
    const same = await create({ network: "Acme" });
    expect(same.headers.get("location")).toBe(`${APP}/links/demo1nk001?notice=exists`);
  });

  it("creates one link for a double click, also if both requests run at the same time", async () => {
    const fields = { network: "New Net", campaign: "New Campaign" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => create(fields)));
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get("location")}`)).size).toBe(
      1,
    );
    expect(await paths()).toEqual(["New Net", "New Net::New Campaign"]);
    const late = await create(fields, NEW, { now: NOW + 61_000 });
    expect(late.headers.get("location")).toMatch(/notice=exists$/);
    expect(await paths()).toHaveLength(2);
  });

  it("says that a form was sent twice with other settings, and that the first ones stay", async () => {
    await create({ network: "New Net", partner_id: "1" });
    const again = await create({ network: "New Net", partner_id: "2" });
    expect(again.headers.get("location")).toMatch(/notice=twice$/);
    expect(await created()).toMatchObject([{ partner_id: 1 }]);
    expect(textOf(await open(browser, again.headers.get("location") ?? ""))).toContain(
      "This link was created a moment ago with other settings, and the form was sent again. The settings stay as they were.",
    );
    const late = await create({ network: "New Net", partner_id: "2" }, NEW, { now: NOW + 61_000 });
    expect(late.headers.get("location")).toMatch(/notice=differs$/);
  });

  it("creates the links below a parent, whose levels are shown and fixed", async () => {
    const page = await open(browser, `${NEW}?parent=demo1nk003`);
    expect(textOf(mainOf(page))).toMatch(
      /Create sub-link .*Network Acme Campaign Spring Ad group Runners Creative/,
    );
    expect(page).not.toMatch(/name="(network|campaign|ad_group)"/);
    await create({ creative: "New Video", network: "ignored" }, `${NEW}?parent=demo1nk003`);
    expect(await paths()).toEqual(["Acme::Spring::Runners::New Video"]);
  });

  it("is not offered below a creative", async () => {
    expect(mainOf(await open(browser, `${APP}/links/demo1nk004`))).not.toContain("/links/new");
    const page = await browser.get(`${NEW}?parent=demo1nk004`);
    expect(page.status).toBe(400);
    expect((await create({ creative: "New" }, `${NEW}?parent=demo1nk004`)).status).toBe(400);
    expect(await paths()).toEqual([]);
  });

  it.each([
    ["another app's", "demo1nk009"],
    ["an unknown", "nosuchlink"],
  ])("has no page below %s link", async (_, parent) => {
    expect((await browser.get(`${NEW}?parent=${parent}`)).status).toBe(404);
    expect((await create({ campaign: "New" }, `${NEW}?parent=${parent}`)).status).toBe(404);
    expect(await paths()).toEqual([]);
  });

  it("lists every error in a summary with links to the fields, and keeps what was entered", async () => {
    const response = await create({
      network: "New::Net",
      campaign: "",
      ad_group: `New ${"x".repeat(252)}`,
      creative: "",
      partner_id: "99",
      cost_data: "on",
    });
    expect(response.status).toBe(400);
    expect(errorsOf(response)).toEqual([
      { text: "Network must not contain ::, which joins the names of a path.", href: "#network" },
      { text: "Campaign is required, because there is a name below it.", href: "#campaign" },
      { text: "Ad group has 256 characters; it can have at most 255.", href: "#ad_group" },
    ]);
    expect(response.text).toContain('value="New::Net"');
    expect(response.text).toMatch(/<option value="on" selected>/);
    expect(response.text).not.toContain("ad_group has");
    expect(await paths()).toEqual([]);
  });

  it.each([
    ["a name of 255 characters", { network: "é".repeat(255) }, 303],
    ["a name of 256 characters", { network: "é".repeat(256) }, 400],
    ["no name", { network: " " }, 400],
    ["an invisible character", { network: "New\u200b" }, 400],
    ["a partner that isn't a number", { network: "New", partner_id: "x" }, 400],
    ["another switch", { network: "New", cost_data: "maybe" }, 400],
  ])("answers %s", async (_, fields: Record<string, string>, status) => {
    expect((await create(fields)).status).toBe(status);
  });

  it.each([
    [{ partner_id: "2" }, "Cost data can't be on: Beacon Network has no cost data yet."],
    [{}, "Cost data can't be on: no partner is attached to this link or above it."],
    [{ partner_id: "99" }, "Partner doesn't exist."],
  ])("explains why cost data can't be on: %j", async (partner: Record<string, string>, text) => {
    const response = await create({ network: "New Net", campaign: "New", cost_data: "on", ...partner });
    expect(response.status).toBe(400);
    expect(errorsOf(response).map((error) => error.text)).toEqual([text]);
    expect(await paths()).toEqual([]);
  });

  it("switches cost data on with the partner of a link above", async () => {
    await create({ network: "Acme", campaign: "New Campaign", cost_data: "on" });
    expect(await created()).toMatchObject([{ partner_id: null, cost_switch: 1 }]);
  });

  it("shows which partners support cost data, and searches a long list by name", async () => {
    const choice = mainOf(await open(browser, NEW));
    expect(
      [...choice.matchAll(/<optgroup label="([^"]*)"/g)].map(([, label]) => decode(label ?? "")),
    ).toEqual(["Can send cost data", "Can't send cost data"]);
    const short = textOf(choice);
    expect(short).toContain("Acme Ads (cost data: cpc, cpi, cpe, cpm)");
    expect(short).toContain("Beacon Network (no cost data yet)");
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
       INSERT INTO partners (display_name, supports_cost_data, server_to_server, click_parameters, impression_parameters, cost_parameters, created_at)
       SELECT 'Partner ' || i, 0, 0, '', '', '', 0 FROM n`,
    );
    const page = await open(browser, NEW);
    expect(page).toMatch(/<input id="partner" name="partner"[^>]* list="partner-list"/);
    expect(page.match(/<option value="Partner \d+">/g)).toHaveLength(50);
    await create({ network: "New Net", partner: "Acme Ads", cost_data: "on" });
    expect(await created()).toMatchObject([{ partner_id: 1, cost_switch: 1 }]);
    const unknown = await create({ network: "New Other", partner: "Nobody" });
    expect(errorsOf(unknown)).toEqual([{ text: "There's no partner “Nobody”.", href: "#partner" }]);
    await rows("UPDATE partners SET display_name = 'Acme Ads' WHERE display_name = 'Partner 1'");
    const [{ id } = { id: 0 }] = await rows<{ id: number }>(
      "SELECT max(id) AS id FROM partners WHERE display_name = 'Acme Ads'",
    );
    const suggestions = (await open(browser, NEW)).match(/<option value="Acme Ads[^"]*"/g);
    expect(suggestions?.toSorted()).toEqual([
      '<option value="Acme Ads (1)"',
      `<option value="Acme Ads (${id})"`,
    ]);
    await create({ network: "New Second", partner: `Acme Ads (${id})` });
    expect(await created()).toContainEqual(expect.objectContaining({ partner_id: id }));
    expect(errorsOf(await create({ network: "New Third", partner: "Acme Ads" }))).toEqual([
      {
        text: `Partner is the name of several partners; add the ID to it, for example Acme Ads (${id}).`,
        href: "#partner",
      },
    ]);
  });

  it("stays within the links of the app, for a whole path", async () => {
    const [{ count } = { count: 0 }] = await rows<{ count: number }>(
      "SELECT created_link_count AS count FROM apps WHERE token = ?",
      DEMO.appToken,
    );
    await rows("UPDATE apps SET max_links = ? WHERE token = ?", count + 2, DEMO.appToken);
    const full = await create({ network: "New Net", campaign: "New A", ad_group: "New B" });
    expect(full.status).toBe(403);
    expect(readText(full)).toContain(
      `Users can create ${count + 2} links in this app. Ask an operator to raise this number.`,
    );
    expect(await paths()).toEqual([]);
    expect((await create({ network: "New Net", campaign: "New A" })).status).toBe(303);
    expect((await create({ network: "New Other" })).status).toBe(403);
    expect((await create({ network: "New Net", campaign: "New A" })).status).toBe(303);
    expect(await paths()).toEqual(["New Net", "New Net::New A"]);
  });

  it("creates no more links than the app can have if requests run at the same time", async () => {
    const [{ count } = { count: 0 }] = await rows<{ count: number }>(
      "SELECT created_link_count AS count FROM apps WHERE token = ?",
      DEMO.appToken,
    );
    await rows("UPDATE apps SET max_links = ? WHERE token = ?", count + 4, DEMO.appToken);
    await Promise.all(
      ["A", "B", "C"].map((name) => create({ network: `New ${name}`, campaign: "New 2", ad_group: "New 3" })),
    );
    expect(await paths()).toHaveLength(3);
  });

  it("creates all links of a path or none if the database fails", async () => {
    const { database } = failingDatabase((call) => call === 3);
    const failed = await create({ network: "New Net", campaign: "New" }, NEW, { env: { DB: database } });
    expect(failed.status).toBe(500);
    expect(await paths()).toEqual([]);
  });

  it("writes an entry of the audit log for each new link, and none for those that exist", async () => {
    await create({ network: "Acme", campaign: "New A", ad_group: "New B", partner_id: "1", cost_data: "on" });
    await create({ network: "Acme", campaign: "New A" });
    const links = await created();
    const entries = await rows<{ subject: string; detail: string }>(
      "SELECT happened_at, user_id, action, subject, detail FROM audit_log WHERE action LIKE '%link' ORDER BY id",
    );
    const entry = { happened_at: NOW, user_id: 1, action: "create link" };
    const app = { app_token: DEMO.appToken };
    expect(entries.map(({ detail, ...rest }) => ({ ...rest, detail: JSON.parse(detail) }))).toEqual([
      {
        ...entry,
        subject: `link ${links[0]?.token}`,
        detail: { name: "New A", ...app, parent_token: "demo1nk001" },
      },
      {
        ...entry,
        subject: `link ${links[1]?.token}`,
        detail: {
          name: "New B",
          ...app,
          parent_token: links[0]?.token,
          partner_id: 1,
          cost_data_enabled: true,
        },
      },
    ]);
  });

  it("asks D1 for the session, the parent, what exists, and creates", async () => {
    const { database, counts } = countingDatabase();
    await create({ campaign: "New" }, `${NEW}?parent=demo1nk001`, { env: { DB: database } });
    expect(counts.calls).toBe(4);
  });
});

describe("the ways to the form", () => {
  it("are on the Links page, in the empty app and on a link's page", async () => {
    expect(hrefOf(await open(browser, `${APP}/links`), "Create link")).toBe(NEW);
    expect(hrefOf(await open(browser, `${APP}/links/demo1nk001`), "Create sub-link")).toBe(
      `${NEW}?parent=demo1nk001`,
    );
    await rows("DELETE FROM daily_totals");
    await rows("DELETE FROM daily_engagements");
    for (const level of [4, 3, 2, 1])
      await rows("DELETE FROM links WHERE app_token = ? AND level = ?", DEMO.appToken, level);
    await rows("UPDATE apps SET link_count = 0 WHERE token = ?", DEMO.appToken);
    const empty = await open(browser, `${APP}/links`);
    expect(textOf(mainOf(empty))).toMatch(
      /no links yet Create a link .* Attach a partner.* Share its click URL/,
    );
    expect(hrefOf(empty, "Create your first link")).toBe(NEW);
  });

  it("are closed for members of other apps", async () => {
    const other = NEW.replace(DEMO.appToken, DEMO.otherAppToken);
    expect((await browser.get(other)).status).toBe(404);
    expect((await create({ network: "New" }, other)).status).toBe(404);
    expect(await paths()).toEqual([]);
  });
});

describe("the check of one link", () => {
  it("says what exists and what is new, with the URLs, and creates nothing", async () => {
    const before = await rows("SELECT * FROM links");
    const { status, text } = await create({
      network: "Acme",
      campaign: "Autumn",
      cost_data: "off",
      check: "yes",
    });
    expect(status).toBe(200);
    expect(await rows("SELECT * FROM links")).toEqual(before);
    const page = textOf(mainOf(text));
    expect(page).toContain("Nothing is created yet. Network Acme Exists Campaign Autumn New Click URL");
    expect(page).toContain("/NEW_TOKEN?");
    expect(page).not.toContain("cost_amount");
    expect(text).toMatch(/name="campaign"[^>]*value="Autumn"/);
    expect(text).toMatch(/<option value="off" selected>/);
    const created = await create({ network: "Acme", campaign: "Autumn", cost_data: "off" });
    const [, token = ""] = /links\/(\w+)/.exec(created.headers.get("location") ?? "") ?? [];
    const { click_url } = await readLink(token);
    expect(page).toContain(click_url.replace(token, "NEW_TOKEN").replace(/^https?:\/\/[^/]*/, ""));
  });

  it("inherits what the existing links above it have", async () => {
    const page = textOf(mainOf((await create({ network: "Acme", campaign: "Autumn", check: "yes" })).text));
    expect(page).toContain("cost_amount=");
  });

  it("says that a link exists, and rejects what creating rejects", async () => {
    const { text } = await create({ network: "Acme", campaign: "Spring", check: "yes" });
    expect(textOf(text)).toContain("This link already exists. Nothing would be created or changed.");
    expect((await create({ network: "a::b", check: "yes" })).status).toBe(400);
    expect((await create({ network: "Nova", cost_data: "on", check: "yes" })).status).toBe(400);
  });
});

describe("the partner of a path", () => {
  const create = (fields: Record<string, string>) =>
    browser.post(`${APP}/links/new`, {
      network: "Nova",
      campaign: "Autumn",
      partner_id: "1",
      cost_data: "on",
      ...fields,
    });
  const settings = () =>
    rows(
      "SELECT label, partner_id, cost_switch, target FROM links WHERE label IN ('Nova', 'Autumn', 'Winter') ORDER BY level, id",
    );

  it("is attached to the level that was chosen, and the target to the last link", async () => {
    await rows("UPDATE apps SET redirect_hosts = '[\"shop.test\"]'");
    expect((await create({ attach: "1", target: "https://shop.test/a" })).status).toBe(303);
    expect(await settings()).toEqual([
      { label: "Nova", partner_id: 1, cost_switch: 1, target: null },
      { label: "Autumn", partner_id: null, cost_switch: null, target: "https://shop.test/a" },
    ]);
    // The next campaign inherits it, and the same choice changes nothing.
    expect((await create({ attach: "1", campaign: "Winter" })).status).toBe(303);
    expect(await settings()).toHaveLength(3);
  });

  it("is attached to the last link of a shorter path, or without a choice", async () => {
    await create({ attach: "3" });
    expect(await settings()).toMatchObject([
      { label: "Nova", partner_id: null },
      { label: "Autumn", partner_id: 1 },
    ]);
  });

  it("creates nothing if the chosen link exists with other settings", async () => {
    await browser.post(`${APP}/links/new`, { network: "Nova" });
    const rejected = await create({ attach: "1" });
    expect(rejected.status).toBe(400);
    expect(textOf(rejected.text)).toContain("Nova already exists. It has no partner of its own.");
    expect(await settings()).toHaveLength(1);
  });

  it("is in the URLs of the preview", async () => {
    const { text } = await create({ attach: "1", check: "yes" });
    expect(text).toMatch(/NEW_TOKEN\?[^<]*cost_id=/);
    expect(await settings()).toEqual([]);
  });
});
