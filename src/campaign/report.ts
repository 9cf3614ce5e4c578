/** What the reports of the campaign API share: who may read them, their common fields, and JSON or CSV. */
import * as z from "zod/mini";
import type { Principal } from "../auth/guards.ts";
import type { ReportName } from "../db/ledger/reports/sources.ts";
import { PLATFORMS } from "../domain/engagements/audience.ts";
import type { Context } from "../env.ts";
import { prefers } from "../http/accept.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { type ReportRequest, readReport, reportCsvResponse } from "../usecases/reports.ts";
import { authorizeApp, linkNotFound } from "./common.ts";

/** The fields of the groups that all reports have. A field is absent if the report does not group by it. */
export const groupFields = {
  day: z.optional(z.string().with(z.meta({ format: "date" }))),
  link_token: z.nullish(z.string()),
  link_label: z.nullish(z.string()).with(z.describe("The link's own name")),
  link_name: z
    .nullish(z.string())
    .with(z.describe("The names of the links above it and its own, joined by ::")),
  partner_id: z.nullish(z.int()).with(z.describe("null: no partner was in effect")),
  partner_name: z.nullish(z.string()),
  country: z
    .nullish(z.string())
    .with(z.describe("ISO 3166-1 alpha-2, `XX` if it was not known; null: adjustments")),
  platform: z.nullish(z.enum(PLATFORMS)).with(z.describe("null: adjustments")),
};

/** Reads a report for the caller and returns it in the form that the Accept header asks for. */
export async function respondWithReport<R extends ReportName>(
  context: Context,
  caller: Principal,
  request: Omit<ReportRequest<R>, "now">,
): Promise<Response> {
  const { ledger, now } = context;
  const report = await readReport(ledger, caller.viewer, { ...request, now });
  authorizeApp(caller, report.access);
  if (!report.hasLink) throw linkNotFound();
  return prefers(context.request, "text/csv")
    ? reportCsvResponse(report)
    : jsonResponse(envelopeV1(context, report.items), 200, { vary: "Accept" });
}
