/** The links that are selected on the Links page. The query of the page carries them, so they survive paging and filtering. */
import { html } from "hono/html";
import { MAX_SEARCHED } from "../../db/links/all-links.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Option } from "../../pages/forms/fields.ts";
import { type FormSpec, form } from "../../pages/forms/form.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { showCount, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { ALL_MATCHES, isSearch, LEVEL_NAMES, MAX_CHANGED, MAX_SELECTED } from "../links/query.ts";
import type { LinksView } from "../links/view.ts";
import { byName, partnerOptions } from "../partner-options.ts";
import { ACTIONS } from "./actions.ts";

export function sortedPartners(partners: Partners): Option[] {
  return byName(partners).map(({ id, displayName }) => [String(id), displayName]);
}

/** Selects a link for the form below, which may be elsewhere on the page. One of all that are selected cannot be left out. */
export function checkbox(token: string, label: string, selected: LinksView["query"]["selected"]): Markup {
  const name = `Select ${label}`;
  if (selected === ALL_MATCHES) return html`<input type="checkbox" aria-label="${name}" checked disabled>`;
  return html`<input type="checkbox" form="selection" name="links" value="${token}" aria-label="${name}" ${selected.includes(token) ? html`checked` : ""}>`;
}

/** Why all of so many matches cannot be changed; undefined if they can. */
export function explainTooMany(count: number, isIncomplete: boolean): string | undefined {
  const instead = "or import a CSV file.";
  if (isIncomplete)
    return `${showPlural(count, "link")} of the first ${showCount(MAX_SEARCHED)} match. The others weren't searched, so select links one by one, ${instead}`;
  if (count > MAX_CHANGED)
    return `${showCount(count)} links match. You can change up to ${showCount(MAX_CHANGED)} at a time. Add words or filters, ${instead}`;
  return undefined;
}

/** Selects all links that a search or a filter finds, or says why that is not possible. */
export function matchOffer(url: URL, { query, found }: LinksView): Markup | "" {
  if (!isSearch(query) || query.selected === ALL_MATCHES) return "";
  const tooMany = found && explainTooMany(found.count, found.isIncomplete);
  if (tooMany !== undefined)
    return html`<span class="hint">${tooMany}</span> ${found?.levels.map((count, at) => levelLink(url, count, at))}`;
  const most = found
    ? ""
    : html` <span class="hint">You can change up to ${showCount(MAX_CHANGED)} at a time.</span>`;
  const text = found ? `Select all ${showCount(found.count)} that match` : "Select all that match";
  return html`<a href="${withQuery(url, { selected: ALL_MATCHES, after: null })}" data-own-selection>${text}</a>${most}`;
}

/** To the matches of one level, if they can be changed. */
const levelLink = (url: URL, count: number, at: number) =>
  count === 0 || count > MAX_CHANGED || url.searchParams.get("level")
    ? ""
    : html`<a href="${withQuery(url, { level: String(at + 1), after: null })}">${showPlural(count, LEVEL_NAMES[at]?.toLowerCase() ?? "")}</a> `;

/**
 * The form for the selected links. `shown` are the tokens that have a checkbox on the page. With a script it is at the bottom of the
 * window, and only there while links are selected.
 */
export function selectionForm(url: URL, view: LinksView, shown: Set<string>): Markup {
  const { partners, query, found } = view;
  const { selected } = query;
  const clear = html`<p><a href="${withQuery(url, { selected: null })}" data-own-selection>Clear selection</a></p>`;
  if (selected === ALL_MATCHES) {
    const tooMany = found && explainTooMany(found.count, found.isIncomplete);
    const count = `All ${showCount(found?.count ?? 0)} links that match are selected`;
    return bar(
      tooMany ?? count,
      "",
      tooMany === undefined
        ? changeForm(url, partners, html`<input type="hidden" name="links" value="${ALL_MATCHES}">`)
        : "",
      clear,
    );
  }
  const elsewhere = selected.filter((token) => !shown.has(token));
  const count = selected.length === 0 ? "No links selected" : `${selected.length} selected`;
  const hint = html`<span class="hint" data-without-script>Select links in the table, on as many pages as you need. Update the selection before you open another page.</span>`;
  const more = html`${elsewhere.map((token) => html`<input type="hidden" name="links" value="${token}">`)}
    <button class="secondary" name="only" value="select" formnovalidate data-without-script>Update selection</button>`;
  // What can't be selected is said above the table.
  const offer = found && explainTooMany(found.count, found.isIncomplete) ? "" : matchOffer(url, view);
  return bar(count, html`${offer} ${hint}`, changeForm(url, partners, more), clear);
}

const bar = (count: string, hint: Markup | "", body: Markup | "", clear: Markup) => html`
  <section class="card selection" aria-label="Selected links" data-max="${MAX_SELECTED}">
    <p><strong data-selected-count role="status">${count}</strong> ${hint}</p>
    ${body}
    ${clear}
  </section>`;

const changeForm = ({ pathname, search }: URL, partners: Partners, more: Markup) =>
  form({
    ...chooseChange(`${pathname}/bulk`, partners),
    id: "selection",
    // Also without a value, because the script changes it.
    more: html`<input type="hidden" name="back" value="${search}">${more}`,
  });

/** The form that chooses what to change of the links that it is about. */
export const chooseChange = (action: string, partners: Partners): FormSpec => ({
  method: "get",
  action,
  fields: {
    action: {
      label: "Action",
      options: [
        ["", "Choose an action"],
        ...Object.entries(ACTIONS).map(([action, { name }]): Option => [action, name]),
      ],
      required: true,
    },
    partner: { label: "Partner to attach", options: partnerOptions(partners) },
    target: { label: "Target to set" },
  },
  button: "Review changes",
});
