/** One change of all links that a search or a filter finds: the offer, the review, and what a hostile or an outdated form does. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { createLink, patchLink, readLink } from "../campaign/support.ts";
import { countingDatabase, DEMO, freshDemo, rows } from "../harness.ts";
import { APP, decode, linksOf, open, tablesOf, textOf } from "./page-text.ts";

const BULK = `${APP}/links/bulk`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

/** Links of level 1 that a search for “Heap” finds. */
const addLinks = (count: number, app: string = DEMO.appToken, prefix = "h") =>
  rows(
    `INSERT INTO links (token, app_token, level, label, created_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      SELECT '${prefix}' || i, '${app}', 1, 'Heap ' || i, 0 FROM n`,
  );
const review = (action: string, back = "?q=heap", more = {}) =>
  open(browser, `${BULK}?${new URLSearchParams({ action, links: "all", back, ...more })}`);
function fieldsOf(page: string): Record<string, string> {
  const [, form = ""] =
    page.match(/<form method="post" action="[^"]*\/links\/bulk"[^>]*>([\s\S]*?)<\/form>/) ?? [];
  expect(form).not.toBe("");
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      decode(value),
    ]),
  );
}
const undo = (page: string, options = {}) =>
  browser.post(
    `${APP}/links/undo`,
    { change: /name="change" value="([^"]+)"/.exec(page)?.[1] ?? "" },
    options,
  );
const archived = async () =>
  (await rows("SELECT token FROM links WHERE archived = 1 ORDER BY id")).map(({ token }) => token);
const countNetworks = async () =>
  (await rows("SELECT 1 FROM links WHERE app_token = ? AND level = 1 AND archived = 0", DEMO.appToken))
    .length;
const stateOf = () => rows("SELECT * FROM links ORDER BY id");

describe("the offer to select all that match", () => {
  it.each([
    ["a search", "?q=heap", "Select all 3 that match"],
    ["a filter", "?level=1", "Select all that match"],
  ])("is there for %s, and leads to the form for all of them", async (_, query, text) => {
    await addLinks(3);
    const page = await open(browser, `${APP}/links${query}`);
    const offer = linksOf(page).find((link) => link.text === text);
    expect(offer?.href).toBe(`${APP}/links${query}&selected=all`);
    const chosen = await open(browser, offer?.href ?? "");
    const count = query === "?level=1" ? await countNetworks() : 3;
    expect(textOf(chosen)).toContain(`All ${count} links that match are selected`);
    expect(chosen).toContain('<input type="hidden" name="links" value="all">');
    expect(chosen.match(/type="checkbox"[^>]*checked disabled/g)).toHaveLength(count);
    expect(chosen).not.toContain('form="selection"');
    // Another search would be about other links.
    expect(chosen).not.toMatch(/<form class="filters"[\s\S]*?name="selected"/);
  });

  it("is not there for the tree, also if its address asks for it", async () => {
    const page = await open(browser, `${APP}/links?selected=all`);
    expect(page).not.toContain("that match");
    expect(textOf(page)).toContain("No links selected");
    const { status } = await browser.get(`${BULK}?action=archive&links=all&back=`);
    expect(status).toBe(400);
  });

  it("says before the click that 1,001 are too many", async () => {
    await addLinks(1_000);
    expect(await open(browser, `${APP}/links?q=heap`)).toContain("Select all 1,000 that match");
    await addLinks(1, DEMO.appToken, "more");
    const page = await open(browser, `${APP}/links?q=heap`);
    expect(page).not.toContain("selected=all");
    expect(textOf(page).split("1,001 links match")).toHaveLength(2);
    expect(textOf(page)).toContain("1,001 links match. You can change up to 1,000 at a time.");
    await rows("UPDATE links SET level = 2, parent_id = 1 WHERE label LIKE 'Heap 9%'");
    const mixed = await open(browser, `${APP}/links?q=heap`);
    const ways = linksOf(mixed).filter(({ text }) => /^\d+ (network|campaign)s?$/.test(text));
    // Only above the table: the bar says nothing twice.
    expect(ways.map(({ text, href }) => [text, href])).toEqual([
      ["890 networks", `${APP}/links?q=heap&level=1`],
      ["111 campaigns", `${APP}/links?q=heap&level=2`],
    ]);
    for (const { href } of ways) expect(await open(browser, href)).toContain("that match</a>");
    await rows("UPDATE links SET level = 1, parent_id = NULL WHERE label LIKE 'Heap 9%'");
    const filtered = textOf(await open(browser, `${APP}/links?level=1`));
    expect(filtered).toContain("You can change up to 1,000 at a time.");
    const chosen = await open(browser, `${APP}/links?level=1&selected=all`);
    expect(textOf(chosen)).toContain(
      `${(await countNetworks()).toLocaleString("en-US")} links match. You can change up to 1,000 at a time.`,
    );
    expect(chosen).not.toContain("Review changes");
  });
});

