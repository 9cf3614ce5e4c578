/** Form fields with their hints and error messages. */
import { html } from "hono/html";
import type { InputError } from "../errors.ts";
import type { Markup } from "../http/pages.ts";

/** The errors of parameters for which the form has no field. */
export function otherErrors(errors: InputError[], known: string[]): Markup {
  const others = errors.filter((error) => !known.includes(error.param));
  return html`${others.map((error) => html`<p class="field-error" role="alert"><code>${error.param}</code> ${error.message}.</p>`)}`;
}

interface Field {
  name: string;
  id?: string;
  label: string;
  type: "email" | "password" | "text";
  autocomplete: string;
  value?: string;
  autofocus?: boolean;
  hint?: string;
  /** A sentence. An empty string renders an empty element that the script fills. */
  error?: string | undefined;
}

/** A labeled input with its hint and its error below it. */
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
