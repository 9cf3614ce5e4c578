/** `POST /cost/batch`: a partner sends up to 1,000 costs in one request, each with its own result. */
import * as z from "zod/mini";
import { costOperation } from "../auth/guards.ts";
import { COST_TYPES } from "../domain/cost-types.ts";
import type { Cost } from "../domain/costs.ts";
import { AppError } from "../errors.ts";
import { prefers } from "../http/accept.ts";
import { csvResponse, toCsvAsSent } from "../http/csv.ts";
import { jsonResponse } from "../http/envelope.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { toProblem } from "../http/problems.ts";
import { problem } from "../http/response-schemas.ts";
import {
  MAX_BATCH_BYTES,
  MAX_COSTS,
  RESULT_COLUMNS,
  readItem,
  submitValid,
  TABLE,
  toRow,
} from "../usecases/costs/batch.ts";
import { authorizeInvalid } from "../usecases/costs/rejections.ts";
import { toSentItem, traceTag } from "../usecases/costs/sent.ts";
import { costInput, costResult, REQUEST_ID, RESULT_EXAMPLE } from "../usecases/costs/submit.ts";
import { submitTests } from "./round.ts";

/** Each repetition of an ID is judged after the one before it, in statements of its own. */
const MAX_REPEATS = 10;

export const submitBatch = costOperation({
  method: "POST",
  path: "/cost/batch",
  id: "submitBatch",
  summary: "Send up to 1,000 costs in one request",
  description: `Each cost has its own result, in order. An invalid cost does not reject the others. As \`text/csv\`, the body is UTF-8 with a header row of parameter names, as programs and spreadsheets write it (see the partner guide); \`cost_amount\` can be empty or its column absent. With \`Accept: text/csv\` the results are CSV too: \`${RESULT_COLUMNS.join()}\`, where \`row\` is the line of the file, or for JSON 1 for the first cost, and IDs are as they were sent. Only the first ${MAX_REPEATS} costs with the same ID are accepted.`,
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
    csv: {
      ...TABLE,
      key: "costs",
      example: `cost_type,cost_currency,cost_id,cost_amount,tag\r\n${COST_TYPES[0]},USD,acme-click-20260701,0.25,july\r\n`,
    },
    numberAsText: "cost_amount",
    maxBodyBytes: MAX_BATCH_BYTES,
  },
  describedBody: z.strictObject({ costs: z.array(costInput).check(z.minLength(1), z.maxLength(MAX_COSTS)) }),
  requestExample: {
    costs: [
      {
        cost_type: COST_TYPES[0],
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
      alsoAs: "text/csv",
    },
  },
  errors: ["credential_revoked", "test_credential", "round_full"],
  async handle(context, caller, { body, lines }) {
    const costs = limitRepeats(
      body.costs.map((item, index) => readItem(item, index, lines ? "file" : "program")),
    );
    const sent = body.costs.map(toSentItem);
    traceTag(context, sent);
    const results =
      caller.mode === "test"
        ? await submitTests(
            context,
            caller,
            costs.map((cost, index) => ({ sent: sent[index] ?? {}, cost })),
          )
        : await submitValid(context, caller, costs, sent);
    if (prefers(context.request, "text/csv")) {
      const rows = results.map((result, index) =>
        toRow(result, lines?.[index] ?? index + 1, sent[index]?.cost_id ?? null),
      );
      return csvResponse(toCsvAsSent(RESULT_COLUMNS, rows), "results.csv");
    }
    return jsonResponse(
      {
        results: results.map((result) => (result instanceof AppError ? toProblem(context, result) : result)),
        request_id: context.requestId,
      },
      200,
      { vary: "Accept" },
    );
  },
  /** The round stores an invalid batch too. Of a live one, nobody knows how many costs it has: it counts as one. */
  async onInvalidInput(context, caller, error) {
    if (caller.mode === "test") await submitTests(context, caller, [{ sent: {}, cost: error }]);
    else await authorizeInvalid(context, caller, error, {});
  },
});

function limitRepeats(costs: (Cost | AppError)[]): (Cost | AppError)[] {
  const seen = new Map<string, number>();
  return costs.map((cost) => {
    if (cost instanceof AppError) return cost;
    const count = (seen.get(cost.costId) ?? 0) + 1;
    seen.set(cost.costId, count);
    return count <= MAX_REPEATS ? cost : invalidRequest([TOO_OFTEN]);
  });
}

const TOO_OFTEN = { param: "cost_id", message: `appears more than ${MAX_REPEATS} times in this batch` };
