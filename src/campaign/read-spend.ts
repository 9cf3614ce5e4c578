/** `GET …/spend`: the spend of an app, from the daily totals. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/operations.ts";
import { prefers } from "../http/accept.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { spendQuery } from "../http/fields.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import { readSpendReport, spendCsvResponse } from "../usecases/spend-report.ts";
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
    const viewer = { kind: "token", hash: caller.tokenHash } as const;
    const { access, items } = await readSpendReport(context.ledger, viewer, path.app_token, query);
    authorizeApp(caller, access);
    return prefers(context.request, "text/csv")
      ? spendCsvResponse(items, path.app_token, query)
      : jsonResponse(envelopeV1(context, items), 200, { vary: "Accept" });
  },
});
