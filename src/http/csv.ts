/** Writes CSV for spreadsheets (RFC 4180). */

export type Cell = string | number | null;

/**
 * The table with its header line. Text that a spreadsheet would run as a formula gets an apostrophe before it, so that it stays
 * text, also where the spreadsheet separates cells with semicolons and ignores quotes in the middle of them. A number in one of the columns `decimals` may be negative: it stays a number.
 */
export function toCsv(header: string[], rows: Cell[][], decimals: readonly string[] = []): string {
  const isDecimal = header.map((name) => decimals.includes(name));
  const lines = rows.map((cells) =>
    toLine(
      cells.map((value, index) =>
        isDecimal[index] && DECIMAL.test(String(value)) ? String(value) : toCell(value),
      ),
    ),
  );
  return toLine(header.map(toCell)) + lines.join("");
}

const toLine = (cells: string[]) => `${cells.join(",")}\r\n`;

/** The rows of a table without its header, as `toCsv` writes them. */
export const toCsvRows = (rows: Cell[][]) => rows.map((cells) => toLine(cells.map(toCell))).join("");

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** The place before a formula: at the start of the text, or where a spreadsheet could start a cell or a row in it. */
const FORMULA = /(?<=^|[;\r\n])(?='*[\s"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;
/** The apostrophe before a formula. A text that had one already got another, so removing it gives the text back. */
const APOSTROPHE = /(?<=^|[;\r\n])'(?='*[\s"]*[=+\-@＝＋－＠])/g;

/** The text of a cell that `toCsv` wrote. */
export const fromCell = (cell: string) => cell.replace(APOSTROPHE, "");

function toCell(value: Cell): string {
  const text = String(value ?? "").replace(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
