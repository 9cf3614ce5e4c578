/** The settings of a link in the browser: name, partner and cost data with a preview, archive, conflicts, and the history. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { createLink, patchLink, readLink } from "../campaign/support.ts";
import { countingDatabase, DEMO, freshDemo, rows } from "../harness.ts";
import { DEMO_LINKS, shownOf } from "../security/support.ts";
import { APP, decode, mainOf, open, textOf } from "./page-text.ts";

const PLAIN = "demo1nk008";
const settingsOf = (token: string) => `${APP}/links/${token}/settings`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const textAt = async (path: string) => textOf(mainOf(await open(browser, path)));
type Shown = Parameters<typeof shownOf>[1];
/** `shown`: what the page showed of the link. */
const nameForm = (name: string, shown?: Shown) => ({ name, ...shownOf("name", shown) });
const partnerForm = (fields: Record<string, string>, shown?: Shown) => ({
  partner: "1",
  cost: "off",
  ...shownOf("partner", shown),
  ...fields,
});

describe("the name", () => {
  it("is changed, and the page says so", async () => {
    const { status, headers } = await browser.post(`${settingsOf(PLAIN)}/name`, nameForm(" Letter "));
    expect([status, headers.get("location")]).toEqual([303, `${settingsOf(PLAIN)}?notice=renamed`]);
    expect(await textAt(`${settingsOf(PLAIN)}?notice=renamed`)).toContain("Link renamed.");
    expect((await readLink(PLAIN)).name).toBe("Letter");
  });

  it.each([
    ["", "Name must not be empty."],
    ["a::b", "Name must not contain ::, which joins the names of a path."],
    ["x".repeat(256), "Name has 256 characters; it can have at most 255."],
  ])("keeps what was entered, with a summary that links to the field: %s", async (name, sentence) => {
    const rejected = await browser.post(`${settingsOf(PLAIN)}/name`, nameForm(name));
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain(`<a href="#name">${sentence}</a>`);
    expect(rejected.text).toMatch(/role="alert" tabindex="-1" autofocus/);
    expect(rejected.text).toContain(`value="${name}"`);
    expect(rejected.text).toMatch(/id="name"[^>]*aria-invalid="true"/);
    expect((await readLink(PLAIN)).name).toBe("Newsletter");
  });

  it("that somebody else changed is shown, and can then be replaced", async () => {
    await patchLink(PLAIN, { name: "Theirs" });
    const conflict = await browser.post(`${settingsOf(PLAIN)}/name`, nameForm("Mine"));
    expect(conflict.status).toBe(409);
    expect(textOf(conflict.text)).toContain("Save again to replace it. Name: Theirs → Mine.");
    expect(conflict.text).toContain('value="Mine"');
    expect((await readLink(PLAIN)).name).toBe("Theirs");
    const { reviewed } = nameForm("Mine", { label: "Theirs" });
    expect(conflict.text).toContain(`name="reviewed" value="${reviewed}"`);
    const again = await browser.post(`${settingsOf(PLAIN)}/name`, { name: "Mine", reviewed });
    expect(again.status).toBe(303);
    expect((await readLink(PLAIN)).name).toBe("Mine");
  });

  it("is not changed by a form that does not say what was shown, or says something else", async () => {
    for (const form of [
      { name: "Mine" },
      { name: "Mine", reviewed: "x" },
      nameForm("Mine", { label: "x" }),
    ]) {
      const { status, text } = await browser.post(`${settingsOf(PLAIN)}/name`, form);
      expect(status).toBe(409);
      expect(textOf(text)).toContain("Name: Newsletter → Mine.");
    }
    expect((await readLink(PLAIN)).name).toBe("Newsletter");
  });

  it("that somebody else changed to the same is no conflict", async () => {
    await patchLink(PLAIN, { name: "Same" });
    const form = nameForm("Same");
    const { headers } = await browser.post(`${settingsOf(PLAIN)}/name`, form);
    expect(headers.get("location")).toBe(`${settingsOf(PLAIN)}?notice=unchanged`);
  });

  it("can change while somebody else archives the link", async () => {
    await patchLink(PLAIN, { archived: true });
    await browser.post(`${settingsOf(PLAIN)}/name`, nameForm("Mine"));
    expect(await readLink(PLAIN)).toMatchObject({ name: "Mine", archived: true });
  });
});

