/** `GET …/apps/{app_token}/partners/{id}`: what a partner is and does in an app. Beyond the specification. */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { COST_TYPES } from "../domain/cost-types.ts";
import { ID_LOSSES, MATCH_LOSSES, STEPS } from "../domain/figures/funnel.ts";
import { formatFigure } from "../domain/figures/performance.ts";
import { DISCREPANCY_THRESHOLD, MIN_EXPECTED, RATE_DAYS } from "../domain/figures/rates.ts";
import { formatMoney } from "../domain/money.ts";
import { PARTNER_STATES } from "../domain/partner-state.ts";
import { RETENTION, WITH_DISCREPANCY } from "../domain/texts.ts";
import { formatDate, HOUR_MS, toIso } from "../domain/time.ts";
import { AppError } from "../errors.ts";
import { envelopeV1, jsonResponse } from "../http/envelope.ts";
import { idText } from "../http/input/fields.ts";
import { dayChecks, performanceDays } from "../http/input/report-fields.ts";
import { reportOfOne, timestamp } from "../http/response-schemas.ts";
import { type PartnerStatus, readPartnerStatus } from "../usecases/partner-status.ts";
import { toDays } from "../usecases/performance/read.ts";
import { appPath, authorizeApp } from "./common.ts";

const date = z.string().with(z.meta({ format: "date" }));
const instant = (description: string) => z.nullable(timestamp).with(z.describe(description));
const decimal = (description: string) => z.nullable(z.string()).with(z.describe(description));
const toInstant = (at: number | null | undefined) => (at == null ? null : toIso(at));

const status = z
  .strictObject({
    id: z.int(),
    display_name: z.string(),
    state: z
      .enum(PARTNER_STATES)
      .with(
        z.describe(
          "`stopped`: an operator stopped its costs. `live`: it can send costs. `in_round`: it tests its costs. `not_integrated`: it can send none yet",
        ),
      ),
    since: instant("Since when it has this state; null if that is not known"),
    cost_types: z
      .array(
        z.strictObject({
          cost_type: z.enum(COST_TYPES),
          state: z.enum(["live", "in_round"]),
          since: instant("null if that is not known"),
        }),
      )
      .with(z.describe("The cost types that it can send or tests; one can be both")),
    last_cost_at: instant(
      "When its last cost came for any app, accepted or rejected, to the hour, as the hourly job found it; null if none came in the last weeks",
    ),
    last_click_at: instant("When its last click was recorded for any app, to the hour"),
    silent_since: instant(
      "`last_cost_at` of a live partner that has sent no cost for 24 hours while its clicks and impressions went on; otherwise null",
    ),
    checked_at: instant("When the hourly job found these times; null before its first run"),
    spend: z
      .array(
        z.strictObject({
          currency: z.string(),
          spend: z.string().with(z.describe("With adjustments, an exact decimal number")),
          cost_per_click: decimal("Spend of cpc costs without adjustments ÷ their number; null without any"),
          matched: z.int().with(z.describe("Costs with a click or impression and an amount")),
          unpriced: z.int().with(z.describe("Those without an amount")),
        }),
      )
      .with(z.describe("By currency, the one with the most costs first")),
    clicks: z.int(),
    impressions: z.int(),
    coverage: decimal("As in the performance report; null without recorded clicks"),
    impression_coverage: decimal("The same of cpm costs and recorded impressions"),
    discrepancies: z
      .array(
        z.strictObject({
          cost_type: z.enum(COST_TYPES),
          expected: z.int(),
          agreeing: z.int(),
          discrepancy: z.nullable(z.number()).with(z.describe("1 − agreeing ÷ expected")),
          within_threshold: z
            .nullable(z.boolean())
            .with(
              z.describe(
                `Whether the discrepancy is below ${DISCREPANCY_THRESHOLD}; null with fewer than ${MIN_EXPECTED} expected`,
              ),
            ),
        }),
      )
      .with(
        z.describe(
          `Of ${WITH_DISCREPANCY}, if they are live: the last ${RATE_DAYS} days with today, whatever the days of the request`,
        ),
      ),
    funnel: z
      .array(
        z.strictObject({
          step: z.enum(STEPS),
          count: z.int(),
          losses: z
            .array(
              z.strictObject({
                reason: z.enum([...ID_LOSSES, ...MATCH_LOSSES, "no_amount"]),
                count: z.int(),
              }),
            )
            .with(
              z.describe(
                "Why the others of the step before are not in this one. Their sum is the difference of both steps",
              ),
            ),
        }),
      )
      .with(
        z.describe(
          `Clicks and impressions, those with a cost ID, those with a cost, and those whose cost has an amount. An ID is remembered for ${RETENTION}; before that, and beyond the first 20,000 IDs of a partner, the reason for a missing cost is \`not_known\``,
        ),
      ),
    rejections: z
      .array(z.strictObject({ code: z.string(), count: z.int() }))
      .with(
        z.describe(
          "Costs for clicks and impressions of the app that were rejected in these days, by error code",
        ),
      ),
  })
  .with(z.meta({ id: "PartnerStatus" }));

