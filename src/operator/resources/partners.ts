/** Partners in the operator API. */
import * as z from "zod/mini";
import type { PartnerChange, PartnerRow } from "../../db/operator/partners.ts";
import { COST_TYPE_BITS, COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import { toIso } from "../../domain/time.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { change, name } from "./common.ts";

const integration = z.enum(["none", "in_round", "integrated"]);

export const partner = z
  .strictObject({
    id: z.int(),
    display_name: z.string(),
    supports_cost_data: z.boolean(),
    server_to_server: z.boolean(),
    click_parameters: z.string(),
    impression_parameters: z.string(),
    cost_parameters: z.string(),
    cost_types: z.record(z.enum(COST_TYPES), integration),
    open_rounds: z.array(z.int()),
    created_at: timestamp,
  })
  .with(z.meta({ id: "PartnerRecord" }));

export type PartnerItem = z.output<typeof partner>;

export function toPartnerItem(row: PartnerRow): PartnerItem {
  return {
    id: row.id,
    display_name: row.displayName,
    supports_cost_data: row.supportsCostData === 1,
    server_to_server: row.serverToServer === 1,
    click_parameters: row.clickParameters,
    impression_parameters: row.impressionParameters,
    cost_parameters: row.costParameters,
    cost_types: Object.fromEntries(
      COST_TYPES.map((type) => [type, toIntegration(row, type)]),
    ) as PartnerItem["cost_types"],
    open_rounds: JSON.parse(row.openRounds),
    created_at: toIso(row.createdAt),
  };
}

/** The integration state of a partner's cost type. A live cost type that is in a new round counts as integrated. */
function toIntegration(row: PartnerRow, type: CostType): z.output<typeof integration> {
  if (row.integratedTypes & COST_TYPE_BITS[type]) return "integrated";
  return row.typesInRound & COST_TYPE_BITS[type] ? "in_round" : "none";
}

const MAX_TEMPLATE_BYTES = 4 * 1024;

/** Stored byte for byte, because macros are not valid URLs. */
const template = z.string().check((context) => {
  const reject = (message: string) => context.issues.push({ code: "custom", message, input: context.value });
  const bytes = new TextEncoder().encode(context.value).byteLength;
  if (bytes > MAX_TEMPLATE_BYTES) reject(`has ${bytes} bytes; the limit is ${MAX_TEMPLATE_BYTES}`);
  if (/\p{Cc}/u.test(context.value)) reject("must not contain line breaks or other control characters");
  if (!context.value.isWellFormed()) reject("must be well-formed Unicode");
});

export const newPartner = z.strictObject({
  display_name: name,
  server_to_server: z._default(z.boolean(), false),
  click_parameters: z._default(template, ""),
  impression_parameters: z._default(template, ""),
  cost_parameters: z._default(template, ""),
});
export const partnerChange = change({
  display_name: z.optional(name),
  server_to_server: z.optional(z.boolean()),
  click_parameters: z.optional(template),
  impression_parameters: z.optional(template),
  cost_parameters: z.optional(template),
  supports_cost_data: z
    .optional(z.boolean())
    .with(
      z.describe(
        "Whether costs of an integrated partner are accepted. If false, costs that are sent by API or on a URL do not count.",
      ),
    ),
});

export function toPartnerChange(body: z.output<typeof partnerChange>): PartnerChange {
  return {
    displayName: body.display_name,
    serverToServer: body.server_to_server,
    clickParameters: body.click_parameters,
    impressionParameters: body.impression_parameters,
    costParameters: body.cost_parameters,
    supportsCostData: body.supports_cost_data,
  };
}
