/** The form fields and tables of the console. */
import { html } from "hono/html";
import type { CostType } from "../../domain/cost-types.ts";
import type { Markup } from "../../http/pages.ts";
import type { Form, FormError } from "./layout.ts";

interface Field {
  name: string;
  label: string;
  value?: string;
  hint?: string;
  type?: "text" | "url" | "email";
  required?: boolean;
  /** The rows of a text area. Without it, the field is a single-line input. */
  rows?: number;
}

/** A labeled input. After a rejected form, it keeps the entered value and shows its errors. */
export function field(
  { name, label, value = "", hint, type = "text", required, rows }: Field,
  formError?: FormError,
): Markup {
  const errors =
    formError?.error.errors.filter(({ param }) => param === name || param.startsWith(`${name}.`)) ?? [];
  const text = formError?.form.get(name) ?? value;
  const notes = [hint && `${name}-hint`, errors.length > 0 && `${name}-error`].filter(Boolean).join(" ");
  const attributes = html`id="${name}" name="${name}" ${required ? html`required` : ""}
    ${notes ? html`aria-describedby="${notes}"` : ""} ${errors.length > 0 ? html`aria-invalid="true"` : ""}`;
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      ${rows ? html`<textarea ${attributes} rows="${rows}" spellcheck="false">${text}</textarea>` : html`<input ${attributes} type="${type}" value="${text}" autocomplete="off">`}
      ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ""}
      ${errors.length > 0 ? html`<p class="field-error" id="${name}-error">${errors.map(({ message }) => message).join("; ")}</p>` : ""}
    </div>`;
}

export function select(
  name: string,
  label: string,
  options: [value: string, text: string][],
  selected?: string,
): Markup {
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      <select id="${name}" name="${name}">
        ${options.map(([value, text]) => html`<option value="${value}" ${value === selected ? html`selected` : ""}>${text}</option>`)}
      </select>
    </div>`;
}

export function check(name: string, label: string, isChecked: boolean, value = "yes"): Markup {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}" ${isChecked ? html`checked` : ""}>${label}</label>`;
}

export function costTypeChecks(types: CostType[], checked: CostType[]): Markup {
  return html`<fieldset><legend>Cost types</legend>${types.map((type) => check("cost_types", type, checked.includes(type), type))}</fieldset>`;
}

/**
 * A table that scrolls by itself in a narrow window, or `empty` without rows. A column is its heading, or a cell with its
 * heading.
 */
export function table(
  label: string,
  columns: (string | Markup)[],
  rows: Markup[],
  empty: Markup | "" = "",
): Markup | "" {
  if (rows.length === 0) return empty;
  const head = columns.map((column) =>
    typeof column === "string" ? html`<th scope="col">${column}</th>` : column,
  );
  return html`
    <div class="table" tabindex="0" role="region" aria-label="${label}"><table>
      <thead><tr>${head}</tr></thead>
      <tbody>${rows}</tbody>
    </table></div>`;
}

/** The heading of a column of numbers. */
export const numberColumn = (heading: string) => html`<th scope="col" class="number">${heading}</th>`;

/** A form for a destructive action. It is collapsed at first and explains the action above its button. */
export function confirmStep(step: {
  action: string;
  summary: string;
  explanation: Markup | string;
  button: string;
  fields?: Markup;
  /** Open at first, for a form that was rejected. */
  isOpen?: boolean;
}): Markup {
  return html`
    <details class="confirm" ${step.isOpen ? html`open` : ""}>
      <summary>${step.summary}</summary>
      <form method="post" action="${step.action}">
        <p>${step.explanation}</p>
        ${step.fields ?? ""}
        <button class="danger">${step.button}</button>
      </form>
    </details>`;
}

/** The fields that were sent of those named. */
export function pick(form: Form, ...names: string[]): Record<string, string> {
  return Object.fromEntries([...form].filter(([name]) => names.includes(name)));
}

/** The items of a text area with one item per line. */
export function toLines(text: string | null): string[] {
  const lines = (text ?? "").split(/[\r\n]+/);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** null for missing or blank text. */
export const orNull = (text: string | null) => (text?.trim() ? text : null);
