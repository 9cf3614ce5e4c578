/** One change of several links: the selection on the Links page, the confirmation, the result, and Undo. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { patchLink, readLink } from "../campaign/support.ts";
import { countingDatabase, DEMO, freshDemo, rows } from "../harness.ts";
import { APP, decode, linksOf, open, tablesOf, textOf } from "./page-text.ts";

const BULK = `${APP}/links/bulk`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const checkedOf = (page: string) =>
  [...page.matchAll(/name="links" value="(\w+)"[^>]*checked/g)].map(([, token]) => token);
const hiddenOf = (page: string) =>
  [...page.matchAll(/<input type="hidden" name="links" value="(\w+)"/g)].map(([, token]) => token);
/** The fields of the form that posts to the bulk path. */
function formOf(page: string, button: RegExp): Record<string, string> {
  const forms = [
    ...page.matchAll(/<form method="post" action="[^"]*\/links\/bulk"[^>]*>([\s\S]*?)<\/form>/g),
  ];
  const [, form = ""] = forms.find(([text]) => button.test(text)) ?? [];
  expect(form).not.toBe("");
  const inputs = form.matchAll(/name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, decode(value)]));
}
const changeRows = (page: string) =>
  tablesOf(page)[0]
    ?.slice(1)
    .map(({ cells }) => cells);

const undo = (page: string) =>
  browser.post(`${APP}/links/undo`, { change: /name="change" value="([^"]+)"/.exec(page)?.[1] ?? "" });

/** Reviews and confirms, and returns the result page. */
async function change(query: Record<string, string>): Promise<string> {
  const review = await open(browser, `${BULK}?${new URLSearchParams(query)}`);
  const { status, text } = await browser.post(BULK, formOf(review, /Change \d/));
  expect(status).toBe(200);
  return text;
}

