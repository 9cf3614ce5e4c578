/** `GET …/spend`: what an app spent, from the daily totals. Beyond the specification. */
import type { Caller } from "../auth/guards.ts";
import { findSpend } from "../db/spend.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { csvResponse, wantsCsv } from "../http/csv.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { readInput } from "../http/input.ts";
import { toFileName, toSpendCsv, toSpendItem } from "../spend/report.ts";
import { admitToApp, toScope } from "./access.ts";
import * as contract from "./contract.ts";

const MAX_ROWS = 50_000;

export async function readSpend(context: Context, caller: Caller): Promise<Response> {
  const { path, query } = await readInput(context, contract.readSpend);
  const scope = toScope(caller, path);
  const { group_by: groups, ...days } = query;
  const found = await findSpend(context.env.DB, scope, days, groups, MAX_ROWS + 1);
  admitToApp(caller, found.access);
  if (found.rows.length > MAX_ROWS) throw tooMuch();
  const items = found.rows.map((row) => toSpendItem(row, groups, found.partners));
  return wantsCsv(context.request)
    ? csvResponse(toSpendCsv(items, groups), toFileName(path.app_token, days))
    : jsonResponse(envelopeV1(context, items), 200, { vary: "Accept" });
}

function tooMuch(): AppError {
  const message = `comes to more than ${MAX_ROWS} rows here: ask for fewer groups or fewer days`;
  return new AppError("invalid_request", `The report ${message}.`, {
    errors: [{ param: "group_by", message }],
  });
}
