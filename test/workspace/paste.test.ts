/** Cells and paths that are pasted: how they are read, the columns that a person chooses, the counts, and the undo. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { patchLink } from "../campaign/support.ts";
import { countingDatabase, DEMO, freshDemo, rows } from "../harness.ts";
import { isLong } from "../part.ts";
import { columnFields, confirm, IMPORT, outcomesOf, paste, readText, toFile, upload } from "./files.ts";
import { APP, open, tablesOf, textOf } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

/** The links that are new, with their paths. */
const created = () =>
  rows<{ path: string; partner_id: number | null; cost_switch: number | null; archived: number }>(
    `SELECT concat_ws('::', l3.label, l2.label, l1.label, l.label) AS path, l.partner_id, l.cost_switch, l.archived
     FROM links l LEFT JOIN links l1 ON l1.id = l.parent_id LEFT JOIN links l2 ON l2.id = l1.parent_id
     LEFT JOIN links l3 ON l3.id = l2.parent_id WHERE l.token NOT LIKE 'demo%' ORDER BY path`,
  );
const paths = async () => (await created()).map(({ path }) => path);
const cells = (...lines: string[][]) => lines.map((line) => line.join("\t")).join("\r\n");
const many = (count: number, toLine: (at: number) => string[]) =>
  cells(...Array.from({ length: count }, (_, at) => toLine(at)));
const undoOf = ({ text }: { text: string }) => /name="change" value="([^"]+)"/.exec(text)?.[1] ?? "";

