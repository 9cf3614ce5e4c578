/** The rows of an uploaded file, and of the parts in which a script sends a larger one. */
import * as z from "zod/mini";
import { showInvisible } from "../../domain/characters.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { wantsPage } from "../../http/accept.ts";
import { BYTE_ORDER_MARK, type Cell, toCsv } from "../../http/csv.ts";
import { decodeUtf8, mediaType, readBody } from "../../http/input/body.ts";
import { type CsvTable, readTable } from "../../http/input/csv.ts";
import { readMultipart } from "../../http/input/form.ts";
import { invalidRequest } from "../../http/input/parse.ts";

/** A row of a file. `number` 1 is the first row below the header. */
export interface FileRow {
  number: number;
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
  /** The keys of what the row creates, if it can be more than one thing. */
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
  const text = isWorkbook(bytes) ? undefined : decodeUtf8(bytes);
  if (text === undefined)
    throw invalidRequest([{ param: "file", message: isWorkbook(bytes) ? WORKBOOK : NOT_UTF8 }]);
  return text;
}

const HOW_TO_SAVE = "in Excel, save it as “CSV UTF-8 (Comma delimited)”";
export const WORKBOOK = `is an Excel workbook: ${HOW_TO_SAVE}`;
export const NOT_UTF8 = `isn't UTF-8: ${HOW_TO_SAVE}`;

/** An .xlsx file is a ZIP archive. */
const isWorkbook = ([first, second]: Uint8Array) => first === 0x50 && second === 0x4b;

/** What is wrong with the file of a form, to be shown above the form. Throws every other error again, and all of them for a client that is not a browser. */
export function asFileError(context: Context, error: unknown): AppError {
  const isOfFile = error instanceof AppError && ["invalid_request", "payload_too_large"].includes(error.code);
  if (!isOfFile || !wantsPage(context)) throw error;
  context.trace.outcome = error.code;
  return error;
}

/** The rows that a confirmed form carries, as `writeRows` wrote them. Throws what `readPart` throws. */
export async function readConfirmed(context: Context, maxBytes: number, table: CsvTable): Promise<FileRow[]> {
  const sent = (await readMultipart(context, maxBytes)).get("rows");
  if (typeof sent !== "string") throw invalidRequest([{ param: "rows", message: "is required" }]);
  return readPart(sent, table);
}

/** The text of a part that a script sends. Throws unsupported_media_type, invalid_request and payload_too_large. */
export async function readPartText({ request }: Context, maxBytes: number): Promise<string> {
  if (mediaType(request) !== "text/csv")
    throw new AppError("unsupported_media_type", "Send the body as text/csv.");
  const text = decodeUtf8(await readBody(request, maxBytes));
  if (text === undefined) throw invalidRequest([{ param: "body", message: "must be UTF-8" }]);
  return text;
}

const rowNumber = z.string().check(z.regex(/^[1-9]\d{0,6}$/, "must be the number of a row"));

/** The rows of a file. Throws invalid_request for other columns, and payload_too_large for too many rows. */
export function readRows(text: string, table: CsvTable): FileRow[] {
  return read(text, table, (_, index) => index + 1);
}

/** The rows of a part of a file, with the number of each in the whole file, as `writeRows` and the script write it. */
export function readPart(text: string, table: CsvTable): FileRow[] {
  const numbered = z.object({ ...table.row.shape, row: rowNumber });
  return read(text, { ...table, row: numbered }, ({ row: number = "" }) => {
    if (!rowNumber.safeParse(number).success)
      throw invalidRequest([{ param: "row", message: "must be the number of a row" }]);
    return Number(number);
  });
}

function read(
  text: string,
  table: CsvTable,
  numberOf: (values: Record<string, string>, index: number) => number,
): FileRow[] {
  const errors: InputError[] = [];
  const rows = readTable(text, table, errors);
  if (!rows) throw invalidRequest(errors);
  const read = rows.flatMap((values, index): FileRow[] => {
    if (values instanceof AppError) return [{ number: index + 1, values: {}, misfit: MISFIT }];
    return Object.keys(values).length === 0 ? [] : [{ number: numberOf(values, index), values }];
  });
  if (read.length > 0) return read;
  throw invalidRequest([{ param: "body", message: "must have at least one row below the header" }]);
}

const MISFIT = invalidRequest([{ param: "row", message: "The row must have as many values as the header." }]);

/** The rows as a part of a file with these columns. */
export function writeRows(columns: string[], rows: FileRow[]): string {
  const toLine = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
  return [
    toLine(["row", ...columns]),
    ...rows.map(({ number, values }) =>
      toLine([String(number), ...columns.map((name) => values[name] ?? "")]),
    ),
  ].join("\n");
}

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
