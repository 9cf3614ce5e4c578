/** Writes CSV for spreadsheets (RFC 4180). */

export type Cell = string | number | null;

/**
 * The table with its header line. Text that a spreadsheet would run as a formula gets an apostrophe before it, so that it stays
 * text, also where the spreadsheet separates cells with semicolons and ignores quotes in the middle of them. `fromCell` removes it.
 * A number in one of the columns `decimals` may be negative: it stays a number.
 */
export function toCsv(header: string[], rows: Cell[][], decimals: readonly string[] = []): string {
  const isDecimal = header.map((name) => decimals.includes(name));
  const lines = rows.map((cells) =>
    cells.map((value, index) => (isDecimal[index] && DECIMAL.test(String(value)) ? value : guard(value))),
  );
  return toCsvAsSent(header.map(guard), lines);
}

/** The table with its header line and its values as they are, for a program that compares them with what it sent. */
export const toCsvAsSent = (header: Cell[], rows: Cell[][]) => [header, ...rows].map(toLine).join("");

/** The rows of a table without its header, as `toCsv` writes them. */
export const toCsvRows = (rows: Cell[][]) => rows.map((cells) => toLine(cells.map(guard))).join("");

const toLine = (cells: Cell[]) => `${cells.map(quote).join(",")}\r\n`;

function quote(value: Cell): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * Where a spreadsheet could begin a cell, at the start of the text or after a separator, and would run what follows apostrophes, white
 * space and quotes as a formula. At the start of the text also before white space that it could remove.
 */
const GUARDED = /(?<![^;\r\n])(?='*(?:[^\S\r\n]|")*[=+\-@＝＋－＠])|^(?='*[\t\r\n])/g;
const GUARD = /(?<![^;\r\n])'(?='*(?:[^\S\r\n]|")*[=+\-@＝＋－＠])|^'(?='*[\t\r\n])/g;

const guard = (value: Cell) => String(value ?? "").replace(GUARDED, "'");

/** How other programs keep a spreadsheet from reading an ID as a number. `toCsv` never writes it: it guards a text that begins so. */
const FORMULA_TEXT = /^="([^"]*)"$/;

/** The text of a cell that `toCsv` or such a program wrote. A text that had apostrophes before a formula got another, so they stay. */
export const fromCell = (cell: string) => cell.replace(FORMULA_TEXT, "$1").replace(GUARD, "");

/** Before the text of a file for people: without it, Excel does not read UTF-8. */
export const BYTE_ORDER_MARK = "\ufeff";

/** A file of a page. Other responses stay the same. */
export function asDownload(response: Response): Response {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/csv")) return response;
  const mark = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(BYTE_ORDER_MARK)),
  });
  return new Response(response.body.pipeThrough(mark), response);
}

/** A response that downloads the table under this file name. */
export function csvResponse(
  table: string | ReadableStream,
  fileName: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(table, {
    headers: {
      ...headers,
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
      vary: "Accept",
    },
  });
}