describe("each setting", () => {
  const undoAt = async (path: string) =>
    [...(await open(browser, path)).matchAll(/name="change" value="([^"]+)"/g)].map(([, id = ""]) => id);
  it.each<[string, Record<string, string>, string, object]>([
    ["name", nameForm("Other"), "renamed", { name: "Newsletter" }],
    [
      "partner",
      partnerForm({ cost: "on" }),
      "saved",
      { own: { partner_id: null, cost_data_enabled: null, target: null } },
    ],
    [
      "target",
      { leads: "none", target: "", ...shownOf("target") },
      "targeted",
      { own: { partner_id: null, cost_data_enabled: null, target: null } },
    ],
  ])("can be undone from the notice and from the history, once: %s", async (setting, form, done, before) => {
    const page = `${settingsOf(PLAIN)}?notice=${done}`;
    const changed = await browser.post(`${settingsOf(PLAIN)}/${setting}`, form);
    expect(changed.headers.get("location")).toBe(page);
    const [change = ""] = await undoAt(page);
    expect(await undoAt(`${APP}/links/${PLAIN}`)).toEqual([change]);
    expect(await undoAt(`${APP}/links/${PLAIN}/history`)).toEqual([change]);
    await browser.post(`${APP}/links/undo`, { change });
    expect(await readLink(PLAIN)).toMatchObject(before);
    for (const path of [page, `${APP}/links/${PLAIN}`, `${APP}/links/undo`])
      expect(await undoAt(path)).toEqual([]);
    expect((await browser.post(`${APP}/links/undo`, { change })).status).toBe(404);
  });

  it("keeps what somebody else changed in the meantime, and does not offer to undo that as one's own", async () => {
    await browser.post(`${settingsOf(PLAIN)}/target`, { leads: "none", target: "", ...shownOf("target") });
    const [change = ""] = await undoAt(`${APP}/links/${PLAIN}`);
    await patchLink(PLAIN, { target: null });
    await patchLink(PLAIN, { target: "" });
    expect(await undoAt(`${settingsOf(PLAIN)}?notice=targeted`)).toEqual([]);
    const undone = await browser.post(`${APP}/links/undo`, { change });
    expect(textOf(undone.text)).toContain("1 link not restored completely.");
    expect((await readLink(PLAIN)).own.target).toBe("");
  });

  it("is not offered by a notice that says that nothing changed", async () => {
    await browser.post(`${settingsOf(PLAIN)}/name`, nameForm("Other"));
    expect(await undoAt(`${settingsOf(PLAIN)}?notice=unchanged`)).toEqual([]);
  });
});

describe("archive", () => {
  it("has an Undo that restores the link", async () => {
    const archived = await browser.post(`${settingsOf(PLAIN)}/archived`, { archived: "yes" });
    expect(archived.headers.get("location")).toBe(`${settingsOf(PLAIN)}?notice=archived`);
    expect((await readLink(PLAIN)).archived).toBe(true);
    const page = await open(browser, `${settingsOf(PLAIN)}?notice=archived`);
    const [undo = ""] = /<div class="notice ok undo">[\s\S]*?<\/div>/.exec(page) ?? [];
    expect(textOf(undo)).toBe("Link archived. Undo");
    const [, change = ""] = /name="change" value="([^"]+)"/.exec(undo) ?? [];
    const undone = await browser.post(`${APP}/links/undo`, { change });
    expect(undone.headers.get("location")).toBe(`${settingsOf(PLAIN)}?notice=undone`);
    expect((await readLink(PLAIN)).archived).toBe(false);
    expect(await textAt(`${settingsOf(PLAIN)}?notice=undone`)).toContain(
      "Change undone. Clicks, impressions and costs stay where they were recorded.",
    );
    expect(textOf(await open(browser, `${settingsOf(PLAIN)}?notice=archived`))).not.toMatch(
      /Undo|Link archived/,
    );
  });

  it.each([
    ["restored", "Link restored."],
    ["archived", "Link archived."],
  ])("has a notice only while it is true: %s", async (done, notice) => {
    await patchLink(PLAIN, { archived: done !== "archived" });
    expect(await textAt(`${settingsOf(PLAIN)}?notice=${done}`)).not.toContain(notice);
  });

  it("says that a notice is unknown", async () => {
    const { status, text } = await browser.get(`${settingsOf(PLAIN)}?notice=evil`);
    expect(status).toBe(400);
    expect(textOf(text)).toContain("The notice is unknown.");
  });

  it("rejects another value", async () => {
    const response = await browser.post(`${settingsOf(PLAIN)}/archived`, { archived: "maybe" });
    expect([response.status, (await readLink(PLAIN)).archived]).toEqual([400, false]);
  });
});