export const readPartner = userOperation({
  method: "GET",
  path: "/public/v1/apps/:app_token/partners/:partner_id",
  id: "readPartnerStatus",
  summary: "Read the state and the figures of a partner",
  description:
    "Whether the partner can send costs, when it sent the last one, its figures for an app, and at which step and why its clicks and impressions have no cost that counts.",
  input: {
    path: z.extend(appPath, { partner_id: idText }),
    query: z.strictObject(performanceDays).check(...dayChecks),
  },
  responses: { 200: { description: "The partner", schema: reportOfOne({ from: date, to: date }, status) } },
  errors: ["not_found", "report_too_large"],
  isReport: true,
  async handle(context, caller, { path, query }) {
    const { ledger, now } = context;
    const days = toDays(query, now);
    const request = { appToken: path.app_token, partnerId: path.partner_id, days };
    const found = await readPartnerStatus(ledger, caller.viewer, request, now);
    authorizeApp(caller, found.access);
    if (!found.status) throw new AppError("not_found", "This partner does not exist.");
    const about = { from: formatDate(days.from), to: formatDate(days.to) };
    return jsonResponse(envelopeV1(context, [toItem(found.status)], undefined, about));
  },
});

function toItem(found: PartnerStatus): z.output<typeof status> {
  const { partner, activity, figures } = found;
  return {
    id: partner.id,
    display_name: partner.displayName,
    state: found.state,
    since: toInstant(found.since),
    cost_types: found.types.map(({ costType, state, since }) => ({
      cost_type: costType,
      state,
      since: toInstant(since),
    })),
    last_cost_at: toInstant(activity?.lastCostAt),
    last_click_at: toInstant(activity?.lastClickAt),
    silent_since: toInstant(found.silentSince),
    checked_at: toInstant(activity && activity.hour * HOUR_MS),
    spend: found.spend.map(({ currency, figures, unpriced }) => ({
      currency,
      spend: formatMoney(figures.spend),
      cost_per_click: figures.costPerClick === null ? null : formatMoney(figures.costPerClick),
      matched: Number(figures.matched),
      unpriced,
    })),
    clicks: Number(figures.clicks),
    impressions: Number(figures.impressions),
    coverage: formatFigure(figures, "coverage") as string | null,
    impression_coverage: formatFigure(figures, "impression_coverage") as string | null,
    discrepancies: found.rates.map(({ costType, discrepancy, discrepancyRate, isWithinThreshold }) => ({
      cost_type: costType,
      expected: discrepancy?.expected ?? 0,
      agreeing: discrepancy?.agreeing ?? 0,
      discrepancy: discrepancyRate,
      within_threshold: isWithinThreshold,
    })),
    funnel: found.funnel,
    rejections: found.rejections,
  };
}
