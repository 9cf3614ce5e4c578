import type * as z from "zod/mini";
import { operatorOperation } from "../../../auth/operations.ts";
import type { Operator } from "../../../db/operator/audit.ts";
import { findPartner } from "../../../db/operator/partners.ts";
import { insertRound } from "../../../db/operator/round-changes.ts";
import type { Context } from "../../../env.ts";
import { AppError } from "../../../errors.ts";
import { toRoundWithReport } from "../../../usecases/rounds/serialize.ts";
import { unknownPartner } from "../../errors.ts";
import { createSecret } from "../../resources/common.ts";
import { newRound, openedRound } from "../../resources/rounds.ts";
import { createdOf, createdResponse } from "../responses.ts";
import { readRound } from "./read-round.ts";

/** Opens a round and creates its test credential, which is returned only here. */
export async function openRound(
  context: Context,
  operator: Operator,
  { partner_id, cost_types }: z.output<typeof newRound>,
) {
  const { DB } = context.env;
  const { secret, stored } = createSecret("test");
  const id = await insertRound(DB, operator, { partnerId: partner_id, costTypes: cost_types, ...stored });
  if (id === undefined)
    throw (await findPartner(DB, partner_id)) ? new AppError("round_open") : unknownPartner();
  return { ...toRoundWithReport(await readRound(context, id)), test_credential: secret };
}

export const openRoundOperation = operatorOperation({
  method: "POST",
  path: "/operator/v1/rounds",
  id: "openRound",
  summary: "Open an integration round and create its test credential",
  input: { body: newRound },
  responses: createdOf(openedRound),
  errors: ["round_open"],
  handle: async (context, operator, { body }) => {
    const item = await openRound(context, operator, body);
    return createdResponse(context, item, item.id);
  },
});
