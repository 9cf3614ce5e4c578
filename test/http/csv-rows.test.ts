/** The rows of CSV, compared with those of csv-parse, which is strict about RFC 4180. */
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, it } from "vitest";
import { InvalidCsv, type RowFormat, rowsOf } from "../../src/http/input/csv-rows.ts";
import { runs } from "../part.ts";

const MAX_BYTES = 60;

/** The cells of each row, or "invalid". */
function read(text: string, format: RowFormat): string[][] | string {
  try {
    return [...rowsOf(text, 1, format, MAX_BYTES)].map(({ cells }) => cells);
  } catch (error) {
    if (!(error instanceof InvalidCsv)) throw error;
    return "invalid";
  }
}

function readElsewhere(text: string, { separators, keepsQuotes }: RowFormat): string[][] | string {
  const options = {
    delimiter: [...separators],
    quote: keepsQuotes ? (false as const) : '"',
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  };
  try {
    const records: string[][] = parse(text, options);
    return records
      .map((cells) => cells.map((cell) => cell.trim()))
      .filter(([first, second]) => first !== "" || second !== undefined);
  } catch {
    return "invalid";
  }
}

it("are what csv-parse reads", () => {
  const text = fc.string({
    unit: fc.constantFrom(..."a日 \t,;>›\r\n", '"', '"', '""', '","', '"\n'),
    maxLength: 20,
  });
  const format = fc.constantFrom<RowFormat>(
    { separators: "," },
    { separators: ";" },
    { separators: "\t" },
    { separators: "\t", keepsQuotes: true },
    { separators: ">›", keepsQuotes: true },
  );
  const isSame = fc.property(text, format, (text, format) => {
    expect(read(text, format)).toEqual(readElsewhere(text, format));
  });
  fc.assert(isSame, runs(3_000));
});

// csv-parse rejects this space after a quote, because it is two bytes long.
it("may have every kind of space around quotes", () => {
  expect(read('\u00a0"a" ,\u2003"b"\u00a0\n', { separators: "," })).toEqual([["a", "b"]]);
});

it("have at most as many bytes as allowed, also if a quote is not closed", () => {
  const format = { separators: "," };
  expect(read(`${"é".repeat(20)},${"é".repeat(10)}`, format)).toHaveLength(1);
  for (const long of [`${"é".repeat(20)},${"é".repeat(11)}`, `"${"\n".repeat(60)}"`, `"${"a".repeat(60)}`])
    expect(() => [...rowsOf(long, 1, format, MAX_BYTES)]).toThrow("has more than 60 bytes in one row");
  expect(() => [...rowsOf('"a', 1, format, MAX_BYTES)]).toThrow("ends inside a quoted value");
});
