/** The input of the cost API (spec §2.5, §4.7). */
import * as z from "zod/mini";
import { amount, costId, costTag, costType, currency } from "../http/fields.ts";

const MAX_BATCH_COSTS = 1_000;

export const cost = z.object({
  cost_type: costType,
  cost_currency: currency,
  cost_id: costId,
  tag: costTag,
  cost_amount: z.optional(amount),
});

/** Each cost of a batch is validated separately, so that one invalid cost does not reject the others. */
export const costBatch = {
  body: z.strictObject({
    costs: z
      .array(z.unknown())
      .check(
        z.minLength(1, "must contain at least one cost"),
        z.maxLength(MAX_BATCH_COSTS, `must contain at most ${MAX_BATCH_COSTS} costs`),
      ),
  }),
  maxBodyBytes: 1024 * 1024,
};

export const readCost = { path: z.object({ cost_id: costId }) };
