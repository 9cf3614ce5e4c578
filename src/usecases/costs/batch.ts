/** Up to 1,000 costs in one request, each with its own result: the API's batches and the files of the partner pages. */
import * as z from "zod/mini";
import type { CostCaller } from "../../auth/guards.ts";
import { findCredential } from "../../db/ledger/costs.ts";
import type { Cost } from "../../domain/costs.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { AppError, ERRORS, type InputError } from "../../errors.ts";
import type { Cell } from "../../http/csv.ts";
import { costId } from "../../http/input/fields.ts";
import { parsePart, toSentence } from "../../http/input/parse.ts";
import type { CsvTable } from "../../http/input/table.ts";
import { COST_COLUMNS } from "./item.ts";
import { REJECTION_COLUMNS } from "./rejection-item.ts";
import { noteInvalid, type SentParameters } from "./rejections.ts";
import { type CostResult, costInput, invalidCost, submitCosts, toCost } from "./submit.ts";

export const RESULT_COLUMNS = [
  "row",
  "cost_id",
  "status",
  "code",
  "message",
  "match",
  "duplicate",
  "amount",
  "mismatch",
];
/** The columns of the file of clicks and impressions without a cost. */
export const MISSING_COLUMNS = ["cost_id", "kind", "recorded_at", "link_token", "reason", "sent_cost_type"];
export const MAX_COSTS = 1_000;
/** Of a batch and of an uploaded file. A file that leaves here can come back, with the columns that it needs. */
export const TABLE: CsvTable = {
  row: costInput,
  maxRows: MAX_COSTS,
  headings: { amount: "cost_amount" },
  unread: [...COST_COLUMNS, ...MISSING_COLUMNS, ...REJECTION_COLUMNS, ...RESULT_COLUMNS].filter(
    (name) => !Object.hasOwn(costInput.shape, name),
  ),
};
export const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Submits the valid costs, or checks them. The result of an invalid one is its error. If no cost is valid, the caller is authorized
 * nevertheless. `sent` has the parameters of each as they were sent.
 */
export async function submitValid(
  context: Context,
  caller: CostCaller,
  costs: (Cost | AppError)[],
  sent: SentParameters[],
  how: "store" | "check" = "store",
): Promise<(CostResult | AppError)[]> {
  const valid = costs.flatMap((cost) => (cost instanceof AppError ? [] : [cost]));
  if (valid.length === 0) caller.authorize(await findCredential(context.ledger, caller.tokenHash));
  const results = valid.length === 0 ? [] : await submitCosts(context, caller, valid, how);
  if (how === "store") noteInvalid(context, expectDefined(context.trace.partnerId), costs, sent);
  return costs.map((cost) => (cost instanceof AppError ? cost : expectDefined(results.shift())));
}

/** What a spreadsheet makes of an ID: rounded, as a number with an exponent, or in the quotes of texts. */
const CHANGED = /^\d(?:[.,]\d+)?E\+\d{1,3}$|^[“”„‟‘’‚‛«»‹›]|[“”„‟‘’‚‛«»‹›]$/i;

/** A cost in a file. Programs write IDs in other ways, which a spreadsheet changes without a word. */
const fileInput = z.extend(costInput, {
  cost_id: costId.check(
    z.refine(
      (id) => !CHANGED.test(id),
      "was changed by a spreadsheet: format the column as text before you paste or import the IDs, or send the file as the program wrote it",
    ),
  ),
});

/** Parses one cost of the batch. The error of an invalid one names all of its invalid parameters. */
export function readItem(item: unknown, index: number, from: "file" | "program"): Cost | AppError {
  // A row of CSV that does not fit its header.
  if (item instanceof AppError) return item;
  const errors: InputError[] = [];
  const input = parsePart(
    from === "file" ? fileInput : costInput,
    withoutEmptyAmount(item),
    errors,
    `costs.${index}`,
  );
  return input ? toCost(input) : invalidCost(item, errors);
}

/** An empty amount is like none. */
function withoutEmptyAmount(item: unknown): unknown {
  if (typeof item !== "object" || item === null || !("cost_amount" in item)) return item;
  const { cost_amount, ...others } = item;
  return cost_amount === "" ? others : item;
}

/** A row of the results. The message of an invalid cost names everything that is wrong with it. */
export function toRow(result: CostResult | AppError, number: number, costId: string | null): Cell[] {
  if (!(result instanceof AppError)) {
    const { cost_id, status, match, duplicate, amount, mismatch } = result;
    return [number, cost_id, status, null, null, match, String(duplicate), amount, mismatch ?? null];
  }
  return [number, costId, ERRORS[result.code].status, result.code, explain(result), null, null, null, null];
}

/** Everything that is wrong with a cost, in sentences. The message of an invalid one only names several parameters. */
export function explain({ code, errors, message }: AppError): string {
  return code === "invalid_request" && errors.length > 0 ? errors.map(toSentence).join(" ") : message;
}
