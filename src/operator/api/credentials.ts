/** Cost credentials in the operator API. The secret of one is returned only by the operation that creates it. */
import * as z from "zod/mini";
import { replicateCredentials } from "../../db/ledger/shards.ts";
import * as db from "../../db/operator/credentials.ts";
import { findPartner } from "../../db/operator/partners.ts";
import { COST_TYPES, toTypes } from "../../domain/cost-types.ts";
import { AppError } from "../../errors.ts";
import { idNumber } from "../../http/input/fields.ts";
import { INSTANT, instantOrNull, noun } from "../noun.ts";
import { byId, costTypes, createSecret, notFound, pageByPartner, secret, unknownPartner } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

export const CREDENTIAL = noun("Credential", {
  id: { item: z.int() },
  partner_id: { item: z.int() },
  mode: { item: z.enum(["live", "test"]) },
  cost_types: { item: z.array(z.enum(COST_TYPES)), from: toTypes },
  round_id: { item: z.nullable(z.int()) },
  hint: { item: z.string() },
  created_at: INSTANT,
  revoked_at: instantOrNull(),
  credential: { item: secret },
});

const listCredentials = listOperation({
  path: "/operator/v1/credentials",
  id: "listCredentials",
  summary: "List cost credentials",
  input: pageByPartner,
  item: CREDENTIAL.item,
  errors: [],
  list: ({ env: { DB } }, { query: { partner_id: partnerId }, range }) =>
    partnerId === undefined
      ? db.listCredentials(DB, range)
      : db.listCredentialsOfPartner(DB, range, { partnerId }),
  toItem: CREDENTIAL.toItem,
});

const newCredential = z.strictObject({
  partner_id: idNumber,
  mode: z
    .enum(["live", "test"], "must be live or test")
    .with(z.describe("live: costs count; test: for the open rounds of the partner, whose costs never count")),
  cost_types: costTypes,
});

export const createCredential = itemOperation({
  method: "POST",
  path: "/operator/v1/credentials",
  id: "createCredential",
  summary: "Create a cost credential",
  input: { body: newCredential },
  item: CREDENTIAL.item,
  errors: ["round_required"],
  async handle({ env: { DB } }, operator, { body: { partner_id, mode, cost_types } }) {
    const { secret, stored } = createSecret(mode);
    const added = { partnerId: partner_id, mode, costTypes: cost_types, ...stored };
    const inserted = await db.insertCredential(DB, operator, added);
    if (inserted) return { ...CREDENTIAL.toItem(inserted), credential: secret };
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
  item: CREDENTIAL.item,
  errors: ["not_found"],
  async handle({ env, ledger }, operator, { path: { id } }) {
    const revoked = await db.revokeCredential(env.DB, operator, id);
    if (!revoked) throw notFound("credential");
    // Confirmed only after every shard has it. After an error, the operator revokes again.
    await replicateCredentials(ledger);
    return CREDENTIAL.toItem(revoked);
  },
});

export const operations = [listCredentials, createCredential, revokeCredential];
