/** A file of links: the check, the confirmation, the result, and what a file that is wrong gets. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { countingDatabase, DEMO, freshDemo, rows } from "../harness.ts";
import { isLong } from "../part.ts";
import { failingDatabase } from "../support.ts";
import { carriedRows, confirm, IMPORT, outcomesOf, readText, toFile, upload } from "./files.ts";
import { APP, decode, hrefOf, open } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const HEADER = "network,campaign,ad_group,creative,partner,partner_id,cost_data";

/** The path and the settings of the links whose names begin with this text. */
const linksNamed = (start: string) =>
  rows(
    `SELECT concat_ws('::', l3.label, l2.label, l1.label, l.label) AS path, l.partner_id, l.cost_switch, l.level
     FROM links l LEFT JOIN links l1 ON l1.id = l.parent_id LEFT JOIN links l2 ON l2.id = l1.parent_id
     LEFT JOIN links l3 ON l3.id = l2.parent_id
     WHERE l.label LIKE ? || '%' AND l.token NOT LIKE 'demo%' ORDER BY path`,
    start,
  );

const MIXED = toFile(
  HEADER,
  "New Net,,,,Acme Ads,1,on",
  "New Net,New Campaign,New Group,New Video,,,",
  "Acme,Spring,,,,,",
  "Acme,,,,Beacon Network,,off",
  "New Net,,,,,,",
  "New Other,,,,Beacon Network,,ON",
  "New Other,,New Group,,,,maybe",
  " ,,,,,,",
  "New Net",
  "New Net,New Late,,,,,on",
  "New None,,,,Nobody,,",
  "New Two,,,,Acme Ads,2,",
  "New Three,,,,,99,",
);
const CHECKED = [
  ["6", "New Net", "rejected", "Row 2 has the same link. Remove one of them."],
  ["7", "New Other", "rejected", "Cost data can't be on: Beacon Network has no cost data yet."],
  [
    "8",
    "New Other > New Group",
    "rejected",
    "Cost data must be on, off or inherit. Campaign is required, because there is a name below it.",
  ],
  ["10", "", "rejected", "The row must have as many values as the header."],
  ["12", "New None", "rejected", "There's no partner “Nobody”."],
  ["13", "New Two", "rejected", "Partner is Acme Ads, but partner_id 2 is Beacon Network."],
  ["14", "New Three", "rejected", "Partner doesn't exist."],
  ["2", "New Net", "new", "New network"],
  ["5", "Acme", "exists", "Other settings Its partner is Acme Ads. Its cost data is on."],
  [
    "3",
    "New Net > New Campaign > New Group > New Video",
    "new",
    "Also creates the campaign “New Campaign” and the ad group “New Group”.",
  ],
  ["4", "Acme > Spring", "exists", ""],
  ["11", "New Net > New Late", "new", ""],
];
const IMPORTED = [
  { path: "New Net", partner_id: 1, cost_switch: 1, level: 1 },
  { path: "New Net::New Campaign", partner_id: null, cost_switch: null, level: 2 },
  { path: "New Net::New Campaign::New Group", partner_id: null, cost_switch: null, level: 3 },
  { path: "New Net::New Campaign::New Group::New Video", partner_id: null, cost_switch: null, level: 4 },
  { path: "New Net::New Late", partner_id: null, cost_switch: 1, level: 2 },
];

