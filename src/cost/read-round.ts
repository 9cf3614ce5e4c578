/** `GET /cost/round`: a partner reads the report of its integration round. */
import * as z from "zod/mini";
import { costOperation } from "../auth/guards.ts";
import { findRoundOfCredential } from "../db/operator/rounds/rounds.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { roundWithReport } from "../usecases/rounds/schemas.ts";
import { toRoundWithReport } from "../usecases/rounds/serialize.ts";

export const readRound = costOperation({
  method: "GET",
  path: "/cost/round",
  id: "readRound",
  summary: "Read the report of your integration round",
  description:
    "Judges everything that was sent with the test credential. Sign in at `/partner` with this credential to read the report as a page.",
  input: {},
  responses: {
    200: {
      description: "The round and its report",
      schema: z.strictObject({ ...roundWithReport.shape, request_id: z.string() }),
    },
  },
  errors: ["credential_revoked", "not_found"],
  isReport: true,
  async handle(context, caller) {
    const { credential, found } = await findRoundOfCredential(context.ledger, caller.tokenHash, context.now);
    caller.authorize(credential);
    if (!found)
      throw new AppError(
        "not_found",
        "Only a test credential has an integration round. Send the request with your test credential.",
      );
    return jsonResponse({ ...toRoundWithReport(found), request_id: context.requestId });
  },
});
