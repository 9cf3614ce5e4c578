/** Reads the rows of a text in CSV (RFC 4180), one after another, with all three line ends and white space around quotes. */
import { Buffer } from "node:buffer";

export interface Row {
  /** The line of the text on which the row begins. */
  line: number;
  /** Without the white space around each cell, and inside its quotes. */
  cells: string[];
}

export interface RowFormat {
  /** Each of these characters separates cells. */
  separators: string;
  /** Whether quotes are characters of the cells, as any other. */
  keepsQuotes?: boolean;
}

/** The text is no CSV. The message is for its sender. */
export class InvalidCsv extends Error {}

/**
 * Every row that is not empty. `line` is the number of the first one. Throws InvalidCsv where a row has more than `maxBytes`, or a
 * quote that is not closed, that follows other text in its cell, or that other text follows.
 */
export function* rowsOf(text: string, line: number, format: RowFormat, maxBytes: number): Generator<Row> {
  let at = 0;
  while (at < text.length) {
    const row: Row = { line, cells: [] };
    let bytes = 0;
    let separator = "";
    do {
      const { value, end } = cellAt(text, at, format);
      const sent = text.slice(at, end);
      bytes += Buffer.byteLength(sent);
      if (bytes > maxBytes) {
        throw new InvalidCsv(
          `has more than ${maxBytes} bytes in one row, near line ${line}; look for a quote that is not closed`,
        );
      }
      if (end > text.length)
        throw new InvalidCsv("ends inside a quoted value; look for a quote that is not closed");
      separator = text[end] ?? "";
      if (value === undefined || !isEnd(separator, format)) {
        throw new InvalidCsv(
          `is not valid CSV at line ${line}: put a value with a quote in quotes, and double each quote inside it`,
        );
      }
      row.cells.push(value.trim());
      line += countLineEnds(sent);
      at = end + 1;
    } while (separator !== "" && format.separators.includes(separator));
    if (separator === "\r" && text[at] === "\n") at++;
    line++;
    if (row.cells.length > 1 || row.cells[0] !== "") yield row;
  }
}

export const countLineEnds = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

const isEnd = (character: string | undefined, { separators }: RowFormat) =>
  !character || character === "\n" || character === "\r" || separators.includes(character);

/** The cell at a place, and where it ends: beyond the text if its quote is not closed. No value if a quote follows other text in it. */
function cellAt(text: string, from: number, format: RowFormat): { value?: string; end: number } {
  let start = from;
  while (!isEnd(text[start], format) && text[start]?.trim() === "") start++;
  let end = start;
  if (format.keepsQuotes || text[start] !== '"') {
    while (!isEnd(text[end], format)) end++;
    const value = text.slice(start, end);
    return format.keepsQuotes || !value.includes('"') ? { value, end } : { end };
  }
  end = text.indexOf('"', start + 1);
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0) return { end: text.length + 1 };
  const value = text.slice(start + 1, end).replaceAll('""', '"');
  do end++;
  while (!isEnd(text[end], format) && text[end]?.trim() === "");
  return { value, end };
}
