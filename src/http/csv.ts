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

/** A text that a spreadsheet would run as a formula, or that starts with white space that one could remove. */
const FORMULA = /^(?:'*[\s"]*[=+\-@＝＋－＠]|[\t\r\n])/;

/** The text of a cell that `toCsv` wrote. A text that had apostrophes before a formula got another, so they stay. */
export const fromCell = (cell: string) =>
  cell.includes("'") ? mapFormulas(cell, (part) => part.replace(/^'/, "")) : cell;

function toCell(value: Cell): string {
  const text = guardFormulas(String(value ?? ""));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text with an apostrophe before each formula. */
function guardFormulas(text: string): string {
  if (!/[;\r\n]/.test(text)) return FORMULA.test(text) ? `'${text}` : text;
  const guarded = mapFormulas(text, (part) => `'${part}`);
  return /^[\t\r\n]/.test(guarded) ? `'${guarded}` : guarded;
}

/**
 * Changes each part that is a formula after apostrophes, white space and quotes: at the start of the text, and where a spreadsheet could
 * start a cell or a row in it. It reads the text from its end, because an expression would read a run of line ends again for each of them.
 */
function mapFormulas(text: string, change: (part: string) => string): string {
  const parts: string[] = [];
  let end = text.length;
  let isFormula = false;
  let isGuarded = false;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text[at] ?? "";
    isFormula = SIGNS.has(character) || (isFormula && /[\s"]/.test(character));
    isGuarded = isFormula || (isGuarded && character === "'");
    if (isGuarded && (at === 0 || SEPARATORS.has(text[at - 1] ?? ""))) {
      parts.push(change(text.slice(at, end)));
      end = at;
    }
  }
  parts.push(text.slice(0, end));
  return parts.reverse().join("");
}

const SIGNS = new Set("=+-@＝＋－＠");
const SEPARATORS = new Set(";\r\n");

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
