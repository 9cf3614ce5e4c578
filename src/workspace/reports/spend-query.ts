/** The parameters of the Spend page. A contract file. */
import * as z from "zod/mini";
import { costType, currency, idText } from "../../http/input/fields.ts";
import { compareField, periodChecks, periodFields } from "../../pages/periods.ts";

export const GROUPS = { day: "Day", link: "Link", partner: "Partner", cost_type: "Cost type" } as const;
export type SpendGroup = keyof typeof GROUPS;
const groups = Object.keys(GROUPS) as SpendGroup[];

/** Each link is added to the link of this level above it, or to none. */
export const levels = ["1", "2", "3", "4", "own"] as const;

export const spendPageQuery = z
  .strictObject({
    ...periodFields,
    ...compareField,
    by: z._default(z.enum(groups, `must be one of ${groups.join(", ")}`), "day"),
    level: z._default(z.enum(levels, `must be one of ${levels.join(", ")}`), "1"),
    link: z.optional(z.string()),
    partner: z.optional(idText),
    cost_type: z.optional(costType),
    currency: z.optional(currency),
  })
  .check(...periodChecks);

export type SpendQuery = z.output<typeof spendPageQuery>;
