/** The cost parameters that a click or impression URL may carry (spec §2.2). */
import * as z from "zod";
import { amount, costId, costType, currency } from "../http/fields.ts";

export const engagementId = z.object({ cost_id: costId.optional() });

export const urlCost = z.object({
  cost_type: costType.optional(),
  cost_currency: currency.optional(),
  cost_amount: amount.optional(),
});

/** What lies at /{link_token}: only what could be a token is looked up. */
export const linkToken = z.string().regex(/^[0-9a-z]{6,20}$/);
