/** The routes of the cost API (spec §4.7). */

import { readTestHash, readTokenHash } from "../auth/guards.ts";
import type { Cost } from "../domain/costs.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import {
  decodeUtf8,
  invalidRequest,
  MAX_BODY_BYTES,
  mediaType,
  type Pair,
  parsePairs,
  readBody,
  readPairs,
  throwIfInvalid,
} from "../http/input.ts";
import { documented } from "../http/operation.ts";
import type { Route } from "../http/router.ts";
import { submitBatch } from "./batch.ts";
import * as contract from "./contract.ts";
import * as operations from "./operations.ts";
import { readCost } from "./read.ts";
import { readRound, type SentCost, submitTests, toSentPairs } from "./round.ts";
import { authorizeCredential, submitCosts, toCost } from "./submit.ts";

export const costRoutes: Route[] = [
  { path: "/cost", methods: { POST: documented(operations.submitCost, submitCost) } },
  { path: "/cost/batch", methods: { POST: documented(operations.submitBatch, submitBatch) } },
  { path: "/cost/round", methods: { GET: documented(operations.readRound, readRound) } },
  { path: "/cost/:cost_id", methods: { GET: documented(operations.readCost, readCost) } },
];

async function submitCost(context: Context): Promise<Response> {
  const testHash = readTestHash(context);
  const [result] = testHash
    ? await submitTests(context, testHash, [await readTest(context)])
    : await submitLive(context);
  if (result instanceof AppError) throw result;
  return jsonResponse({ ...result, request_id: context.requestId });
}

async function submitLive(context: Context) {
  const tokenHash = readTokenHash(context, ["live"]);
  const cost = await readForm(context).catch(async (error) => {
    await authorizeCredential(context, tokenHash);
    throw error;
  });
  return submitCosts(context, tokenHash, [cost]);
}

async function readForm(context: Context): Promise<Cost> {
  const errors: InputError[] = [];
  const sent = parsePairs(contract.cost, await readParameters(context, errors), "same value", errors);
  throwIfInvalid(errors);
  if (!sent) throw new Error("a valid cost was not parsed");
  return toCost(sent);
}

/** Reads a test cost. An invalid one is returned with its error, because the round stores it too. */
async function readTest(context: Context): Promise<SentCost> {
  const errors: InputError[] = [];
  try {
    const pairs = await readParameters(context, errors);
    const sent = parsePairs(contract.cost, pairs, "same value", errors);
    const cost = sent && errors.length === 0 ? toCost(sent) : null;
    return { sent: toSentPairs(pairs), cost, ...(!cost && { rejection: invalidRequest(errors) }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { sent: toSentPairs(readPairs(context.url.search.slice(1))), cost: null, rejection: error };
  }
}

/** Parameters come from the query string, a form body, or both. */
async function readParameters(context: Context, errors: InputError[]): Promise<Pair[]> {
  const body = await readBody(context.request, MAX_BODY_BYTES);
  if (body.byteLength > 0 && mediaType(context.request) !== "application/x-www-form-urlencoded") {
    throw new AppError(
      "unsupported_media_type",
      "Send the parameters in the query string or as application/x-www-form-urlencoded.",
    );
  }
  const form = decodeUtf8(body);
  if (form === undefined) errors.push({ param: "body", message: "must be UTF-8" });
  return [...readPairs(context.url.search.slice(1)), ...readPairs(form ?? "")];
}
