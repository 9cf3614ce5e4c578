/** `GET …/engagements`: the numbers of clicks and impressions of an app. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { engagementsQuery } from "../http/input/report-fields.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import { appPath } from "./common.ts";
import { groupFields, respondWithReport } from "./report.ts";

export const readEngagements = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/engagements",
  id: "readEngagements",
  summary: "Read the clicks and impressions of an app",
  description:
    "Every click and impression of a person by its UTC day, with and without a cost ID. At most 366 days. Send `Accept: text/csv` to get the rows as CSV.",
  input: { path: appPath, query: engagementsQuery },
  responses: {
    200: {
      description: "A row for each combination of groups that has an engagement",
      alsoAs: "text/csv",
      schema: itemsV1(
        z.strictObject({
          ...groupFields("engagements"),
          count: z.int().with(z.describe("Clicks and impressions")),
          recorded: z.int().with(z.describe("Those in the ledger, because they have a cost ID or a price")),
        }),
      ),
    },
  },
  errors: ["not_found", "report_too_large"],
  isReport: true,
  handle: (context, caller, { path, query }) =>
    respondWithReport(context, caller, { report: "engagements", appToken: path.app_token, query }),
});
