/** The export of links as CSV: what it has, what it leaves out, and that it imports again unchanged. */
import { parse } from "csv-parse/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { ask, countingDatabase, DEMO, freshDemo, rows } from "../harness.ts";
import { isLong } from "../part.ts";
import { confirm, outcomesOf, readText, upload } from "./files.ts";
import { APP, hrefOf, open } from "./page-text.ts";

const EXPORT = `${APP}/links.csv`;

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

type Row = Record<string, string>;

async function download(query = "") {
  const { status, headers, text } = await browser.get(`${EXPORT}${query}`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
  return { headers, text, rows: parse<Row>(text, { columns: true }) };
}
const pathsOf = (exported: Row[]) =>
  exported.map(({ network, campaign, ad_group, creative }) =>
    [network, campaign, ad_group, creative].filter(Boolean).join(" > "),
  );

describe("the export", () => {
  it("has every link that is not archived, with its own settings and its URLs", async () => {
    await rows("UPDATE links SET archived = 1 WHERE token = 'demo1nk008'");
    const { headers, text, rows: exported } = await download();
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="links-${DEMO.appToken}-2026-03-15.csv"`,
    );
    expect(text.split("\r\n")[0]).toBe(
      "link_token,network,campaign,ad_group,creative,partner,partner_id,cost_data,archived,target,click_url,impression_url,created_at",
    );
    const links = await rows<{ token: string; created_at: number }>(
      "SELECT token, created_at FROM links WHERE app_token = ? AND NOT archived ORDER BY level, label COLLATE NOCASE, id",
      DEMO.appToken,
    );
    expect(exported.map(({ link_token }) => link_token)).toEqual(links.map(({ token }) => token));
    const { body } = await ask<{ data: { items: Row[] } }>(
      `/public/v1/apps/${DEMO.appToken}/trackers/demo1nk004`,
      { token: DEMO.apiToken },
    );
    expect(exported.find(({ link_token }) => link_token === "demo1nk004")).toMatchObject({
      network: "Acme",
      campaign: "Spring",
      ad_group: "Runners",
      creative: "Video 15s",
      partner: "",
      partner_id: "",
      cost_data: "",
      archived: "no",
      click_url: body.data.items[0]?.click_url,
      impression_url: body.data.items[0]?.impression_url,
    });
    expect(exported.find(({ link_token }) => link_token === "demo1nk001")).toMatchObject({
      partner: "Acme Ads",
      partner_id: "1",
      cost_data: "on",
      created_at: new Date(links[0]?.created_at ?? 0).toISOString(),
    });
  });

  it("has what the filters of the page find, on all of its pages", async () => {
    await rows("UPDATE links SET archived = 1 WHERE token = 'demo1nk008'");
    expect(pathsOf((await download("?q=video")).rows)).toEqual([
      "Acme > Spring > Runners > Video 15s",
      "Acme > Spring > Runners > Video 30s",
    ]);
    expect(pathsOf((await download("?level=1&partner=1")).rows)).toEqual(["Acme"]);
    expect((await download("?archived=only")).rows.map(({ archived }) => archived)).toEqual(["yes"]);
    expect((await download("?cost=on&sort=-spend&period=30d")).rows).toHaveLength(3);
    expect((await download("?q=nothing")).rows).toEqual([]);
    expect(hrefOf(await open(browser, `${APP}/links?q=video&level=4`), "Export CSV")).toBe(
      `${EXPORT}?q=video&level=4`,
    );
  });

  it("rejects a filter that the page rejects", async () => {
    expect((await browser.get(`${EXPORT}?level=9`)).status).toBe(400);
    expect((await browser.get(`${EXPORT}?partner=99`)).status).toBe(400);
  });

  it("reads a large app in calls of 5,000 links, each once", async () => {
    // In `npm test` all on level 1.
    const [count, levels] = isLong ? [10_200, 2] : [5_100, 1];
    await rows(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO links (token, app_token, parent_id, level, label, created_at)
       SELECT 'many' || i, ?, iif(i % ${levels}, 1, NULL), 1 + i % ${levels}, 'Same ' || i % 10, 0 FROM n`,
      DEMO.appToken,
    );
    const { database, counts } = countingDatabase();
    const { text } = await browser.get(EXPORT, { env: { DB: database } });
    const tokens = parse<Row>(text, { columns: true }).map(({ link_token }) => link_token);
    const links = await rows("SELECT token FROM links WHERE app_token = ?", DEMO.appToken);
    expect([tokens.length, new Set(tokens).size]).toEqual([links.length, links.length]);
    // The session, two pages for each level with many, and one each for the others.
    expect([counts.calls, counts.written]).toEqual([5 + levels, 0]);
  });

  it("is closed for members of other apps", async () => {
    expect((await browser.get(EXPORT.replace(DEMO.appToken, DEMO.otherAppToken))).status).toBe(404);
  });
});

