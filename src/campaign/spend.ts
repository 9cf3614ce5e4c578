/** `GET …/spend`: the spend of an app, from the daily totals. Beyond the specification. */
import type { Principal } from "../auth/guards.ts";
import { findSpend } from "../db/ledger/spend.ts";
import type { Context } from "../env.ts";
import { prefers } from "../http/accept.ts";
import { csvResponse } from "../http/csv.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { readInput } from "../http/input.ts";
import {
  MAX_SPEND_ROWS,
  toFileName,
  tooManyRows,
  toSpendCsv,
  toSpendItem,
} from "../usecases/spend-report.ts";
import { authorizeApp } from "./access.ts";
import * as contract from "./contract.ts";

export async function readSpend(context: Context, principal: Principal): Promise<Response> {
  const { path, query } = await readInput(context, contract.readSpend);
  const { group_by: groups, ...days } = query;
  const { access, rows } = await findSpend(
    context.ledger,
    { kind: "token", hash: principal.tokenHash, now: context.now },
    { ...days, appToken: path.app_token, groups, limit: MAX_SPEND_ROWS + 1 },
  );
  authorizeApp(principal, access);
  if (rows.length > MAX_SPEND_ROWS) throw tooManyRows();
  const items = rows.map((row) => toSpendItem(row, groups));
  return prefers(context.request, "text/csv")
    ? csvResponse(toSpendCsv(items, groups), toFileName(path.app_token, days))
    : jsonResponse(envelopeV1(context, items), 200, { vary: "Accept" });
}
