import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { insertCredential } from "../../../db/operator/credentials.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { unknownPartner } from "../../errors.ts";
import { createSecret } from "../../resources/common.ts";
import { credential, newCredential, toCredentialItem } from "../../resources/credentials.ts";
import { createdOf, createdResponse } from "../responses.ts";

/** The secret is returned only here. */
export async function createCredential(
  { env: { DB } }: Context,
  operator: Operator,
  { partner_id, mode, cost_types }: z.output<typeof newCredential>,
) {
  const { secret, stored } = createSecret(mode);
  const added = { partnerId: partner_id, mode, costTypes: cost_types, ...stored };
  const inserted = await insertCredential(DB, operator, added);
  if (!inserted)
    throw (await findPartner(DB, partner_id)) ? new AppError("round_required") : unknownPartner();
  return { ...toCredentialItem(inserted), credential: secret };
}

export const createCredentialOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/credentials",
  id: "createCredential",
  summary: "Create a cost credential",
  input: { body: newCredential },
  responses: createdOf(credential),
  errors: ["round_required"],
  handle: async (context, operator, { body }) => {
    const item = await createCredential(context, operator, body);
    return createdResponse(context, item, item.id);
  },
});
