/** How pages show a cost type. */
import { html } from "hono/html";
import { COST_TYPE, type CostType } from "../domain/cost-types.ts";
import type { Markup } from "./markup.ts";

/** The abbreviation with its meaning. */
export const costTypeName = (type: CostType | null): Markup | "" =>
  type === null ? "" : html`<abbr title="${COST_TYPE[type].name}">${type}</abbr>`;
