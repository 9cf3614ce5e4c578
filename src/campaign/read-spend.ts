/** `GET …/spend`: the spend of an app, from the daily totals. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/operations.ts";
import { findSpend } from "../db/ledger/spend.ts";
import { prefers } from "../http/accept.ts";
import { csvResponse } from "../http/csv.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { spendQuery } from "../http/fields.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import {
  MAX_SPEND_ROWS,
  toFileName,
  tooManyRows,
  toSpendCsv,
  toSpendItem,
} from "../usecases/spend-report.ts";
import { appPath, authorizeApp } from "./link.ts";

export const readSpend = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/spend",
  id: "readSpend",
  summary: "Read the spend of an app",
  description:
    "Matched costs by the UTC day of their engagement, with separate rows for each currency. A cpm amount counts as a thousandth of itself. At most 366 days. Send `Accept: text/csv` to get the rows as CSV.",
  input: { path: appPath, query: spendQuery },
  responses: {
    200: {
      description: "A row for each combination of groups and currency that has a cost",
      alsoAs: "text/csv",
      schema: itemsV1(
        z.strictObject({
          day: z.optional(z.string().with(z.meta({ format: "date" }))),
          link_token: z.nullish(z.string()),
          link_label: z.nullish(z.string()),
          partner_id: z.nullish(z.int()),
          partner_name: z.nullish(z.string()),
          cost_type: z.optional(z.string()),
          currency: z.string(),
          spend: z.string().with(z.describe("An exact decimal number")),
          matched: z.int().with(z.describe("Costs with an engagement and an amount")),
          unpriced: z.int().with(z.describe("Costs with an engagement but without an amount")),
        }),
      ),
    },
  },
  errors: ["not_found"],
  async handle(context, caller, { path, query }) {
    const { group_by: groups, ...days } = query;
    const { access, rows } = await findSpend(
      context.ledger,
      { kind: "token", hash: caller.tokenHash, now: context.now },
      { ...days, appToken: path.app_token, groups, limit: MAX_SPEND_ROWS + 1 },
    );
    authorizeApp(caller, access);
    if (rows.length > MAX_SPEND_ROWS) throw tooManyRows();
    const items = rows.map((row) => toSpendItem(row, groups));
    return prefers(context.request, "text/csv")
      ? csvResponse(toSpendCsv(items, groups), toFileName(path.app_token, days))
      : jsonResponse(envelopeV1(context, items), 200, { vary: "Accept" });
  },
});
