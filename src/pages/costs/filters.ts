/** What the lists of costs of partners and of operators are filtered by, and the day that the filter is about. */
import { html } from "hono/html";
import { MATCHES } from "../../db/ledger/cost-list.ts";
import { type CostItem, dayOfCost } from "../../usecases/costs/item.ts";
import type { Option } from "../forms/fields.ts";
import { filterSelect } from "../lists/list.ts";
import type { Column } from "../lists/table.ts";
import { describeDay } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { COST_STATES } from "./states.ts";

/** `more`: lists of their own that can be chosen too. */
export const stateFilter = (current: string, ...more: Option[]): Markup =>
  filterSelect(
    "match",
    "State",
    [["", "All states"], ...MATCHES.map((one): Option => [one, COST_STATES[one].name]), ...more],
    current,
  );

export const textFilter = (name: string, label: string, value: string, type = "text"): Markup =>
  html`<label>${label} <input type="${type}" name="${name}" value="${value}" maxlength="64" autocomplete="off"></label>`;

/** `current`: a date, or what was entered in the place of one. */
export const dayFilter = (current: string): Markup => textFilter("day", "Day", current, "date");

export const DAY_IN_REPORTS: Column<CostItem> = {
  heading: "Day in reports",
  kind: "day",
  cell: (cost) => {
    const day = dayOfCost(cost);
    return day === null ? "" : describeDay(day);
  },
};
