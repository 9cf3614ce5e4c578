/** `GET /cost/round`: a partner reads the report of its integration round. */
import * as z from "zod/mini";
import { costOperation } from "../auth/operations.ts";
import { findRoundOfCredential } from "../db/operator/rounds.ts";
import { AppError } from "../errors.ts";
import { prefers } from "../http/accept.ts";
import { jsonResponse } from "../http/envelope.ts";
import { pageResponse } from "../http/pages.ts";
import { roundWithReport } from "../usecases/rounds/schemas.ts";
import { toRoundWithReport } from "../usecases/rounds/serialize.ts";
import { reportView } from "../usecases/rounds/view.ts";

export const readRound = costOperation({
  method: "GET",
  path: "/cost/round",
  id: "readRound",
  summary: "Read the report of your integration round",
  description:
    "Judges everything that was sent with the test credential. With `Accept: text/html` the response is a web page.",
  input: {},
  responses: {
    200: {
      description: "The round and its report",
      schema: z.strictObject({ ...roundWithReport.shape, request_id: z.string() }),
      alsoAs: "text/html",
    },
  },
  errors: ["credential_revoked", "not_found"],
  async handle(context, caller) {
    const { credential, found } = await findRoundOfCredential(context.ledger, caller.tokenHash, context.now);
    caller.authorize(credential);
    if (!found)
      throw new AppError(
        "not_found",
        "Only a test credential has an integration round. Send the request with your test credential.",
      );
    const round = toRoundWithReport(found);
    if (!prefers(context.request, "text/html"))
      return jsonResponse({ ...round, request_id: context.requestId });
    return pageResponse(context, {
      title: `Round ${round.id} · ${round.partner}`,
      body: reportView(round),
    });
  },
});
