import { operatorOperation } from "../../../auth/operations.ts";
import { replicateCredentials } from "../../../db/ledger/credential-copies.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import * as credentials from "../../../db/operator/credentials.ts";
import type { Context } from "../../../env.ts";
import { notFound } from "../../errors.ts";
import { byId } from "../../resources/common.ts";
import { credential, toCredentialItem } from "../../resources/credentials.ts";
import { itemOf, itemResponse } from "../responses.ts";

export async function revokeCredential({ env, ledger }: Context, operator: Operator, id: number) {
  const revoked = await credentials.revokeCredential(env.DB, operator, id);
  if (!revoked) throw notFound("credential");
  // Confirmed only after every shard has it. After an error, the operator revokes again.
  await replicateCredentials(ledger);
  return toCredentialItem(revoked);
}

export const revokeCredentialOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/credentials/:id/revoke",
  id: "revokeCredential",
  summary: "Revoke a cost credential immediately",
  input: { path: byId },
  responses: itemOf(credential),
  errors: ["not_found"],
  handle: async (context, operator, { path }) =>
    itemResponse(context, await revokeCredential(context, operator, path.id)),
});
