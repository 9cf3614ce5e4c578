/** `/partner/round`: the report of the round of a test credential. */
import { findRoundOfCredential } from "../db/operator/rounds/rounds.ts";
import { AppError } from "../errors.ts";
import { reportView } from "../pages/costs/rounds.ts";
import { toRoundWithReport } from "../usecases/rounds/serialize.ts";
import { report, withFrame } from "./frame.ts";

export const roundPage = withFrame(
  "/partner/round",
  report(async (context, _partner, caller) => {
    const { credential, found } = await findRoundOfCredential(context.ledger, caller.tokenHash, context.now);
    caller.authorize(credential);
    if (!found)
      throw new AppError(
        "not_found",
        "Only a test credential has a round. To read its report, sign out and sign in with the test credential.",
      );
    const round = toRoundWithReport(found);
    return { title: `Round ${round.id}`, body: reportView(round) };
  }),
);
