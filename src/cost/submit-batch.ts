/** `POST /cost/batch`: a partner sends up to 1,000 costs in one request, each with its own result. */
import * as z from "zod/mini";
import { costOperation } from "../auth/operations.ts";
import { findCredential } from "../db/ledger/costs.ts";
import { expectDefined } from "../domain/expect-defined.ts";
import { AppError, type InputError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { invalidRequest, parsePart } from "../http/input.ts";
import { toProblem } from "../http/problems.ts";
import { problem } from "../http/response-schemas.ts";
import { type SentCost, submitTests, toSentItem } from "./round.ts";
import { costInput, costResult, REQUEST_ID, RESULT_EXAMPLE, submitCosts, toCost } from "./submit.ts";

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
    const items = body.costs.map(readItem);
    const submit = caller.mode === "test" ? submitTests : submitValid;
    const results = await submit(context, caller, items);
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
const submitValid: typeof submitTests = async (context, caller, items) => {
  const costs = items.flatMap(({ cost }) => (cost instanceof AppError ? [] : [cost]));
  if (costs.length === 0) caller.authorize(await findCredential(context.ledger, caller.tokenHash));
  const results = costs.length === 0 ? [] : await submitCosts(context, caller, costs);
  return items.map(({ cost }) => (cost instanceof AppError ? cost : expectDefined(results.shift())));
};

/** Parses one cost of the batch. The error of an invalid one names all of its invalid parameters. */
function readItem(item: unknown, index: number): SentCost {
  const errors: InputError[] = [];
  const input = parsePart(costInput, item, errors, `costs.${index}`);
  return { sent: toSentItem(item), cost: input ? toCost(input) : invalidRequest(errors) };
}
