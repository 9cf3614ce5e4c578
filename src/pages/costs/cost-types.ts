/** How pages show a cost type. */
import { html } from "hono/html";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import type { Fields } from "../forms/form.ts";
import type { Markup } from "../markup.ts";

/** The abbreviation with its meaning. */
export const costTypeName = (type: CostType | null): Markup | "" =>
  type === null ? "" : html`<abbr title="${COST_TYPE[type].name}">${type}</abbr>`;

/** The boxes of a form in which people choose cost types. */
export const costTypeChecks = (types: readonly CostType[], label = "Cost types") =>
  ({
    cost_types: { label, checks: types.map((type) => [type, costTypeName(type)] as const) },
  }) satisfies Fields;
