/** Writes CSV for spreadsheets (RFC 4180). */

export type Cell = string | number | null;

/**
 * The table with its header line. A cell that a spreadsheet would run as a formula gets a leading apostrophe, so that it
 * is text.
 */
export function toCsv(header: string[], rows: Cell[][]): string {
  return [header, ...rows].map((cells) => `${cells.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: Cell): string {
  const text = String(value ?? "").replace(/^(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A response that downloads the table under this file name. */
export function csvResponse(table: string, fileName: string, headers: Record<string, string> = {}): Response {
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
