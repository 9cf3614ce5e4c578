/** The tables and forms of the console. */
import { html } from "hono/html";
import type { CostType } from "../../domain/cost-types.ts";
import { costTypeName } from "../../pages/cost-types.ts";
import { check, type RejectedForm } from "../../pages/fields.ts";
import type { Markup } from "../../pages/markup.ts";

export { check, field, select } from "../../pages/fields.ts";

/** `id` is that of the group. */
export function costTypeChecks(
  id: string,
  types: CostType[],
  checked: CostType[],
  rejected?: RejectedForm,
  legend = "Cost types",
): Markup {
  const error = rejected?.describe("cost_types", id, legend);
  const chosen: string[] = rejected ? rejected.form.getAll("cost_types") : checked;
  return html`
    <fieldset id="${id}" tabindex="-1" ${error ? html`aria-describedby="${id}-error"` : ""}>
      <legend>${legend}</legend>
      ${types.map((type) => check("cost_types", costTypeName(type), chosen.includes(type), type))}
      ${error ? html`<p class="field-error" id="${id}-error">${error}</p>` : ""}
    </fieldset>`;
}

/**
 * A table whose rows are cards on a phone, with the `data-label` of each cell, or `empty` without rows. A column is its heading, or a cell with its
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
    <div class="table stacked" tabindex="0" role="region" aria-label="${label}"><table>
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
export function pick(form: URLSearchParams, ...names: string[]): Record<string, string> {
  return Object.fromEntries([...form].filter(([name]) => names.includes(name)));
}

/** The items of a text area with one item per line. */
export function toLines(text: string | null): string[] {
  const lines = (text ?? "").split(/[\r\n]+/);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** null for missing or blank text. */
export const orNull = (text: string | null) => (text?.trim() ? text : null);
