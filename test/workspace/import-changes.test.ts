/** Rows of a file that name links by their tokens: what they change, what they reject, and the undo. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { patchLink, readLink } from "../campaign/support.ts";
import { countingDatabase, DEMO, freshDemo, NOW, rows, withMethods, wrapDatabases } from "../harness.ts";
import { confirm, IMPORT, outcomesOf, readText, toFile, upload } from "./files.ts";
import { APP, open, tablesOf, textOf } from "./page-text.ts";

let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const HEADER = "link_token,partner_id,cost_data,archived";
const [ACME, SPRING, RUNNERS, BEACON, PLAIN] = [
  "demo1nk001",
  "demo1nk002",
  "demo1nk003",
  "demo1nk006",
  "demo1nk008",
];
const settings = () => rows("SELECT token, label, partner_id, cost_switch, archived FROM links ORDER BY id");
const own = async (token: string) => (await readLink(token)).own;

async function importFile(...lines: string[]) {
  return confirm(browser, await upload(browser, toFile(HEADER, ...lines)));
}
const UNDO = `${APP}/links/undo`;
/** The changes that the page offers to undo, newest first. */
const undoable = async (options = {}) =>
  [...(await open(browser, UNDO, options)).matchAll(/name="change" value="([^"]+)"/g)].map(
    ([, id = ""]) => id,
  );
const undo = (change: string, options = {}) => browser.post(UNDO, { change }, options);

