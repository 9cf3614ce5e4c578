/**
 * Reads a table in CSV (RFC 4180), as programs and spreadsheets write it: the only reader of the API, of uploaded files and of
 * pasted cells.
 */

import { Buffer } from "node:buffer";
import { CsvError, type Info, parse } from "csv-parse/sync";
import * as z from "zod/mini";
import { trimInvisible } from "../../domain/characters.ts";
import { inEnglish, listOf } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";
import { fromCell } from "../csv.ts";

export interface CsvTable {
  /** Its keys are the names of the columns. Only the column of an optional field may be absent. */
  row: z.ZodMiniObject;
  maxRows: number;
  /** Optional columns of which a table has at least one. */
  needsOneOf?: readonly string[];
  /** 16 KiB unless the table says otherwise. */
  maxRowBytes?: number;
  /** Further headings and the columns that they mean, for example those of ad platforms. */
  headings?: Readonly<Record<string, string>>;
  /** Columns of files that leave here and say nothing on their way back. They are not read. */
  unread?: readonly string[];
}

export interface TableRow {
  /** The line of the file on which the row begins, from 1. */
  line: number;
  /** The values by column, or why the row has no place for each of them. An empty value of an optional column is absent. */
  item: Record<string, string> | AppError;
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

/**
 * The rows below the header row, or undefined if there is an error, which is then added to the list. White space around values is
 * removed, and so is what keeps a spreadsheet from running or changing them. Rows and columns without any text do not count. A row
 * that does not have as many values as the header is an error in its place, because its values may be in the wrong columns. Throws
 * payload_too_large if there are too many rows.
 */
export function readTable(text: string, table: CsvTable, errors: InputError[]): TableRow[] | undefined {
  const { row, maxRows } = table;
  const read = readCells(text, table, errors);
  if (!read) return undefined;
  const [first, ...records] = read.rows;
  if (!first) {
    errors.push({ param: "body", message: "must start with a row of column names" });
    return undefined;
  }
  const columns = toColumns(first.cells, table);
  const invalid = checkHeader(columns, table);
  if (invalid.length > 0) {
    const isHeader = ({ cells }: Row) => checkHeader(toColumns(cells, table), table).length === 0;
    const hasTitle =
      !columns.some((name) => isKnown(name, table)) || records.slice(0, MAX_TITLE_ROWS).some(isHeader);
    errors.push(...(hasTitle ? [TITLE] : invalid));
    return undefined;
  }
  if (read.isCut) {
    const most = inEnglish(maxRows);
    throw new AppError("payload_too_large", `The file can have at most ${most} rows below the header.`);
  }
  if (records.length === 0) {
    errors.push({ param: "body", message: "must have at least one row below the header" });
    return undefined;
  }
  const optional = new Set(columns.filter((name) => isOptional(row.shape[name])));
  const isRead = (name: string, at: number) => Object.hasOwn(row.shape, name) && columns.indexOf(name) === at;
  const toItem = (cells: string[]) =>
    Object.fromEntries(
      cells
        .map((cell, at) => [columns[at] ?? "", fromCell(cell)] as const)
        .filter(([name, cell], at) => isRead(name, at) && (cell !== "" || !optional.has(name))),
    );
  return records.map(({ line, cells }) => ({
    line,
    item: cells.length === columns.length ? toItem(cells) : wrongLength(cells.length, columns.length),
  }));
}

export type Row = { line: number; cells: string[] };

/** What separates the cells of a text that is no file, and whether quotes are part of them. */
export type Separated = { delimiter: string[]; quote: '"' | false };

/**
 * The rows that have any text, the header first, and whether there are more than a table can have. `as`: for a text that is no file;
 * all of its columns count, and it need not have a header.
 */
export function readCells(
  text: string,
  { maxRows, maxRowBytes = DEFAULT_ROW_BYTES }: Pick<CsvTable, "maxRows" | "maxRowBytes">,
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

/** Above the header of exports of ad platforms: the name of the report, and its days. */
export const MAX_TITLE_ROWS = 20;
export const TITLE: InputError = {
  param: "body",
  message:
    "must have the names of the columns in its first row; remove the lines above them, such as a title",
};

const toKey = (name: string) => name.toLowerCase().replace(/[\s_-]/g, "");

/** The column of each heading: `campaign` for "Campaign name", `ad_group` for "AdGroup". An unknown heading stays. */
export function toColumns(
  headings: string[],
  { row, headings: others = {}, unread = [] }: CsvTable,
): string[] {
  const byKey = new Map<string, string>([
    ...unread.map((column): [string, string] => [toKey(column), column]),
    ...Object.entries(others).map(([heading, column]): [string, string] => [toKey(heading), column]),
    ...Object.keys(row.shape).map((column): [string, string] => [toKey(column), column]),
  ]);
  return headings.map((heading) => {
    const key = toKey(heading);
    return byKey.get(key) ?? byKey.get(key.replace(/name$/, "")) ?? heading.toLowerCase();
  });
}

function describe(code: string, line: number, maxRowBytes: number): string {
  if (code === "CSV_MAX_RECORD_SIZE")
    return `has more than ${maxRowBytes} bytes in one row, near line ${line}; look for a quote that is not closed`;
  if (code === "CSV_QUOTE_NOT_CLOSED")
    return "ends inside a quoted value; look for a quote that is not closed";
  return `is not valid CSV at line ${line}: put a value with a quote in quotes, and double each quote inside it`;
}

export const isKnown = (name: string, { row, unread = [] }: CsvTable) =>
  Object.hasOwn(row.shape, name) || unread.includes(name);

/** An error for each column that is unknown, missing or repeated. */
function checkHeader(header: string[], table: CsvTable): InputError[] {
  const { row, needsOneOf = [], unread = [] } = table;
  const errors: InputError[] = [];
  const names = new Set(header);
  const free = Object.keys(row.shape).filter((name) => !names.has(name));
  const what = free.length > 0 ? `remove it, or rename it to ${listOf(free, "or")}` : "remove it";
  for (const name of names) {
    if (name === "") errors.push({ param: "body", message: "has a column without a name" });
    else if (!isKnown(name, table)) errors.push({ param: name, message: `is not a known column; ${what}` });
    else if (!unread.includes(name) && header.indexOf(name) !== header.lastIndexOf(name))
      errors.push({ param: name, message: "is the name of more than one column" });
  }
  const [first] = needsOneOf;
  const missing = Object.entries(row.shape)
    .filter(([name, field]) => !names.has(name) && !isOptional(field))
    .map(([name]) => name);
  if (first !== undefined && !needsOneOf.some((name) => names.has(name))) missing.push(first);
  errors.push(...missing.map((param) => ({ param, message: "is required; add this column" })));
  return errors;
}

function isOptional(field: z.core.$ZodType | undefined): boolean {
  return field !== undefined && z.safeParse(field, undefined).success;
}

function wrongLength(cells: number, columns: number): AppError {
  const message = `has ${cells} ${cells === 1 ? "value" : "values"}, but the header has ${columns} columns`;
  return new AppError("invalid_request", `The row ${message}.`, { errors: [{ param: "row", message }] });
}
