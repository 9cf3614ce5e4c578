/** Cells that were pasted from a spreadsheet, pasted paths, or a file: what its columns are, and the rows below its headings. */
import { inEnglish } from "../../domain/texts.ts";
import { AppError, type InputError } from "../../errors.ts";
import { fromCell } from "../../http/csv.ts";
import { type Row, readCells, type Separated } from "../../http/input/csv.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { isKnown, MAX_TITLE_ROWS, TITLE, toColumns } from "../../http/input/table.ts";
import { type FileRow, MISFIT } from "../../pages/uploads/rows.ts";
import { FIELD_NAMES, LEVEL_FIELDS } from "../../usecases/links/path-rows.ts";
import { MAX_ROWS, SENT_COLUMNS, TABLE } from "./import-rows.ts";

export interface Sheet {
  /** What each column is. Empty for one that is not imported. */
  columns: string[];
  /** The texts above the columns, if the first row has them. */
  headings: string[] | undefined;
  /** The cells of the first rows. */
  sample: string[][];
  rows: FileRow[];
  /** Why nothing can be imported with these columns. */
  problem: string | undefined;
  /** What may be meant otherwise than it was read. */
  warning: string | undefined;
}

/** What a person chose after they saw the columns. */
export interface Chosen {
  columns: string[];
  hasHeadings: boolean;
}

/** `›` is what our pages write. */
const PATHS: Separated = { delimiter: [">", "›"], quote: false };
const CELLS: Separated = { delimiter: ["\t"], quote: false };
const SEPARATORS = [";", ",", "|"];

/** Spreadsheets copy quotes in a cell as they are; programs put quotes around it and double those in it. */
function unquote(cell: string): string {
  const inside =
    cell.length > 1 && cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1) : undefined;
  return inside === undefined || inside.replaceAll('""', "").includes('"')
    ? cell
    : inside.replaceAll('""', '"');
}

const SAMPLE_ROWS = 5;
/** Each has a list of what it can be. */
const MAX_COLUMNS = 50;

/** Around a cell with a line end or a tab, spreadsheets put quotes too. */
const QUOTED = /(?<=^|[\t\r\n])"(?:[^"]|"")*"(?=[\t\r\n]|$)/g;
const joinCell = (cell: string) => (/[\t\r\n]/.test(cell) ? unquote(cell).replace(/[\t\r\n]+/g, " ") : cell);

/** Other headings can be names of links too: Target is a company. */
const NEEDED = ["link_token", ...LEVEL_FIELDS];
/** The only row is a link, unless it has nothing but headings: Creative is a name too. */
function isHeader(cells: string[], isOnly = false): boolean {
  const names = toColumns(cells, TABLE);
  const isNeeded = names.some((name) => NEEDED.includes(name));
  return isNeeded && (!isOnly || names.every((name) => isKnown(name, TABLE)));
}

/** What separates the cells of a pasted text. Undefined for CSV with a header. */
function formOf(text: string): Separated | undefined {
  if (text.includes("\t")) return CELLS;
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  if (!/[>›]/.test(first) && isHeader(first.split(/[,;|]/), lines.length === 1)) return undefined;
  // A comma before a space is part of a name: Acme, Inc.
  const separator = SEPARATORS.find((one) => {
    const [count = 0, ...others] = new Set(lines.map((line) => line.split(one).length));
    return count > 1 && others.length === 0 && !text.includes(", ");
  });
  return separator === undefined || /[>›]/.test(text) ? PATHS : { delimiter: [separator], quote: '"' };
}

/** The columns that a person can choose for rows that begin at a level. */
export const columnsFrom = (firstLevel: number): string[] =>
  SENT_COLUMNS.filter((name) => !LEVEL_FIELDS.slice(0, firstLevel - 1).some((level) => level === name));

