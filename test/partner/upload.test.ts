/** A file of costs: the check, the confirmation, the result, and what a file that is wrong gets. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, countingDatabase, DEMO, freshDemo, ledgerOn, NOW, rows, sendCost } from "../harness.ts";
import { isWhole } from "../part.ts";
import { failingDatabase } from "../support.ts";
import { downloadOf, freshPartner, type PartnerBrowser, rowsOf, tableOf } from "./support.ts";

let browser: PartnerBrowser;
beforeEach(async () => {
  browser = await freshPartner(freshDemo);
});

const HEADER = "cost_type,cost_currency,cost_id,cost_amount,tag";
const file = (...lines: string[]) => [HEADER, ...lines].join("\n");
const numbered = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `cpc,USD,numbered-cost-${from + index},0.5,t`);

const costsOf = (prefix: string) =>
  rows(
    "SELECT cost_id, cost_type, currency, amount, tag FROM costs WHERE partner_id = 1 AND cost_id LIKE ? ORDER BY cost_id",
    `${prefix}%`,
  );
const ledger = () => rows("SELECT * FROM ledger_entries ORDER BY partner_id, cost_id");

const MIXED = file(
  "cpc,USD,upload-new-00001,0.25,july",
  "cpc,USD,upload-sent-0001,1,july",
  "cpc,EUR,upload-other-001,2,july",
  "cpc,USD,demo-click-expired-001,1,july",
  "cpx,US,short,1.234567,",
  "cpc,USD,upload-new-00001,0.5,july",
  "cpm,USD,demo-click-recent-0001,2,july",
  "cpc,USD",
  'CPI,eur,"upload,""quoted""-01",,"a, b"',
  "cpc,USD,upload-new-00001,0.75,july",
);

describe("the check of a file", () => {
  beforeEach(async () => {
    await sendCost({ cost_id: "upload-sent-0001", cost_amount: "1" });
    await sendCost({ cost_id: "upload-other-001", cost_amount: "2" });
  });

  const CHECKED = [
    [
      "4",
      "upload-other-001",
      "rejected",
      "A different cost was sent with this cost ID. cost_currency is EUR, but an earlier call with this cost ID has USD. To correct",
    ],
    ["5", "demo-click-expired-001", "rejected", "The click or impression is more than seven days old"],
    ["6", "short", "rejected", "cost_type must be one of cpc, cpi, cpe, cpm. cost_currency must be an ISO"],
    ["7", "upload-new-00001", "rejected", "cost_id is the same as in row 2."],
    ["11", "upload-new-00001", "rejected", "cost_id is the same as in row 2."],
    ["9", "", "rejected", "The row must have as many values as the header."],
    ["2", "upload-new-00001", "ready", ""],
    ["3", "upload-sent-0001", "duplicate", ""],
    ["8", "demo-click-recent-0001", "ready", ""],
    ["10", 'upload,"quoted"-01', "ready", ""],
  ];

  it("shows for each row whether it would be stored, is a duplicate, or what is wrong, and stores nothing", async () => {
    const before = await ledger();
    const { database, counts } = countingDatabase();
    const checked = await browser.upload(MIXED, { env: { DB: database } });
    expect(checked.status).toBe(200);
    const found = tableOf(checked);
    expect(found.map((row) => row.slice(0, 3))).toEqual(CHECKED.map((row) => row.slice(0, 3)));
    for (const [index, row] of found.entries()) expect(row[3]).toContain(CHECKED[index]?.[3]);
    expect(checked.text).toContain("Would be imported 3 costs");
    expect(checked.text).toContain("Sent before, nothing changes 1 cost");
    expect(checked.text).toContain("Rejected 6 costs");
    expect(await ledger()).toEqual(before);
    expect(counts.written).toBe(0);
  });

  it("leads to an import of exactly the rows that it showed as ready", async () => {
    const before = await ledger();
    const checked = await browser.upload(MIXED);
    const result = await browser.confirm(checked);
    expect(tableOf(result)).toEqual([
      ["2", "upload-new-00001", "imported", "pending"],
      ["8", "demo-click-recent-0001", "imported", "pending"],
      ["10", 'upload,"quoted"-01', "imported", "pending"],
    ]);
    expect(result.text).toContain("3 costs imported.");
    expect(await costsOf("upload-new")).toEqual([
      { cost_id: "upload-new-00001", cost_type: "cpc", currency: "USD", amount: 25_000, tag: "july" },
    ]);
    expect(await costsOf("upload,")).toEqual([
      { cost_id: 'upload,"quoted"-01', cost_type: "cpi", currency: "EUR", amount: null, tag: "a, b" },
    ]);
    expect(await ledger()).toHaveLength(before.length + 2);
  });

  it("says of a cost that was voided that it does not count, before and after the import", async () => {
    const sent = file("cpc,USD,upload-void-0001,1,july", "cpc,USD,upload-new-00002,1,july");
    const first = await browser.upload(sent);
    await browser.confirm(first);
    await call("/cost/upload-void-0001/void", { method: "POST", token: DEMO.costToken });
    const voided = "You voided this cost, so it doesn't count. To replace it, send other values.";
    expect(tableOf(await browser.upload(sent))).toEqual([
      ["2", "upload-void-0001", "duplicate", voided],
      ["3", "upload-new-00002", "duplicate", ""],
    ]);
    expect(tableOf(await browser.confirm(first))).toEqual([
      ["2", "upload-void-0001", "duplicate", voided],
      ["3", "upload-new-00002", "duplicate", "pending"],
    ]);
  });

  it("decides like the import for every row", async () => {
    const checked = await browser.upload(MIXED);
    const results = await call("/cost/batch", {
      body: MIXED,
      headers: { "content-type": "text/csv", accept: "text/csv" },
      token: DEMO.costToken,
    });
    const lines = (await results.text()).trim().split("\r\n").slice(1);
    for (const [number, , state] of tableOf(checked)) {
      const line = lines[Number(number) - 2] ?? "";
      // Only the check also rejects an ID that the file repeats, which the API judges after its first row.
      if (number === "7" || number === "11") expect(line).toContain("cost_id_conflict");
      else if (state === "rejected") expect(line).toMatch(/,(400|403),/);
      else expect(line).toMatch(state === "ready" ? /,ok,.*,false,[^,]*,[^,]*$/ : /,ok,.*,true,[^,]*,[^,]*$/);
    }
  });

  it.runIf(isWhole)("offers its result as a file, in which no ID is a formula", async () => {
    const checked = await browser.upload(
      file("cpc,USD,=SUM(A1:A9)-00,1,t", "cpc,USD,upload-sent-0001,1,july"),
    );
    expect(downloadOf(checked)).toBe(
      "row,cost_id,status,code,message,match,duplicate,amount,mismatch\r\n2,'=SUM(A1:A9)-00,ready,,,,false,,\r\n3,upload-sent-0001,ok,,,,true,,\r\n",
    );
    const result = await browser.confirm(checked);
    expect(downloadOf(result)).toBe(
      "row,cost_id,status,code,message,match,duplicate,amount,mismatch\r\n2,'=SUM(A1:A9)-00,ok,,,pending,false,1,\r\n",
    );
    expect(await costsOf("=SUM")).toHaveLength(1);
  });

  it.runIf(isWhole)("has nothing to import if every row is rejected, and says so", async () => {
    const checked = await browser.upload(file("cpc,USD,short,1,t"));
    expect(checked.text).toContain("There's nothing to import. Fix the rejected rows");
    expect(checked.markup).not.toContain("/partner/upload/import");
  });

  it.runIf(isWhole).each([
    ["supports_cost_data = 0", "The partner has not integrated this cost type"],
    [`stopped_at = ${NOW}`, "An operator stopped this partner"],
  ])("rejects every row of a partner that may not send costs: %s", async (change, title) => {
    await rows(`UPDATE partners SET ${change} WHERE id = 1`);
    const checked = await browser.upload(file("cpc,USD,upload-new-00001,1,t"));
    expect(tableOf(checked)[0]?.[3]).toContain(title);
  });
});

describe.runIf(isWhole)("the same file again", () => {
  it("changes nothing, and says that all costs were sent before", async () => {
    const content = file(...numbered(20));
    await browser.confirm(await browser.upload(content));
    const before = await ledger();
    const again = await browser.upload(content);
    expect(again.text).toContain("There's nothing to import. All costs were sent before.");
    expect(await ledger()).toEqual(before);
  });

  it.runIf(isWhole)("changes nothing if the confirmation is sent twice", async () => {
    const checked = await browser.upload(file(...numbered(3)));
    await browser.confirm(checked);
    const before = await ledger();
    const again = await browser.confirm(checked);
    expect(again.text).toContain("No costs imported.");
    expect(tableOf(again).map(([, , state]) => state)).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(await ledger()).toEqual(before);
  });
});

describe.runIf(isWhole)("the confirmation", () => {
  it("is validated again: what became wrong in the meantime is rejected, and the rest is imported", async () => {
    const checked = await browser.upload(file(...numbered(2)));
    await sendCost({ cost_id: "numbered-cost-1", cost_amount: "9" });
    const result = await browser.confirm(checked);
    expect(tableOf(result).map((row) => row.slice(0, 3))).toEqual([
      ["2", "numbered-cost-1", "rejected"],
      ["3", "numbered-cost-2", "imported"],
    ]);
    expect(result.text).toContain("1 cost imported. 1 cost rejected.");
  });

  it("accepts no invalid cost from a form that was changed", async () => {
    const body = new FormData();
    body.set("rows", `row,${HEADER}\n1,cpc,USD,short,1,t\n2,cpc,USD,changed-form-001,1000001,t`);
    const result = await browser.send("/partner/upload/import", { method: "POST", body });
    expect(tableOf(result).map(([, , state]) => state)).toEqual(["rejected", "rejected"]);
    expect(await costsOf("changed-form")).toEqual([]);
  });

  it.each([
    ["no rows", {}],
    ["rows without numbers", { rows: file("cpc,USD,changed-form-001,1,t") }],
    ["rows with a wrong number", { rows: `row,${HEADER}\n-1,cpc,USD,changed-form-001,1,t` }],
    ["other fields", { file: "x" }],
  ])("returns 400 for %s and stores nothing", async (_, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const answer = await browser.send("/partner/upload/import", { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(await costsOf("changed-form")).toEqual([]);
  });

  it("carries a file of 1,000 rows that is nearly 1 MiB as a form", async () => {
    const long = "é\"'".repeat(40);
    const lines = Array.from({ length: 1_000 }, (_, index) => {
      const id = `${String(index).padStart(4, "0")}${"é".repeat(252)}`;
      return `cpc,USD,${id},0.5,"${long.replaceAll('"', '""')}"`;
    });
    const content = file(...lines);
    expect(new TextEncoder().encode(content).length).toBe(724_047);
    const checked = await browser.upload(content);
    expect(rowsOf(checked).trim().split("\n")).toHaveLength(1_001);
    expect((await browser.confirm(checked)).text).toContain("1,000 costs imported.");
  });

  it("leads back to the upload when its address is opened", async () => {
    const { headers } = await browser.get("/partner/upload/import");
    expect(headers.get("location")).toBe("/partner/upload");
  });
});

describe.runIf(isWhole)("a file that cannot be read", () => {
  it.each<[string, string | Uint8Array<ArrayBuffer>, number, string]>([
    ["is empty", "", 400, "file is missing or empty; choose a CSV file."],
    ["has no rows", HEADER, 400, "The file must have at least one row below the header."],
    [
      "is UTF-16",
      new Uint8Array([0xff, 0xfe, 0x41, 0]),
      400,
      "The file is in UTF-16, which Excel calls “Unicode Text”: in Excel, save it as “CSV UTF-8 (Comma delimited)”.",
    ],
    [
      "is not UTF-8",
      new Uint8Array([0x41, 0xff]),
      400,
      "The file isn't UTF-8: in Excel, save it as “CSV UTF-8 (Comma delimited)”.",
    ],
    [
      "is a workbook",
      new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]),
      400,
      "The file is an Excel workbook: in Excel, save it as “CSV UTF-8 (Comma delimited)”.",
    ],
    ["has a title", `Cost report\n${HEADER}\n1`, 400, "must have the names of the columns in its first row"],
    [
      "has an unknown column",
      "tag,Cost type,Click ID\n1,1,1",
      400,
      "click id is not a known column; remove it, or rename it to cost_currency, cost_id or cost_amount.",
    ],
    ["has an open quote", file('cpc,USD,"open-quote-0001,1,t'), 400, "look for a quote that is not closed"],
    [
      "has 1,001 rows",
      file(...numbered(1_001)),
      413,
      "Without JavaScript, a file can have at most 1,000 rows and 1 MB.",
    ],
    [
      "has more than 1 MiB",
      file("x".repeat(1024 * 1024)),
      413,
      "Without JavaScript, a file can have at most 1,000 rows and 1 MB.",
    ],
    [
      "has more than a form can have",
      "x".repeat(1_400_000),
      413,
      "Without JavaScript, a file can have at most",
    ],
  ])("gets its form again with what is wrong: %s", async (_, content, status, text) => {
    const before = await ledger();
    const answer = await browser.upload(content);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain("The file can't be imported. Nothing was imported.");
    // Once, although it is a field's error.
    expect(answer.text.split(text)).toHaveLength(2);
    expect(answer.markup).toContain('id="file"');
    expect(await ledger()).toEqual(before);
  });

  it.each(["application/x-www-form-urlencoded", "application/json", "multipart/form-data"])(
    "is rejected as another media type: %s",
    async (type) => {
      const options = { method: "POST", body: "file=x", headers: { "content-type": type } };
      const answer = await browser.send("/partner/upload", options);
      expect(answer.status).toBe(type.startsWith("multipart") ? 400 : 415);
    },
  );

  it("is rejected if the form has two of them", async () => {
    const body = new FormData();
    for (const name of ["a.csv", "b.csv"]) body.append("file", new File([file(...numbered(1))], name));
    const answer = await browser.send("/partner/upload", { method: "POST", body });
    expect([answer.status, answer.text.includes("file is given more than once")]).toEqual([400, true]);
  });

  it("is accepted at 1 MiB, and rejected one byte above", async () => {
    const costs = file(...numbered(1));
    const largest = costs + "\n".repeat(1024 * 1024 - costs.length);
    expect((await browser.upload(largest)).status).toBe(200);
    expect((await browser.upload(`${largest}\n`)).status).toBe(413);
  });

  it.each([
    ["semicolons", ";"],
    ["tabs", "\t"],
  ])("is accepted with %s, headings as people write them, and no decimal comma", async (_, separator) => {
    const lines = [
      ["Cost Type", "Cost-Currency", "COST ID", "cost_amount", "Tag"],
      ["cpc", "USD", "upload-excel-001", "0.25", "a, b"],
      ["cpc", "USD", "upload-excel-002", "0,25", "july"],
      ["", "", "", "", ""],
    ];
    const checked = await browser.upload(lines.map((cells) => cells.join(separator)).join("\r\n"));
    expect(tableOf(checked)).toEqual([
      [
        "3",
        "upload-excel-002",
        "rejected",
        "cost_amount must be a plain decimal; use a point, not a comma, for example 0.25.",
      ],
      ["2", "upload-excel-001", "ready", ""],
    ]);
    await browser.confirm(checked);
    expect(await costsOf("upload-excel")).toMatchObject([{ amount: 25_000, tag: "a, b" }]);
  });

  it("is accepted with a byte order mark and both line ends", async () => {
    const checked = await browser.upload(`\ufeff${HEADER}\r\n${numbered(1)}\n\r\n${numbered(1, 2)}\r\n`);
    expect(tableOf(checked).map(([, , state]) => state)).toEqual(["ready", "ready"]);
  });
});

describe.runIf(isWhole)("a part of a larger file", () => {
  const send = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const accept = "application/json";
    const response = await call(path, {
      method: "POST",
      body,
      headers: { "content-type": "text/csv", accept, cookie: browser.cookie, ...headers },
    });
    return { status: response.status, body: (await response.json()) as { rows: object[]; header: string } };
  };
  const PART = `row,${HEADER}\n5001,cpc,USD,part-cost-00001,1,t\n5002,cpc,USD,short,1,t\n5003,cpc,USD`;

  it("is checked and imported with the numbers of its rows, and returns lines of the file with the results", async () => {
    const checked = await send("/partner/upload", PART);
    expect(checked.body.header).toBe("row,cost_id,status,code,message,match,duplicate,amount,mismatch\r\n");
    expect(checked.body.rows).toMatchObject([
      {
        row: 5001,
        name: "part-cost-00001",
        state: "ready",
        line: "5001,part-cost-00001,ready,,,,false,,\r\n",
      },
      { row: 5002, name: "short", state: "rejected" },
      { row: 4, name: null, state: "rejected" },
    ]);
    expect(await costsOf("part-cost")).toEqual([]);
    const imported = await send("/partner/upload/import", PART.split("\n").slice(0, 2).join("\n"));
    expect(imported.body.rows).toMatchObject([{ row: 5001, state: "imported", detail: "pending" }]);
    const again = await send("/partner/upload/import", PART.split("\n").slice(0, 2).join("\n"));
    expect(again.body.rows).toMatchObject([
      { state: "duplicate", line: expect.stringContaining(",true,1,\r\n") },
    ]);
    expect(await costsOf("part-cost")).toHaveLength(1);
  });

  it("is rejected with a problem document", async () => {
    for (const [body, headers, status] of [
      [PART, { "content-type": "application/json" }, 415],
      [file(...numbered(1)), {}, 400],
      [`row,${file(...numbered(1_001).map((line) => `1,${line}`))}`, {}, 413],
      [PART, { origin: "https://evil.test" }, 403],
      [PART, { cookie: "" }, 401],
    ] as [string, Record<string, string>, number][]) {
      for (const path of ["/partner/upload", "/partner/upload/import"])
        expect((await send(path, body, headers)).status).toBe(status);
    }
    expect(await costsOf("numbered")).toEqual([]);
  });
});

it("a row whose database fails is reported, and the file can be uploaded again", async () => {
  const checked = await browser.upload(file(...numbered(40)));
  // The first call finds the session.
  const { database } = failingDatabase((number) => number === 2);
  const result = await browser.confirm(checked, { env: { DB: database } });
  const imported = tableOf(result).filter(([, , state]) => state === "imported").length;
  // With shards, the rows of the others are imported.
  expect([result.status, imported]).toEqual(ledgerOn().shards.length > 0 ? [200, 30] : [500, 0]);
  expect(await costsOf("numbered")).toHaveLength(imported);
  expect((await browser.confirm(checked)).text).toContain(`${40 - imported} costs imported.`);
  expect(await costsOf("numbered")).toHaveLength(40);
});
