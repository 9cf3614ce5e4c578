/** How pages show a cost type. */
import { html } from "hono/html";
import { COST_TYPE, type CostType, TYPES_PER_MILLE } from "../../domain/cost-types.ts";
import type { Fields } from "../forms/form.ts";
import type { Markup } from "../markup.ts";
import { amountText } from "../money.ts";

/** The abbreviation with its meaning. */
export const costTypeName = (type: CostType | null): Markup | "" =>
  type === null ? "" : html`<abbr title="${COST_TYPE[type].name}">${type}</abbr>`;

/** The amount of a cost, with what it is for if that is not one click or conversion. */
export function priceText(
  cost: Partial<Record<"cost_type" | "amount" | "cost_currency", string | null | undefined>>,
): string {
  const isPerMille = cost.amount != null && TYPES_PER_MILLE.some((type) => type === cost.cost_type);
  return `${amountText(cost.amount, cost.cost_currency)}${isPerMille ? " per 1,000 impressions" : ""}`;
}

/** The boxes of a form in which people choose cost types. */
export const costTypeChecks = (types: readonly CostType[], label = "Cost types") =>
  ({
    cost_types: { label, checks: types.map((type) => [type, costTypeName(type)] as const) },
  }) satisfies Fields;
