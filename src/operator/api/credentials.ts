/** Cost credentials in the operator API. The secret of one is returned only by the operation that creates it. */
import * as z from "zod/mini";
import { replicateCredentials } from "../../db/ledger/credential-copies.ts";
import * as db from "../../db/operator/credentials.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { COST_TYPES, toTypes } from "../../domain/cost-types.ts";
import { toIso } from "../../domain/time.ts";
import { AppError } from "../../errors.ts";
import { idNumber } from "../../http/input/fields.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { byId, costTypes, createSecret, notFound, pageByPartner, secret, unknownPartner } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const credential = z
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

export function toCredentialItem(row: db.CredentialRow): CredentialItem {
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

const listCredentials = listOperation({
  path: "/operator/v1/credentials",
  id: "listCredentials",
  summary: "List cost credentials",
  input: pageByPartner,
  item: credential,
  errors: [],
  list: ({ env: { DB } }, { query: { partner_id: partnerId }, range }) =>
    partnerId === undefined
      ? db.listCredentials(DB, range)
      : db.listCredentialsOfPartner(DB, range, { partnerId }),
  toItem: toCredentialItem,
});

const newCredential = z.strictObject({
  partner_id: idNumber,
  mode: z.enum(["live", "test"], "must be live or test"),
  cost_types: costTypes,
});

export const createCredential = itemOperation({
  method: "POST",
  path: "/operator/v1/credentials",
  id: "createCredential",
  summary: "Create a cost credential",
  input: { body: newCredential },
  item: credential,
  errors: ["round_required"],
  async handle({ env: { DB } }, operator, { body: { partner_id, mode, cost_types } }) {
    const { secret, stored } = createSecret(mode);
    const added = { partnerId: partner_id, mode, costTypes: cost_types, ...stored };
    const inserted = await db.insertCredential(DB, operator, added);
    if (inserted) return { ...toCredentialItem(inserted), credential: secret };
    throw (await findPartner(DB, partner_id)) ? new AppError("round_required") : unknownPartner();
  },
  locate: ({ id }) => id,
});

export const revokeCredential = itemOperation({
  method: "POST",
  path: "/operator/v1/credentials/:id/revoke",
  id: "revokeCredential",
  summary: "Revoke a cost credential immediately",
  input: { path: byId },
  item: credential,
  errors: ["not_found"],
  async handle({ env, ledger }, operator, { path: { id } }) {
    const revoked = await db.revokeCredential(env.DB, operator, id);
    if (!revoked) throw notFound("credential");
    // Confirmed only after every shard has it. After an error, the operator revokes again.
    await replicateCredentials(ledger);
    return toCredentialItem(revoked);
  },
});

export const operations = [listCredentials, createCredential, revokeCredential];