describe("the selection", () => {
  it("is shown with its number, and is kept for links that the page does not show", async () => {
    const page = await open(browser, `${APP}/links?selected=demo1nk001,demo1nk004`);
    expect(textOf(page)).toContain("2 selected");
    expect(checkedOf(page)).toEqual(["demo1nk001"]);
    expect(hiddenOf(page)).toEqual(["demo1nk004"]);
  });

  it("survives paging, opening branches, dates and filters", async () => {
    for (let at = 0; at < 60; at++)
      await rows(
        `INSERT INTO links (token, app_token, level, label, created_at) VALUES ('t${at}', '${DEMO.appToken}', 1, 'Z ${at}', 0)`,
      );
    const page = await open(browser, `${APP}/links?selected=demo1nk001`);
    const hrefs = linksOf(page).filter(({ text }) => /^(Show 50 more|▸ ?Open|Last 30 days)/.test(text));
    expect(hrefs.map(({ text }) => text)).toEqual([
      "Last 30 days",
      "▸ Open Acme, 4 sub-links",
      "▸ Open Echo, 1 sub-link",
      "Show 50 more",
    ]);
    for (const { text, href } of hrefs)
      expect([text, href]).toEqual([text, expect.stringContaining("selected=demo1nk001")]);
    expect(page).toMatch(/<form class="filters"[\s\S]*?name="selected" value="demo1nk001"/);
  });

  it("without a script is updated by a button, also where a link was unselected", async () => {
    const query = new URLSearchParams([
      ["links", "demo1nk004"],
      ["links", "demo1nk006"],
      ["back", "?archived=all&selected=demo1nk001,demo1nk004"],
      ["only", "select"],
    ]);
    const { status, headers } = await browser.get(`${BULK}?${query}`);
    expect(status).toBe(303);
    expect(decodeURIComponent(headers.get("location") ?? "")).toBe(
      `${APP}/links?archived=all&selected=demo1nk004,demo1nk006`,
    );
  });

  it("has at most 200 links", async () => {
    const tokens = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`).join();
    expect((await browser.get(`${APP}/links?selected=${tokens(200)}`)).status).toBe(200);
    expect((await browser.get(`${APP}/links?selected=${tokens(201)}`)).status).toBe(400);
    expect((await browser.get(`${BULK}?action=archive&links=${tokens(201)}`)).status).toBe(400);
    const before = await rows("SELECT * FROM links");
    expect((await browser.post(BULK, { action: "archive", links: tokens(201) })).status).toBe(400);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it("that is empty leads back to the links", async () => {
    const { status, headers } = await browser.get(BULK);
    expect([status, headers.get("location")]).toEqual([303, `${APP}/links`]);
  });
});

/** Networks of the demo app with these tokens, which are in their names. */
const addLinks = (tokens: string[], prefix = "") =>
  rows(
    `INSERT INTO links (token, app_token, level, label, created_at)
     SELECT value, ?, 1, '${prefix}' || value, 0 FROM json_each('${JSON.stringify(tokens)}')`,
    DEMO.appToken,
  );

describe("a change of several links", () => {
  it("is reviewed first, and changes nothing until it is confirmed", async () => {
    const before = await rows("SELECT * FROM links");
    const page = await open(
      browser,
      `${BULK}?action=cost-on&links=demo1nk001,demo1nk008,demo1nk003,nosuchlink`,
    );
    expect(await rows("SELECT * FROM links")).toEqual(before);
    expect(textOf(page)).toContain("Turn cost data on: 1 of 4 selected links will change, and 2 can't.");
    expect(changeRows(page)).toEqual([
      ["Newsletter", "rejected", "Cost data needs a partner that supports it, on this link or above it."],
      ["nosuchlink", "rejected", "This app has no link with this token."],
      ["Acme", "same", ""],
      ["Acme > Spring > Runners", "change", "Cost data: inherited (on now) → own (on)."],
    ]);
  });

  it("archives, with an Undo of exactly what it changed", async () => {
    await patchLink("demo1nk006", { archived: true });
    const result = await change({ action: "archive", links: "demo1nk006,demo1nk008" });
    expect(textOf(result)).toContain("1 link archived.");
    expect(changeRows(result)).toEqual([
      ["Beacon", "same", ""],
      ["Newsletter", "changed", "Archived: no → yes."],
    ]);
    const undone = await undo(result);
    expect(await readLink("demo1nk008")).toMatchObject({ archived: false });
    expect(await readLink("demo1nk006")).toMatchObject({ archived: true });
    expect(undone.headers.get("location")).toBe(`${APP}/links/demo1nk008/settings?notice=undone`);
  });

  it.each([
    ["attach", { partner: "2" }],
    ["detach", {}],
    ["cost-on", {}],
    ["cost-off", {}],
    ["cost-inherit", {}],
    ["archive", {}],
  ])(
    "can be undone, each link to what it had, and what somebody changed since stays: %s",
    async (action, more) => {
      const links = ["demo1nk001", "demo1nk002", "demo1nk003", "demo1nk006"];
      await patchLink("demo1nk002", { cost_data_enabled: false });
      const before = await rows("SELECT * FROM links ORDER BY id");
      const result = await change({ action, links: links.join(), ...more });
      const after = await rows("SELECT * FROM links ORDER BY id");
      expect(after).not.toEqual(before);
      await patchLink("demo1nk003", { name: "Renamed" });
      await undo(result);
      const renamed = { label: "Renamed", first_label: expect.anything() };
      expect(await rows("SELECT * FROM links ORDER BY id")).toEqual(
        before.map((link) => ({
          ...link,
          archived_through: expect.toBeOneOf([null, expect.anything()]),
          ...(link.token === "demo1nk003" && renamed),
        })),
      );
    },
  );

  it("can be undone from the history of one of its links, which says that it is about all of them", async () => {
    await change({ action: "attach", partner: "3", links: "demo1nk006,demo1nk008" });
    const page = await open(browser, `${APP}/links/demo1nk008`);
    expect(textOf(page)).toContain("Undo for 2 links");
    expect(textOf((await undo(page)).text)).toContain("2 links restored.");
    expect(await readLink("demo1nk008")).toMatchObject({ partner_id: null });
    expect(await readLink("demo1nk006")).toMatchObject({ partner_id: 2 });
  });

  it("keeps a link as somebody left it who changed it twice, and undoes the others", async () => {
    const result = await change({ action: "attach", partner: "3", links: "demo1nk006,demo1nk008" });
    await patchLink("demo1nk008", { partner_id: 2 });
    await patchLink("demo1nk008", { partner_id: 3 });
    const undone = await undo(result);
    expect(textOf(undone.text)).toContain("1 link restored. 1 link not restored completely.");
    expect(await readLink("demo1nk008")).toMatchObject({ partner_id: 3 });
    expect((await undo(result)).status).toBe(404);
  });

  it("says how many links below inherit the change, down to those with a setting of their own", async () => {
    const count = async (query: Record<string, string>) =>
      /(\d+) links? below inherits? it\./.exec(
        textOf(await open(browser, `${BULK}?${new URLSearchParams(query)}`)),
      )?.[1];
    await rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at, partner_id) VALUES
       ('b1', ?1, 8, 2, 'B1', 0, NULL), ('b2', ?1, 8, 2, 'B2', 0, 3)`,
      DEMO.appToken,
    );
    await rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       SELECT value, ?1, (SELECT id FROM links WHERE token = substr(value, 1, 2)), 3, value, 0 FROM json_each('["b1x", "b1y", "b2x"]')`,
      DEMO.appToken,
    );
    const partner = { action: "attach", partner: "2" };
    expect(await count({ ...partner, links: "demo1nk008" })).toBe("3");
    expect(await count({ ...partner, links: "demo1nk008,b1" })).toBe("2");
    expect(await count({ ...partner, links: "b1x" })).toBe(undefined);
    expect(await count({ action: "cost-off", links: "demo1nk008" })).toBe("5");
    expect(await count({ action: "archive", links: "demo1nk008" })).toBe(undefined);
    await rows(
      `INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT 'many' || i, ?, 8, 2, i, 0 FROM n`,
      DEMO.appToken,
    );
    const { database, counts } = countingDatabase();
    const page = await browser.get(`${BULK}?action=attach&partner=2&links=demo1nk008`, {
      env: { DB: database },
    });
    expect(textOf(page.text)).toContain("More than 10,000 links below inherit it");
    expect(counts.calls).toBe(3);
    expect(counts.read).toBeLessThanOrEqual(45_000);
  });

  it("attaches and detaches a partner", async () => {
    const links = "demo1nk006,demo1nk008";
    const result = await change({ action: "attach", partner: "1", links });
    expect(textOf(result)).toContain("2 links attached to Acme Ads.");
    for (const token of links.split(",")) expect(await readLink(token)).toMatchObject({ partner_id: 1 });
    await change({ action: "cost-on", links });
    for (const token of links.split(","))
      expect(await readLink(token)).toMatchObject({ cost_data_enabled: true });
    await change({ action: "cost-off", links });
    await change({ action: "detach", links });
    for (const token of links.split(","))
      expect(await readLink(token)).toMatchObject({ partner_id: null, cost_data_enabled: false });
    const entries = await rows(
      "SELECT action FROM audit_log WHERE subject IN ('link demo1nk006', 'link demo1nk008')",
    );
    expect(entries).toHaveLength(8);
  });

  it("lets many links inherit cost data", async () => {
    const links = "demo1nk002,demo1nk003,demo1nk006";
    await patchLink("demo1nk002", { cost_data_enabled: false });
    await patchLink("demo1nk003", { cost_data_enabled: true });
    const query = { action: "cost-inherit", links };
    expect(changeRows(await open(browser, `${BULK}?${new URLSearchParams(query)}`))).toEqual([
      ["Acme > Spring", "change", "Cost data: own (off) → inherited (on now)."],
      ["Acme > Spring > Runners", "change", "Cost data: own (on) → inherited (off now)."],
      ["Beacon", "same", ""],
    ]);
    await change(query);
    for (const token of links.split(",")) expect((await readLink(token)).own.cost_data_enabled).toBe(null);
  });

  it("says that a network has nothing to inherit", async () => {
    const page = await open(browser, `${BULK}?action=cost-inherit&links=${DEMO.linkToken}`);
    expect(changeRows(page)).toEqual([["Acme", "change", "Cost data: on → off."]]);
  });

  it("has a result for each link: what failed, and why", async () => {
    const result = await change({ action: "cost-on", links: "demo1nk003,demo1nk008,demo1nk006" });
    expect(textOf(result)).toContain("Cost data turned on for 1 link. 2 links not changed.");
    expect(changeRows(result)).toEqual([
      [
        "Beacon",
        "rejected",
        "Beacon Network has no cost data yet. Ask your operator for an integration round.",
      ],
      ["Newsletter", "rejected", "Cost data needs a partner that supports it, on this link or above it."],
      ["Acme > Spring > Runners", "changed", "Cost data: inherited (on now) → own (on)."],
    ]);
  });

  it("of more than 200 rows shows those that failed, and says how many there are", async () => {
    const tokens = Array.from({ length: 198 }, (_, at) => `t${at}`);
    await addLinks(tokens, "A ");
    const links = [...tokens, "demo1nk008", "nosuchlink"].join();
    const page = await open(browser, `${BULK}?action=archive&links=${links}`);
    expect(changeRows(page)).toHaveLength(200);
    expect(changeRows(page)?.[0]).toEqual([
      "nosuchlink",
      "rejected",
      "This app has no link with this token.",
    ]);
  });

  it.each([
    ["attach", "another partner", { partner_id: 1, cost_data_enabled: true }],
    ["detach", "cost data", { partner_id: 1, cost_data_enabled: true }],
  ])(
    "changes nothing that somebody changed since the review, and shows it again: %s, %s",
    async (action, _, other) => {
      await patchLink("demo1nk008", { partner_id: 3 });
      const links = "demo1nk006,demo1nk008";
      const review = await open(browser, `${BULK}?${new URLSearchParams({ action, partner: "2", links })}`);
      await patchLink("demo1nk008", other);
      const before = await rows("SELECT * FROM links");
      const { status, text } = await browser.post(BULK, formOf(review, /Change \d/));
      expect([status, await rows("SELECT * FROM links")]).toEqual([409, before]);
      expect(textOf(text)).toContain("Nothing was changed, because the links are not as you reviewed them.");
      const again = await browser.post(BULK, formOf(text, /Change \d/));
      expect(again.status).toBe(200);
      expect(await readLink("demo1nk008")).toMatchObject({ partner_id: action === "attach" ? 2 : null });
    },
  );

  it("is made after the review if only what it does not replace is another, and once if it is sent twice", async () => {
    const query = { action: "attach", partner: "2", links: "demo1nk006,demo1nk008" };
    const form = formOf(await open(browser, `${BULK}?${new URLSearchParams(query)}`), /Change \d/);
    await patchLink("demo1nk008", { name: "Letter" });
    expect(textOf((await browser.post(BULK, form)).text)).toContain("2 links attached to Beacon Network.");
    const again = await browser.post(BULK, form);
    expect(textOf(again.text)).toContain("No links changed.");
    expect(again.text).not.toContain('name="change"');
    expect(await rows("SELECT 1 FROM link_changes")).toHaveLength(1);
  });

  it("is reviewed first if the form is not from a review", async () => {
    const form = { action: "detach", links: "demo1nk001", reviewed: "demo1nk001" };
    expect((await browser.post(BULK, form)).status).toBe(409);
    expect(await readLink("demo1nk001")).toMatchObject({ partner_id: 1 });
  });

  it("changes no link of another app, and no link for an unknown partner", async () => {
    const before = await rows("SELECT * FROM links");
    for (const fields of [
      { action: "archive", links: "demo1nk009" },
      { action: "attach", partner: "99", links: "demo1nk008" },
      { action: "attach", links: "demo1nk008" },
    ]) {
      const { status, text } = await browser.post(BULK, fields);
      expect([status, textOf(text)]).toEqual([200, expect.stringContaining("No links changed.")]);
    }
    expect((await browser.post(BULK, { action: "delete", links: "demo1nk008" })).status).toBe(400);
    expect(await rows("SELECT * FROM links")).toEqual(before);
    const other = `/apps/${DEMO.otherAppToken}/links/bulk`;
    expect((await browser.post(other, { action: "archive", links: "demo1nk009" })).status).toBe(404);
    expect(await rows("SELECT * FROM links")).toEqual(before);
  });

  it("of 200 asks D1 three times, and reads at most 15 rows and writes 8 for each", async () => {
    const tokens = Array.from({ length: 200 }, (_, at) => `t${at}`);
    await addLinks(tokens);
    const { database, counts } = countingDatabase();
    const form = formOf(await open(browser, `${BULK}?action=archive&links=${tokens.join()}`), /Change 200/);
    const posted = await browser.post(BULK, form, { env: { DB: database } });
    expect(posted.status).toBe(200);
    expect(counts.calls).toBe(3);
    expect(counts.read).toBeLessThanOrEqual(200 * 15);
    expect(counts.written).toBeLessThanOrEqual(200 * 8);
    expect(await rows("SELECT 1 FROM links WHERE archived = 1")).toHaveLength(200);
  });

  it("leads nowhere else, with any query to go back to", async () => {
    const page = await open(
      browser,
      `${BULK}?action=archive&links=demo1nk008&back=//evil.example/%22%3E%3Cimg%3E`,
    );
    expect(page).not.toContain("<img>");
    for (const { href } of linksOf(page)) expect(href).toMatch(/^[/#]/);
  });
});
