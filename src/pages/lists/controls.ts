/** What a list has above and below its rows: search, filters, order, and the links to the neighbors of its page. */
import { html } from "hono/html";
import { menu } from "../elements.ts";
import type { Option, RejectedForm } from "../forms/fields.ts";
import type { Markup } from "../markup.ts";

interface FilterForm {
  action: string;
  /** What is listed, in the plural. */
  noun: string;
  /** `isInField`: the label is in the empty field. */
  search?: { name: string; label: string; value: string; isInField?: true };
  /** Where "Clear filters" leads, if there are any. */
  clear?: string;
  /** Parameters that stay. */
  kept?: Markup[];
}

/** The form above a list: its search field, its filters and its order. */
export function filterForm(
  { action, noun, search, clear, kept = [] }: FilterForm,
  ...filters: Markup[]
): Markup {
  return html`
    <form class="filters" method="get" action="${action}" role="search" aria-label="${noun}">
      ${kept}
      ${search ? html`<label class="wide">${search.isInField ? "" : search.label} <input type="search" name="${search.name}" value="${search.value}"${search.isInField ? html` aria-label="${search.label}" placeholder="${search.label}"` : ""} maxlength="255"></label>` : ""}
      ${filters}
      <p class="actions">
        <button class="secondary">${search ? "Search" : "Apply"}</button>
        ${clear === undefined ? "" : html`<a href="${clear}">Clear filters</a>`}
      </p>
    </form>`;
}

/** A search field of its own. A script shows results below it while a person types. */
export function searchForm({
  action,
  label,
  value,
}: {
  action: string;
  label: string;
  value: string;
}): Markup {
  return html`
    <form class="docs-search" role="search" action="${action}">
      <label class="visually-hidden" for="search">${label}</label>
      <input type="search" id="search" name="q" value="${value}" placeholder="Search" maxlength="100" autocomplete="off" required>
      <button class="secondary">Search</button>
      <p class="visually-hidden" role="status"></p>
      <div class="docs-results" hidden></div>
    </form>`;
}

/** A filter, or an order, of which one is chosen. */
export function filterSelect(name: string, label: string, options: Option[], current: string): Markup {
  return html`
    <label>${label}
      <select name="${name}">${options.map(([value, text]) => html`<option value="${value}" ${value === current ? html`selected` : ""}>${text}</option>`)}</select>
    </label>`;
}

interface FilterText {
  name: string;
  label: string;
  value: string;
  /** Values that it offers. Others can be entered too. */
  suggestions: Option[];
}

/** A filter that is entered. After a rejected form, it keeps the entered value and shows its error. */
export function filterText({ name, label, value, suggestions }: FilterText, rejected?: RejectedForm): Markup {
  const id = `filter-${name}`;
  const error = rejected?.describe(name, id, `The ${name}`);
  return html`
    <label>${label} <input id="${id}" name="${name}" value="${rejected?.form.get(name) ?? value}" maxlength="255" autocomplete="off"${suggestions.length > 0 ? html` list="${id}-list"` : ""}${error ? html` aria-invalid="true" aria-describedby="${id}-error"` : ""}></label>
    ${suggestions.length > 0 ? html`<datalist id="${id}-list">${suggestions.map(([option, text]) => html`<option value="${option}">${text}</option>`)}</datalist>` : ""}
    ${error ? html`<p class="field-error" id="${id}-error">${error}</p>` : ""}`;
}

/** A menu of filters and the order. `inUse`: how many of the filters have a value. */
export const filterMenu = (inUse: number, items: Markup[]): Markup =>
  menu(inUse > 0 ? `Filters and order (${inUse})` : "Filters and order", [
    ...items,
    html`<button class="secondary">Apply</button>`,
  ]);

/** The links to the neighbors of a page; null where there is none. */
export function pager(
  previous: string | null,
  next: string | null,
  names = ["Previous page", "Next page"],
): Markup | "" {
  if (previous === null && next === null) return "";
  return html`
    <nav class="actions pager" aria-label="Pages">
      ${previous === null ? "" : html`<a class="button secondary" rel="prev" href="${previous}">${names[0]}</a>`}
      ${next === null ? "" : html`<a class="button secondary" rel="next" href="${next}">${names[1]}</a>`}
    </nav>`;
}