const STRANGE = [
  "=1+1",
  "'=1+1",
  "''-x",
  "a;=2",
  "a;'=2",
  '"=3',
  'a "quote", and more',
  "@x",
  "é ＝ ü",
  "A > B",
];

describe("an export that is imported", () => {
  beforeEach(async () => {
    for (const [index, label] of STRANGE.entries())
      await rows(
        "INSERT INTO links (token, app_token, parent_id, level, label, created_at, archived) VALUES (?, ?, 1, 2, ?, 0, ?)",
        `strange${index}`,
        DEMO.appToken,
        label,
        index % 2,
      );
    await rows("UPDATE partners SET display_name = '=Acme' WHERE id = 1");
    // Links can have the same name.
    await rows(
      "INSERT INTO links (token, app_token, level, label, created_at) VALUES ('sameacme', ?, 1, 'Acme', 0)",
      DEMO.appToken,
    );
  });

  it("has only rows that exist, without a difference, and the next export is the same", async () => {
    const before = await rows("SELECT * FROM links");
    const { text, rows: exported } = await download("?archived=all");
    const checked = await upload(browser, text);
    expect(outcomesOf(checked).map(([, , state, detail]) => [state, detail])).toEqual(
      exported.map(() => ["same", ""]),
    );
    expect(readText(checked)).toContain("All links exist already.");
    expect(await rows("SELECT * FROM links")).toEqual(before);
    expect((await download("?archived=all")).text).toBe(text);
  });

  it("has no cell that a spreadsheet would run, also one that separates cells with semicolons", async () => {
    const { text } = await download("?archived=all");
    const cells = text.match(/"(?:[^"]|"")*"|[^,\r\n]+/g) ?? [];
    expect(cells.filter((cell) => cell.includes("=")).length).toBe(58);
    for (const cell of [...cells, ...text.split(/[;\r\n]+/)]) expect(cell).not.toMatch(/^"*\s*[=+@\-＝]/);
  });

  it("without tokens creates the same links and settings in another app", async () => {
    await rows("DELETE FROM links WHERE token = 'sameacme'");
    await rows("INSERT INTO memberships VALUES (1, ?)", DEMO.otherAppToken);
    const { text } = await download("?archived=all");
    const content = text
      .replaceAll(/^\w+(?=,)/gm, "")
      .replace(/^,/, "link_token,")
      .replaceAll(",yes,", ",no,");
    const path = `/apps/${DEMO.otherAppToken}/links`;
    await rows("UPDATE apps SET redirect_hosts = (SELECT redirect_hosts FROM apps WHERE id = 1)");
    const result = await confirm(
      browser,
      await upload(browser, content, {}, `${path}/import`),
      {},
      `${path}/import/rows`,
    );
    expect(readText(result)).not.toContain("rejected.");
    const copy = await browser.get(`${path}.csv?archived=all`);
    const settings = (file: string) =>
      parse<Row>(file, { columns: true })
        .map(
          ({
            link_token: _,
            click_url: __,
            impression_url: ___,
            created_at: ____,
            archived: _____,
            ...row
          }) => JSON.stringify(row),
        )
        .sort();
    const other = settings(copy.text);
    for (const row of settings(text)) expect(other).toContain(row);
  });
});