describe("a row with the token of a link", () => {
  it("changes its partner, its cost data and whether it is archived, after a check that changes nothing", async () => {
    await patchLink(SPRING, { cost_data_enabled: false });
    const before = await settings();
    const checked = await upload(
      browser,
      toFile(
        HEADER,
        `${ACME},,,`,
        `${SPRING},,inherit,`,
        `${RUNNERS},2,,`,
        `${BEACON},none,,yes`,
        `${PLAIN},1,ON,No`,
      ),
    );
    expect(outcomesOf(checked)).toEqual([
      ["2", "Acme", "same", ""],
      ["3", "Acme > Spring", "change", "Cost data: own (off) → inherited (on now)."],
      [
        "4",
        "Acme > Spring > Runners",
        "change",
        "Partner: Acme Ads → Beacon Network. Cost data: inherited (off now) → own (off).",
      ],
      ["5", "Beacon", "change", "Archived: no → yes. Partner: Beacon Network → none."],
      ["6", "Newsletter", "change", "Partner: none → Acme Ads. Cost data: off → on."],
    ]);
    expect(readText(checked)).toContain(
      "Nothing is saved yet. Would be created 0 links Would be changed 4 links",
    );
    expect(readText(checked)).toContain("Have these values already 1 link");
    expect(readText(checked)).toContain("Change 4 links");
    expect(await settings()).toEqual(before);
    const result = await confirm(browser, checked);
    expect(readText(result)).toContain("4 links changed.");
    expect(outcomesOf(result).map(([, , state]) => state)).toEqual([
      "changed",
      "changed",
      "changed",
      "changed",
    ]);
    expect(await own(SPRING)).toEqual({ partner_id: null, cost_data_enabled: null, target: null });
    expect(await own(RUNNERS)).toEqual({ partner_id: 2, cost_data_enabled: false, target: null });
    expect(await readLink(BEACON)).toMatchObject({ archived: true, own: { partner_id: null } });
    expect(await own(PLAIN)).toEqual({ partner_id: 1, cost_data_enabled: true, target: null });
    const entries = await rows<{ subject: string }>(
      "SELECT subject FROM audit_log WHERE action = 'update link' AND happened_at = ? ORDER BY id",
      NOW,
    );
    const subjects = entries.map(({ subject }) => subject);
    expect(subjects.slice(-4).sort()).toEqual(
      [SPRING, RUNNERS, BEACON, PLAIN].map((token) => `link ${token}`),
    );
  });

  it.each([
    [
      `${ACME},x,maybe,perhaps`,
      "Partner ID must be the ID of a partner or none. Cost data must be on, off or inherit. Archived must be yes or no.",
    ],
    [`${PLAIN},99,,`, "This partner doesn't exist. Choose another one.", "Newsletter"],
    [`${PLAIN},,on,`, "Cost data needs a partner that supports it, on this link or above it.", "Newsletter"],
    [
      `${RUNNERS},2,on,`,
      "Beacon Network has no cost data yet. Ask your operator for an integration round.",
      "Acme > Spring > Runners",
    ],
    ["nosuchlink,1,,", "This app has no link with this token."],
    ["demo1nk009,,,yes", "This app has no link with this token."],
  ])("is rejected and changes nothing: %s", async (line, detail, name = line.split(",")[0]) => {
    const before = await settings();
    const lines = [line, `${BEACON},none,,`];
    const checked = await upload(browser, toFile(HEADER, ...lines));
    expect(outcomesOf(checked)[0]).toEqual(["2", name, "rejected", detail]);
    const sent = new FormData();
    sent.set("rows", `row,${HEADER}\n2,${lines[0]}`);
    const result = await browser.get(`${IMPORT}/rows`, { method: "POST", body: sent });
    expect(outcomesOf(result)).toEqual([["2", name, "rejected", detail]]);
    expect(await settings()).toEqual(before);
    expect(await undoable()).toEqual([]);
  });

  it.each([
    [`${SPRING},,on,yes`, "Archived: no → yes. Cost data: inherited (on now) → own (on)."],
    [
      `${SPRING},1,on,`,
      "Partner: Acme Ads (inherited) → Acme Ads (own). Cost data: inherited (on now) → own (on).",
    ],
    [`${BEACON},,off,`, "It gets this setting as its own."],
  ])("says before and after that the link no longer inherits: %s", async (line, detail) => {
    const checked = await upload(browser, toFile(HEADER, line));
    expect(outcomesOf(checked).map(([, , ...outcome]) => outcome)).toEqual([["change", detail]]);
    const result = await confirm(browser, checked);
    expect(outcomesOf(result).map(([, , ...outcome]) => outcome)).toEqual([["changed", detail]]);
  });

  it("is rejected if an earlier row is for the same link", async () => {
    const checked = await upload(browser, toFile(HEADER, `${PLAIN},1,,`, `${PLAIN},2,,`));
    expect(outcomesOf(checked)[0]).toEqual([
      "3",
      PLAIN,
      "rejected",
      "Row 2 has the same link. Remove one of them.",
    ]);
  });

  it("says what is in columns that it does not change", async () => {
    const checked = await upload(
      browser,
      toFile(
        "link_token,network,campaign,partner,partner_id",
        `${SPRING},Acme,Summer,,`,
        `${BEACON},Beacon,,Acme Ads,2`,
        `${ACME},Acme,,Acme Ads,1`,
      ),
    );
    expect(outcomesOf(checked)).toEqual([
      ["2", "Acme > Spring", "same", "The file has another path: Acme > Summer."],
      ["3", "Beacon", "same", "The name of the partner is not read, because the row has a partner ID."],
      ["4", "Acme", "same", ""],
    ]);
  });

  it("takes a partner by its name if it has no partner ID, as a row for a new link", async () => {
    const lines = [`${PLAIN},Acme Ads,on`, `${BEACON},Acme Asd,`, `${RUNNERS},Nobody,`];
    const checked = await upload(browser, toFile("link_token,partner,cost_data", ...lines));
    expect(outcomesOf(checked).map(([, , ...outcome]) => outcome)).toEqual([
      ["rejected", "There's no partner “Acme Asd”. Did you mean Acme Ads?"],
      ["rejected", "There's no partner “Nobody”."],
      ["change", "Partner: none → Acme Ads. Cost data: off → on."],
    ]);
    expect(readText(checked)).toContain("Use Acme Ads for “Acme Asd” (1 row)");
    await confirm(browser, checked);
    expect(await own(PLAIN)).toMatchObject({ partner_id: 1, cost_data_enabled: true });
    expect(await own(BEACON)).toMatchObject({ partner_id: 2 });
  });

  it("changes nothing if it has what the link has, also where its partner lost the support of cost data", async () => {
    await rows("UPDATE partners SET supports_cost_data = 0, integrated_types = 0 WHERE id = 1");
    const before = await settings();
    const result = await importFile(`${ACME},1,on,no`, `${RUNNERS},none,inherit,no`, `${BEACON},2,,no`);
    expect(result.status).toBe(400);
    expect(await settings()).toEqual(before);
    const checked = await upload(browser, toFile(HEADER, `${ACME},1,on,no`, `${BEACON},2,,no`));
    expect(readText(checked)).toContain("There's nothing to import. All links exist already.");
  });

  it("can be in a file with rows that create links", async () => {
    const checked = await upload(
      browser,
      toFile(
        "link_token,network,campaign,partner_id,cost_data",
        `${PLAIN},,,1,`,
        ",New Net,New A,none,inherit",
      ),
    );
    expect(readText(checked)).toContain("Import 2 links and change 1 link");
    expect(readText(await confirm(browser, checked))).toContain("2 links created. 1 link changed.");
    expect(await rows("SELECT partner_id, cost_switch FROM links WHERE label = 'New A'")).toEqual([
      { partner_id: null, cost_switch: null },
    ]);
  });

  it("is one of the first 1,000 of a file, of which each is changed in one transaction", async () => {
    const tokens = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
    await rows(
      `INSERT INTO links (token, app_token, level, label, created_at)
       SELECT value, '${DEMO.appToken}', 1, value, 0 FROM json_each('${JSON.stringify(tokens)}')`,
    );
    const checked = await upload(browser, toFile(HEADER, ...tokens.map((token) => `${token},1,,yes`)));
    expect(readText(checked)).toContain("Would be changed 1,000 links");
    const { database, counts } = countingDatabase();
    expect(readText(await confirm(browser, checked, { env: { DB: database } }))).toContain(
      "1,000 links changed.",
    );
    // The session, what the links have, and the change.
    expect(counts.calls).toBe(3);
    expect(counts.read).toBeLessThanOrEqual(1_000 * 25);
    expect(counts.written).toBeLessThanOrEqual(1_000 * 10);
    expect(await rows("SELECT 1 FROM links WHERE archived = 1 AND partner_id = 1")).toHaveLength(1_000);
    const part = await browser.get(IMPORT, {
      method: "POST",
      body: `row,nth,${HEADER}\n1003,1000,${PLAIN},1,,\n1004,1001,${BEACON},1,,`,
      headers: { "content-type": "text/csv", accept: "application/json" },
    });
    const found = JSON.parse(part.text).rows as { state: string; isChange: boolean; detail: string }[];
    expect(found).toMatchObject([
      { state: "ready", isChange: true },
      {
        state: "rejected",
        detail: "Links are changed only by the first 1,000 rows of a file. Split the file.",
      },
    ]);
  });
});

