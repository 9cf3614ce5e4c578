/** The page that creates the links of one path. */
import { html } from "hono/html";
import { card, facts, nameText, pageHead } from "../../pages/elements.ts";
import { errorSummary, field, type Option, type RejectedForm, select } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import type { Markup } from "../../pages/markup.ts";
import { namesOf } from "../../usecases/links/link.ts";
import { LEVEL_FIELDS } from "../../usecases/links/path-rows.ts";
import type { AppPage } from "../frame.ts";
import { LEVEL_NAMES } from "../links/query.ts";
import { createScript } from "../script.ts";
import { settingFields } from "./fields.ts";
import { cancelHref, howMany, hrefOf, type Place, trail } from "./place.ts";

const EXAMPLES = ["Acme Ads", "Spring sale", "Runners", "Video 15s"];

/** `checked`: what the form would create, with what was entered. */
export interface Checked {
  entered: RejectedForm;
  preview: Markup;
}

export function newPage(place: Place, rejected?: RejectedForm, checked?: Checked): AppPage {
  const first = place.parent?.level ?? 0;
  const entered = rejected ?? checked?.entered;
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
      entered,
    ),
  );
  const settings = settingFields(place.parent, place.partners, place.member.env, entered);
  const levels = LEVEL_NAMES.slice(first).map((name, index): Option => [String(index + 1), name]);
  const attach =
    levels.length > 1
      ? select("attach", "Attach the partner to", levels, "1", {
          hint: "Also the cost data setting. The links below it inherit both. If the path is shorter, its last link gets them.",
          rejected: entered,
        })
      : "";
  const heading = place.parent ? "Create sub-link" : "Create link";
  const isInvalid = rejected?.error.code === "invalid_request";
  const lead = html`<strong>No link was created.</strong> Fix the errors below and try again.`;
  return {
    title: `${rejected ? "Error: " : ""}${heading}`,
    scripts: [createScript.href],
    body: html`
      ${trail(place, heading)}
      ${rejected ? errorSummary(rejected, isInvalid ? lead : undefined) : ""}
      ${pageHead(heading)}
      ${howMany(place, "new")}
      <div class="columns wide">
      <section class="card">
        ${form({
          id: "create",
          action: hrefOf(place),
          more: html`${fixedLevels(place)}${names}${settings}${attach}`,
          button: "Create link",
          cancel: cancelHref(place),
        })}
      </section>
      ${card(
        { id: "path-preview", title: "Preview" },
        checked?.preview ?? html`<p class="muted">Type a network to see what will be created.</p>`,
        html`<p class="actions" data-without-script><button class="secondary" form="create" name="check" value="yes">Check</button></p>`,
      )}
      </div>`,
  };
}

function hintOf(first: number, index: number): string {
  const example = `For example ${EXAMPLES[first + index]}.`;
  if (index > 0) return `${example} Optional.`;
  return first === 0 ? `${example} An existing network is reused.` : example;
}

/** The levels above the new links, which a form does not change. */
export function fixedLevels({ parent }: Place): Markup | "" {
  if (!parent) return "";
  const names = namesOf(parent);
  return facts(...names.map((name, index): [string, Markup] => [LEVEL_NAMES[index] ?? "", nameText(name)]));
}
