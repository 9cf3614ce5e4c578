/** The names of the cost types. */
import { html } from "hono/html";
import type { Markup } from "../http/pages.ts";

export const COST_TYPE_NAMES: Record<string, string> = {
  cpc: "cost per click",
  cpi: "cost per install",
  cpe: "cost per event",
  cpm: "cost per 1,000 impressions",
};

/** The abbreviation with its meaning. */
export const costTypeName = (type: string): Markup =>
  html`<abbr title="${COST_TYPE_NAMES[type] ?? ""}">${type}</abbr>`;
