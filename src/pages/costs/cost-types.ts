/** How pages show a cost type. */
import { html } from "hono/html";
import { COST_TYPE, type CostType, TYPES_PER_MILLE } from "../../domain/cost-types.ts";
import type { Fields } from "../forms/form.ts";
import type { Markup } from "../markup.ts";
import { amountText } from "../money.ts";

/** The abbreviation with its meaning. */
export const costTypeName = (type: CostType | null): Markup | "" =>
  type === null ? "" : html`<abbr title="${COST_TYPE[type].name}">${type}</abbr>`;

type Cost = Partial<Record<"cost_type" | "amount" | "cost_currency", string | null | undefined>>;

const isPerMille = ({ amount, cost_type }: Cost): boolean =>
  amount != null && TYPES_PER_MILLE.some((type) => type === cost_type);

/** The amount of a cost, with what it is for if that is not one click or conversion. */
export const priceText = (cost: Cost): string =>
  `${amountText(cost.amount, cost.cost_currency)}${isPerMille(cost) ? " per 1,000 impressions" : ""}`;

/** The type of a cost, right after its amount in a list: a price of 1,000 says so, and the digits still align. */
export const typeOfPrice = (cost: Cost): Markup =>
  html`${isPerMille(cost) ? html`<span class="muted whole">per 1,000,</span> ` : ""}<span class="whole">${cost.cost_type ?? ""}</span>`;

/** The boxes of a form in which people choose cost types. */
export const costTypeChecks = (types: readonly CostType[], label = "Cost types") =>
  ({
    cost_types: { label, checks: types.map((type) => [type, costTypeName(type)] as const) },
  }) satisfies Fields;
