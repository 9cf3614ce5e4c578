/** The rows of an uploaded file, and of the parts in which a script sends a larger one. */
import * as z from "zod/mini";
import { showInvisible } from "../../domain/characters.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { wantsPage } from "../../http/accept.ts";
import { BYTE_ORDER_MARK, type Cell, toCsv } from "../../http/csv.ts";
import { decodeTable, decodeUtf8, isUtf16, mediaType, readBody } from "../../http/input/body.ts";
import { readMultipart } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { type CsvTable, readTable } from "../../http/input/table.ts";

/** A row of a file. Its number is that of the line on which it begins. */
export interface FileRow {
  number: number;
  /** Which of the rows of a larger file it is, from 1. */
  nth?: number;
  /** By column. Empty for a row that does not fit the header, because its values may be in the wrong columns. */
  values: Record<string, string>;
  /** Why the row does not fit the header. */
  misfit?: AppError;
}

/** What an import would do with a row (`ready`, else nothing), or did. */
export interface Outcome {
  number: number;
  /** What people know the row by. */
  name: string | null;
  /** What it is identified by, if that is not its name. */
  key?: string | undefined;
  state: "ready" | "imported" | "duplicate" | "rejected";
  /** The row changes something that exists. */
  isChange?: boolean;
  /** The keys of what the row creates, if it can be more than one thing: each begins with what it is, and a colon. */
  creates?: string[];
  /** What to look at before the import. */
  marks?: string[];
  detail: string;
  /** The row of the file with the results. It begins with the number. */
  cells: Cell[];
}

/** Room for the numbers of the rows, for quotes, and for the parts of a multipart body. */
export const toFormBytes = (fileBytes: number) => fileBytes + 256 * 1024;

/** The text of the file in a form. Throws invalid_request and payload_too_large. */
export async function readFileText(file: File | string | null, maxBytes: number): Promise<string> {
  if (!(file instanceof File) || file.size === 0)
    throw invalidRequest([{ param: "file", message: "is missing or empty; choose a CSV file" }]);
  if (file.size > maxBytes) throw new AppError("payload_too_large", "The file has more than 1 MiB.");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const message = isWorkbook(bytes) ? WORKBOOK : isUtf16(bytes) ? UTF16 : NOT_UTF8;
  const text = message === NOT_UTF8 ? decodeUtf8(bytes) : undefined;
  if (text === undefined) throw invalidRequest([{ param: "file", message }]);
  return text;
}

const HOW_TO_SAVE = "in Excel, save it as “CSV UTF-8 (Comma delimited)”";
export const WORKBOOK = `is an Excel workbook: ${HOW_TO_SAVE}`;
export const UTF16 = `is in UTF-16, which Excel calls “Unicode Text”: ${HOW_TO_SAVE}`;
export const NOT_UTF8 = `isn't UTF-8: ${HOW_TO_SAVE}`;

/** An .xlsx file is a ZIP archive. */
const isWorkbook = ([first, second]: Uint8Array) => first === 0x50 && second === 0x4b;

/**
 * What is wrong with the file of a form, to be shown above the form. Throws every other error again, and all of them for a client
 * that is not a browser.
 */
export function asFileError(context: Context, error: unknown): AppError {
  const isOfFile = error instanceof AppError && ["invalid_request", "payload_too_large"].includes(error.code);
  if (!isOfFile || !wantsPage(context)) throw error;
  context.trace.outcome = error.code;
  return error;
}

/**
 * The rows that a confirmed form carries, as `writeRows` wrote them, and how many rows the check left out. Throws what `readPart`
 * throws.
 */
export async function readConfirmed(context: Context, maxBytes: number, table: CsvTable) {
  const form = await readMultipart(context, maxBytes);
  const sent = form.get("rows");
  if (typeof sent !== "string") throw invalidRequest([{ param: "rows", message: "is required" }]);
  const leftOut = /^\d{1,4}$/.exec(String(form.get("left_out")))?.[0];
  return { rows: readPart(sent, table), leftOut: Number(leftOut ?? 0) };
}

/** Whether the script sent a part of a larger file, and not a browser a form. */
export const isPart = ({ request }: Context) => mediaType(request) === "text/csv";

/** The rows of a part. Throws what `readPart` throws, and invalid_request and payload_too_large. */
export async function readPartOf(
  { request }: Context,
  maxBytes: number,
  table: CsvTable,
): Promise<FileRow[]> {
  const errors: InputError[] = [];
  const text = decodeTable(await readBody(request, maxBytes), errors);
  if (text === undefined) throw invalidRequest(errors);
  return readPart(text, table);
}

const rowNumber = z.string().check(z.regex(/^[1-9]\d{0,7}$/, "must be the number of a row"));

/** The rows of a file. Throws invalid_request for other columns, and payload_too_large for too many rows. */
export function readRows(text: string, table: CsvTable): FileRow[] {
  const errors: InputError[] = [];
  const rows = readTable(text, table, errors);
  if (!rows) throw invalidRequest(errors);
  return rows.map(({ line, item }) =>
    item instanceof AppError ? { number: line, values: {}, misfit: MISFIT } : { number: line, values: item },
  );
}

/**
 * The rows of a part of a file, with the number of each in the whole file, as `writeRows` and the script write it. A row that does not
 * fit the header has lost it.
 */
export function readPart(text: string, table: CsvTable): FileRow[] {
  const numbered = z.object({ ...table.row.shape, row: rowNumber, nth: z.optional(rowNumber) });
  return readRows(text, { ...table, row: numbered }).map(
    ({ values: { row, nth, ...values }, misfit, number }) => {
      if (misfit) return { number, values, misfit };
      return { number: readNumber(row), values, ...(nth !== undefined && { nth: readNumber(nth) }) };
    },
  );
}

function readNumber(text: string | undefined): number {
  if (rowNumber.safeParse(text).success) return Number(text);
  throw invalidRequest([{ param: "row", message: "must be the number of a row" }]);
}

export const MISFIT = invalidRequest([
  { param: "row", message: "The row must have as many values as the header." },
]);

/** The rows as a part of a file with these columns. */
export const writeRows = (columns: string[], rows: FileRow[]): string =>
  toCsv(
    ["row", ...columns],
    rows.map(({ number, values }) => [number, ...columns.map((name) => values[name] ?? "")]),
  );

/** The file with the results. */
export function toResultFile(columns: string[], outcomes: Outcome[]): string {
  const table = toCsv(
    columns,
    outcomes.map(({ cells }) => cells),
  );
  return BYTE_ORDER_MARK + table;
}

/**
 * The same for the script, which joins the lines of several requests. `repeat` is what it replaces a row by if an earlier part has
 * the same one; `{row}` is the number of that row.
 */
export function toPartJson(
  columns: string[],
  outcomes: Outcome[],
  repeatOf: (outcome: Outcome) => Pick<Outcome, "detail" | "cells">,
) {
  return {
    header: toCsv(columns, []),
    rows: outcomes.map((outcome) => {
      const repeat = repeatOf(outcome);
      return {
        row: outcome.number,
        name: outcome.name && showInvisible(outcome.name),
        key: outcome.key ?? outcome.name,
        state: outcome.state,
        isChange: outcome.isChange,
        creates: outcome.creates,
        marks: outcome.marks,
        detail: outcome.detail,
        line: toLine(outcome.cells),
        repeat: { detail: repeat.detail, line: toLine(repeat.cells) },
      };
    }),
  };
}

const toLine = (cells: Cell[]) =>
  toCsv(
    cells.map((cell) => String(cell ?? "")),
    [],
  );
