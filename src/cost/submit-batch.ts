/** `POST /cost/batch`: a partner sends up to 1,000 costs in one request, each with its own result. */
import * as z from "zod/mini";
import type { CostCaller } from "../auth/guards.ts";
import { costOperation } from "../auth/operations.ts";
import { findCredential } from "../db/ledger/costs.ts";
import type { Cost } from "../domain/costs.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { invalidRequest, parsePart } from "../http/input.ts";
import { toProblem } from "../http/problems.ts";
import { problem } from "../http/response-schemas.ts";
import { submitTests, toSentItem } from "./round.ts";
import {
  type CostResult,
  costInput,
  costResult,
  REQUEST_ID,
  RESULT_EXAMPLE,
  submitCosts,
  toCost,
} from "./submit.ts";

const MAX_COSTS = 1_000;

export const submitBatch = costOperation({
  method: "POST",
  path: "/cost/batch",
  id: "submitBatch",
  summary: "Send up to 1,000 costs in one request",
  description: "Each cost has its own result, in order. An invalid cost does not reject the others.",
  input: {
    // Each cost is parsed separately, so that one invalid cost does not reject the others.
    body: z.strictObject({
      costs: z
        .array(z.unknown())
        .check(
          z.minLength(1, "must contain at least one cost"),
          z.maxLength(MAX_COSTS, `must contain at most ${MAX_COSTS} costs`),
        ),
    }),
    maxBodyBytes: 1024 * 1024,
  },
  describedBody: z.strictObject({ costs: z.array(costInput).check(z.minLength(1), z.maxLength(MAX_COSTS)) }),
  requestExample: {
    costs: [
      {
        cost_type: "cpc",
        cost_currency: "USD",
        cost_id: "acme-click-20260701",
        cost_amount: "0.25",
        tag: "july",
      },
    ],
  },
  responses: {
    200: {
      description: "The batch was valid; one result for each cost",
      schema: z.strictObject({
        results: z.array(z.union([z.strictObject(costResult), problem])),
        request_id: z.string(),
      }),
      example: { results: [RESULT_EXAMPLE], request_id: REQUEST_ID },
    },
  },
  errors: ["credential_revoked", "test_credential", "round_full"],
  async handle(context, caller, { body }) {
    const costs = body.costs.map(readItem);
    const toSent = (cost: Cost | AppError, index: number) => ({ sent: toSentItem(body.costs[index]), cost });
    const results =
      caller.mode === "test"
        ? await submitTests(context, caller, costs.map(toSent))
        : await submitValid(context, caller, costs);
    return jsonResponse({
      results: results.map((result) => (result instanceof AppError ? toProblem(context, result) : result)),
      request_id: context.requestId,
    });
  },
  /** The round stores an invalid batch too. */
  async onInvalidInput(context, caller, error) {
    if (caller.mode === "test") await submitTests(context, caller, [{ sent: {}, cost: error }]);
  },
});

/** Submits the valid costs. The result of an invalid one is its error. */
async function submitValid(
  context: Context,
  caller: CostCaller,
  costs: (Cost | AppError)[],
): Promise<(CostResult | AppError)[]> {
  const valid = costs.flatMap((cost) => (cost instanceof AppError ? [] : [cost]));
  if (valid.length === 0) caller.authorize(await findCredential(context.ledger, caller.tokenHash));
  const results = valid.length === 0 ? [] : await submitCosts(context, caller, valid);
  return costs.map((cost) => (cost instanceof AppError ? cost : expectDefined(results.shift())));
}

/** Parses one cost of the batch. The error of an invalid one names all of its invalid parameters. */
function readItem(item: unknown, index: number): Cost | AppError {
  const errors: InputError[] = [];
  const input = parsePart(costInput, item, errors, `costs.${index}`);
  return input ? toCost(input) : invalidRequest(errors);
}
