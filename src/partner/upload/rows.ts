/** The rows of an uploaded file of costs: checks what an import would do, and imports them. */
import type { CostCaller } from "../../auth/guards.ts";
import type { Cost } from "../../domain/costs.ts";
import type { Context } from "../../env.ts";
import { AppError, ERRORS } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import type { FileRow, Outcome } from "../../pages/uploads/rows.ts";
import { explain, readItem, submitValid, toRow } from "../../usecases/costs/batch.ts";
import { costInput } from "../../usecases/costs/submit.ts";

export const COLUMNS = Object.keys(costInput.shape);

/** The cost of each row. A file has each ID once, so that what the check shows does not depend on other rows. */
function readCosts(rows: FileRow[]): (Cost | AppError)[] {
  const seen = new Map<string, number>();
  return rows.map(({ number, values, misfit }, index) => {
    const cost = readItem(misfit ?? values, index, "file");
    if (cost instanceof AppError) return cost;
    const first = seen.get(cost.costId);
    if (first === undefined) seen.set(cost.costId, number);
    return first === undefined ? cost : repeatOf(String(first));
  });
}

const repeatOf = (number: string) =>
  invalidRequest([{ param: "cost_id", message: `is the same as in row ${number}` }]);

const VOIDED = "You voided this cost, so it doesn't count. To replace it, send other values.";

/** Finds what an import would do with each row. Stores nothing. */
export async function checkRows(context: Context, caller: CostCaller, rows: FileRow[]): Promise<Outcome[]> {
  const found = await submitValid(context, caller, readCosts(rows), [], "check");
  return rows.map(({ number, values }, index): Outcome => {
    const result = found[index];
    const name = values.cost_id ?? null;
    if (result instanceof AppError) return rejected(number, name, result);
    const isNew = !result?.duplicate;
    const cells = [number, name, isNew ? "ready" : "ok", null, null, null, String(!isNew), null, null];
    const detail = result?.duplicate && result.match === "voided" ? VOIDED : "";
    return { number, name, state: isNew ? "ready" : "duplicate", detail, cells };
  });
}

/** Sends the costs of the rows. */
export async function importRows(context: Context, caller: CostCaller, rows: FileRow[]): Promise<Outcome[]> {
  const sent = rows.map(({ values }) => values);
  const results = await submitValid(context, caller, readCosts(rows), sent);
  return results.map((result, index): Outcome => {
    const { number = 0, values } = rows[index] ?? {};
    const name = values?.cost_id ?? null;
    if (result instanceof AppError) return rejected(number, name, result);
    const state = result.duplicate ? "duplicate" : "imported";
    return {
      number,
      name,
      state,
      detail: result.match === "voided" ? VOIDED : result.match,
      cells: toRow(result, number, name),
    };
  });
}

function rejected(number: number, name: string | null, error: AppError): Outcome {
  const whole = `${ERRORS[error.code].title}. ${error.message}`.replaceAll("`", "");
  const detail = error.code === "invalid_request" ? explain(error) : whole;
  return { number, name, state: "rejected", detail, cells: toRow(error, number, name) };
}

/** What the script shows for a row whose ID is in an earlier part. */
export const repeated = ({ number, name }: Outcome) => rejected(number, name, repeatOf("{row}"));
