/** What a cost must look like (spec §2.5, §4.7). */
import * as z from "zod";
import { amount, costId, costTag, costType, currency } from "../http/fields.ts";

export const cost = z.object({
  cost_type: costType,
  cost_currency: currency,
  cost_id: costId,
  tag: costTag,
  cost_amount: amount.optional(),
});
