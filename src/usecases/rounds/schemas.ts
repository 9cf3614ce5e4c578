/** The response schemas of a round and its report. */
import * as z from "zod/mini";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { FINDING_KINDS } from "../../domain/rounds/findings.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { rates } from "../rates.ts";

const finding = z
  .strictObject({
    finding: z.string().with(z.describe("Identifies the finding in a dismissal")),
    kind: z.enum([...FINDING_KINDS, "incomplete"]),
    state: z.enum(["open", "resolved", "dismissed", "note"]),
    cost_id: z.nullable(z.string()),
    at: timestamp,
    sent: z.record(z.string(), z.string()),
    expected: z.string(),
    remedy: z.string(),
    reason: z
      .optional(z.string())
      .with(z.describe("Why an operator dismissed it, if a reason was given. The partner sees it too")),
  })
  .with(z.meta({ id: "Finding" }));

const report = z
  .strictObject({
    passed: z.boolean().with(z.describe("Whether the round can be approved with all of its cost types")),
    complete: z
      .boolean()
      .with(
        z.describe(
          "Whether the report covers everything received. The report of an ended round also leaves out findings beyond the storage limit",
        ),
      ),
    types: z.array(
      z.strictObject({
        cost_type: z.enum(COST_TYPES),
        passed: z.boolean(),
        matched: z.int(),
        unpriced: z.int(),
        open_mismatches: z.int(),
        counts: z.record(z.enum(FINDING_KINDS), z.int()),
        findings: z.array(finding),
        // Over the engagements of the round, whether cost data was on or not.
        rates,
      }),
    ),
    other_findings: z.array(finding),
  })
  .with(z.meta({ id: "RoundReport" }));

export const round = z
  .strictObject({
    id: z.int(),
    partner_id: z.int(),
    partner: z.string(),
    cost_types: z.array(z.enum(COST_TYPES)),
    state: z.enum(["open", "closed", "approved"]),
    approved_cost_types: z
      .array(z.enum(COST_TYPES))
      .with(z.describe("The cost types that the approval made live; empty before")),
    opened_at: timestamp,
    ended_at: z.nullable(timestamp),
    entries: z.int(),
    max_entries: z.int(),
  })
  .with(z.meta({ id: "Round" }));

export const roundWithReport = z.strictObject({ ...round.shape, report });