describe("a change of all that match", () => {
  it("is reviewed, made, shown in the answer itself, and undone", async () => {
    await addLinks(3);
    await patchLink("h2", { archived: true });
    const before = await stateOf();
    const page = await review("archive", "?q=heap&archived=all");
    expect(await stateOf()).toEqual(before);
    expect(textOf(page)).toContain("Archive: 2 of 3 links that match will change. Nothing is saved yet.");
    const { status, text } = await browser.post(BULK, fieldsOf(page));
    expect(status).toBe(200);
    expect(textOf(text)).toContain("2 links archived.");
    expect(
      tablesOf(text)[0]
        ?.slice(1)
        .map(({ cells }) => cells),
    ).toEqual([
      ["Heap 1", "changed", "Archived: no → yes."],
      ["Heap 2", "same", ""],
      ["Heap 3", "changed", "Archived: no → yes."],
    ]);
    expect(await archived()).toEqual(["h1", "h2", "h3"]);
    expect(textOf((await undo(text)).text)).toContain("2 links restored.");
    expect(await archived()).toEqual(["h2"]);
  });

  it("is about the words, filters and archived links of its query, on all pages of the list", async () => {
    await addLinks(60);
    const page = await review("attach", "?q=heap&after=&sort=-clicks&period=30d&open=", { partner: "3" });
    expect(textOf(page)).toContain("Attach to Corsair Media: 60 of 60 links that match will change.");
    expect((await browser.post(BULK, fieldsOf(page))).status).toBe(200);
    expect(await rows("SELECT count(*) AS n FROM links WHERE partner_id = 3 AND label LIKE 'Heap%'")).toEqual(
      [{ n: 60 }],
    );
    const filtered = await review("detach", "?partner=3&level=1");
    expect(textOf(filtered)).toMatch(/Detach from their partner: \d+ of \d+ links that match/);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a link is created", () => createLink("Heap new")],
    [
      "one is archived and another one restored",
      async () => {
        await patchLink("h1", { archived: true });
        await patchLink("h4", { archived: false });
      },
    ],
    ["a link gets another partner", () => patchLink("h3", { partner_id: 2 })],
  ])("changes nothing if, since the review, %s, and shows the review again", async (_, happens) => {
    await addLinks(4);
    await patchLink("h4", { archived: true });
    const old = fieldsOf(await review("attach", "?q=heap", { partner: "3" }));
    await happens();
    const before = await stateOf();
    const { status, text } = await browser.post(BULK, old);
    expect(status).toBe(409);
    expect(await stateOf()).toEqual(before);
    expect(textOf(text)).toContain("Nothing was changed, because the links are not as you reviewed them.");
    const now = await browser.post(BULK, fieldsOf(text));
    expect(now.status).toBe(200);
    expect(await readLink("h3")).toMatchObject({ partner_id: 3 });
  });

  it("that is sent twice changes each link once", async () => {
    await addLinks(2);
    const form = fieldsOf(await review("archive"));
    const answers = await Promise.all([browser.post(BULK, form), browser.post(BULK, form)]);
    const again = await browser.post(BULK, form);
    expect(textOf(again.text)).toContain("No links changed.");
    expect(answers.filter(({ text }) => textOf(text).includes("2 links archived."))).toHaveLength(1);
    expect(await archived()).toEqual(["h1", "h2"]);
    const entries = await rows("SELECT subject FROM audit_log WHERE subject IN ('link h1', 'link h2')");
    expect(entries).toHaveLength(2);
  });

  it("of 1,001 links, created since the review, changes nothing and says why", async () => {
    await addLinks(1_000);
    const form = fieldsOf(await review("archive"));
    await addLinks(1, DEMO.appToken, "more");
    const { status, text } = await browser.post(BULK, form);
    expect(status).toBe(409);
    expect(textOf(text)).toContain("1,001 links match. You can change up to 1,000 at a time.");
    expect(text).not.toContain('<form method="post" action="/apps/');
    expect(await archived()).toEqual([]);
  });

  it("of 1,000 asks D1 four times, and reads at most 25 rows and writes 8 for each", async () => {
    await addLinks(1_000);
    const page = await review("archive");
    expect(textOf(page)).toContain("And 800 more.");
    const { database, counts } = countingDatabase();
    const { status, text } = await browser.post(BULK, fieldsOf(page), { env: { DB: database } });
    expect(status).toBe(200);
    expect(counts.calls).toBe(4);
    expect(counts.read).toBeLessThanOrEqual(1_000 * 25);
    expect(counts.written).toBeLessThanOrEqual(1_000 * 8);
    expect(await archived()).toHaveLength(1_000);
    const undoing = countingDatabase();
    const undone = await undo(text, { env: { DB: undoing.database } });
    expect(undone.status).toBe(200);
    expect(textOf(undone.text)).toContain("1,000 links restored.");
    expect(await archived()).toEqual([]);
    // The session, the change, its links, and what restores them.
    expect(undoing.counts.calls).toBe(4);
    expect(undoing.counts.read).toBeLessThanOrEqual(1_000 * 30);
    expect(undoing.counts.written).toBeLessThanOrEqual(1_000 * 8);
  });

  it("finds only links of the app, whatever the query says", async () => {
    await addLinks(2, DEMO.otherAppToken);
    const before = await stateOf();
    expect(textOf(await review("archive"))).toContain("0 of 0 links that match");
    // A link of the other app by its token.
    expect(textOf(await review("archive", "?q=h1"))).toContain("0 of 0 links that match");
    const other = `/apps/${DEMO.otherAppToken}/links/bulk`;
    const form = { action: "archive", links: "all", back: "?q=heap", reviewed: "x" };
    expect((await browser.post(other, form)).status).toBe(404);
    expect(textOf((await browser.post(BULK, form)).text)).toContain("No links changed.");
    expect(await stateOf()).toEqual(before);
  });

  it.each([
    ["without a search", { back: "" }],
    ["with only an order", { back: "?sort=-clicks" }],
    ["with an unknown parameter", { back: "?q=heap&admin=1" }],
    ["with an unknown partner", { back: "?partner=99" }],
    [
      "with more words than a search has",
      { back: `?q=${Array.from({ length: 11 }, (_, at) => `w${at}`).join("+")}` },
    ],
    ["with an unknown action", { action: "delete" }],
  ])("is rejected %s", async (_, fields) => {
    await addLinks(2);
    const before = await stateOf();
    const form = { ...fieldsOf(await review("archive")), ...fields };
    expect((await browser.post(BULK, form)).status).toBe(400);
    expect(await stateOf()).toEqual(before);
  });

  it.each(["", "2.1", "2.9999.", "x".repeat(10_000)])(
    "is reviewed again without what its review showed: %.20s",
    async (reviewed) => {
      await addLinks(2);
      const form = { ...fieldsOf(await review("archive")), reviewed };
      expect((await browser.post(BULK, form)).status).toBe(409);
      expect(await archived()).toEqual([]);
    },
  );
});
