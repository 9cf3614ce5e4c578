/** `POST /cost`: a partner sends the cost of a click or impression (spec §4.7). */
import * as z from "zod/mini";
import { costOperation } from "../auth/guards.ts";
import type { Cost } from "../domain/costs.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { decodeUtf8, isNamedUtf8, MAX_BODY_BYTES, mediaType, readBody } from "../http/input/body.ts";
import { repeatedNames } from "../http/input/input.ts";
import { parseJson } from "../http/input/json.ts";
import { type Pair, parsePairs, readPairs } from "../http/input/pairs.ts";
import { authorizeInvalid } from "../usecases/costs/rejections.ts";
import { toSentPairs, traceTag } from "../usecases/costs/sent.ts";
import {
  type CostResult,
  costInput,
  costResult,
  invalidCost,
  REQUEST_ID,
  RESULT_EXAMPLE,
  submitCosts,
  toCost,
} from "../usecases/costs/submit.ts";
import { submitTests } from "./round.ts";

export const submitCost = costOperation({
  method: "POST",
  path: "/cost",
  id: "submitCost",
  summary: "Send the cost of a click or impression",
  description:
    "Send each parameter in the query string, in the body as a form or as one JSON object, or in both with the same value. In JSON, all values are strings, and cost_amount can be a number without an exponent. cost_type, cost_currency, cost_id and tag are required. 200 means that the cost is committed.",
  input: { form: costInput },
  responses: {
    200: {
      description: "The cost is committed, now or by an earlier request",
      schema: z.strictObject({ ...costResult, request_id: z.string() }),
      example: { ...RESULT_EXAMPLE, request_id: REQUEST_ID },
    },
  },
  errors: [
    "credential_revoked",
    "test_credential",
    "cost_type_not_integrated",
    "partner_stopped",
    "cost_data_disabled",
    "cost_id_conflict",
    "window_closed",
    "round_full",
  ],
  async handle(context, caller) {
    const { pairs, cost } = await readForm(context);
    const sent = toSentPairs(pairs);
    traceTag(context, [sent]);
    if (caller.mode === "test")
      return toResponse(context, await submitTests(context, caller, [{ sent, cost }]));
    if (cost instanceof AppError) {
      await authorizeInvalid(context, caller, cost, sent);
      throw cost;
    }
    return toResponse(context, await submitCosts(context, caller, [cost]));
  },
});

function toResponse(context: Context, [result]: (CostResult | AppError)[]): Response {
  if (result instanceof AppError) throw result;
  return jsonResponse({ ...result, request_id: context.requestId });
}

/** Reads the parameters from the query string, a form body, or both, and parses the cost. */
async function readForm(context: Context): Promise<{ pairs: Pair[]; cost: Cost | AppError }> {
  const errors: InputError[] = [];
  const pairs = readPairs(context.url.search.slice(1));
  try {
    pairs.push(...(await readBodyPairs(context, errors)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { pairs, cost: error };
  }
  const input = parsePairs(costInput, pairs, "same meaning", errors);
  return {
    pairs,
    cost:
      input && errors.length === 0
        ? toCost(input)
        : invalidCost(Object.fromEntries(pairs.map(({ name, value }) => [name, value])), errors),
  };
}

async function readBodyPairs({ request }: Context, errors: InputError[]): Promise<Pair[]> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.byteLength === 0) return [];
  const type = mediaType(request);
  const isJson = type === "application/json" || type.endsWith("+json");
  if (!(isJson && isNamedUtf8(request)) && type !== "application/x-www-form-urlencoded")
    throw new AppError(
      "unsupported_media_type",
      "Send the parameters in the query string, as application/x-www-form-urlencoded, or as application/json in UTF-8.",
    );
  const text = decodeUtf8(body);
  if (text === undefined) errors.push({ param: "body", message: "must be UTF-8" });
  if (text === undefined || !isJson) return readPairs(text ?? "");
  return readJsonPairs(text, errors);
}

/** The values of a JSON object as pairs, like those of a form. An amount can be a number, which is read from the text. */
function readJsonPairs(text: string, errors: InputError[]): Pair[] {
  const json = parseJson(text, "cost_amount");
  const isObject = typeof json?.value === "object" && json.value !== null && !Array.isArray(json.value);
  if (!json || !isObject) {
    errors.push({ param: "body", message: json ? "must be a JSON object" : "must be JSON" });
    return [];
  }
  errors.push(...repeatedNames(json));
  return Object.entries(json.value as object).flatMap(([name, value]) => {
    if (!Object.hasOwn(costInput.shape, name) || value === null) return [];
    if (typeof value === "string") return [{ name, value, isUtf8: true }];
    errors.push({ param: name, message: "must be a string" });
    return [];
  });
}
