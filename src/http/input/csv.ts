/** Reads a table in CSV (RFC 4180) as the body of a request. */

import { CsvError, parse } from "csv-parse/sync";
import * as z from "zod/mini";
import { inEnglish } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";

export interface CsvTable {
  /** Its keys are the names of the columns. Only the column of an optional field may be absent. */
  row: z.ZodMiniObject;
  maxRows: number;
  /** Optional columns of which a table has at least one. */
  needsOneOf?: string[];
  /** 16 KiB unless the table says otherwise. */
  maxRowBytes?: number;
  /**
   * For files that people edit: semicolons or tabs, if the header has no comma; headings such as "Campaign name" for `campaign`; and
   * rows with only separators, which become empty.
   */
  edited?: boolean;
}

/** Longer than any valid row. It also limits what a header can name, and how far a quote that is never closed reaches. */
const DEFAULT_ROW_BYTES = 16 * 1024;

const OPTIONS = {
  // Otherwise the first line end would decide for the whole file.
  record_delimiter: ["\r\n", "\n"],
  // A row that is too short or too long gets its own error.
  relax_column_count: true,
  skip_empty_lines: true,
};

/**
 * The rows below the header row by column name, or undefined if there is an error, which is then added to the list. An empty
 * cell of an optional column is absent from its row. A row that does not have as many values as the header is an error in its
 * place, because its values may be in the wrong columns. Throws payload_too_large if there are too many rows.
 */
export function readTable(
  text: string,
  { row, maxRows, maxRowBytes = DEFAULT_ROW_BYTES, needsOneOf = [], edited = false }: CsvTable,
  errors: InputError[],
): (Record<string, string> | AppError)[] | undefined {
  const delimiter = separatorOf(text);
  if (!edited && delimiter !== ",") {
    errors.push({ param: "body", message: "must have commas between its columns" });
    return undefined;
  }
  const all = parseRows(text, { delimiter, max_record_size: maxRowBytes, to: maxRows + 2 }, errors);
  if (!all) return undefined;
  const [first = [], ...rows] = all;
  const header = edited ? toColumns(first, Object.keys(row.shape)) : first;
  const invalid = checkHeader(header, row, needsOneOf);
  errors.push(...invalid);
  if (invalid.length > 0) return undefined;
  if (rows.length > maxRows) {
    throw new AppError(
      "payload_too_large",
      `The file can have at most ${inEnglish(maxRows)} rows below the header.`,
    );
  }
  if (rows.length === 0) {
    errors.push({ param: "body", message: "must have at least one row below the header" });
    return undefined;
  }
  const optional = new Set(header.filter((name) => isOptional(row.shape[name])));
  const toItem = (cells: string[]) =>
    Object.fromEntries(
      cells
        .map((cell, at) => [header[at] ?? "", cell] as const)
        .filter(([name, cell]) => cell !== "" || !optional.has(name)),
    );
  return rows.map((cells) => {
    if (edited && cells.every((cell) => cell.trim() === "")) return {};
    return cells.length === header.length ? toItem(cells) : wrongLength(cells.length, header.length);
  });
}

/** Excel writes semicolons where the comma separates decimals. */
function separatorOf(text: string): string {
  const [header = ""] = /[^\r\n]+/.exec(text) ?? [];
  return [",", ";", "\t"].find((separator) => header.includes(separator)) ?? ",";
}

const toKey = (name: string) => name.toLowerCase().replace(/[\s_-]/g, "");

/** The column of each heading: `campaign` for "Campaign name", `ad_group` for "AdGroup". An unknown heading stays. */
function toColumns(headings: string[], columns: string[]): string[] {
  const byKey = new Map(columns.map((column) => [toKey(column), column]));
  return headings.map((heading) => {
    const key = toKey(heading);
    return byKey.get(key) ?? byKey.get(key.replace(/name$/, "")) ?? heading.trim().toLowerCase();
  });
}

/** Stops after the first row that is too many. */
function parseRows(
  text: string,
  options: { delimiter: string; max_record_size: number; to: number },
  errors: InputError[],
): string[][] | undefined {
  try {
    return parse(text, { ...OPTIONS, ...options });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    errors.push({ param: "body", message: describe(error, options.max_record_size) });
    return undefined;
  }
}

function describe({ code, lines }: CsvError, maxRowBytes: number): string {
  if (code === "CSV_MAX_RECORD_SIZE") {
    return `has more than ${maxRowBytes} bytes in one row, near line ${lines}; look for a quote that is not closed`;
  }
  if (code === "CSV_QUOTE_NOT_CLOSED")
    return "ends inside a quoted value; look for a quote that is not closed";
  return `is not valid CSV at line ${lines}: put a value with a quote in quotes, and double each quote inside it`;
}

/** An error for each column that is unknown, missing or repeated. */
function checkHeader(header: string[], row: z.ZodMiniObject, needsOneOf: string[]): InputError[] {
  if (header.length === 0) return [{ param: "body", message: "must start with a row of column names" }];
  const errors: InputError[] = [];
  const names = new Set(header);
  for (const name of names) {
    if (name === "") errors.push({ param: "body", message: "has a column without a name" });
    else if (!Object.hasOwn(row.shape, name))
      errors.push({ param: name, message: "is not a known column; remove it" });
    else if (header.indexOf(name) !== header.lastIndexOf(name))
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
