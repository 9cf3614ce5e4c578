/** `POST /cost/batch`: many costs at once, each with its own result. */

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

/** Answers 200 whenever the batch itself could be read: a result for each cost, in the order in which they came. */
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
  const answers = costs.length === 0 ? [] : await submitCosts(context, tokenHash, costs);
  const results = items.map((item) => (item instanceof AppError ? item : answers.shift()));
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
    const read = readItem(item, index);
    const sent = toSentItem(item);
    return read instanceof AppError ? { sent, cost: null, rejection: read } : { sent, cost: read };
  });
  return batchResponse(context, await submitTests(context, testHash, items));
}

function batchResponse(context: Context, results: (object | undefined)[]): Response {
  const told = results.map((result) => (result instanceof AppError ? toProblem(context, result) : result));
  return jsonResponse({ results: told, request_id: context.requestId });
}

/** The refusal names every fault of the item. */
function readItem(item: unknown, index: number): Cost | AppError {
  const errors: InputError[] = [];
  const sent = parsePart(contract.cost, item, errors, `costs.${index}`);
  return sent ? toCost(sent) : invalidRequest(errors);
}
