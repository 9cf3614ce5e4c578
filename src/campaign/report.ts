/** What the reports of the campaign API share: who may read them, their common fields, and JSON or CSV. */
import * as z from "zod/mini";
import type { Principal } from "../auth/guards.ts";
import type { ReportName } from "../db/ledger/reports/sources.ts";
import { KINDS } from "../domain/cost-types.ts";
import { PLATFORMS } from "../domain/engagements/audience.ts";
import { fieldNames, type GroupField, REPORT_GROUPS } from "../domain/figures/groups.ts";
import type { Context } from "../env.ts";
import { prefers } from "../http/accept.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { type ReportRequest, readReport, reportCsvResponse } from "../usecases/reports.ts";
import { authorizeApp, linkNotFound } from "./common.ts";

const date = z.string().with(z.meta({ format: "date" }));

const FIELDS: Record<GroupField, z.ZodMiniType> = {
  day: z.optional(date),
  week: z.optional(date).with(z.describe("The Monday of the week")),
  days: z.optional(z.int()).with(z.describe("How many days of the week are in the period, if it is by week")),
  link_token: z.nullish(z.string()),
  link_label: z.nullish(z.string()).with(z.describe("The link's own name")),
  link_name: z
    .nullish(z.string())
    .with(z.describe("The names of the links above it and its own, joined by ::")),
  partner_id: z.nullish(z.int()).with(z.describe("null: no partner was in effect")),
  partner_name: z.nullish(z.string()),
  cost_type: z.optional(z.string()),
  kind: z.optional(z.enum(KINDS)),
  country: z
    .nullish(z.string())
    .with(z.describe("ISO 3166-1 alpha-2, `XX` if it was not known; null: adjustments")),
  platform: z.nullish(z.enum(PLATFORMS)).with(z.describe("null: adjustments")),
};

/** The fields of the groups of a report. A field is absent if the report does not group by it. */
export const groupFields = (report: keyof typeof REPORT_GROUPS) =>
  Object.fromEntries(fieldNames(REPORT_GROUPS[report]).map((name) => [name, FIELDS[name]]));

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
