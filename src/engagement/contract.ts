/** The cost parameters on the URL of a click or impression (spec §2.2). */
import * as z from "zod/mini";
import { amount, costId, costType, currency } from "../http/fields.ts";

/** An unfilled macro is the same for every click, so it cannot identify one. */
const filled = costId.check(z.refine((id) => !/^(\{.*\}|\[.*\]|%%.*%%)$/.test(id), "is an unfilled macro"));

export const engagementId = z.object({ cost_id: z.optional(filled) });

export const urlCost = z.object({
  cost_type: z.optional(costType),
  cost_currency: z.optional(currency),
  cost_amount: z.optional(amount),
});

/** Only a path that could be a link token is looked up. */
export const linkToken = z.string().check(z.regex(/^[0-9a-z]{6,20}$/));
