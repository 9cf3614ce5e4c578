/** Cost credentials in the operator API. */
import * as z from "zod/mini";
import type { CredentialRow } from "../../db/operator/credentials.ts";
import { COST_TYPES, toTypes } from "../../domain/cost-types.ts";
import { toIso } from "../../domain/time.ts";
import { idNumber } from "../../http/fields.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { costTypes, secret } from "./common.ts";

export const credential = z
  .strictObject({
    id: z.int(),
    partner_id: z.int(),
    mode: z.enum(["live", "test"]),
    cost_types: z.array(z.enum(COST_TYPES)),
    round_id: z.nullable(z.int()),
    hint: z.string(),
    created_at: timestamp,
    revoked_at: z.nullable(timestamp),
    credential: secret,
  })
  .with(z.meta({ id: "Credential" }));

export type CredentialItem = z.output<typeof credential>;

export function toCredentialItem(row: CredentialRow): CredentialItem {
  return {
    id: row.id,
    partner_id: row.partnerId,
    mode: row.mode,
    cost_types: toTypes(row.costTypes),
    round_id: row.roundId,
    hint: row.hint,
    created_at: toIso(row.createdAt),
    revoked_at: row.revokedAt === null ? null : toIso(row.revokedAt),
  };
}

export const newCredential = z.strictObject({
  partner_id: idNumber,
  mode: z.enum(["live", "test"], "must be live or test"),
  cost_types: costTypes,
});
