/** The pages that create links: one path, pasted paths, and the result of those. */
import { html } from "hono/html";
import type { FoundPath } from "../../db/links/paths.ts";
import {
  breadcrumb,
  buttonLink,
  card,
  choices,
  facts,
  nameText,
  notice,
  pageHead,
} from "../../pages/elements.ts";
import { errorSummary, field, type RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import type { Markup } from "../../pages/markup.ts";
import { countItems, countOf, countText, outcomeTable } from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { namesOf } from "../../usecases/links/link.ts";
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

/** `checked`: what the form would create, with what was entered. */
export interface Checked {
  entered: RejectedForm;
  preview: Markup;
}

export function newPage(place: Place, rejected?: RejectedForm, checked?: Checked): AppPage {
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
      rejected ?? checked?.entered,
    ),
  );
  const check = html`<p class="actions"><button class="secondary" form="create" name="check" value="yes">Check</button>
    <span class="hint">Shows what exists and the URLs, and creates nothing.</span></p>`;
  return formPage(place, rejected, html`${names}`, "Create link", check, checked);
}

/** The form with these fields beside those of the partner and cost data. */
function formPage(
  place: Place,
  rejected: RejectedForm | undefined,
  fields: Markup,
  button: string,
  hint: Markup | "" = "",
  checked?: Checked,
): AppPage {
  const settings = settingFields(
    place.parent,
    place.partners,
    place.member.env,
    rejected ?? checked?.entered,
  );
  return {
    title: titleOf(place, rejected),
    body: html`
      ${head(place, rejected)}
      <section class="card">
        ${form({
          id: "create",
          action: hrefOf(place),
          more: html`${fixedLevels(place)}<div class="columns"><div>${fields}</div><div>${settings}</div></div>`,
          button,
          cancel: cancelHref(place),
        })}
        ${hint}
      </section>
      ${checked?.preview ?? ""}`,
  };
}

function hintOf(first: number, index: number): string {
  const example = `For example ${EXAMPLES[first + index]}.`;
  if (index > 0) return `${example} Optional.`;
  return first === 0 ? `${example} An existing network is reused.` : example;
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
      hint: `One path per line, up to ${MAX_LINES}: ${levels}. For example ${example}. Existing links are reused.`,
    },
    rejected,
  );
  const hint = html`<p class="hint">For a file with a partner for each link, <a href="${place.member.path}/links/import">import a CSV file</a>.</p>`;
  return formPage(place, rejected, paths, "Create links", hint);
}

/** The result of pasted paths, with a form for the lines that were rejected. */
export function createdPage(place: Place, outcomes: Outcome[], sent: URLSearchParams): AppPage {
  const created = countItems(outcomes, "imported");
  const [exist, rejected] = [countOf(outcomes, "duplicate"), countOf(outcomes, "rejected")];
  const failed = outcomes.filter(({ state }) => state === "rejected").map(({ name }) => name);
  const { member } = place;
  const text = [
    created ? `${countText(LINK_TEXTS, created)} created.` : "",
    exist ? `${countText(LINK_TEXTS, exist)} existed already.` : "",
    rejected ? `${rejected} ${rejected === 1 ? "line" : "lines"} rejected.` : "",
  ];
  const settings = ["partner_id", "partner", "cost_data"].map((name) => [name, sent.get(name) ?? ""]);
  const heading = created ? "Links created" : "No links created";
  return {
    title: heading,
    body: html`
      ${trail(place)}
      ${pageHead(heading)}
      ${notice(text.filter(Boolean).join(" "), rejected ? "warn" : "ok", { announced: true })}
      ${outcomeTable({ ...LINK_TEXTS, row: "Line" }, outcomes, showPath(member))}
      ${
        failed.length === 0
          ? ""
          : card(
              { id: "again", title: "Fix the rejected lines" },
              form({
                action: hrefOf(place),
                hidden: Object.fromEntries(settings),
                fields: {
                  paths: { label: "Rejected lines", rows: Math.min(failed.length + 1, 10), required: true },
                },
                values: { paths: failed.join("\n") },
                button: "Create links",
              }),
            )
      }
      <p class="actions">${buttonLink(cancelHref(place), "Show links")} <a href="${hrefOf(place)}">Paste more</a></p>`,
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
  const isInvalid = rejected?.error.code === "invalid_request";
  const lead = html`<strong>No link was created.</strong> Fix the errors below and try again.`;
  return html`
    ${trail(place)}
    ${rejected ? errorSummary(rejected, isInvalid ? lead : undefined) : ""}
    ${pageHead(headingOf(place))}
    ${choices(
      "How many links",
      [
        ["One link", hrefOf(place, false), !place.isPaste],
        ["Paste many", hrefOf(place, true), place.isPaste],
      ],
      "page",
    )}`;
}

function trail(place: Place): Markup {
  const { parent, member } = place;
  const above: [string, string][] = parent ? [[parent.label, cancelHref(place)]] : [];
  return breadcrumb([["Links", `${member.path}/links`], ...above], headingOf(place));
}

/** The levels above the new link, which the form does not change. */
function fixedLevels({ parent }: Place): Markup | "" {
  if (!parent) return "";
  const names = namesOf(parent);
  return facts(...names.map((name, index): [string, Markup] => [LEVEL_NAMES[index] ?? "", nameText(name)]));
}