describe("cells of a spreadsheet", () => {
  // A file of 1,000 rows is in import.test.ts.
  it.each(isLong ? [60, 200, 1_000] : [120])(
    "are %i rows, whose links are counted exactly and created",
    async (count) => {
      const networks = count / 20;
      const sent = many(count, (at) => [
        "New",
        `C ${at % networks}`,
        `G ${at % (networks * 2)}`,
        `Video ${at}`,
      ]);
      const checked = await paste(browser, sent);
      const kinds = `${count} creatives, ${networks * 2} ad groups, ${networks} campaigns, and 1 network`;
      expect(readText(checked)).toContain(
        `Would be created ${(count + networks * 3 + 1).toLocaleString("en-US")} links (${kinds.replace("1000", "1,000")})`,
      );
      expect(await created()).toEqual([]);
      const result = await confirm(browser, checked);
      expect(result.status).toBe(200);
      expect(await created()).toHaveLength(count + networks * 3 + 1);
    },
  );

  it("leads back to the form in its words, before and after the import", async () => {
    const row = cells(["network"], ["New Net"]);
    const checked = await paste(browser, row);
    const [, action = ""] = /action="([^"]*\/import\/rows[^"]*)"/.exec(checked.text) ?? [];
    const done = await confirm(browser, checked, {}, action);
    expect(done.text).toContain(`<a href="${IMPORT}">Paste other rows</a>`);
    expect((await paste(browser, row)).text).toContain("Paste other rows");
    const file = await upload(browser, toFile("network", "New Net"));
    expect(file.text).toContain("Upload another file");
    expect(done.text + checked.text).not.toContain("another file");
  });

  it("cannot be 1,001 rows", async () => {
    const checked = await paste(
      browser,
      many(1_001, (at) => [`New ${at}`, "A"]),
    );
    expect([checked.status, await created()]).toEqual([413, []]);
    expect(readText(checked)).toContain("It has more than 1,000 rows. Split it into parts.");
  });

  it("cannot have 51 columns", async () => {
    const line = (count: number) => cells(["New", ...Array.from({ length: count - 1 }, () => "x")]);
    expect((await paste(browser, line(50))).status).toBe(200);
    const wide = await paste(browser, line(51));
    expect([wide.status, readText(wide)]).toEqual([
      400,
      expect.stringContaining("Cells or paths can have at most 50 columns."),
    ]);
  });

  it("are counted by what is new, exists and is rejected, and reasons that repeat are said once", async () => {
    const checked = await paste(
      browser,
      cells(
        ["Acme", "Spring"],
        ["Acme", "Autumn", "Runners"],
        ["Acme", "", "Runners"],
        ...["a", "b", "c", "d", "e"].map((name) => [`New::${name}`]),
      ),
    );
    expect(readText(checked)).toContain(
      "Would be created 2 links (1 campaign and 1 ad group) Exist already, nothing changes 1 link Rejected 6 links",
    );
    expect(outcomesOf(checked).slice(0, 2)).toEqual([
      ["3", "Acme > Runners", "rejected", "Campaign is required, because there is a name below it."],
      [
        "4, 5, 6 and 2 more",
        "New::a and 4 more",
        "rejected",
        "Network must not contain ::, which joins the names of a path.",
      ],
    ]);
  });

  it("have headings in any order, with columns that say nothing", async () => {
    const sent = cells(
      ["Budget", "Ad group name", "Campaign", "Network", "Partner", "Cost data"],
      ["100", "Group", "Campaign A", "New", "Acme Ads", "on"],
      ["", "", "", "New", "Beacon Network", ""],
    );
    const checked = await paste(browser, sent);
    expect(readText(checked)).toContain("Not imported: “Budget”.");
    await confirm(browser, checked);
    expect(await created()).toMatchObject([
      { path: "New", partner_id: 2, cost_switch: null },
      { path: "New::Campaign A", partner_id: null },
      { path: "New::Campaign A::Group", partner_id: 1, cost_switch: 1 },
    ]);
  });

  it("without headings are the levels in their order, also if a name is that of another column", async () => {
    await confirm(browser, await paste(browser, cells(["Target", "Partner"], ["Target", "Status"])));
    expect(await paths()).toEqual(["Target", "Target::Partner", "Target::Status"]);
  });

  it.each([
    ["New\tSpring\tCreative", "New > Spring > Creative"],
    ["New,Spring,Creative", "New > Spring > Creative"],
    ["Network\tNew", "Network > New"],
  ])("in one row with a name that is also a heading are a link: %j", async (sent, name) => {
    const checked = await paste(browser, sent);
    expect(outcomesOf(checked).map(([row, link]) => [row, link])).toEqual([["1", name]]);
    expect(columnFields(checked)).not.toHaveProperty("headings");
  });

  it.each(["Network\tCampaign\tCreative", "network;campaign;creative"])(
    "in one row of headings only can be said to be a link: %j",
    async (sent) => {
      const checked = await paste(browser, sent);
      expect([checked.status, readText(checked)]).toEqual([
        400,
        expect.stringContaining("There must be at least one row below the header."),
      ]);
      const { headings, ...fields } = columnFields(checked);
      expect(headings).toBe("yes");
      const again = await paste(browser, fields.cells ?? "", fields);
      expect(outcomesOf(again).map(([row, name]) => [row, name?.toLowerCase()])).toEqual([
        ["1", "network > campaign > creative"],
      ]);
    },
  );

  it("with line ends or tabs in them, which have quotes then, are one cell", async () => {
    const sent = ['"New\r\n""one"""\tA', '"New\n""one"""\t"B\tor C"', '"New\n""one"""\t"D"'].join("\r\n");
    await confirm(browser, await paste(browser, sent));
    const name = 'New "one"';
    expect(await paths()).toEqual([name, `${name}::A`, `${name}::B or C`, `${name}::D`]);
  });

  it.each([
    ['"New\none"', [["1", "New one"]]],
    [
      '"New\none',
      [
        ["1", '"New'],
        ["2", "one"],
      ],
    ],
  ])("of one column with a line end are one name if the quotes are closed: %j", async (sent, names) => {
    expect(outcomesOf(await paste(browser, sent)).map(([row, name]) => [row, name])).toEqual(names);
  });

  it("keep quotes as spreadsheets copy them, and commas", async () => {
    const sent = cells(['5" screen', '"Best" shoes, red'], ['"A, ""B"""', "x"]);
    await confirm(browser, await paste(browser, sent));
    expect(await paths()).toEqual(['5" screen', '5" screen::"Best" shoes, red', 'A, "B"', 'A, "B"::x']);
  });

  it("can end at any level, with empty rows between", async () => {
    const sent = cells(["New", "", "", ""], ["", "", "", ""], ["New", "A", "B", "C"], ["New", "D"]);
    const checked = await paste(browser, sent);
    expect(outcomesOf(checked).map(([row, name]) => [row, name])).toEqual([
      ["1", "New"],
      ["3", "New > A > B > C"],
      ["4", "New > D"],
    ]);
    await confirm(browser, checked);
    expect(await paths()).toEqual(["New", "New::A", "New::A::B", "New::A::B::C", "New::D"]);
  });

  it("get a partner, cost data and a target for all rows that do not say theirs", async () => {
    const sent = cells(["Network", "Campaign", "Partner"], ["New", "A", ""], ["New", "B", "Beacon Network"]);
    const checked = await paste(browser, sent, { partner_id: "1", cost_data: "off" });
    await confirm(browser, checked);
    expect(await created()).toMatchObject([
      { path: "New", partner_id: null, cost_switch: null },
      { path: "New::A", partner_id: 1, cost_switch: 0 },
      { path: "New::B", partner_id: 2, cost_switch: 0 },
    ]);
    // A row that changes a link says all of it itself.
    const change = cells(["link_token", "archived"], ["demo1nk002", "yes"]);
    await confirm(browser, await paste(browser, change, { partner_id: "2", cost_data: "off" }));
    expect(
      await rows("SELECT partner_id, cost_switch, archived FROM links WHERE token = 'demo1nk002'"),
    ).toEqual([{ partner_id: null, cost_switch: null, archived: 1 }]);
    const wrong = await paste(browser, sent, { partner_id: "x", target: "https://example.com" });
    expect([wrong.status, readText(wrong)]).toEqual([400, expect.stringContaining("Partner")]);
    expect(wrong.text).toContain("Beacon Network</textarea>");
    expect(wrong.text).toContain('value="https://example.com"');
  });
});

