/** `GET /operator/v1/partners/{id}/rates`: how complete and how right a partner's costs of the last days are. */
import * as z from "zod/mini";
import { findPartner } from "../../db/operator/partners.ts";
import { type FoundRates, findRates } from "../../db/operator/rates.ts";
import { DISCREPANCY_THRESHOLD, RATE_DAYS, toCoverage } from "../../domain/figures/rates.ts";
import { listOf, OF_IMPRESSIONS, TYPES_OF_CLICKS, WITH_DISCREPANCY } from "../../domain/texts.ts";
import { formatDate } from "../../domain/time.ts";
import { rates, toIntegratedRates } from "../../usecases/rates.ts";
import { byId, notFound } from "./common.ts";
import { itemOperation } from "./item-operations.ts";

const day = z.string().with(z.meta({ format: "date" }));

const partnerRates = z
  .strictObject({
    partner_id: z.int(),
    from: day,
    to: day,
    threshold: z.number().with(z.describe("The usual limit of the discrepancy")),
    complete: z
      .boolean()
      .with(
        z.describe(
          "False if there is more data than one response reads. Discrepancies then cover a part of the cost IDs, and coverage can be null",
        ),
      ),
    days: z
      .array(
        z.strictObject({
          day,
          coverage: z
            .nullable(z.number())
            .with(z.describe(`Matched costs of ${listOf(TYPES_OF_CLICKS, "and")} ÷ recorded clicks`)),
          impression_coverage: z
            .nullable(z.number())
            .with(z.describe(`Matched costs of ${OF_IMPRESSIONS} ÷ recorded impressions`)),
          cost_data_off: z
            .int()
            .with(z.describe("IDs without a cost that counts, because cost data was off")),
          no_cost: z.int().with(z.describe("IDs that could have a cost, and have none that counts")),
          voided: z.int().with(z.describe("IDs whose cost was voided")),
          lapsed: z
            .int()
            .with(z.describe("Costs that stopped waiting for a click or impression on this day")),
          rejected: z
            .array(z.strictObject({ code: z.string(), count: z.int() }))
            .with(z.describe("Costs that were rejected on this day, by error code")),
        }),
      )
      .with(z.describe("The newest day first")),
    types: z.array(rates).with(z.describe("The cost types that the partner has integrated")),
  })
  .with(z.meta({ id: "PartnerRates" }));

function toPartnerRates(partner: { id: number; integratedTypes: number }, found: FoundRates) {
  const { from, to, complete } = found;
  return {
    partner_id: partner.id,
    from: formatDate(from),
    to: formatDate(to),
    threshold: DISCREPANCY_THRESHOLD,
    complete,
    days: found.days.map((one) => {
      const { click: coverage, impression: impression_coverage } = toCoverage(one);
      return {
        day: formatDate(one.day),
        coverage,
        impression_coverage,
        cost_data_off: one.costDataOff,
        no_cost: one.noCost,
        voided: one.voided,
        lapsed: one.lapsed,
        rejected: one.rejected.map(({ code, count }) => ({ code, count })),
      };
    }),
    types: toIntegratedRates(partner.integratedTypes, found),
  };
}

const readRates = itemOperation({
  method: "GET",
  path: "/operator/v1/partners/:id/rates",
  id: "readPartnerRates",
  summary: "Read the coverage and discrepancy of a partner's costs",
  description: `The share of recorded engagements with a cost, and for ${WITH_DISCREPANCY} the share of expected engagements without an agreeing cost, over the last ${RATE_DAYS} days, including today, in UTC.`,
  input: { path: byId },
  item: partnerRates,
  returns: "The rates by cost type",
  errors: ["not_found"],
  isReport: true,
  async handle({ env, ledger, now }, _operator, { path: { id } }) {
    const [partner, found] = await Promise.all([findPartner(env.DB, id), findRates(ledger, id, now)]);
    if (!partner) throw notFound("partner");
    return toPartnerRates(partner, found);
  },
});

export const operations = [readRates];
