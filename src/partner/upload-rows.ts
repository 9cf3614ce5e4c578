/** The rows of an uploaded file: reads them, checks what an import would do, and imports them. */
import * as z from "zod/mini";
import type { CostCaller } from "../auth/guards.ts";
import type { Cost } from "../domain/costs.ts";
import type { Context } from "../env.ts";
import { AppError, ERRORS, type InputError } from "../errors.ts";
import { type Cell, toCsv } from "../http/csv.ts";
import { type CsvTable, readTable } from "../http/csv-input.ts";
import { invalidRequest } from "../http/input.ts";
import { explain, forValid, MAX_COSTS, RESULT_COLUMNS, readItem, toRow } from "../usecases/costs/batch.ts";
import { checkCosts, costInput, submitCosts } from "../usecases/costs/submit.ts";

/** A row of a file. `number` 1 is the first row below the header. */
interface Row {
  number: number;
  values: Record<string, string>;
  cost: Cost | AppError;
}

/** What an import would do with a row (`ready`, else nothing), or did. */
interface Outcome {
  number: number;
  costId: string | null;
  state: "ready" | "imported" | "duplicate" | "rejected";
  /** Why the row was rejected, or whether the cost has its click or impression. */
  detail: string;
  /** The row of the file with the results. */
  cells: Cell[];
}
export type Outcomes = Outcome[];

const rowNumber = z.string().check(z.regex(/^[1-9]\d{0,6}$/, "must be the number of a row"));
/** A part of a file, with the number of each row in the whole file. */
const numbered = z.object({ ...costInput.shape, row: rowNumber });

/** Throws invalid_request if it is not a table with the columns of costs, and payload_too_large for too many rows. */
export function readFile(text: string): Row[] {
  return readRows(text, costInput, (_, index) => index + 1);
}

/** The same for a part of a file, as `writeRows` and the script write it. */
export function readPart(text: string): Row[] {
  return readRows(text, numbered, ({ row = "" }) => {
    const checked = rowNumber.safeParse(row);
    if (!checked.success) throw invalidRequest([{ param: "row", message: "must be the number of a row" }]);
    return Number(row);
  });
}

function readRows(
  text: string,
  row: CsvTable["row"],
  numberOf: (values: Record<string, string>, index: number) => number,
): Row[] {
  const errors: InputError[] = [];
  const table = readTable(text, { row, maxRows: MAX_COSTS }, errors);
  if (!table) throw invalidRequest(errors);
  const rows = table.map((item, index): Row => {
    const values = item instanceof AppError ? {} : item;
    const number = item instanceof AppError ? index + 1 : numberOf(values, index);
    return { number, values, cost: readItem(item instanceof AppError ? MISFIT : item, index) };
  });
  return withoutRepeats(rows);
}

/** The values of such a row may be in the wrong columns, so it has none, and no number of its own. */
const MISFIT = invalidRequest([{ param: "row", message: "must have as many values as the header" }]);

/** A file has each ID once, so that what the check shows does not depend on other rows. */
function withoutRepeats(rows: Row[]): Row[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    if (row.cost instanceof AppError) return row;
    const first = seen.get(row.cost.costId);
    if (first === undefined) seen.set(row.cost.costId, row.number);
    return first === undefined ? row : { ...row, cost: repeatOf(first) };
  });
}

const repeatOf = (number: number) =>
  invalidRequest([{ param: "cost_id", message: `is the same as in row ${number}` }]);

/** The rows as a part of a file. */
export function writeRows(rows: Row[]): string {
  const names = Object.keys(costInput.shape);
  const toLine = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
  return [
    toLine(["row", ...names]),
    ...rows.map(({ number, values }) => toLine([String(number), ...names.map((name) => values[name] ?? "")])),
  ].join("\n");
}

/** Finds what an import would do with each row. Stores nothing. */
export async function checkRows(context: Context, caller: CostCaller, rows: Row[]): Promise<Outcomes> {
  const found = await forValid(context, caller, rows.map(costOf), checkCosts);
  return rows.map(({ number, values }, index): Outcome => {
    const result = found[index];
    const costId = values.cost_id ?? null;
    if (result instanceof AppError) return rejected(number, costId, result);
    const isNew = result === "store";
    const cells = [number, costId, isNew ? "ready" : "ok", null, null, null, String(!isNew)];
    return { number, costId, state: isNew ? "ready" : "duplicate", detail: "", cells };
  });
}

/** Sends the costs of the rows. */
export async function importRows(context: Context, caller: CostCaller, rows: Row[]): Promise<Outcomes> {
  const results = await forValid(context, caller, rows.map(costOf), submitCosts);
  return results.map((result, index): Outcome => {
    const { number = 0, values } = rows[index] ?? {};
    const costId = values?.cost_id ?? null;
    if (result instanceof AppError) return rejected(number, costId, result);
    const state = result.duplicate ? "duplicate" : "imported";
    return { number, costId, state, detail: result.match, cells: toRow(result, number, costId) };
  });
}

const costOf = ({ cost }: Row) => cost;

function rejected(number: number, costId: string | null, error: AppError): Outcome {
  const detail = error.errors.length > 0 ? explain(error) : `${ERRORS[error.code].title}. ${error.message}`;
  return { number, costId, state: "rejected", detail, cells: toRow(error, number, costId) };
}

/** The file with the results. */
export function toResultFile(outcomes: Outcomes): string {
  return toCsv(
    RESULT_COLUMNS,
    outcomes.map(({ cells }) => cells),
  );
}

/** The same for the script, which joins the lines of several requests. */
export function toJson(outcomes: Outcomes) {
  return {
    header: toCsv(RESULT_COLUMNS, []),
    rows: outcomes.map(({ number, costId, state, detail, cells }) => ({
      row: number,
      cost_id: costId,
      state,
      detail,
      line: toCsv(
        cells.map((cell) => String(cell ?? "")),
        [],
      ),
    })),
  };
}