describe("the columns", () => {
  it("can be chosen, and the rows are checked again", async () => {
    const sent = cells(["Acme Ads", "New", "A"], ["Acme Ads", "New", "B"]);
    const checked = await paste(browser, sent);
    const fields = columnFields(checked);
    expect(fields).toMatchObject({ column0: "network", column1: "campaign", column2: "ad_group" });
    const again = await paste(browser, fields.cells ?? "", {
      ...fields,
      column0: "partner",
      column1: "network",
      column2: "campaign",
    });
    expect(outcomesOf(again).map(([, name]) => name)).toEqual(["New > A", "New > B"]);
    await confirm(browser, again);
    expect(await created()).toMatchObject([
      { path: "New" },
      { path: "New::A", partner_id: 1 },
      { partner_id: 1 },
    ]);
  });

  it("of a file keep their headings, its rows and what all rows get", async () => {
    const file = toFile("Size,Net;work,Camp,Partner", "1,New,A,", "2,New,B,Beacon Network");
    const checked = await upload(browser, file);
    expect(readText(checked)).toContain("Choose the column that has the network.");
    expect(checked.text).not.toContain('name="rows"');
    const fields = { ...columnFields(checked), column1: "network", column2: "campaign", partner_id: "1" };
    const { csv = "", ...rest } = fields as Record<string, string>;
    const again = await paste(browser, "", { csv, ...rest });
    expect(outcomesOf(again).map(([row, name]) => [row, name])).toEqual([
      ["2", "New > A"],
      ["3", "New > B"],
    ]);
    await confirm(browser, again);
    expect(await created()).toMatchObject([{ path: "New" }, { partner_id: 1 }, { partner_id: 2 }]);
  });

  it("can be said to have headings, or not", async () => {
    const checked = await paste(browser, cells(["Network"], ["New"]));
    const { headings: _, ...fields } = columnFields(checked);
    const again = await paste(browser, fields.cells ?? "", { ...fields, column0: "network" });
    expect(outcomesOf(again).map(([, name]) => name)).toEqual(["Network", "New"]);
  });

  it.each([
    [{ column0: "network", column1: "network" }, "Network is chosen for more than one column."],
    [{ column0: "", column1: "campaign" }, "Choose the column that has the network."],
  ])("must make sense: %j", async (columns: Record<string, string>, problem) => {
    const fields = columnFields(await paste(browser, cells(["New", "A"])));
    const again = await paste(browser, fields.cells ?? "", { ...fields, ...columns });
    expect(readText(again)).toContain(problem);
    expect(again.text).not.toContain('name="rows"');
  });
});

