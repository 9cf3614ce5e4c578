/** CSV for spreadsheets (RFC 4180). No cell runs as a formula. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cell, csvResponse, fromCell, toCsv, toCsvAsSent } from "../../src/http/csv.ts";
import { runs } from "../part.ts";

/** The text of the cell in a table with one column and one row. */
const cellOf = (value: Cell) => toCsv(["name"], [[value]]).slice("name\r\n".length, -"\r\n".length);

describe("a table", () => {
  it("has a header line, and every line ends with CRLF", () => {
    const table = toCsv(
      ["name", "count"],
      [
        ["a", 1],
        ["b", null],
      ],
    );
    expect(table).toBe("name,count\r\na,1\r\nb,\r\n");
  });

  it("without rows has only the header line", () => {
    expect(toCsv(["name", "count"], [])).toBe("name,count\r\n");
  });
});

describe("a cell", () => {
  it.each([
    ["plain text", "Acme Ads", "Acme Ads"],
    ["a formula sign after the first character", "a=1+2", "a=1+2"],
    ["a tab after the first character", "a\tb", "a\tb"],
    ["an empty text", "", ""],
    ["null", null, ""],
    ["a number", 5, "5"],
  ])("is unchanged with %s", (_, value, expected) => {
    expect(cellOf(value)).toBe(expected);
  });

  it.each(["=", "+", "-", "@", "＝", "＋", "－", "＠"])(
    "that starts with %s gets a leading apostrophe",
    (sign) => {
      expect(cellOf(`${sign}1`)).toBe(`'${sign}1`);
      expect(cellOf(sign)).toBe(`'${sign}`);
      expect(cellOf(`  ${sign}1`)).toBe(`'  ${sign}1`);
    },
  );

  it.each([
    ["a tab", "\ttext", "'\ttext"],
    ["a carriage return", "\rtext", '"\'\rtext"'],
    ["a line feed", "\ntext", '"\'\ntext"'],
    ["a tab and a formula sign", "\t=1", "'\t=1"],
  ])("that starts with %s gets a leading apostrophe", (_, value, expected) => {
    expect(cellOf(value)).toBe(expected);
  });

  it.each([
    ["a;=1+1", "a;'=1+1"],
    ["a; =1+1", "a;' =1+1"],
    ["a;b;@x", "a;b;'@x"],
    ["=1;-2", "'=1;'-2"],
    ["a\n=1", '"a\n\'=1"'],
    ['a;"=1"', `"a;'""=1"""`],
    ["a;b = 1", "a;b = 1"],
    ["a,=1", '"a,=1"'],
  ])("is no formula where semicolons separate cells: %j", (value, expected) => {
    expect(cellOf(value)).toBe(expected);
  });

  it("with a negative number gets a leading apostrophe", () => {
    expect(cellOf(-1)).toBe("'-1");
  });

  it.each([
    ["-12.5", "-12.5"],
    ["-0.00000001", "-0.00000001"],
    ["7", "7"],
    ["-1+1", "'-1+1"],
    ["-", "'-"],
    ["-1\n", '"\'-1\n"'],
    ["=1", "'=1"],
  ])("of a decimal column with %j is unchanged only if it is a number", (value, expected) => {
    expect(toCsv(["name", "spend"], [["-1", value]], ["spend"])).toBe(`name,spend\r\n'-1,${expected}\r\n`);
  });

  it.each([
    ["a comma", "a,b", '"a,b"'],
    ["a quote", 'a"b', '"a""b"'],
    ["a line break", "a\r\nb", '"a\r\nb"'],
    ["a formula sign and a quote", '="a"', '"\'=""a"""'],
  ])("with %s is quoted", (_, value, expected) => {
    expect(cellOf(value)).toBe(expected);
  });
});

describe("any text", () => {
  const part = fc.constantFrom(
    "'",
    '"',
    "=",
    "+",
    "-",
    "@",
    "＝",
    ";",
    "\n",
    "\r",
    "\t",
    " ",
    "\u00a0",
    "a",
    ",",
    "1",
  );
  const anyText = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
  const readCell = (cell: string) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);

  it("comes back from its cell unchanged, and no cell is a formula, also where semicolons separate cells", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const cell = readCell(cellOf(text));
        expect(fromCell(cell)).toBe(text);
        for (const one of [cell, ...cell.split(/[;\r\n]/)]) expect(one).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
        expect(cell).not.toMatch(/^[\t\r\n]/);
      }),
      runs(20_000, 5_000),
    );
  });

  it.each(['="000123456789"', '="=1"', '="\'=1"', '=""'])(
    "%s comes back, although other programs mean by it only what is in its quotes",
    (text) => {
      expect(readCell(cellOf(text))).toBe(`'${text}`);
      expect(fromCell(`'${text}`)).toBe(text);
    },
  );

  it("of other programs, which keep an ID as text by a formula, is the ID", () => {
    expect(['="000123456789"', '=""', '="a"b"', '="a'].map(fromCell)).toEqual([
      "000123456789",
      "",
      '="a"b"',
      '="a',
    ]);
  });

  it("is written as it was sent for a program", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(readCell(toCsvAsSent(["name"], [[text]]).slice("name\r\n".length, -"\r\n".length))).toBe(text);
      }),
      runs(1_000),
    );
  });
});

it("the response names the file, is not cached and varies with Accept", async () => {
  const response = csvResponse("name\r\n", "spend.csv");
  expect(await response.text()).toBe("name\r\n");
  expect(Object.fromEntries(response.headers)).toEqual({
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": 'attachment; filename="spend.csv"',
    "cache-control": "no-store",
    vary: "Accept",
  });
});
