/** The links that are selected on the Links page. The query of the page carries them, so they survive paging and filtering. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Option } from "../../pages/fields.ts";
import { form } from "../../pages/form.ts";
import type { Markup } from "../../pages/markup.ts";
import { withQuery } from "../../pages/query.ts";
import { MAX_SELECTED } from "../links/query.ts";

export const ACTIONS = {
  archive: "Archive",
  restore: "Restore",
  attach: "Attach to the partner below",
  detach: "Detach from their partner",
  "cost-on": "Turn cost data on",
  "cost-off": "Turn cost data off",
  "cost-inherit": "Set cost data to same as parent",
} as const;
export type Action = keyof typeof ACTIONS;

export const countSelected = (count: number) => (count === 0 ? "No links selected" : `${count} selected`);

export function sortedPartners(partners: Partners): Option[] {
  return [...partners.values()]
    .toSorted((one, other) => one.displayName.localeCompare(other.displayName))
    .map(({ id, displayName }) => [String(id), displayName]);
}

/** Selects a link for the form below, which may be elsewhere on the page. */
export const checkbox = (token: string, label: string, isSelected: boolean): Markup =>
  html`<input type="checkbox" form="selection" name="links" value="${token}" aria-label="Select ${label}" ${isSelected ? html`checked` : ""}>`;

/**
 * The form for the selected links. `shown` are the tokens that have a checkbox on the page. With a script it is at the bottom of the
 * window, and only there while links are selected.
 */
export function selectionForm(url: URL, partners: Partners, selected: string[], shown: Set<string>): Markup {
  const elsewhere = selected.filter((token) => !shown.has(token));
  return html`
    <section class="card selection" aria-label="Selected links" data-max="${MAX_SELECTED}">
      <p><strong data-selected-count role="status">${countSelected(selected.length)}</strong>
        <span class="hint" data-without-script>Select links in the table, on as many pages as you need. Update the selection before you open another page.</span></p>
      ${form({
        id: "selection",
        method: "get",
        action: `${url.pathname}/bulk`,
        fields: {
          action: { label: "Action", options: Object.entries(ACTIONS) },
          partner: { label: "Partner to attach", options: sortedPartners(partners) },
        },
        hidden: { back: url.search },
        more: html`${elsewhere.map((token) => html`<input type="hidden" name="links" value="${token}">`)}
          <button class="secondary" name="only" value="select" data-without-script>Update selection</button>`,
        button: "Review changes",
      })}
      <p><a href="${withQuery(url, { selected: null })}" data-clear>Clear selection</a> <span class="hint">Nothing changes before you confirm.</span></p>
    </section>`;
}