/** Throws invalid_request for a text that is no table, and payload_too_large for too many rows. */
export function readSheet(
  sent: string,
  { isFile, firstLevel }: { isFile: boolean; firstLevel: number },
  chosen?: Chosen,
): Sheet {
  const text = isFile ? sent : sent.replace(QUOTED, joinCell);
  const as = isFile ? undefined : formOf(text);
  const errors: InputError[] = [];
  const read = readCells(text, TABLE, errors, as);
  if (!read) throw invalidRequest(errors);
  // Whole rows of a spreadsheet end in thousands of empty cells.
  const rowsAsSent = as
    ? read.rows.map(({ line, cells }) => ({ line, cells: cells.slice(0, cells.findLastIndex(Boolean) + 1) }))
    : read.rows;
  if (as !== PATHS && rowsAsSent.some(({ cells }) => cells.length > MAX_COLUMNS))
    throw invalidRequest([{ param: "body", message: `can have at most ${MAX_COLUMNS} columns` }]);
  const all =
    as === CELLS ? rowsAsSent.map(({ line, cells }) => ({ line, cells: cells.map(unquote) })) : rowsAsSent;
  const [first, ...below] = all;
  if (!first) throw invalidRequest([{ param: "body", message: "must have at least one row" }]);
  const hasHeadings = chosen
    ? chosen.hasHeadings
    : isFile || (as !== PATHS && isHeader(first.cells, below.length === 0));
  const hasTitle = below.slice(0, MAX_TITLE_ROWS).some(({ cells }) => isHeader(cells));
  if (isFile && !chosen && !isHeader(first.cells) && hasTitle) throw invalidRequest([TITLE]);
  const rows = hasHeadings ? below : all;
  if (read.isCut || rows.length > MAX_ROWS) {
    const most = inEnglish(MAX_ROWS);
    throw new AppError("payload_too_large", `It has more than ${most} rows. Split it into parts.`);
  }
  const options = columnsFrom(firstLevel);
  const levels = LEVEL_FIELDS.slice(firstLevel - 1);
  const width = hasHeadings ? first.cells.length : Math.max(...rows.map(({ cells }) => cells.length));
  const known = hasHeadings ? toColumns(first.cells, TABLE) : levels;
  const guessed = known.map((name, at) => (known.indexOf(name) === at ? name : ""));
  const columns = Array.from({ length: as === PATHS ? Math.min(width, levels.length) : width }, (_, at) => {
    const name = (chosen?.columns ?? guessed)[at] ?? "";
    return options.includes(name) ? name : "";
  });
  const isStrict = as === undefined && hasHeadings;
  return {
    columns,
    headings: hasHeadings ? first.cells : undefined,
    sample: rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells),
    rows: rows.map((row) => toFileRow(row, columns, { isStrict, isPath: as === PATHS })),
    problem: rows.length === 0 ? NO_ROWS : problemOf(columns, levels[0] ?? ""),
    warning: as === PATHS && rows.every(isOneName) ? ONE_NAME : undefined,
  };
}

const NO_ROWS =
  "There must be at least one row below the header. If the first row is a link, clear “The first row has headings”.";
const ONE_NAME =
  "Each line was read as one name. To create links below each other, write > between their names.";
const isOneName = ({ cells }: Row) => cells.length === 1 && /[,;|]/.test(cells[0] ?? "");

function problemOf(columns: string[], needed: string): string | undefined {
  const repeated = columns.find((name, at) => name !== "" && columns.indexOf(name) !== at);
  if (repeated !== undefined) return `${FIELD_NAMES[repeated]} is chosen for more than one column.`;
  const isNamed = columns.includes(needed) || columns.includes("link_token");
  return isNamed ? undefined : `Choose the column that has the ${FIELD_NAMES[needed]?.toLowerCase()}.`;
}

/** A row of a file has as many values as its header, because otherwise they may be in the wrong columns. */
function toFileRow(
  { line: number, cells }: Row,
  columns: string[],
  { isStrict, isPath }: { isStrict: boolean; isPath: boolean },
): FileRow {
  const values = Object.fromEntries(
    columns.map((name, at) => [name, fromCell(cells[at] ?? "")]).filter(([name, cell]) => name && cell),
  );
  const isLonger = cells.slice(columns.length).some((cell) => cell !== "");
  if (isPath && isLonger) {
    const message = `This path has ${cells.length} names. Use at most ${columns.length}.`;
    const misfit = new AppError("level_limit", message, { errors: [{ param: "path", message }] });
    return { number, values, misfit };
  }
  const isMisfit = isStrict ? cells.length !== columns.length : isLonger;
  return isMisfit ? { number, values: {}, misfit: MISFIT } : { number, values };
}

/** The rows with what all rows get that have no cell for it. A row that changes a link says all of it itself. */
export function withDefaults(rows: FileRow[], defaults: Record<string, string>): FileRow[] {
  return rows.map((row) => {
    if (row.misfit || row.values.link_token) return row;
    const { partner, partner_id, ...others } = defaults;
    const own = row.values.partner ?? row.values.partner_id;
    const ofPartner = { ...(partner && { partner }), ...(partner_id && { partner_id }) };
    return { ...row, values: { ...others, ...(own === undefined && ofPartner), ...row.values } };
  });
}