describe("the check of a file", () => {
  it("shows for each row whether its link would be created, exists, or what is wrong, and creates nothing", async () => {
    const before = await rows("SELECT * FROM links");
    const { database, counts } = countingDatabase();
    const checked = await upload(browser, MIXED, { env: { DB: database } });
    expect(checked.status).toBe(200);
    expect(outcomesOf(checked)).toEqual(CHECKED);
    expect(readText(checked)).toContain(
      "Would be created 5 links (2 campaigns, 1 network, 1 ad group, and 1 creative) Exist already, nothing changes 2 links Rejected 7 links New network 1 row Other settings 1 row Import 5 links",
    );
    expect(await rows("SELECT * FROM links")).toEqual(before);
    expect([counts.calls, counts.written]).toEqual([3, 0]);
  });

  it("leads to an import of exactly the rows that it showed as good", async () => {
    const before = await rows("SELECT * FROM links WHERE label NOT LIKE 'New%' AND label <> 'Acme'");
    const result = await confirm(browser, await upload(browser, MIXED));
    expect(outcomesOf(result)).toEqual([
      ["2", "New Net", "created", ""],
      [
        "3",
        "New Net > New Campaign > New Group > New Video",
        "created",
        "Also created the campaign “New Campaign” and the ad group “New Group”.",
      ],
      ["11", "New Net > New Late", "created", ""],
    ]);
    expect(readText(result)).toContain("5 links created. 9 rows were left out, as the check said.");
    expect(await linksNamed("New")).toEqual(IMPORTED);
    expect(await rows("SELECT * FROM links WHERE label NOT LIKE 'New%' AND label <> 'Acme'")).toEqual(before);
    await open(browser, hrefOf(result.text, "New Net > New Late"));
  });

  it("finds the settings of a link also after the rows below it", async () => {
    const [header = "", first = "", ...rest] = MIXED.split("\n");
    await confirm(
      browser,
      await upload(browser, toFile(header, ...rest.filter((row) => !/^New Net,{6}/.test(row)), first)),
    );
    expect(await linksNamed("New")).toEqual(IMPORTED);
  });

  it("lets a link inherit the partner of the nearest link above it", async () => {
    const rows = [
      "New Net,,,,Beacon Network,,",
      "New Net,New Near,,,Acme Ads,,",
      "New Net,New Near,New Group,,,,on",
    ];
    const checked = await upload(browser, toFile(HEADER, ...rows));
    expect(outcomesOf(checked).map(([, , outcome]) => outcome)).toEqual(["new", "new", "new"]);
  });

  it("rejects what is below a rejected link that does not exist, so that nothing is created without its settings", async () => {
    const checked = await upload(
      browser,
      toFile(
        HEADER,
        "New Net,New Late,New Group,,,,",
        "New Net,,,,Acme Adds,,",
        "New Other,New Campaign,,,,,",
        "New Other,,,,,,maybe",
        "New Third,New Campaign,,,,,on",
        "New Third,New Campaign,New Group,,,,",
        "New Third,New Second,,,,,",
        "Acme,,,,Nobody,,",
        "Acme,New Below,,,,,",
        "New Twice,,,,Acme Ads,,",
        "New Twice,,,,,,",
        "New Twice,New Below,,,,,",
      ),
    );
    const below = (name: string) => `The row of “${name}” is rejected.`;
    expect(
      Object.fromEntries(outcomesOf(checked).map(([number, , state, detail]) => [number, [state, detail]])),
    ).toEqual({
      2: ["rejected", below("New Net")],
      3: ["rejected", expect.stringContaining("Did you mean Acme Ads?")],
      4: ["rejected", below("New Other")],
      5: ["rejected", "Cost data must be on, off or inherit."],
      6: ["rejected", expect.stringContaining("Cost data can't be on")],
      7: ["rejected", below("New Campaign")],
      8: ["new", "New network Also creates the network “New Third”."],
      9: ["rejected", "There's no partner “Nobody”."],
      10: ["new", ""],
      11: ["new", "New network"],
      12: ["rejected", "Row 11 has the same link. Remove one of them."],
      13: ["new", ""],
    });
    await confirm(browser, checked);
    expect((await linksNamed("New")).map(({ path }) => path)).toEqual([
      "Acme::New Below",
      "New Third",
      "New Third::New Second",
      "New Twice",
      "New Twice::New Below",
    ]);
  });

  it.each([
    ["Network, Campaign ,PARTNER", ","],
    ["Network name;CAMPAIGN NAME;Partner name", ";"],
    ["network\tCampaign-Name\tpartner", "\t"],
  ])("knows headings as people write them: %j", async (header, separator) => {
    const row = ["New Net", '"New A, B; C"', "Acme Ads"].join(separator);
    const checked = await upload(browser, toFile(header, row));
    expect(outcomesOf(checked)).toEqual([
      ["2", "New Net > New A, B; C", "new", "New network Also creates the network “New Net”."],
    ]);
    await confirm(browser, checked);
    expect(await linksNamed("New A")).toMatchObject([{ partner_id: 1, path: "New Net::New A, B; C" }]);
  });

  it("marks names that differ only in case from a link that exists or that a row creates", async () => {
    const checked = await upload(
      browser,
      toFile(
        "network,campaign",
        "acme,New",
        "Acme,SPRING",
        "New Net,Winter 01",
        "New Net,winter 01",
        "New Net,X",
      ),
    );
    expect(outcomesOf(checked)).toEqual([
      [
        "2",
        "acme > New",
        "new",
        "New network Similar name Also creates the network “acme”. “Acme” already exists. Only the capital letters differ.",
      ],
      ["3", "Acme > SPRING", "new", "Similar name “Spring” already exists. Only the capital letters differ."],
      ["4", "New Net > Winter 01", "new", "New network Also creates the network “New Net”."],
      [
        "5",
        "New Net > winter 01",
        "new",
        "Similar name “Winter 01” already exists. Only the capital letters differ.",
      ],
      ["6", "New Net > X", "new", ""],
    ]);
    expect(readText(checked)).toContain("Would be created 7 links");
    expect(readText(checked)).toContain("New network 2 rows Similar name 3 rows");
    const before = await rows<{ n: number }>("SELECT count(*) AS n FROM links");
    expect(readText(await confirm(browser, checked))).toContain("7 links created.");
    expect(await rows("SELECT count(*) AS n FROM links")).toEqual([{ n: (before[0]?.n ?? 0) + 7 }]);
  });

  it("offers its result as a file without formulas", async () => {
    const checked = await upload(browser, toFile("network,campaign", "=New,", "Acme,+1"));
    const [, data = ""] = /href="data:text\/csv;charset=utf-8,%EF%BB%BF([^"]*)"/.exec(checked.text) ?? [];
    expect(decodeURIComponent(decode(data))).toBe(
      "row,path,state,link_token,message\r\n2,'=New,ready,,\r\n3,Acme > +1,ready,,\r\n",
    );
  });

  it("has nothing to import if every row is rejected or exists, and says so", async () => {
    const rejected = await upload(browser, toFile("network", "a::b"));
    expect(readText(rejected)).toContain("There's nothing to import. Fix the rejected rows");
    expect(carriedRows(rejected.text)).toBe("");
    const existing = await upload(browser, toFile("network", "Acme"));
    expect(readText(existing)).toContain("There's nothing to import. All links exist already.");
  });
});

