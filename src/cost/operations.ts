/** The documented operations of the cost API (spec §4.7). */
import * as z from "zod/mini";
import { FINDING_KINDS } from "../domain/round-findings.ts";
import type { Operation } from "../http/operation.ts";
import { problem, timestamp } from "../http/response-schemas.ts";
import { roundWithReport } from "../usecases/rounds/schemas.ts";
import * as contract from "./contract.ts";

const result = {
  status: z.literal("ok"),
  cost_id: z.string(),
  match: z.enum(["matched", "pending"]),
  duplicate: z.boolean().with(z.describe("True if the same cost was sent before: nothing was written")),
  amount: z.nullable(z.string()).with(z.describe("Null while the cost is unpriced")),
  round: z
    .optional(z.int())
    .with(z.describe("With a test credential: the integration round that stores this cost")),
  mismatch: z
    .nullish(z.enum(FINDING_KINDS))
    .with(z.describe("With a test credential: the finding in the report of the round, null for a match")),
};

const RESULT_EXAMPLE = {
  status: "ok",
  cost_id: "acme-click-20260701",
  match: "matched",
  duplicate: false,
  amount: "0.25",
};
const REQUEST_ID = "0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11";

const costErrorCodes = [
  "credential_revoked",
  "test_credential",
  "cost_type_not_integrated",
  "cost_data_disabled",
  "cost_id_conflict",
  "wrong_engagement",
  "window_closed",
] as const;

export const submitCost: Operation = {
  id: "submitCost",
  summary: "Send the cost of a click or impression",
  description:
    "Send each parameter in the query string, in the form body, or in both with the same value. cost_type, cost_currency, cost_id and tag are required. 200 means that the cost is committed.",
  credentials: "cost_credential",
  input: { form: contract.cost },
  responses: {
    200: {
      description: "The cost is committed, now or by an earlier request",
      schema: z.strictObject({ ...result, request_id: z.string() }),
      example: { ...RESULT_EXAMPLE, request_id: REQUEST_ID },
    },
  },
  errors: [...costErrorCodes, "round_full"],
};

export const submitBatch: Operation = {
  id: "submitBatch",
  summary: "Send up to 1,000 costs in one request",
  description: "Each cost has its own result, in order. An invalid cost does not reject the others.",
  credentials: "cost_credential",
  input: contract.costBatch,
  describedBody: z.strictObject({ costs: z.array(contract.cost).check(z.minLength(1), z.maxLength(1_000)) }),
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
        results: z.array(z.union([z.strictObject(result), problem])),
        request_id: z.string(),
      }),
      example: { results: [RESULT_EXAMPLE], request_id: REQUEST_ID },
    },
  },
  errors: ["credential_revoked", "test_credential", "round_full"],
};

export const readRound: Operation = {
  id: "readRound",
  summary: "Read the report of your integration round",
  description:
    "Judges everything that was sent with the test credential. With `Accept: text/html` the response is a web page.",
  credentials: "cost_credential",
  input: {},
  responses: {
    200: {
      description: "The round and its report",
      schema: z.strictObject({ ...roundWithReport.shape, request_id: z.string() }),
      alsoAs: "text/html",
    },
  },
  errors: ["credential_revoked", "not_found"],
};

export const readCost: Operation = {
  id: "readCost",
  summary: "Read one of your costs",
  credentials: "cost_credential",
  input: contract.readCost,
  responses: {
    200: {
      description: "The current state of the cost",
      schema: z.strictObject({
        status: z.literal("ok"),
        cost_id: z.string(),
        cost_type: z.string(),
        cost_currency: z.string(),
        amount: z.nullable(z.string()),
        tag: z.nullable(z.string()),
        source: z.enum(["call", "url"]),
        received_at: timestamp,
        match: z.enum(["matched", "pending", "lapsed"]),
        may_match_until: z.nullable(timestamp),
        mismatch: z
          .nullable(z.enum(["wrong_engagement", "cost_data_disabled", "window_closed"]))
          .with(
            z.describe(
              "Why the cost does not match the engagements with this ID; null if it matches one, or if there are none",
            ),
          ),
        engagement: z.nullable(
          z.strictObject({
            kind: z.enum(["click", "impression"]),
            occurred_at: timestamp,
            link_token: z.nullable(z.string()),
          }),
        ),
        request_id: z.string(),
      }),
    },
  },
  errors: ["credential_revoked", "test_credential", "not_found"],
};
