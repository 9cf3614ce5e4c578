/** Reads a table in CSV by the names of its columns: the only reader of the API, of uploaded files and of pasted cells. */
import * as z from "zod/mini";
import { inEnglish, listOf } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";
import { fromCell } from "../csv.ts";
import { type Limits, type Row, readCells } from "./csv.ts";

export interface CsvTable extends Limits {
  /** Its keys are the names of the columns. Only the column of an optional field may be absent. */
  row: z.ZodMiniObject;
  /** Optional columns of which a table has at least one. */
  needsOneOf?: readonly string[];
  /** Further headings and the columns that they mean, for example those of ad platforms. */
  headings?: Readonly<Record<string, string>>;
  /** Columns of files that leave here and say nothing on their way back. They are not read. */
  unread?: readonly string[];
}

interface TableRow {
  /** The line of the file on which the row begins, from 1. */
  line: number;
  /** The values by column, or why the row has no place for each of them. An empty value of an optional column is absent. */
  item: Record<string, string> | AppError;
}

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
