/** The pages that create links: one path, pasted paths, and the result of those. */
import { html } from "hono/html";
import type { FoundPath } from "../../db/links/paths.ts";
import { errorSummary, field, type RejectedForm } from "../../pages/fields.ts";
import type { Markup } from "../../pages/markup.ts";
import { countItems, countOf, countText, outcomeTable } from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { LEVEL_FIELDS } from "../../usecases/links/path-rows.ts";
import type { findBase } from "../../usecases/links/paths.ts";
import type { AppPage, Member } from "../frame.ts";
import { LEVEL_NAMES } from "../links/query.ts";
import { LINK_TEXTS, showPath } from "../transfer/texts.ts";
import { settingFields } from "./fields.ts";
import { MAX_LINES } from "./paste.ts";

export interface Place {
  member: Member;
  /** The link above the new ones. Undefined for level 1. */
  parent: FoundPath["base"];
  partners: Awaited<ReturnType<typeof findBase>>["partners"];
  isPaste: boolean;
}

const EXAMPLES = ["Acme Ads", "Spring sale", "Runners", "Video 15s"];

export function newPage(place: Place, rejected?: RejectedForm): AppPage {
  const { parent } = place;
  const first = parent?.level ?? 0;
  const names = LEVEL_FIELDS.slice(first).map((name, index) =>
    field(
      {
        name,
        label: LEVEL_NAMES[first + index] ?? name,
        required: index === 0,
        autofocus: index === 0,
        maxlength: 512,
        hint: hintOf(first, index),
      },
      rejected,
    ),
  );
  return formPage(place, rejected, html`${names}`, "Create link");
}

/** The form with these fields beside those of the partner and cost data. */
function formPage(
  place: Place,
  rejected: RejectedForm | undefined,
  fields: Markup,
  button: string,
  hint: Markup | "" = "",
): AppPage {
  const settings = settingFields(place.parent, place.partners, rejected);
  return {
    title: titleOf(place, rejected),
    body: html`
      ${head(place, rejected)}
      <section class="card">
        <form method="post" action="${hrefOf(place)}">
          ${fixedLevels(place)}
          <div class="columns"><div>${fields}</div><div>${settings}</div></div>
          <p class="actions"><button>${button}</button> <a class="button secondary" href="${cancelHref(place)}">Cancel</a></p>
        </form>
        ${hint}
      </section>`,
  };
}

function hintOf(first: number, index: number): string {
  const example = `For example ${EXAMPLES[first + index]}.`;
  if (index > 0) return `${example} Optional.`;
  return first === 0 ? `${example} A network that exists is used.` : example;
}

export function pastePage(place: Place, rejected?: RejectedForm): AppPage {
  const { parent } = place;
  const levels = LEVEL_NAMES.slice(parent?.level ?? 0).join(" > ");
  const example = EXAMPLES.slice(parent?.level ?? 0, (parent?.level ?? 0) + 2).join(" > ");
  const paths = field(
    {
      name: "paths",
      label: "Paths",
      rows: 10,
      required: true,
      hint: `One path per line, up to ${MAX_LINES}: ${levels}. For example ${example}. Links that exist are used.`,
    },
    rejected,
  );
  const hint = html`<p class="hint">For a file with a partner for each link, <a href="${place.member.path}/links/import">import a CSV file</a>.</p>`;
  return formPage(place, rejected, paths, "Create links", hint);
}

/** The result of pasted paths, with a form for the lines that were rejected. */
export function createdPage(place: Place, outcomes: Outcome[], form: URLSearchParams): AppPage {
  const created = countItems(outcomes, "imported");
  const [exist, rejected] = [countOf(outcomes, "duplicate"), countOf(outcomes, "rejected")];
  const failed = outcomes.filter(({ state }) => state === "rejected").map(({ name }) => name);
  const { member } = place;
  const text = [
    created ? `${countText(LINK_TEXTS, created)} created.` : "",
    exist ? `${countText(LINK_TEXTS, exist)} existed already.` : "",
    rejected ? `${rejected} ${rejected === 1 ? "line" : "lines"} rejected.` : "",
  ];
  const hidden = ["partner_id", "partner", "cost_data"].map((name) =>
    form.has(name) ? html`<input type="hidden" name="${name}" value="${form.get(name) ?? ""}">` : "",
  );
  const heading = created ? "Links created" : "No links created";
  return {
    title: heading,
    body: html`
      ${breadcrumb(place)}
      <h1>${heading}</h1>
      <p class="notice ${rejected ? "warn" : "ok"}" role="status">${text.filter(Boolean).join(" ")}</p>
      ${outcomeTable({ ...LINK_TEXTS, row: "Line" }, outcomes, showPath(member))}
      ${
        failed.length === 0
          ? ""
          : html`
            <section class="card" aria-labelledby="again">
              <h2 id="again">Fix the rejected lines</h2>
              <form method="post" action="${hrefOf(place)}">
                ${hidden}
                ${field({ name: "paths", label: "Rejected lines", rows: Math.min(failed.length + 1, 10), required: true, value: failed.join("\n") })}
                <button>Create links</button>
              </form>
            </section>`
      }
      <p class="actions"><a class="button secondary" href="${cancelHref(place)}">Show links</a> <a href="${hrefOf(place)}">Paste more</a></p>`,
  };
}

const titleOf = (place: Place, rejected?: RejectedForm) => `${rejected ? "Error: " : ""}${headingOf(place)}`;
const headingOf = ({ parent, isPaste }: Place) =>
  isPaste ? "Create many links" : parent ? "Create sub-link" : "Create link";

function hrefOf({ member, parent, isPaste }: Place, paste = isPaste): string {
  const query = new URLSearchParams({
    ...(parent && { parent: parent.token }),
    ...(paste && { view: "paste" }),
  });
  return `${member.path}/links/new${query.size > 0 ? `?${query}` : ""}`;
}

const cancelHref = ({ member, parent }: Place) => `${member.path}/links${parent ? `/${parent.token}` : ""}`;

/** The fields must be rendered before, because the summary links to them. */
function head(place: Place, rejected?: RejectedForm): Markup {
  const view = (paste: boolean, text: string) =>
    html`<li><a href="${hrefOf(place, paste)}" ${paste === place.isPaste ? html`aria-current="page"` : ""}>${text}</a></li>`;
  return html`
    ${breadcrumb(place)}
    ${rejected ? errorSummary(rejected, rejected.error.code === "invalid_request" ? html`<strong>No link was created.</strong> Fix the errors below and try again.` : undefined) : ""}
    <h1>${headingOf(place)}</h1>
    <nav class="choice" aria-label="How many links"><ul class="choices">${view(false, "One link")}${view(true, "Paste many")}</ul></nav>`;
}

function breadcrumb(place: Place): Markup {
  const { parent, member } = place;
  return html`
    <nav class="breadcrumb" aria-label="Breadcrumb"><ol>
      <li><a href="${member.path}/links">Links</a></li>
      ${parent ? html`<li><a href="${cancelHref(place)}">${parent.label}</a></li>` : ""}
      <li aria-current="page">${headingOf(place)}</li>
    </ol></nav>`;
}

/** The levels above the new link, which the form does not change. */
function fixedLevels({ parent }: Place): Markup | "" {
  if (!parent) return "";
  const names = [...(parent.inheritedName?.split("::") ?? []), parent.label];
  return html`<dl class="details">${names.map((name, index) => html`<dt>${LEVEL_NAMES[index]}</dt><dd>${name}</dd>`)}</dl>`;
}
