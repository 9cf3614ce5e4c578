/** POST /cost/batch with a table in CSV, and results as CSV. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { AppError, type InputError } from "../../src/errors.ts";
import { fromCell } from "../../src/http/csv.ts";
import { readTable } from "../../src/http/input/table.ts";
import { costInput } from "../../src/usecases/costs/submit.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DEMO,
  freshDemo,
  ledgerOn,
  type ProblemBody,
  rejection,
  rows,
} from "../harness.ts";
import { runs } from "../part.ts";
import { freshLedger } from "../support.ts";

const MIB = 1024 * 1024;
const HEADER = "cost_type,cost_currency,cost_id,cost_amount,tag";
const row = (id: string, amount = "0.25") => `cpc,USD,${id},${amount},csv`;
const table = (...lines: string[]) => `${[HEADER, ...lines].join("\r\n")}\r\n`;

type Result = Omit<Partial<ProblemBody>, "status"> & { status: "ok" | number; duplicate?: boolean };

const request = (body: BodyInit, options: Call = {}): Call => ({
  token: DEMO.costToken,
  body,
  ...options,
  headers: { "content-type": "text/csv", ...options.headers },
});
const send = (body: BodyInit, options: Call = {}) =>
  ask<{ results: Result[]; request_id: string }>("/cost/batch", request(body, options));
const sendJson = (costs: unknown[], options: Call = {}) =>
  ask<{ results: Result[] }>("/cost/batch", { token: DEMO.costToken, json: { costs }, ...options });
const reject = (body: BodyInit, options: Call = {}) => rejection("/cost/batch", request(body, options));
const problem = async (body: BodyInit) => (await ask<ProblemBody>("/cost/batch", request(body))).body.errors;
const stored = () =>
  rows("SELECT cost_id, cost_type, currency, amount, tag FROM costs WHERE tag = 'csv' ORDER BY cost_id");

describe("a table", () => {
  beforeEach(freshLedger);

  it("stores its rows like single costs, each with its own result in order", async () => {
    await click("csv-click-000001");
    const { status, body, headers } = await send(
      table(
        row("csv-click-000001"),
        row("short"),
        row("csv-pending-0001", ""),
        "CPM,eur,csv-pending-0002,1,csv",
      ),
    );
    expect(status).toBe(200);
    expect(body.request_id).toBe(headers.get("x-request-id"));
    expect(body.results).toEqual([
      { status: "ok", cost_id: "csv-click-000001", match: "matched", duplicate: false, amount: "0.25" },
      expect.objectContaining({
        status: 400,
        code: "invalid_request",
        errors: [{ param: "cost_id", message: expect.stringContaining("at least 12") }],
      }),
      { status: "ok", cost_id: "csv-pending-0001", match: "pending", duplicate: false, amount: null },
      { status: "ok", cost_id: "csv-pending-0002", match: "pending", duplicate: false, amount: "1" },
    ]);
    expect(await stored()).toEqual([
      { cost_id: "csv-click-000001", cost_type: "cpc", currency: "USD", amount: 25_000, tag: "csv" },
      { cost_id: "csv-pending-0001", cost_type: "cpc", currency: "USD", amount: null, tag: "csv" },
      { cost_id: "csv-pending-0002", cost_type: "cpm", currency: "EUR", amount: 100_000, tag: "csv" },
    ]);
  });

  it("may have no column for the amount: its costs are unpriced", async () => {
    const { body } = await send("cost_type,cost_currency,cost_id,tag\ncpc,USD,csv-unpriced-001,csv");
    expect(body.results).toMatchObject([{ status: "ok", amount: null }]);
  });

  it("keeps quotes, commas, spaces and every character of an ID", async () => {
    const ids = ['csv "quoted", id', "csv spaces 001", "csv-😀-日本語-é-01", "csv'apostrophe"];
    await send(table(...ids.map((id) => row(`"${id.replaceAll('"', '""')}"`))));
    expect((await stored()).map(({ cost_id }) => cost_id).toSorted()).toEqual(ids.toSorted());
  });

  const one = row("csv-form-000001");
  const other = row("csv-form-000002", "");
  it.each([
    ["a byte order mark", `\ufeff${table(one, other)}`],
    ["semicolons", table(one, other).replaceAll(",", ";")],
    ["tabs", table(one, other).replaceAll(",", "\t")],
    ["bars", table(one, other).replaceAll(",", "|")],
    ["the line sep=;", `sep=;\r\n${table(one, other).replaceAll(",", ";")}`],
    ["the line sep= in quotes, with the separators of a spreadsheet", `"sep=,",,,,\n${table(one, other)}`],
    ["the line SEP= with a tab", `SEP=\t\n${table(one, other).replaceAll(",", "\t")}`],
    ["line ends of carriage returns", table(one, other).replaceAll("\r\n", "\r")],
    ["three kinds of line ends", `${HEADER}\r\n${one}\r${other}\n`],
    ["empty rows and rows of separators", `\n,,,,\n${HEADER}\n\n${one}\n ,\t,"",,\n,,,\n${other}\n,,,,,,,\n`],
    ["columns without a name that are empty", [`,${HEADER},,`, `,${one},,`, ` ,${other}, ,`].join("\n")],
    ["separators beyond the header", [HEADER, `${one},,`, `${other},`].join("\n")],
    [
      "white space around cells, quotes and headings",
      [
        ` ${HEADER.replaceAll(",", "\u00a0,  ")}\u2003`,
        one.replaceAll(",", '\t,  "').replaceAll("\t", '"\t').replace(/^/, '"').concat('"  '),
        other.replaceAll(",", " , "),
      ].join("\n"),
    ],
    [
      "white space in quotes",
      [HEADER, one.replaceAll(",", ' ","  ').replace(/^/, '" ').concat(' "'), other].join("\n"),
    ],
    [
      "headings as people write them",
      table(one, other).replace(HEADER, "Cost type,COST-CURRENCY,CostID,Amount, Tag "),
    ],
    [
      "the columns of files that leave here",
      [
        `row,${HEADER},received_at,match,link_token,message,row`,
        `7,${one},x,y,z,w,9`,
        `8,${other},,,,,`,
      ].join("\n"),
    ],
  ])("is read with %s", async (_, body) => {
    const {
      body: { results },
    } = await send(body);
    expect(results).toMatchObject([{ status: "ok" }, { status: "ok" }]);
    expect(await stored()).toEqual([
      { cost_id: "csv-form-000001", cost_type: "cpc", currency: "USD", amount: 25_000, tag: "csv" },
      { cost_id: "csv-form-000002", cost_type: "cpc", currency: "USD", amount: null, tag: "csv" },
    ]);
  });

  it("of 1,000 rows is accepted between rows that do not count, of which there are many at the end", async () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `${row(`csv-gaps-${10_000 + index}`)}\n,,,,\n`);
    const { body } = await send(`${HEADER}\n${lines.join("")}${",,,,\n".repeat(180_000)}`);
    expect(body.results.filter(({ status }) => status === "ok")).toHaveLength(1_000);
    expect(await reject(`${HEADER}\n${lines.join("")}${row("csv-gaps-20000")}`)).toMatchObject({
      status: 413,
    });
    // Each of them takes time.
    const many = `${HEADER}\n${row("csv-gaps-20001")}\n${",\n".repeat(20_000)}${row("csv-gaps-20002")}`;
    expect(await reject(many)).toMatchObject({ status: 413 });
  });

  it("is accepted with a parameter and another case in its media type", async () => {
    const headers = { "content-type": "Text/CSV; charset=utf-8; header=present" };
    expect((await send(table(row("csv-media-00001")), { headers })).status).toBe(200);
  });

  it("gets an error in place of each row that has too few or too many values, and the other rows are stored", async () => {
    const { body } = await send(
      table("cpc,USD,csv-half-000001", row("csv-half-000002"), `${row("csv-half-000003")},x`, "cpc"),
    );
    expect(body.results.map(({ status, errors }) => [status, errors])).toEqual([
      [400, [{ param: "row", message: "has 3 values, but the header has 5 columns" }]],
      ["ok", undefined],
      [400, [{ param: "row", message: "has 6 values, but the header has 5 columns" }]],
      [400, [{ param: "row", message: "has 1 value, but the header has 5 columns" }]],
    ]);
    expect(await stored()).toMatchObject([{ cost_id: "csv-half-000002" }]);
  });

  it("gets an error that names an empty value that is required", async () => {
    const { body } = await send(table("cpc,,csv-empty-00001,0.1,", ",,,0,"));
    const named = body.results.map(({ errors }) => [...new Set(errors?.map(({ param }) => param))]);
    expect(named).toEqual([
      ["cost_currency", "tag"],
      ["cost_type", "cost_currency", "cost_id", "tag"],
    ]);
  });

  it("of 1,000 rows takes one call for each database and reads at most 20 rows a cost; one row more is 413", async () => {
    const lines = Array.from({ length: 1_001 }, (_, index) =>
      row(`csv-many-${String(index).padStart(5, "0")}`),
    );
    await send(table(row("csv-warm-000001")));
    const { database, counts } = countingDatabase();
    const { body } = await send(table(...lines.slice(1)), { env: { DB: database } });
    expect(body.results.filter(({ status }) => status === "ok")).toHaveLength(1_000);
    expect(counts.calls).toBe(Math.max(1, ledgerOn().shards.length));
    expect(counts.read).toBeLessThanOrEqual(20_000);
    expect(counts.written).toBe(2_000);
    expect(await reject(table(...lines))).toMatchObject({ status: 413, code: "payload_too_large" });
    expect(await reject(`${table(...lines)}"never closed`)).toMatchObject({ status: 413 });
  });

  it("of one MiB is accepted, and of one byte more is rejected with 413", async () => {
    // 1,000 of the longest IDs. With only zeros the first would be a placeholder.
    const longest = (index: number) => `${"😀".repeat(251)}${String(index).padStart(5, "0")}`;
    const text = table(...Array.from({ length: 1_000 }, (_, index) => row(longest(index + 1))));
    const padded = (bytes: number) => text + "\n".repeat(bytes - Buffer.byteLength(text));
    expect(Buffer.byteLength(text)).toBe(1_028_049);
    expect(await reject(padded(MIB + 1))).toMatchObject({ status: 413, code: "payload_too_large" });
    expect(await stored()).toEqual([]);
    const { body } = await send(padded(MIB));
    expect(body.results.filter(({ status }) => status === "ok")).toHaveLength(1_000);
  });
});

describe("an invalid table", () => {
  beforeAll(freshDemo);
  const one = row("csv-invalid-0001");

  it.each([
    ["an unknown column", `${HEADER},sum\n${one},1`, ["sum"]],
    ["two columns for the amount", `${HEADER},amount\n${one},1`, ["cost_amount"]],
    ["a misspelt amount", `cost_type,cost_currency,cost_id,cost_amonut,tag\n${one}`, ["cost_amonut"]],
    ["a missing column", "cost_type,cost_currency,cost_id\ncpc,USD,csv-invalid-0001", ["tag"]],
    ["a repeated column", `${HEADER},cost_amount,tag\n${one},1,x`, ["cost_amount", "tag"]],
    [
      "everything wrong with its header",
      "cost_id,cost_id,x,tag\na,b,c,d",
      ["cost_id", "x", "cost_type", "cost_currency"],
    ],
    ["a column without a name that has a value", `${HEADER},\n${one},\n${one},x`, ["body"]],
    ["a name of an object's own property", `${HEADER},constructor\n${one},x`, ["constructor"]],
    ["no header", `${one}\n`, ["body"]],
    ["only rows of separators", `${HEADER}\n,,,,\n;;\n`, ["body"]],
    ["no rows", table(), ["body"]],
    ["nothing", "", ["body"]],
    ["only a byte order mark", "\u{feff}", ["body"]],
    ["only line ends", "\r\n\n\r\n", ["body"]],
    ["a quote that is not closed", table(one, 'cpc,USD,"csv-invalid-0002,1,csv', one), ["body"]],
    ["text after a closing quote", table(one, 'cpc,USD,"csv-invalid-0002"x,1,csv'), ["body"]],
    ["a quote inside a value", table(one, 'cpc,USD,csv-inv"alid-0002,1,csv'), ["body"]],
    ["a row that is too long", table(one, row("x".repeat(17_000))), ["body"]],
  ])("with %s is rejected as a whole, and the error names it", async (_name, body, params) => {
    expect(await reject(body)).toEqual({ status: 400, code: "invalid_request", params });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["that is not UTF-8", Buffer.from(table(row("csv-latin1-é-0001")), "latin1")],
    ["in UTF-16 with a byte order mark", Buffer.from(`\u{feff}${table(one)}`, "utf16le")],
  ])("%s is rejected", async (_name, bytes) => {
    expect(await reject(bytes)).toMatchObject({ status: 400, params: ["body"] });
  });

  it("says what is wrong, and where", async () => {
    expect(await problem(`${HEADER},tag,x\n${one}`)).toEqual([
      { param: "tag", message: "is the name of more than one column" },
      { param: "x", message: "is not a known column; remove it" },
    ]);
    const utf16 = Buffer.from(table(one), "utf16le");
    for (const bytes of [
      utf16,
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      Buffer.from(utf16).swap16(),
    ])
      expect(await problem(bytes)).toEqual([{ param: "body", message: "is UTF-16; it must be UTF-8" }]);
    const title = {
      param: "body",
      message:
        "must have the names of the columns in its first row; remove the lines above them, such as a title",
    };
    for (const lines of ["Cost report\n", 'tag\n"1 Nov 2026 - 7 Nov 2026"\n\n', "a,b,c\n"])
      expect(await problem(lines + table(one))).toEqual([title]);
    expect(await problem(`sep=:\n${table(one).replaceAll(",", ":")}`)).toEqual([title]);
    expect(await problem("cost_type\ncpc")).toContainEqual({
      param: "cost_id",
      message: "is required; add this column",
    });
    for (const wrong of ['cpc,USD,"csv-invalid-0002"x,1,csv', 'cpc,USD,csv-inv"alid-0002,1,csv'])
      expect(await problem(table(row('"csv\r\nline-00001"'), "", wrong))).toEqual([
        { param: "body", message: expect.stringContaining("is not valid CSV at line 5") },
      ]);
  });

  it("sent as another type is rejected with 415 that names both types", async () => {
    const { body } = await ask<ProblemBody>(
      "/cost/batch",
      request(table(one), { headers: { "content-type": "text/plain" } }),
    );
    expect([body.status, body.detail]).toEqual([415, "Send the body as application/json or text/csv."]);
  });

  it("gets 401 without input errors if the credential is unknown", async () => {
    for (const body of [table(one), "x", '"']) {
      expect(await reject(body, { token: `${DEMO.costToken.slice(0, -1)}x` })).toEqual({
        status: 401,
        code: "unauthorized",
        params: [],
      });
    }
  });
});

describe("results as CSV", () => {
  beforeEach(freshLedger);
  const asCsv = { headers: { accept: "text/csv" } };
  const linesOf = async (response: Response) => (await response.text()).split("\r\n");

  it("have a row for each cost, of a table or of JSON, and name every problem", async () => {
    await click("csv-click-000001");
    await send(table(row("csv-conflict-001")));
    const body = table(
      row("csv-click-000001"),
      "cpx,USD,short,1,csv",
      row("csv-conflict-001", "0.5"),
      row("csv-conflict-001"),
      "cpc",
    );
    const response = await call("/cost/batch", request(body, asCsv));
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("vary")).toBe("Accept");
    const resultsFrom = (first: number) => [
      "row,cost_id,status,code,message,match,duplicate,amount,mismatch",
      `${first},csv-click-000001,ok,,,matched,false,0.25,`,
      `${first + 1},short,400,invalid_request,"cost_type must be one of cpc, cpi, cpe, cpm. cost_id has 5 characters; it needs at least 12.",,,,`,
      expect.stringMatching(
        `^${first + 2},csv-conflict-001,400,cost_id_conflict,"cost_amount is 0\\.5, but an earlier call with this cost ID has 0\\.25\\. To correct [^"]+",,,,$`,
      ),
      `${first + 3},csv-conflict-001,ok,,,pending,true,0.25,`,
    ];
    expect(await linesOf(response)).toEqual([
      ...resultsFrom(2),
      '6,,400,invalid_request,"row has 1 value, but the header has 5 columns.",,,,',
      "",
    ]);
    await freshLedger();
    await click("csv-click-000001");
    await send(table(row("csv-conflict-001")));
    const json = [
      { cost_id: "csv-click-000001", cost_type: "cpc" },
      { cost_id: "short", cost_type: "cpx" },
      { cost_id: "csv-conflict-001", cost_type: "cpc", cost_amount: "0.5" },
      { cost_id: "csv-conflict-001", cost_type: "cpc" },
    ].map((cost) => ({ cost_currency: "USD", tag: "csv", cost_amount: "0.25", ...cost }));
    const sent = { token: DEMO.costToken, json: { costs: json }, ...asCsv };
    expect(await linesOf(await call("/cost/batch", sent))).toEqual([...resultsFrom(1), ""]);
  });

  it("name each row by the line of the file on which it begins", async () => {
    const body = `\ufeff\r\nsep=,\r\n\r\n${HEADER}\r\n${row('"csv\r\nline\r\n01"')}\r,,,,\n\n${row("csv-line-00002")}\n"",,,,""\n${row("short")}`;
    const [, ...lines] = await linesOf(await call("/cost/batch", request(body, asCsv)));
    expect(lines.map((line) => line.split(",", 1)[0])).toEqual(["5", "10", "12", ""]);
  });

  it("have IDs as they were sent, also those that a spreadsheet would run as a formula", async () => {
    const ids = ["=SUM(A1:A9)-00", "-csv-formula-01", "@csv;=1-0000001"];
    for (const sent of [
      request(table(...ids.map((id) => row(id))), asCsv),
      request(table(...ids.map((id) => row(`'${id.replace(";", ";'")}`))), asCsv),
    ]) {
      const [, ...lines] = await linesOf(await call("/cost/batch", sent));
      expect(lines.map((line) => line.split(",")[1])).toEqual([...ids, undefined]);
    }
    expect((await stored()).map(({ cost_id }) => cost_id).toSorted()).toEqual(ids.toSorted());
  });

  it("are JSON unless CSV is preferred, and errors of the whole batch are always problem documents", async () => {
    const both = { headers: { accept: "text/csv;q=0.5, application/json" } };
    expect((await send(table(row("csv-accept-00001")), both)).body.results).toHaveLength(1);
    expect(await reject("x", asCsv)).toMatchObject({ status: 400 });
  });
});

describe("a cost ID more than 10 times in one batch", () => {
  beforeEach(freshLedger);
  const message = "appears more than 10 times in this batch";

  it.each(["JSON", "CSV"])(
    "is rejected from the 11th on in %s, and the others are judged",
    async (format) => {
      const ids = [...Array<string>(12).fill("csv-repeat-00001"), "csv-repeat-00002", "csv-repeat-00001"];
      const toJson = (cost_id: string) => ({ cost_type: "cpc", cost_currency: "USD", cost_id, tag: "csv" });
      const { body } =
        format === "JSON"
          ? await sendJson(ids.map(toJson))
          : await send(table(...ids.map((id) => row(id, ""))));
      const ok = (duplicate: boolean) => ["ok", duplicate];
      const tooOften = [400, [{ param: "cost_id", message }]];
      expect(body.results.map(({ status, duplicate, errors }) => [status, duplicate ?? errors])).toEqual([
        ok(false),
        ...Array(9).fill(ok(true)),
        tooOften,
        tooOften,
        ok(false),
        tooOften,
      ]);
    },
  );

  it("does not count invalid costs with this ID", async () => {
    const invalid = Array<string>(20).fill("cpx,USD,csv-repeat-00003,1,csv");
    const { body } = await send(table(...invalid, row("csv-repeat-00003")));
    expect(body.results.at(-1)).toMatchObject({ status: "ok" });
  });
});

describe("a test credential", () => {
  beforeEach(freshDemo);
  const test_ = { token: DEMO.testCostToken };
  const lastEntries = () =>
    rows<{ answer: string }>(
      "SELECT json_extract(record, '$.answer') AS answer FROM round_entries ORDER BY received_at DESC, number DESC LIMIT 3",
    );

  it("stores the rows, and those that are invalid, in its round and not in the ledger", async () => {
    const { status, body } = await send(table(row("csv-round-00001"), "cpc", row("short")), test_);
    expect(status).toBe(200);
    expect(body.results[0]).toMatchObject({ status: "ok", round: expect.any(Number) });
    expect(body.results.map(({ code }) => code)).toEqual([undefined, "invalid_request", "invalid_request"]);
    expect(await stored()).toEqual([]);
    expect((await lastEntries()).map(({ answer }) => answer)).toEqual([
      "invalid_request",
      "invalid_request",
      "ok",
    ]);
  });

  it("stores a table that is invalid as a whole as one entry", async () => {
    const before = (await rows<{ n: number }>("SELECT count(*) AS n FROM round_entries"))[0]?.n ?? 0;
    expect(await reject("cost_id\nx", test_)).toMatchObject({ status: 400 });
    expect(await rows("SELECT count(*) AS n FROM round_entries")).toEqual([{ n: before + 1 }]);
  });
});

// A table of any valid costs in any valid form of CSV, and what happens to tables that are cut off or damaged.
const COLUMNS = ["cost_type", "cost_currency", "cost_id", "cost_amount", "tag"] as const;
type Item = { [Name in (typeof COLUMNS)[number]]?: string | undefined };

const anyText = fc.string({
  unit: fc.constantFrom("a", ",", '"', "'", " ", ";", "\n", "\r\n", "\t", "é", "😀"),
  maxLength: 20,
});
const anyItem = fc.record({
  cost_type: fc.constantFrom("cpc", "CPM", "cpx"),
  cost_currency: fc.constantFrom("USD", "eur", ""),
  cost_id: anyText.map((text) => `csv-fuzz-${text}`),
  cost_amount: fc.constantFrom(undefined, "0.1", "1", "-1"),
  tag: fc.oneof(fc.constant("csv"), anyText),
});
const anyForm = fc.record({
  columns: fc.shuffledSubarray([...COLUMNS], { minLength: COLUMNS.length }),
  bom: fc.boolean(),
  lineEnds: fc.array(fc.constantFrom("\n", "\r\n", "\r"), { minLength: 1, maxLength: 5 }),
  blankLines: fc.boolean(),
  endsWithLine: fc.boolean(),
  quotes: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
});

interface Form {
  columns: readonly (typeof COLUMNS)[number][];
  bom: boolean;
  lineEnds: string[];
  blankLines: boolean;
  endsWithLine: boolean;
  quotes: boolean[];
}

function encode(items: Item[], form: Form): string {
  let cells = 0;
  const toCell = (value: string) =>
    /[",\r\n]/.test(value) || form.quotes[cells++ % form.quotes.length]
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  const lines = [
    form.columns.map(toCell),
    ...items.map((item) => form.columns.map((name) => toCell(item[name] ?? ""))),
  ].map((line) => line.join(","));
  const endOf = (index: number) => form.lineEnds[index % form.lineEnds.length] ?? "\n";
  const body = lines.flatMap((line, index) => [line, endOf(index), form.blankLines ? endOf(index + 1) : ""]);
  const text = body.join("");
  return (form.bom ? "\u{feff}" : "") + (form.endsWithLine ? text : text.replace(/[\r\n]+$/, ""));
}

/** The rows of a text as the Worker reads them: without a byte order mark. */
function read(text: string) {
  const errors: InputError[] = [];
  const found = readTable(
    new TextDecoder().decode(Buffer.from(text)),
    { row: costInput, maxRows: 1_000 },
    errors,
  );
  return { rows: found, errors };
}
const prefixesOf = (value: string) =>
  Array.from({ length: value.length + 1 }, (_, length) => fromCell(value.slice(0, length).trim()));
