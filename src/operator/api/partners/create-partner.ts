import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { insertPartner } from "../../../db/operator/partners.ts";
import { expectDefined } from "../../../domain/expect-defined.ts";
import type { Context } from "../../../env.ts";
import { newPartner, partner, toPartnerChange, toPartnerItem } from "../../resources/partners.ts";
import { createdOf, createdResponse } from "../responses.ts";

export async function createPartner({ env }: Context, operator: Operator, body: z.output<typeof newPartner>) {
  return toPartnerItem(expectDefined(await insertPartner(env.DB, operator, toPartnerChange(body))));
}

export const createPartnerOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/partners",
  id: "createPartner",
  summary: "Create a partner",
  input: { body: newPartner },
  responses: createdOf(partner),
  errors: [],
  handle: async (context, operator, { body }) => {
    const item = await createPartner(context, operator, body);
    return createdResponse(context, item, item.id);
  },
});