describe("the undo of an import", () => {
  it("restores what it changed, once", async () => {
    await patchLink(SPRING, { cost_data_enabled: false });
    const before = await settings();
    const result = await importFile(`${SPRING},2,inherit,yes`, `${ACME},none,off,`, `${PLAIN},1,on,`);
    const [id = "", ...others] = await undoable();
    expect(result.text).toContain(`name="change" value="${id}"`);
    expect(others).toEqual([]);
    const undone = await undo(id);
    expect(textOf(undone.text)).toContain("3 links restored.");
    expect(
      tablesOf(undone.text)[0]
        ?.slice(1)
        .map(({ cells }) => cells),
    ).toEqual([
      [
        "Acme > Spring",
        "restored",
        "Archived: yes → no. Partner: Beacon Network → none. Cost data: inherited (off now) → own (off).",
      ],
      ["Acme", "restored", "Partner: none → Acme Ads. Cost data: off → on."],
      ["Newsletter", "restored", "Partner: Acme Ads → none. Cost data: on → off."],
    ]);
    expect(await settings()).toEqual(before);
    expect(await undoable()).toEqual([]);
    expect((await undo(id)).status).toBe(404);
    expect(await settings()).toEqual(before);
  });

  it("keeps each value that somebody changed since, and restores the others", async () => {
    await importFile(`${PLAIN},1,on,yes`, `${BEACON},1,,`);
    await patchLink(PLAIN, { cost_data_enabled: false });
    await patchLink(BEACON, { partner_id: 3 });
    const [id = ""] = await undoable();
    const undone = await undo(id);
    expect(textOf(undone.text)).toContain("2 links not restored completely.");
    expect(
      tablesOf(undone.text)[0]
        ?.slice(1)
        .map(({ cells }) => cells),
    ).toEqual([
      [
        "Newsletter",
        "not completely",
        "Archived: yes → no. Partner: Acme Ads → none. Somebody changed it since, and those values stay.",
      ],
      ["Beacon", "not completely", "Somebody changed it since, and those values stay."],
    ]);
    expect(await readLink(PLAIN)).toMatchObject({
      archived: false,
      own: { partner_id: null, cost_data_enabled: false, target: null },
    });
    expect(await own(BEACON)).toMatchObject({ partner_id: 3 });
  });

  const resultsOf = (page: string) =>
    tablesOf(page)[0]
      ?.slice(1)
      .map(({ cells }) => cells);
  const KEPT = "Somebody changed it since, and those values stay.";

  it("keeps a value that somebody changed twice, so that it is the one that the import left", async () => {
    await importFile(`${ACME},,off,`);
    await patchLink(ACME, { cost_data_enabled: true });
    await patchLink(ACME, { cost_data_enabled: false });
    const [id = ""] = await undoable();
    const undone = await undo(id);
    expect(textOf(undone.text)).toContain("1 link not restored completely.");
    expect(resultsOf(undone.text)).toEqual([["Acme", "not completely", KEPT]]);
    expect(await own(ACME)).toEqual({ partner_id: 1, cost_data_enabled: false, target: null });
  });

  it("keeps cost data off after somebody attached another partner and then this one again without it", async () => {
    await importFile(`${ACME},,off,`);
    await patchLink(ACME, { partner_id: 2 });
    await patchLink(ACME, { partner_id: 1, cost_data_enabled: true });
    await patchLink(ACME, { cost_data_enabled: false });
    const [id = ""] = await undoable();
    await undo(id);
    expect(await own(ACME)).toEqual({ partner_id: 1, cost_data_enabled: false, target: null });
  });

  it("keeps the cost data of a link that somebody set after an import attached its partner", async () => {
    const link = "demo1nk002";
    await importFile(`${link},5,,`);
    await patchLink(link, { cost_data_enabled: false });
    const [id = ""] = await undoable();
    await undo(id);
    expect(await own(link)).toMatchObject({ partner_id: null, cost_data_enabled: false });
  });

  it("judges each setting by itself: another one that somebody changed twice does not matter", async () => {
    await importFile(`${PLAIN},1,on,yes`);
    await patchLink(PLAIN, { archived: false });
    await patchLink(PLAIN, { archived: true });
    await patchLink(PLAIN, { name: "Renamed" });
    const [id = ""] = await undoable();
    expect(resultsOf((await undo(id)).text)).toEqual([
      ["Renamed", "not completely", `Partner: Acme Ads → none. Cost data: on → off. ${KEPT}`],
    ]);
    expect(await readLink(PLAIN)).toMatchObject({ archived: true, own: { partner_id: null } });
  });

  it("of two imports, the later first, restores what was before both", async () => {
    const before = await settings();
    await importFile(`${ACME},,off,`, `${PLAIN},1,,`);
    await importFile(`${ACME},,inherit,`, `${PLAIN},2,,yes`);
    const [second = "", first = ""] = await undoable();
    expect(textOf((await undo(second)).text)).toContain("2 links restored.");
    expect(textOf((await undo(first)).text)).toContain("2 links restored.");
    expect(await settings()).toEqual(before);
  });

  it("of the earlier one of two imports keeps what the later one left, also if somebody repeated its value", async () => {
    await importFile(`${PLAIN},1,,`);
    await importFile(`${PLAIN},2,,`);
    await importFile(`${PLAIN},1,,`);
    const first = (await undoable()).at(-1) ?? "";
    await undo(first);
    expect(await own(PLAIN)).toMatchObject({ partner_id: 1 });
  });

  it("does not take an undone import for the change of a person, or the change of a person for it", async () => {
    await importFile(`${ACME},,off,`);
    await importFile(`${ACME},,inherit,`);
    const [second = "", first = ""] = await undoable();
    await patchLink(ACME, { cost_data_enabled: false });
    await undo(second);
    await undo(first);
    expect(await own(ACME)).toEqual({ partner_id: 1, cost_data_enabled: false, target: null });
  });

  it("undoes nothing, and says that it can be sent again, if somebody changes a link in the meantime", async () => {
    await importFile(`${ACME},,off,`);
    const [id = ""] = await undoable();
    let [isRead, isDone] = [false, false];
    const database = wrapDatabases((real) =>
      withMethods(real, {
        prepare: (sql: string) => {
          isRead ||= sql.includes("last_entry");
          return real.prepare(sql);
        },
        batch: async (statements: D1PreparedStatement[]) => {
          const results = await real.batch(statements);
          if (isRead && !isDone) {
            isDone = true;
            await patchLink(ACME, { cost_data_enabled: true });
            await patchLink(ACME, { cost_data_enabled: false });
          }
          return results;
        },
      }),
    );
    const response = await undo(id, { env: { DB: database } });
    expect([isDone, response.status]).toEqual([true, 503]);
    expect(await own(ACME)).toEqual({ partner_id: 1, cost_data_enabled: false, target: null });
    expect(textOf((await undo(id)).text)).toContain("1 link not restored completely.");
  });

  it("has entries of its own in the audit log", async () => {
    await importFile(`${ACME},,off,`);
    const [id = ""] = await undoable();
    await undo(id);
    expect(
      await rows(
        "SELECT action, user_id, detail FROM audit_log WHERE subject = ? ORDER BY id DESC LIMIT 1",
        `link ${ACME}`,
      ),
    ).toEqual([
      { action: "undo change", user_id: 1, detail: '{"cost_data_enabled":{"from":false,"to":true}}' },
    ]);
    const page = await open(browser, `${APP}/links/${ACME}/history`);
    expect(textOf(page)).toContain("undid a change: turned cost data on");
  });

  it("says why a link cannot be restored", async () => {
    await importFile(`${ACME},2,off,`);
    await rows("UPDATE partners SET supports_cost_data = 0, integrated_types = 0 WHERE id = 1");
    const [id = ""] = await undoable();
    const undone = await undo(id);
    expect(
      tablesOf(undone.text)[0]
        ?.slice(1)
        .map(({ cells }) => cells),
    ).toEqual([
      [
        "Acme",
        "not completely",
        "Acme Ads has no cost data yet. Ask your operator for an integration round.",
      ],
    ]);
    expect(await own(ACME)).toEqual({ partner_id: 2, cost_data_enabled: false, target: null });
  });

  const sendPart = async (lines: string, partOf = "") => {
    const query = partOf && `?${new URLSearchParams({ part_of: partOf })}`;
    const headers = { "content-type": "text/csv", accept: "application/json" };
    const { text } = await browser.get(`${IMPORT}/rows${query}`, { method: "POST", body: lines, headers });
    return (JSON.parse(text) as { undo?: string }).undo;
  };

  it("is one for all parts of a file, from its list and from the history of a link", async () => {
    const before = await settings();
    const first = await sendPart("row,nth,network,campaign\n2,1,New Net,\n3,2,New Net,New A");
    expect(await sendPart(`row,nth,link_token,archived\n4,3,${PLAIN},yes`, first)).not.toBe(first);
    expect(await sendPart("row,nth,network,campaign\n5,4,New Net,New A", first)).toBe(undefined);
    expect(await undoable()).toEqual([first]);
    expect(textOf(await open(browser, UNDO))).toContain("Import 3 links");
    const page = await open(browser, `${APP}/links/${PLAIN}`);
    expect(textOf(page)).toContain("Undo for 3 links");
    const [, change = ""] = /name="change" value="([^"]+)"/.exec(page) ?? [];
    const undone = await undo(change);
    expect(textOf(undone.text)).toContain("1 link restored. 2 links archived.");
    const words =
      tablesOf(undone.text)[0]
        ?.slice(1)
        .map(({ cells: [name, word] }) => [name, word]) ?? [];
    expect(Object.fromEntries(words)).toEqual({
      "New Net": "archived",
      "New Net > New A": "archived",
      Newsletter: "restored",
    });
    expect((await settings()).filter(({ archived }) => archived === 1)).toMatchObject([
      { label: "New Net" },
      { label: "New A" },
    ]);
    expect((await settings()).slice(0, before.length)).toEqual(before);
    expect(await undoable()).toEqual([]);
  });

  it.each([
    ["is unknown", async () => "00000000-0000-4000-8000-000000000000"],
    [
      "is no import",
      async () => {
        await browser.post(`${APP}/links/${BEACON}/settings/archived`, { archived: "yes" });
        return (await undoable())[0] ?? "";
      },
    ],
    [
      "is of another app",
      async () => {
        const id = await sendPart(`row,link_token,archived\n1,${BEACON},yes`);
        await rows("UPDATE link_changes SET app_token = ?", DEMO.otherAppToken);
        return id ?? "";
      },
    ],
    [
      "is older than 24 hours",
      async () => {
        const id = await sendPart(`row,link_token,archived\n1,${BEACON},yes`);
        await rows("UPDATE link_changes SET changed_at = ?", NOW - 24 * 3600 * 1000);
        return id ?? "";
      },
    ],
  ])("is its own for a part that names a first one which %s", async (_, other) => {
    const first = await other();
    const own = await sendPart(`row,link_token,archived\n1,${PLAIN},yes`, first);
    expect((await undoable())[0]).toBe(own);
    expect((await undo(own ?? "")).headers.get("location")).toContain(`${PLAIN}/settings?notice=undone`);
    expect(await readLink(BEACON)).toMatchObject({ archived: _ !== "is unknown" });
  });

  it("of more than 100 parts goes on until none is left", async () => {
    await rows(
      `INSERT INTO links (token, app_token, level, label, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101) SELECT 'part' || i, ?, 1, 'Part ' || i, 0 FROM n`,
      DEMO.appToken,
    );
    await rows(
      `INSERT INTO link_changes (app_token, changed_at, request_id, source, count, last_entry, changes, undo_id)
       SELECT app_token, ?, token, 'import', 1, 1000000, '[{"token":"' || token || '","before":{"archived":1},"after":{"archived":0}}]', 'abc'
       FROM links WHERE token LIKE 'part%' ORDER BY id`,
      NOW,
    );
    const first = await undo("abc");
    expect(textOf(first.text)).toContain("100 links archived. There are more. Continue until none are left.");
    expect(await undoable()).toEqual(["abc"]);
    expect(first.text).toContain('name="change" value="abc"');
    expect((await undo("abc")).headers.get("location")).toContain("/links/part101/settings?notice=undone");
    expect(await undoable()).toEqual([]);
  });

  it("is offered for 24 hours, and not a millisecond longer", async () => {
    await importFile(`${PLAIN},1,,`);
    const [id = ""] = await undoable();
    const day = 24 * 3600 * 1000;
    await rows("UPDATE link_changes SET changed_at = ?", NOW - day + 1);
    expect(await undoable()).toEqual([id]);
    await rows("UPDATE link_changes SET changed_at = ?", NOW - day);
    expect(await undoable()).toEqual([]);
    const late = await undo(id);
    expect([late.status, textOf(late.text)]).toEqual([
      404,
      expect.stringContaining("This change was undone, or it is more than 24 hours old."),
    ]);
    expect(await own(PLAIN)).toMatchObject({ partner_id: 1 });
  });

  it("is not there for an import that changes nothing", async () => {
    await importFile(`${ACME},1,,`, `${PLAIN},,,no`);
    expect(await undoable()).toEqual([]);
  });

  it("is closed for members of other apps", async () => {
    await importFile(`${PLAIN},1,,`);
    const [id = ""] = await undoable();
    await rows("UPDATE link_changes SET app_token = ?", DEMO.otherAppToken);
    expect((await undo(id)).status).toBe(404);
    expect((await browser.post(`/apps/${DEMO.otherAppToken}/links/undo`, { change: id })).status).toBe(404);
    expect(await own(PLAIN)).toMatchObject({ partner_id: 1 });
  });
});
