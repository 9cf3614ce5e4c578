/** `GET …/spend`: the spend of an app, from the daily totals. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { PER_MILLE } from "../domain/texts.ts";
import { spendQuery } from "../http/input/report-fields.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import { appPath } from "./common.ts";
import { groupFields, respondWithReport } from "./report.ts";

export const readSpend = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/spend",
  id: "readSpend",
  summary: "Read the spend of an app",
  description: `Matched costs by the UTC day of their engagement, with separate rows for each currency. An amount of ${PER_MILLE} counts as a thousandth of itself. Adjustments by operators are included, on their own day. At most 366 days. Send \`Accept: text/csv\` to get the rows as CSV.`,
  input: { path: appPath, query: spendQuery },
  responses: {
    200: {
      description: "A row for each combination of groups and currency that has a cost or an adjustment",
      alsoAs: "text/csv",
      schema: itemsV1(
        z.strictObject({
          ...groupFields("spend"),
          currency: z.string(),
          spend: z.string().with(z.describe("An exact decimal number, which includes `adjusted`")),
          adjusted: z
            .string()
            .with(
              z.describe("The sum of the operators' adjustments, an exact decimal number; 0 without any"),
            ),
          matched: z.int().with(z.describe("Costs with an engagement and an amount")),
          unpriced: z.int().with(z.describe("Costs with an engagement but without an amount")),
        }),
      ),
    },
  },
  errors: ["not_found", "report_too_large"],
  isReport: true,
  handle: (context, caller, { path, query }) =>
    respondWithReport(context, caller, { report: "spend", appToken: path.app_token, query }),
});
