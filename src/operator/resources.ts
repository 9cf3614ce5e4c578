/** The resources of the operator API: their schemas and the functions that create them from database rows. */

import * as z from "zod/mini";
import type { App } from "../db/operator/apps.ts";
import type { AuditRow } from "../db/operator/audit.ts";
import type { CredentialRecord } from "../db/operator/credentials.ts";
import type { PartnerRecord } from "../db/operator/partners.ts";
import type { UserRow } from "../db/operator/users.ts";
import { COST_TYPES, type CostType, toTypes } from "../domain/cost-types.ts";
import type { RoundEntry } from "../domain/round-findings.ts";
import { toIso } from "../domain/time.ts";
import { timestamp } from "../http/response-schemas.ts";

const secret = z.optional(z.string()).with(z.describe("Returned only in this response"));
const costTypes = z.array(z.enum(COST_TYPES));
const role = z.enum(["member", "operator"]);

export const app = z
  .strictObject({
    token: z.string(),
    name: z.string(),
    default_url: z.string(),
    ios_url: z.nullable(z.string()),
    android_url: z.nullable(z.string()),
    redirect_hosts: z.array(z.string()),
    redirect_schemes: z.array(z.string()),
    link_count: z.int().with(z.describe("Number of network links (level 1)")),
    created_at: timestamp,
  })
  .with(z.meta({ id: "App" }));

export function toAppItem(found: App): z.output<typeof app> {
  return {
    token: found.token,
    name: found.name,
    default_url: found.defaultUrl,
    ios_url: found.iosUrl,
    android_url: found.androidUrl,
    redirect_hosts: found.redirectHosts,
    redirect_schemes: found.redirectSchemes,
    link_count: found.linkCount,
    created_at: toIso(found.createdAt),
  };
}

export const member = z
  .strictObject({ user_id: z.int(), email: z.string(), role })
  .with(z.meta({ id: "Member" }));

export const user = z
  .strictObject({
    id: z.int(),
    email: z.string(),
    role,
    sign_in: z.enum(["password", "sso"]),
    token_hint: z.nullable(z.string()),
    disabled_at: z.nullable(timestamp),
    created_at: timestamp,
    temporary_password: secret,
    api_token: secret,
  })
  .with(z.meta({ id: "User" }));

export function toUserItem(row: UserRow): z.output<typeof user> {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    sign_in: row.has_password ? "password" : "sso",
    token_hint: row.token_hint,
    disabled_at: row.disabled_at === null ? null : toIso(row.disabled_at),
    created_at: toIso(row.created_at),
  };
}

const integration = z.enum(["none", "in_round", "integrated"]);

export const partner = z
  .strictObject({
    id: z.int(),
    display_name: z.string(),
    supports_cost_data: z.boolean(),
    server_to_server: z.boolean(),
    click_parameters: z.string(),
    impression_parameters: z.string(),
    cost_parameters: z.string(),
    cost_types: z.record(z.enum(COST_TYPES), integration),
    open_rounds: z.array(z.int()),
    created_at: timestamp,
  })
  .with(z.meta({ id: "PartnerRecord" }));

export function toPartnerItem(found: PartnerRecord): z.output<typeof partner> {
  return {
    id: found.id,
    display_name: found.displayName,
    supports_cost_data: found.supportsCostData,
    server_to_server: found.serverToServer,
    click_parameters: found.clickParameters,
    impression_parameters: found.impressionParameters,
    cost_parameters: found.costParameters,
    cost_types: Object.fromEntries(COST_TYPES.map((type) => [type, toIntegration(found, type)])) as Record<
      CostType,
      z.output<typeof integration>
    >,
    open_rounds: found.openRounds,
    created_at: toIso(found.createdAt),
  };
}

/** The integration state of a partner's cost type. A live cost type that is in a new round counts as integrated. */
export function toIntegration(found: PartnerRecord, type: CostType): z.output<typeof integration> {
  if (found.integratedTypes.includes(type)) return "integrated";
  return found.typesInRound.includes(type) ? "in_round" : "none";
}

export const credential = z
  .strictObject({
    id: z.int(),
    partner_id: z.int(),
    mode: z.enum(["live", "test"]),
    cost_types: costTypes,
    round_id: z.nullable(z.int()),
    hint: z.string(),
    created_at: timestamp,
    revoked_at: z.nullable(timestamp),
    credential: secret,
  })
  .with(z.meta({ id: "Credential" }));

export function toCredentialItem(row: CredentialRecord): z.output<typeof credential> {
  return {
    id: row.id,
    partner_id: row.partner_id,
    mode: row.mode,
    cost_types: toTypes(row.cost_types),
    round_id: row.round_id,
    hint: row.hint,
    created_at: toIso(row.created_at),
    revoked_at: row.revoked_at === null ? null : toIso(row.revoked_at),
  };
}

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

export const auditEntry = z
  .strictObject({
    id: z.int(),
    happened_at: timestamp,
    user: z.nullable(z.strictObject({ id: z.int(), email: z.string() })),
    action: z.string(),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .with(z.meta({ id: "AuditEntry" }));

export function toAuditItem(row: AuditRow): z.output<typeof auditEntry> {
  return {
    id: row.id,
    happened_at: toIso(row.happened_at),
    user: row.user_id === null ? null : { id: row.user_id, email: row.email ?? "" },
    action: row.action,
    subject: row.subject,
    detail: JSON.parse(row.detail),
  };
}