describe("partner and cost data", () => {
  it("are previewed with the URLs that the link gets, and nothing is saved", async () => {
    const before = await rows("SELECT * FROM links");
    const page = await open(browser, `${settingsOf(PLAIN)}?partner=1&cost=on`);
    expect(await rows("SELECT * FROM links")).toEqual(before);
    expect(textOf(page)).toContain("Partner None Acme Ads Cost data Off On");
    const [preview = ""] = /<form[^>]*settings\/partner"[\s\S]*?<\/form>/.exec(page) ?? [];
    const form = Object.fromEntries(
      [...preview.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    );
    const saved = await browser.post(`${settingsOf(PLAIN)}/partner`, form as Record<string, string>);
    expect(saved.headers.get("location")).toBe(`${settingsOf(PLAIN)}?notice=saved`);
    const link = await readLink(PLAIN);
    expect(link).toMatchObject({ partner_id: 1, cost_data_enabled: true });
    for (const url of [link.click_url, link.impression_url]) expect(decode(page)).toContain(url);
  });

  it("say that detaching turns cost data off", async () => {
    const text = await textAt(`${settingsOf(DEMO.linkToken)}?partner=none`);
    expect(text).toContain("Partner Acme Ads None Cost data On Off");
    expect(text).toContain("This turns cost data off.");
    const form = partnerForm({ partner: "none", cost: "on" }, DEMO_LINKS.ofPartner);
    await browser.post(`${settingsOf(DEMO.linkToken)}/partner`, form);
    expect(await readLink(DEMO.linkToken)).toMatchObject({ partner_id: null, cost_data_enabled: false });
  });

  it("that are chosen as off stay off where the link inherits them as on", async () => {
    const child = "demo1nk002";
    await patchLink(child, { partner_id: 3, cost_data_enabled: false });
    await rows(`UPDATE links SET partner_id = 2, cost_switch = NULL WHERE token = '${child}'`);
    const text = await textAt(`${settingsOf(child)}?partner=1&cost=off`);
    expect(text).toContain("Cost data Off, inherited Off, set on this link");
    await browser.post(`${settingsOf(child)}/partner`, partnerForm({}, { token: child, partnerId: 2 }));
    expect(await readLink(child)).toMatchObject({ partner_id: 1, cost_data_enabled: false });
  });

  it("can be inherited from the parent, which the page shows first", async () => {
    const child = "demo1nk002";
    await patchLink(child, { cost_data_enabled: false });
    expect(await textAt(settingsOf(child))).toContain("Now: Off, set on this link.");
    const page = await open(browser, `${settingsOf(child)}?cost=inherit`);
    expect(textOf(page)).toContain("Cost data Off, set on this link On, inherited");
    expect(textOf(page)).toContain("Inherit from parent (on)");
    const form = partnerForm({ partner: "none", cost: "inherit" }, { token: child, costSwitch: 0 });
    const saved = await browser.post(`${settingsOf(child)}/partner`, form);
    expect(saved.headers.get("location")).toBe(`${settingsOf(child)}?notice=saved`);
    expect((await readLink(child)).own.cost_data_enabled).toBe(null);
    const [entry] = await rows("SELECT * FROM audit_log ORDER BY id DESC");
    expect(entry).toMatchObject({
      subject: `link ${child}`,
      detail: '{"cost_data_enabled":{"from":false,"to":null}}',
    });
    expect(await textAt(`${APP}/links/${child}`)).toContain(
      "demo@example.com set cost data to inherit from the parent.",
    );
    expect(await textAt(settingsOf(DEMO.linkToken))).not.toContain("Inherit from parent");
  });

  it("stay inherited with another partner", async () => {
    const child = "demo1nk002";
    const form = partnerForm({ partner: "2", cost: "inherit" }, { token: child });
    await browser.post(`${settingsOf(child)}/partner`, form);
    expect((await readLink(child)).own).toEqual({ partner_id: 2, cost_data_enabled: null, target: null });
    await browser.post(
      `${settingsOf(child)}/partner`,
      partnerForm({ partner: "none", cost: "inherit" }, { token: child, partnerId: 2 }),
    );
    expect(await readLink(child)).toMatchObject({ partner_id: null, cost_data_enabled: true });
  });

  it("that are chosen as off stay off when the link above gets cost data meanwhile", async () => {
    const child = "demo1nk002";
    await rows(`UPDATE links SET partner_id = NULL, cost_switch = NULL WHERE token = '${DEMO.linkToken}'`);
    await patchLink(DEMO.linkToken, { partner_id: 1, cost_data_enabled: true });
    await browser.post(`${settingsOf(child)}/partner`, partnerForm({}, { token: child }));
    expect(await readLink(child)).toMatchObject({ partner_id: 1, cost_data_enabled: false });
  });

  it("say what is inherited, and from where", async () => {
    const text = await textAt(settingsOf("demo1nk003"));
    expect(text).toContain("Now: Acme Ads, inherited from “Acme”.");
    expect(text).toContain("Inherit Acme Ads");
  });

  it.each([
    ["partner=2&cost=on", "Beacon Network has no cost data yet."],
    ["cost=on", "Cost data needs a partner that supports it, on this link or above it."],
  ])("have the reason why cost data is not possible: %s", async (query, sentence) => {
    const page = await browser.get(`${settingsOf(PLAIN)}?${query}`);
    expect(page.status).toBe(400);
    expect(page.text).toMatch(new RegExp(`<a href="#cost">${sentence}`));
    expect(page.text).not.toContain('id="preview"');
  });

  it.each([
    [{ partner: "99" }, '<a href="#partner">This partner doesn&#39;t exist.'],
    [{ partner: "x" }, '<a href="#partner">Partner must be chosen from the list.</a>'],
    [{ partner: "2", cost: "on" }, '<a href="#cost">Beacon Network has no cost data yet.'],
  ])("are not saved if they are not valid: %j", async (fields, link) => {
    const response = await browser.post(`${settingsOf(PLAIN)}/partner`, partnerForm(fields));
    expect(response.status).toBe(400);
    expect(response.text).toContain(link);
    expect(await readLink(PLAIN)).toMatchObject({ partner_id: null });
  });

  it("that somebody else changed show both values, and can then be replaced", async () => {
    await patchLink(PLAIN, { partner_id: 3 });
    const conflict = await browser.post(`${settingsOf(PLAIN)}/partner`, partnerForm({ cost: "on" }));
    expect(conflict.status).toBe(409);
    expect(textOf(conflict.text)).toContain("Partner: Corsair Media → Acme Ads.");
    expect(await readLink(PLAIN)).toMatchObject({ partner_id: 3 });
    const form = partnerForm({ cost: "on" }, { partnerId: 3, costSwitch: 0 });
    expect((await browser.post(`${settingsOf(PLAIN)}/partner`, form)).status).toBe(303);
    expect(await readLink(PLAIN)).toMatchObject({ partner_id: 1, cost_data_enabled: true });
  });
});

describe("a form", () => {
  it.each(["name", "archived", "partner"])("of %s leads back to the settings with GET", async (form) => {
    const { status, headers } = await browser.get(`${settingsOf(PLAIN)}/${form}`);
    expect([status, headers.get("location")]).toEqual([303, settingsOf(PLAIN)]);
  });

  it.each(["demo1nk009", "nosuchlink"])("of a link that the app does not have is 404: %s", async (token) => {
    const before = await rows("SELECT * FROM links");
    const posts = [
      await browser.post(`${settingsOf(token)}/name`, nameForm("x")),
      await browser.post(`${settingsOf(token)}/archived`, { archived: "yes" }),
      await browser.post(`${settingsOf(token)}/partner`, partnerForm({})),
      await browser.get(settingsOf(token)),
      await browser.get(`${APP}/links/${token}/history`),
    ];
    expect(posts.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it("asks D1 three times: for the session, to read the link, and to change it", async () => {
    const { database, counts } = countingDatabase();
    const form = nameForm("Letter");
    await browser.post(`${settingsOf(PLAIN)}/name`, form, { env: { DB: database } });
    expect(counts.calls).toBe(3);
    expect(counts.written).toBeLessThanOrEqual(10);
  });
});

describe("the history", () => {
  it("says who changed what and when, the newest first", async () => {
    const { token } = await createLink("Summer");
    await browser.post(`${settingsOf(token)}/name`, nameForm("Autumn", { token, label: "Summer" }));
    await patchLink(token, { partner_id: 1, cost_data_enabled: true });
    await patchLink(token, { partner_id: null, archived: true });
    const text = await textAt(`${APP}/links/${token}`);
    const at = "15 Mar 2026, 16:00 UTC";
    const time = /15 Mar 2026, \d\d:\d\d UTC/g;
    expect(text.slice(text.indexOf("History ")).replaceAll(time, at)).toContain(
      [
        "History",
        `demo@example.com archived the link, detached the link from Acme Ads, and turned cost data off. ${at}`,
        `demo@example.com attached the link to Acme Ads and turned cost data on. ${at}`,
        `demo@example.com renamed the link from “Summer” to “Autumn”. ${at} Undo the change of 15 Mar 2026, 12:00:00 UTC`,
        `demo@example.com created the link “Summer”. ${at}`,
      ].join(" "),
    );
  });

  it("shows no address of somebody who is not a member of the app", async () => {
    const { token } = await createLink("Summer");
    await rows(
      "INSERT INTO users (id, email, role, created_at) VALUES (77, 'away@example.com', 'member', 0), (78, 'ops@example.com', 'operator', 0)",
    );
    for (const user of [77, 78, null]) {
      await rows(
        `INSERT INTO audit_log (happened_at, user_id, action, subject, detail)
         VALUES (0, ${user}, 'update link', 'link ${token}', '{"archived":{"from":false,"to":true}}')`,
      );
    }
    const page = await open(browser, `${APP}/links/${token}/history`);
    expect(page).not.toMatch(/away@example|ops@example/);
    const text = textOf(page);
    for (const who of ["A former member", "An operator", "linkledger"])
      expect(text).toContain(`${who} archived the link.`);
  });

  it("has pages of 50", async () => {
    for (let at = 0; at < 60; at++)
      await rows(
        `INSERT INTO audit_log (happened_at, user_id, action, subject, detail)
         VALUES (0, 1, 'update link', 'link ${PLAIN}', '{"name":{"from":"${at}","to":"${at + 1}"}}')`,
      );
    const first = await open(browser, `${APP}/links/${PLAIN}/history`);
    expect(first.match(/renamed the link/g)).toHaveLength(50);
    const [, href = ""] = /href="([^"]+)">Show older changes/.exec(first) ?? [];
    const second = await open(browser, decode(href));
    expect(second.match(/renamed the link/g)).toHaveLength(10);
    expect(second).toContain("Show the newest changes");
    expect(await textAt(`${APP}/links/${PLAIN}`)).toContain("Show all changes");
  });

  it("escapes names", async () => {
    await patchLink(PLAIN, { name: "<img src=x>" });
    expect(await open(browser, `${APP}/links/${PLAIN}`)).not.toContain("<img src=x>");
  });
});
