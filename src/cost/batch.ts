/** `POST /cost/batch`: many costs at once, each with its own result. */
import { readTokenHash } from "../auth/guards.ts";
import type { Cost } from "../db/ledger.ts";
import type { Context } from "../env.ts";
import { AppError, type Fault } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { invalidRequest, parsePart, readInput } from "../http/input.ts";
import { toProblem } from "../http/problem.ts";
import * as contract from "./contract.ts";
import { admitCredential, submitCosts, toCost } from "./submit.ts";

/** Answers 200 whenever the batch itself could be read: a result for each cost, in the order in which they came. */
export async function submitBatch(context: Context): Promise<Response> {
  const tokenHash = readTokenHash(context, ["live", "test"]);
  const { body } = await readInput(context, contract.costBatch).catch(async (error) => {
    await admitCredential(context, tokenHash);
    throw error;
  });
  const items = body.costs.map(readItem);
  const costs = items.filter((item): item is Cost => !(item instanceof AppError));
  if (costs.length === 0) await admitCredential(context, tokenHash);
  const answers = costs.length === 0 ? [] : await submitCosts(context, tokenHash, costs);
  const results = items
    .map((item) => (item instanceof AppError ? item : answers.shift()))
    .map((result) => (result instanceof AppError ? toProblem(context, result) : result));
  return jsonResponse({ results, request_id: context.requestId });
}

/** The refusal names every fault of the item. */
function readItem(item: unknown, index: number): Cost | AppError {
  const faults: Fault[] = [];
  const sent = parsePart(contract.cost, item, faults, `costs.${index}`);
  return sent ? toCost(sent) : invalidRequest(faults);
}
