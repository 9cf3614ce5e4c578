/** Integration rounds in the operator API. The round itself and its report are in src/usecases/rounds/. */
import * as z from "zod/mini";
import type { RoundEntry } from "../../domain/round-findings.ts";
import { toIso } from "../../domain/time.ts";
import { idNumber, plainText } from "../../http/fields.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { roundWithReport } from "../../usecases/rounds/schemas.ts";
import { costTypes } from "./common.ts";

export const openedRound = z.strictObject({
  ...roundWithReport.shape,
  test_credential: z.string().with(z.describe("Returned only in this response")),
});

export const newRound = z.strictObject({ partner_id: idNumber, cost_types: costTypes });

export const dismissal = z.strictObject({
  finding: z
    .string()
    .check(plainText(1, 300))
    .with(z.describe("The `finding` of the report, for example `entry 9` or `click corsair-click-0003`")),
});

export const entry = z
  .strictObject({
    number: z.int(),
    received_at: timestamp,
    cost_id: z.nullable(z.string()),
    sent: z.record(z.string(), z.string()),
    errors: z.array(z.strictObject({ param: z.string(), message: z.string() })),
    answer: z.string().with(z.describe("`ok` or an error code")),
  })
  .with(z.meta({ id: "RoundEntry" }));

export function toEntryItem(found: RoundEntry): z.output<typeof entry> {
  return {
    number: found.number,
    received_at: toIso(found.receivedAt),
    cost_id: found.costId,
    sent: found.sent,
    errors: found.errors,
    answer: found.answer,
  };
}
