/** `POST /cost/batch`: up to 1,000 costs in one request, each with its own result. */

import { readTestHash, readTokenHash } from "../auth/guards.ts";
import type { Cost } from "../domain/costs.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { invalidRequest, parsePart, readInput } from "../http/input.ts";
import { toProblem } from "../http/problems.ts";
import * as contract from "./contract.ts";
import { submitTests, toSentItem } from "./round.ts";
import { authorizeCredential, submitCosts, toCost } from "./submit.ts";

/** Returns 200 with one result for each cost, in order, whenever the batch itself is valid. */
export async function submitBatch(context: Context): Promise<Response> {
  const testHash = readTestHash(context);
  if (testHash) return submitTestBatch(context, testHash);
  const tokenHash = readTokenHash(context, ["live"]);
  const { body } = await readInput(context, contract.costBatch).catch(async (error) => {
    await authorizeCredential(context, tokenHash);
    throw error;
  });
  const items = body.costs.map(readItem);
  const costs = items.filter((item): item is Cost => !(item instanceof AppError));
  if (costs.length === 0) await authorizeCredential(context, tokenHash);
  const submitted = costs.length === 0 ? [] : await submitCosts(context, tokenHash, costs);
  const results = items.map((item) => (item instanceof AppError ? item : submitted.shift()));
  return batchResponse(context, results);
}

async function submitTestBatch(context: Context, testHash: string): Promise<Response> {
  const { body } = await readInput(context, contract.costBatch).catch(async (error) => {
    await submitTests(context, testHash, [
      { sent: {}, cost: null, ...(error instanceof AppError && { rejection: error }) },
    ]);
    throw error;
  });
  const items = body.costs.map((item, index) => {
    const cost = readItem(item, index);
    const sent = toSentItem(item);
    return cost instanceof AppError ? { sent, cost: null, rejection: cost } : { sent, cost };
  });
  return batchResponse(context, await submitTests(context, testHash, items));
}

function batchResponse(context: Context, results: (object | undefined)[]): Response {
  const items = results.map((result) => (result instanceof AppError ? toProblem(context, result) : result));
  return jsonResponse({ results: items, request_id: context.requestId });
}

/** Returns the cost, or an error that names every invalid parameter of the item. */
function readItem(item: unknown, index: number): Cost | AppError {
  const errors: InputError[] = [];
  const sent = parsePart(contract.cost, item, errors, `costs.${index}`);
  return sent ? toCost(sent) : invalidRequest(errors);
}