describe("paths", () => {
  it("are split at > and at what our pages write between names, and quotes are part of them", async () => {
    const sent = ['New › A › 5" "x', "New>B", "", "  New > C, D "].join("\n");
    const checked = await paste(browser, sent);
    expect(outcomesOf(checked).map(([row, name]) => [row, name])).toEqual([
      ["2", "New > B"],
      ["1", 'New > A > 5" "x'],
      ["4", "New > C, D"],
    ]);
    await confirm(browser, checked);
    expect(await paths()).toEqual(["New", "New::A", 'New::A::5" "x', "New::B", "New::C, D"]);
  });

  it.each([";", ",", "|"])("are split at %j if each line has as many of them", async (separator) => {
    const sent = [["New", "A", "B", "C"], [], ["New", "A", "B", "D"]].map((line) => line.join(separator));
    await confirm(browser, await paste(browser, sent.join("\r\n")));
    expect(await paths()).toEqual(["New", "New::A", "New::A::B", "New::A::B::C", "New::A::B::D"]);
  });

  it.each([
    ["another number of separators", ["New;A;B", "New;A"]],
    ["names with a comma", ["New, Inc.", "Other, Inc."]],
    ["one name", ["New, Inc."]],
  ])("with %s are one name each, with a warning", async (_, lines) => {
    const checked = await paste(browser, lines.join("\n"));
    expect(outcomesOf(checked).map(([, name]) => name)).toEqual(lines);
    expect(readText(checked)).toContain("Each line was read as one name.");
  });

  it.each([["New > A;B\nNew > C;D"], ["New\nOther"], ["New, Inc.\nOther"]])(
    "that are not like that have no warning: %j",
    async (sent) => {
      const checked = await paste(browser, sent);
      expect(outcomesOf(checked)).toHaveLength(2);
      expect(readText(checked)).not.toContain("Each line was read as one name.");
    },
  );

  it("are rejected with the number of their line if they are too long, have a gap, or repeat", async () => {
    const lines = ["New > A", "New > > B", "A > B > C > D > E", "New::Other", "New > A", "New > "];
    expect(outcomesOf(await paste(browser, lines.join("\r\n")))).toEqual([
      ["2", "New > B", "rejected", "Campaign is required, because there is a name below it."],
      ["3", "A > B > C > D", "rejected", "This path has 5 names. Use at most 4."],
      ["4", "New::Other", "rejected", "Network must not contain ::, which joins the names of a path."],
      ["5", "New > A", "rejected", "Row 1 has the same link. Remove one of them."],
      ["6", "New", "new", "New network"],
      ["1", "New > A", "new", ""],
    ]);
  });

  it("begin below a link, whose levels are shown and fixed", async () => {
    const path = `${IMPORT}?parent=demo1nk002`;
    expect(textOf(await open(browser, path))).toContain("Network Acme Campaign Spring");
    const checked = await paste(browser, "New A > New B\nNew A > New B > New C", {}, path);
    expect(outcomesOf(checked)[0]).toEqual([
      "2",
      "New A > New B",
      "rejected",
      "This path has 3 names. Use at most 2.",
    ]);
    expect((await confirm(browser, checked, {}, `${IMPORT}/rows?parent=demo1nk002`)).status).toBe(200);
    expect(await paths()).toEqual(["Acme::Spring::New A", "Acme::Spring::New A::New B"]);
    const file = await upload(browser, toFile("network,ad_group", "Acme,X"), {}, path);
    expect(readText(file)).toContain("Not imported: “network”.");
    expect((await browser.get(`${IMPORT}?parent=demo1nk004`)).status).toBe(400);
    expect((await browser.get(`${IMPORT}?parent=demo1nk009`)).status).toBe(404);
  });

  it("are created once if two people confirm them at the same time", async () => {
    const checked = await paste(browser, "New A > New B\nNew A > New C\nNew D");
    const results = await Promise.all([confirm(browser, checked), confirm(browser, checked)]);
    expect(results.map(({ status }) => status)).toEqual([200, 200]);
    expect(await paths()).toEqual(["New A", "New A::New B", "New A::New C", "New D"]);
  });

  it("are asked for if nothing was sent, and one of both if a file came too", async () => {
    const none = await paste(browser, " \n ");
    expect([none.status, readText(none)]).toEqual([
      400,
      expect.stringContaining("Paste cells or paths, or choose a file."),
    ]);
    const fields = new FormData();
    fields.set("cells", "New");
    fields.set("file", new File(["network\nNew"], "links.csv"));
    const both = await browser.get(IMPORT, { method: "POST", body: fields });
    expect([both.status, readText(both)]).toEqual([
      400,
      expect.stringContaining("Paste cells or choose a file, not both."),
    ]);
  });
});

