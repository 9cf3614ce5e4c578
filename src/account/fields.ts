/** The parts of a form. */
import { html } from "hono/html";
import type { InputError } from "../errors.ts";
import type { Markup } from "../http/pages.ts";

/** The faults of what the form shows no field for. */
export function otherErrors(errors: InputError[], known: string[]): Markup {
  const others = errors.filter((fault) => !known.includes(fault.param));
  return html`${others.map((fault) => html`<p class="field-error" role="alert"><code>${fault.param}</code> ${fault.message}.</p>`)}`;
}

interface Field {
  name: string;
  id?: string;
  label: string;
  type: "email" | "password";
  autocomplete: string;
  value?: string;
  autofocus?: boolean;
  hint?: string;
  /** A sentence; empty keeps a place where the script tells one. */
  error?: string | undefined;
}

/** A labelled input with its hint and its error, if any, below it. */
export function field({ name, id = name, label, type, autocomplete, ...more }: Field): Markup {
  const { value, hint, error } = more;
  const notes = [hint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return html`
    <div class="field">
      <label for="${id}">${label}</label>
      <input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" required
        ${value ? html`value="${value}"` : ""} ${more.autofocus || error ? html`autofocus` : ""}
        ${notes ? html`aria-describedby="${notes}"` : ""} ${error ? html`aria-invalid="true"` : ""}>
      ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : ""}
      ${error === undefined ? "" : html`<p class="field-error" id="${id}-error" role="alert" ${error ? html`data-error` : ""}>${error}</p>`}
    </div>`;
}