describe("the same file again", () => {
  it("creates nothing twice: uploaded again, confirmed twice, or two at the same time", async () => {
    const checked = await upload(browser, MIXED);
    const results = await Promise.all([confirm(browser, checked), confirm(browser, checked)]);
    for (const { status } of results) expect(status).toBe(200);
    const again = await confirm(browser, checked);
    expect(readText(again)).toContain("No links created.");
    expect(outcomesOf(again).map(([, , state]) => state)).toEqual(["exists", "exists", "exists"]);
    expect(await linksNamed("New")).toEqual(IMPORTED);
    expect(readText(await upload(browser, MIXED))).toContain("Would be created 0 links");
  });
});

describe("a row of an export", () => {
  it("can be as long as an export writes it", async () => {
    await rows(
      "UPDATE partners SET click_parameters = ?1, impression_parameters = ?1, cost_parameters = ?1 WHERE id = 1",
      `a=${"{".repeat(4_094)}`,
    );
    const { text } = await browser.get(`${APP}/links.csv`);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBe(16_596);
    expect((await upload(browser, text)).status).toBe(200);
  });
});

describe("the confirmation", () => {
  it("is validated again: what became wrong is rejected, what exists meanwhile is not created twice", async () => {
    const checked = await upload(
      browser,
      toFile("network,campaign,partner,cost_data", "New A,,Acme Ads,on", "New B,New C,,", "New D,,,"),
    );
    await rows("UPDATE partners SET supports_cost_data = 0, integrated_types = 0 WHERE id = 1");
    await confirm(browser, await upload(browser, toFile("network,campaign", "New B,New C")));
    const result = await confirm(browser, checked);
    expect(outcomesOf(result)).toEqual([
      ["2", "New A", "rejected", "Cost data can't be on: Acme Ads has no cost data yet."],
      ["3", "New B > New C", "exists", ""],
      ["4", "New D", "created", ""],
    ]);
    expect(readText(result)).toContain("1 link created. 1 link rejected.");
    expect((await linksNamed("New")).map(({ path }) => path)).toEqual(["New B", "New B::New C", "New D"]);
  });

  it("accepts no invalid row from a form that was changed", async () => {
    const fields = new FormData();
    fields.set("rows", "row,network,cost_data\n1,New::A,\n2,New B,on\n3,,");
    const result = await browser.get(`${IMPORT}/rows`, { method: "POST", body: fields });
    expect(outcomesOf(result).map(([, , state]) => state)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await linksNamed("New")).toEqual([]);
  });

  it.each([
    ["no rows", {}],
    ["rows without numbers", { rows: "network\nNew A" }],
    ["rows with a wrong number", { rows: "row,network\n-1,New A" }],
    ["a repeated field", { rows: "row,network\n1,New A", file: "x", again: "x" }],
  ])("returns 400 for %s and creates nothing", async (name, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [field, value] of Object.entries(fields)) body.append(field, value);
    if (name === "a repeated field") body.append("rows", "row,network\n2,New B");
    expect((await browser.get(`${IMPORT}/rows`, { method: "POST", body })).status).toBe(400);
    expect(await linksNamed("New")).toEqual([]);
  });

  it("shows the form at its own address", async () => {
    expect(await open(browser, `${IMPORT}/rows`)).toContain(`action="${IMPORT}"`);
  });

  it("creates what came before a failure, and the rest when it is sent again", async () => {
    const many = Array.from({ length: 150 }, (_, index) => `New ${index}`);
    const checked = await upload(browser, toFile("network", ...many));
    const { database } = failingDatabase((call) => call === 4);
    expect((await confirm(browser, checked, { env: { DB: database } })).status).toBe(500);
    expect(await linksNamed("New")).toHaveLength(100);
    expect(readText(await confirm(browser, checked))).toContain("50 links created.");
    expect(await linksNamed("New")).toHaveLength(150);
  });
});