describe("the name of a partner with a typing error", () => {
  it("is rejected with the name that it nearly is, which can be used for all of its rows", async () => {
    const sent = cells(
      ["Network", "Campaign", "Partner"],
      ["New", "A", "Acme Asd"],
      ["New", "B", "Acme Asd"],
      ["New", "C", "Nobody"],
    );
    const checked = await paste(browser, sent);
    expect(outcomesOf(checked).slice(0, 3)).toEqual([
      ["2", "New > A", "rejected", "There's no partner “Acme Asd”. Did you mean Acme Ads?"],
      ["3", "New > B", "rejected", "There's no partner “Acme Asd”. Did you mean Acme Ads?"],
      ["4", "New > C", "rejected", "There's no partner “Nobody”."],
    ]);
    expect(readText(checked)).toContain("Use Acme Ads for “Acme Asd” (2 rows)");
    const fields: Record<string, string> = { ...columnFields(checked), correct0: "Acme Asd" };
    const again = await paste(browser, columnFields(checked).cells ?? "", fields);
    expect(readText(again)).toContain("Would be created 3 links (2 campaigns and 1 network)");
    await confirm(browser, again);
    expect(await created()).toMatchObject([{ path: "New" }, { partner_id: 1 }, { partner_id: 1 }]);
    const forged = await paste(browser, fields.cells ?? "", { ...fields, correct0: "Nobody" });
    expect(readText(forged)).toContain("Rejected 3 links");
  });
});

describe("the undo of pasted links", () => {
  it("archives what was created, once, and keeps what somebody restored or what existed", async () => {
    const before = await rows("SELECT * FROM links ORDER BY id");
    const result = await confirm(browser, await paste(browser, "Acme > Spring\nNew > A > B\nNew > C"));
    const undo = { change: undoOf(result) };
    const [token = ""] = (await rows("SELECT token FROM links WHERE label = 'C'")).map((row) =>
      String(row.token),
    );
    await patchLink(token, { archived: true });
    await patchLink(token, { archived: false });
    await patchLink(token, { name: "D" });
    const undone = await browser.post(`${APP}/links/undo`, undo);
    expect(textOf(undone.text)).toContain("3 links archived. 1 link not restored completely.");
    expect(textOf(undone.text)).toContain("clicks, impressions and costs stay where they were recorded");
    expect(await created()).toMatchObject([
      { path: "New", archived: 1 },
      { path: "New::A", archived: 1 },
      { path: "New::A::B", archived: 1 },
      { path: "New::D", archived: 0 },
    ]);
    expect(await rows("SELECT * FROM links WHERE token LIKE 'demo%' ORDER BY id")).toEqual(before);
    expect((await browser.post(`${APP}/links/undo`, undo)).status).toBe(404);
  });

  it("of 501 rows, in six transactions, is one step of two calls for each thousand links", async () => {
    const sent = many(501, (at) => ["New", `C ${at}`, "G"]);
    const result = await confirm(browser, await paste(browser, sent));
    expect(await rows("SELECT count(*) AS n, sum(count) AS links FROM link_changes")).toEqual([
      { n: 6, links: 1_003 },
    ]);
    expect(tablesOf(await open(browser, `${APP}/links/undo`))[0]).toHaveLength(2);
    const { database, counts } = countingDatabase();
    const undo = { change: undoOf(result) };
    const undone = await browser.post(`${APP}/links/undo`, undo, { env: { DB: database } });
    expect(textOf(undone.text)).toContain("1,003 links archived.");
    // The session, the change, and two transactions, each of which reads its links first.
    expect(counts.calls).toBe(6);
    expect(counts.read).toBeLessThanOrEqual(1_003 * 30);
    expect(counts.written).toBeLessThanOrEqual(1_003 * 10);
    expect((await created()).every(({ archived }) => archived === 1)).toBe(true);
    expect(await rows("SELECT * FROM link_changes")).toEqual([]);
  });

  it("is not there for another app, or another member's app", async () => {
    const result = await confirm(browser, await paste(browser, "New"));
    const other = `/apps/${DEMO.otherAppToken}/links/undo`;
    expect((await browser.post(other, { change: undoOf(result) })).status).toBe(404);
    expect((await browser.post(`${APP}/links/undo`, { change: "x'" })).status).toBe(400);
    expect(await created()).toMatchObject([{ archived: 0 }]);
  });
});