const without = (item: Item): Record<string, string> =>
  Object.fromEntries(
    Object.entries(item)
      .map(([name, value]) => [name, fromCell((value ?? "").trim())])
      .filter(([name, value]) => name !== "cost_amount" || value !== ""),
  );

describe("any table", () => {
  beforeAll(freshLedger);

  test("is read back as it was written, in any form of CSV", () => {
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1, maxLength: 8 }), anyForm, (items, form) => {
        const { rows: found, errors } = read(encode(items, form));
        expect(errors).toEqual([]);
        expect(found?.map(({ item }) => item)).toEqual(items.map(without));
      }),
      runs(1_000, 150),
    );
  });

  test("that is cut off anywhere has its first rows, an error, or a last row that is shorter, and never a value in another column", () => {
    fc.assert(
      fc.property(
        fc.array(anyItem, { minLength: 1, maxLength: 4 }),
        anyForm,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (items, form, part) => {
          const text = encode(items, form);
          const characters = [...text];
          const { rows: found, errors } = read(
            characters.slice(0, Math.floor(characters.length * part)).join(""),
          );
          if (errors.length > 0) return;
          const last = (found?.length ?? 0) - 1;
          const cutColumn = form.columns.at(-1);
          for (const [index, { item: one }] of (found ?? []).entries()) {
            const original = without(items[index] ?? {});
            if (one instanceof AppError) expect(index).toBe(last);
            else if (index < last) expect(one).toEqual(original);
            else
              for (const name of COLUMNS) {
                if (name !== cutColumn) expect(one[name]).toBe(original[name]);
                else expect(prefixesOf(items[index]?.[name] ?? "")).toContain(one[name] ?? "");
              }
          }
        },
      ),
      runs(1_000, 150),
    );
  });

  test("of any text gets rows or errors that can be sent, and nothing else", () => {
    const anyPart = fc.oneof(
      fc.constantFrom('"', ",", "\n", "\r\n", "\u{feff}", "\0", "cpc", ...COLUMNS, HEADER),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 30 }), (parts) => {
        const { rows: found, errors } = read(parts.join(""));
        expect(errors.length > 0).toBe(found === undefined);
        expect(found).not.toEqual([]);
        for (const { message } of errors) expect(message).toMatch(/^(is|has|must|ends) .*[^.]$/s);
        for (const { item: one } of found ?? [])
          if (!(one instanceof AppError))
            for (const name of Object.keys(one)) expect(COLUMNS).toContain(name);
      }),
      runs(2_000, 300),
    );
  });

  test("gets the same results as the same costs in JSON", async () => {
    let run = 0;
    const same = (results: Result[], prefix: string) =>
      JSON.parse(
        JSON.stringify(results)
          .replaceAll(prefix, "csv-fuzz-")
          .replace(/"request_id":"[^"]*"/g, '"request_id":""'),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(anyItem, { minLength: 1, maxLength: 8 }), anyForm, async (items, form) => {
        const prefixes = [`csv-1-${++run}-`, `csv-2-${run}-`] as const;
        const [asTable, asJson] = prefixes.map((prefix) =>
          items.map((item) => ({ ...item, cost_id: item.cost_id.replace("csv-fuzz-", prefix) })),
        );
        const inCsv = (await send(encode(asTable ?? [], form))).body;
        const inJson = (await sendJson((asJson ?? []).map(without))).body;
        expect(same(inCsv.results, prefixes[0])).toEqual(same(inJson.results, prefixes[1]));
      }),
      runs(30, 8),
    );
  });
});