describe("what is no valid file", () => {
  it("has columns to choose if some are unknown, missing or repeated", async () => {
    const page = await upload(browser, toFile("campaign,color,ad_group,ad_group,size", "a,b,c,d,e"));
    expect(readText(page)).toContain("Choose the column that has the network.");
    expect(readText(page)).toContain("Not imported: “color”, “ad_group”, and “size”.");
    expect(page.text).not.toContain('name="rows"');
  });

  it.each([
    ["an empty file", "", 400, "is missing or empty"],
    ["only line ends", "\n\n", 400, "The file must have at least one row."],
    ["a header without rows", "network", 400, "There must be at least one row below the header."],
    ["only commas below the header", "network,campaign\n,\n,,", 400, "must be at least one row"],
    ["a quote that is not closed", 'network\n"New', 400, "look for a quote that is not closed"],
    [
      "bytes that are not UTF-8",
      new Uint8Array([110, 101, 116, 0xff]),
      400,
      "isn't UTF-8: in Excel, save it as",
    ],
    ["a workbook", new Uint8Array([0x50, 0x4b, 3, 4]), 400, "is an Excel workbook: in Excel, save it as"],
    [
      "1,001 rows",
      toFile("network", ...Array.from({ length: 1_001 }, (_, index) => `New ${index}`)),
      413,
      "Without JavaScript, a file can have at most 1,000 rows and 1 MB.",
    ],
    ["more than 1 MiB", `network\n${"New\n".repeat(270_000)}`, 413, "at most 1,000 rows and 1 MB"],
    ["more than a form can have", `network\n${"New\n".repeat(400_000)}`, 413, "at most 1,000 rows and 1 MB"],
  ])("is rejected: %s", async (_, content, status, text) => {
    const page = await upload(browser, content);
    expect(page.status).toBe(status);
    expect(readText(page)).toContain(text);
    expect(await linksNamed("New")).toEqual([]);
  });

  // Changes of 1,000 links are in import-changes.test.ts.
  it.each(isLong ? [110, 1_000] : [110])(
    "imports %i rows with long names, a byte order mark and both line ends",
    async (count) => {
      const all = count / 10 + count;
      const inEnglish = all.toLocaleString("en-US");
      const lines = Array.from(
        { length: count },
        (_, index) =>
          `New ${Math.floor(index / 10)},"${index} ${"é".repeat(240)}, ""x"""${index % 2 ? "" : "\r"}`,
      );
      const content = `\ufeff${toFile("network,campaign", ...lines)}`;
      const checked = await upload(browser, content);
      expect(readText(checked).slice(0, 200)).toContain(`Would be created ${inEnglish} links`);
      const result = await confirm(browser, checked);
      expect(readText(result)).toContain(`${inEnglish} links created.`);
      expect(
        await rows("SELECT count(*) AS count FROM links WHERE level = 2 AND label LIKE '%, \"x\"'"),
      ).toEqual([{ count }]);
      expect(await linksNamed("New")).toHaveLength(count / 10);
      expect(
        await rows(
          "SELECT count(*) AS count, count(DISTINCT subject) AS links FROM audit_log WHERE action = 'create link'",
        ),
      ).toEqual([{ count: all, links: all }]);
    },
  );
});

