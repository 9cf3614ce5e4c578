/** The parts of a form. */
import { html } from "hono/html";
import type { Fault } from "../errors.ts";
import type { Markup } from "../http/page.ts";

/** The faults of what the form shows no field for. */
export function otherFaults(faults: Fault[], known: string[]): Markup {
  const others = faults.filter((fault) => !known.includes(fault.param));
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
  /** A sentence; empty keeps a place where the script tells one. */
  error?: string | undefined;
}

/** A labelled input with its error, if any, told below it. */
export function field({
  name,
  id = name,
  label,
  type,
  autocomplete,
  value,
  autofocus,
  error,
}: Field): Markup {
  return html`
    <div class="field">
      <label for="${id}">${label}</label>
      <input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" required
        ${value ? html`value="${value}"` : ""} ${autofocus || error ? html`autofocus` : ""}
        ${error === undefined ? "" : html`aria-describedby="${id}-error"`} ${error ? html`aria-invalid="true"` : ""}>
      ${error === undefined ? "" : html`<p class="field-error" id="${id}-error" role="alert" ${error ? html`data-error` : ""}>${error}</p>`}
    </div>`;
}
