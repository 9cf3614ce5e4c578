/** Tables for spreadsheets (RFC 4180), whose cells are never run as formulas. */
import { describe, expect, it } from "vitest";
import { type Cell, csvResponse, toCsv } from "../../src/http/csv.ts";

/** The one cell of a table with one column, as it is written. */
const cellOf = (value: Cell) => toCsv(["name"], [[value]]).slice("name\r\n".length, -"\r\n".length);

describe("a table", () => {
  it("has a header, and ends every line with CR and LF", () => {
    const table = toCsv(
      ["name", "count"],
      [
        ["a", 1],
        ["b", null],
      ],
    );
    expect(table).toBe("name,count\r\na,1\r\nb,\r\n");
  });

  it("of no rows is only the header", () => {
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
  ])("of %s is written as it comes", (_, value, written) => {
    expect(cellOf(value)).toBe(written);
  });

  it.each(["=", "+", "-", "@", "＝", "＋", "－", "＠"])(
    "that starts with %s gets an apostrophe before it",
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
  ])("that starts with %s gets an apostrophe before it", (_, value, written) => {
    expect(cellOf(value)).toBe(written);
  });

  it("that is a negative number gets an apostrophe before it", () => {
    expect(cellOf(-1)).toBe("'-1");
  });

  it.each([
    ["a comma", "a,b", '"a,b"'],
    ["a quote", 'a"b', '"a""b"'],
    ["a line break", "a\r\nb", '"a\r\nb"'],
    ["a formula sign and a quote", '="a"', '"\'=""a"""'],
  ])("with %s is quoted", (_, value, written) => {
    expect(cellOf(value)).toBe(written);
  });
});

it("is downloaded under its file name, never from a cache, and never as another type for another Accept", async () => {
  const response = csvResponse("name\r\n", "spend.csv");
  expect(await response.text()).toBe("name\r\n");
  expect(Object.fromEntries(response.headers)).toEqual({
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": 'attachment; filename="spend.csv"',
    "cache-control": "no-store",
    vary: "Accept",
  });
});