describe("parts of a larger file", () => {
  const part = (path: string, body: string, type = "text/csv") =>
    browser.get(path, {
      method: "POST",
      body,
      headers: { "content-type": type, accept: "application/json" },
    });

  it("are checked and imported with the numbers of their rows", async () => {
    const body = "row,network,campaign\n1001,New Net,New A\n1002,New Net,New::B";
    const checked = JSON.parse((await part(IMPORT, body)).text);
    expect(checked.rows.map((row: { row: number; state: string }) => [row.row, row.state])).toEqual([
      [1001, "ready"],
      [1002, "rejected"],
    ]);
    expect(await linksNamed("New")).toEqual([]);
    const done = JSON.parse((await part(`${IMPORT}/rows`, body)).text);
    expect(done.rows[0]).toMatchObject({ row: 1001, name: "New Net > New A", state: "imported" });
    expect(done.rows[0].line).toMatch(
      /^1001,New Net > New A,created,\w{10},Also created the network “New Net”\.\r\n$/,
    );
    expect(await linksNamed("New A")).toHaveLength(1);
  });

  it("have a key for each path, also for names that contain the separator", async () => {
    const body = "row,network,campaign\n1,Kx > Ky,\n2,Kx,Ky\n3,Kx > Ky,";
    const { rows: found } = JSON.parse((await part(IMPORT, body)).text);
    expect(found.map((row: { state: string }) => row.state)).toEqual(["ready", "ready", "rejected"]);
    expect(found[0].name).toBe(found[1].name);
    expect(found[0].key).not.toBe(found[1].key);
  });

  it("get errors as problem documents", async () => {
    const { status, text } = await part(IMPORT, "row,color\n1,x");
    expect([status, JSON.parse(text).code]).toEqual([400, "invalid_request"]);
    expect((await part(IMPORT, "x", "text/plain")).status).toBe(415);
  });
});

it("fills the app up to its maximum, and rejects the rest", async () => {
  const [{ count } = { count: 0 }] = await rows<{ count: number }>(
    "SELECT created_link_count AS count FROM apps WHERE token = ?",
    DEMO.appToken,
  );
  await rows("UPDATE apps SET max_links = ? WHERE token = ?", count + 110, DEMO.appToken);
  const many = Array.from({ length: 120 }, (_, index) => `New ${index}`);
  const checked = await upload(browser, toFile("network", ...many));
  expect(readText(checked)).toContain("Would be created 110 links");
  await confirm(browser, checked);
  expect(await linksNamed("New")).toHaveLength(110);
});

it("shows markup in a file only as text, before and after the import", async () => {
  const markup = `New <img src=x onerror=alert(1)>"'><script>alert(1)</script>`;
  const cell = `"${markup.replaceAll('"', '""')}"`;
  const checked = await upload(
    browser,
    toFile("network,campaign", `${cell},`, `Acme,${cell.slice(0, -1)}::"`, `${cell},${cell}`),
  );
  const result = await confirm(browser, checked);
  expect(await linksNamed("New <img")).toHaveLength(2);
  for (const { text } of [
    checked,
    result,
    await browser.get(`${APP}/links`),
    await browser.get(`${APP}/links/new`),
  ]) {
    expect(text).not.toMatch(/<img src=x|<script>/);
  }
  expect(outcomesOf(result)[0]?.[1]).toBe(markup);
});

it("rejects a file that another site sends", async () => {
  const checked = await upload(browser, toFile("network", "New A"));
  const fromElsewhere = { headers: { "sec-fetch-site": "cross-site", origin: "https://evil.test" } };
  expect((await upload(browser, toFile("network", "New A"), fromElsewhere)).status).toBe(403);
  expect((await confirm(browser, checked, fromElsewhere)).status).toBe(403);
  expect(await linksNamed("New")).toEqual([]);
});

it("is closed for members of other apps", async () => {
  const other = IMPORT.replace(DEMO.appToken, DEMO.otherAppToken);
  expect((await browser.get(other)).status).toBe(404);
  expect((await upload(browser, toFile("network", "New A"), {}, other)).status).toBe(404);
  const checked = await upload(browser, toFile("network", "New A"));
  expect((await confirm(browser, checked, {}, `${other}/rows`)).status).toBe(404);
  expect(await linksNamed("New")).toEqual([]);
  expect(hrefOf(await open(browser, `${APP}/links`), "Paste or import many")).toBe(IMPORT);
});
