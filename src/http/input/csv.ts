/** Reads the rows and cells of CSV (RFC 4180), as programs and spreadsheets write it. */

import { Buffer } from "node:buffer";
import { CsvError, type Info, parse } from "csv-parse/sync";
import { trimInvisible } from "../../domain/characters.ts";
import type { InputError } from "../../errors.ts";

export interface Limits {
  maxRows: number;
  /** 16 KiB unless the table says otherwise. */
  maxRowBytes?: number;
}

/** Longer than any valid row. It also limits what a header can name, and how far a quote that is never closed reaches. */
const DEFAULT_ROW_BYTES = 16 * 1024;
/** Rows of separators do not count as rows, but each of them takes time. */
const MAX_RECORDS = 20_000;

const OPTIONS = {
  // Otherwise the first line end would decide for the whole file.
  record_delimiter: ["\r\n", "\n", "\r"],
  // A row that is too short or too long gets its own error.
  relax_column_count: true,
  skip_empty_lines: true,
  // Also around quotes.
  trim: true,
};

export type Row = { line: number; cells: string[] };

/** What separates the cells of a text that is no file, and whether quotes are part of them. */
export type Separated = { delimiter: string[]; quote: '"' | false };

/**
 * The rows that have any text, the header first, and whether there are more than a table can have. `as`: for a text that is no file;
 * all of its columns count, and it need not have a header.
 */
export function readCells(
  text: string,
  { maxRows, maxRowBytes = DEFAULT_ROW_BYTES }: Limits,
  errors: InputError[],
  as?: Separated,
): { rows: Row[]; isCut: boolean } | undefined {
  const shown = text.replace(INVISIBLE_START, "");
  const [named = "", separator = ""] = SEPARATOR_LINE.exec(shown) ?? [];
  const rest = shown.slice(named.length);
  const bytes = Buffer.from(withoutEmptyEnd(rest));
  const lineOf = lineCounter(bytes, 1 + countLines(Buffer.from(named)));
  const rows: Row[] = [];
  let [start, count] = [0, 0];
  const onRecord = (record: string[], { bytes: end }: Info) => {
    while (isLineEnd(bytes[start])) start++;
    const line = lineOf(start);
    start = end;
    const cells = record.map((cell) => (rows.length === 0 ? trimInvisible(cell) : cell.trim()));
    if (cells.some((cell) => cell !== "")) rows.push({ line, cells });
    if (++count === MAX_RECORDS || rows.length > maxRows + 1) throw ENOUGH;
    return null;
  };
  let isCut = false;
  try {
    const delimiter = separator || separatorOf(rest);
    parse(bytes, { ...OPTIONS, delimiter, max_record_size: maxRowBytes, on_record: onRecord, ...as });
  } catch (error) {
    isCut = error === ENOUGH;
    if (!isCut && !(error instanceof CsvError)) throw error;
    if (error instanceof CsvError) {
      const line = lineOf(Number(error.bytes ?? 0));
      errors.push({ param: "body", message: describe(error.code, line, maxRowBytes) });
      return undefined;
    }
  }
  if (!as) dropEmptyColumns(rows);
  return { rows, isCut };
}

const ENOUGH = new Error("The table has too many rows.");

/** Before the first heading: the byte order mark, also twice, and what is copied from pages. */
const INVISIBLE_START = /^\p{Cf}+/u;

/** The first line of some files that Excel writes. */
const SEPARATOR_LINE = /^\s*"?sep=([,;\t|])"?[,;|\t ]*(?:\r\n|\r|\n|$)/i;
const SEPARATORS = [",", ";", "\t", "|"];

/** Excel writes semicolons where the comma separates decimals. */
function separatorOf(text: string): string {
  const [header = ""] = /[^\r\n]+/.exec(text) ?? [];
  return SEPARATORS.find((separator) => header.includes(separator)) ?? ",";
}

/** Without the rows of separators at the end, of which Excel writes thousands. */
function withoutEmptyEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,;|]/.test(text[end - 1] ?? "")) end--;
  while (end < text.length && !isLineEnd(text.charCodeAt(end))) end++;
  return text.slice(0, end);
}

const isLineEnd = (code: number | undefined) => code === 10 || code === 13;

function countLines(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let count = 0;
  for (let at = from; at < to; at++)
    if (bytes[at] === 10 || (bytes[at] === 13 && bytes[at + 1] !== 10)) count++;
  return count;
}

/** The number of the line at a place, for places in ascending order. */
function lineCounter(bytes: Uint8Array, first: number): (place: number) => number {
  let [line, counted] = [first, 0];
  return (place) => {
    line += countLines(bytes, counted, place);
    counted = Math.max(counted, place);
    return line;
  };
}

/** Removes columns without a name and without a value, also those that only some rows have at their end. */
function dropEmptyColumns(rows: Row[]): void {
  const width = rows[0]?.cells.length ?? 0;
  for (const { cells } of rows) while (cells.length > width && cells.at(-1) === "") cells.pop();
  const used = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell, at) => (cell === "" ? [] : [at]))));
  for (const row of rows) row.cells = row.cells.filter((_, at) => used.has(at) || at >= width);
}

function describe(code: string, line: number, maxRowBytes: number): string {
  if (code === "CSV_MAX_RECORD_SIZE")
    return `has more than ${maxRowBytes} bytes in one row, near line ${line}; look for a quote that is not closed`;
  if (code === "CSV_QUOTE_NOT_CLOSED")
    return "ends inside a quoted value; look for a quote that is not closed";
  return `is not valid CSV at line ${line}: put a value with a quote in quotes, and double each quote inside it`;
}
