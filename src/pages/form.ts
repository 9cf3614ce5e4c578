/**
 * Forms, described once as data: the same fields show a form, read what was sent, and show it again with its errors. A rejected
 * form keeps what was entered; its summary has the focus and links to each invalid field.
 */
import { html } from "hono/html";
import * as z from "zod/mini";
import { check, type Field, field, type Option, type RejectedForm, select } from "./fields.ts";
import type { Markup } from "./markup.ts";
import { hiddenInputs } from "./query.ts";

type Content = Markup | string;

interface Shared {
  /** What the field accepts, where this form reads it. Other forms run an operation, which has its own contract. */
  schema?: z.ZodMiniType;
}

/** A text, a choice of one option, or a box. The name of the field is its key. */
export type FieldSpec = Shared &
  (
    | (Omit<Field, "name" | "value"> & { options?: never; checks?: never; box?: never })
    | { label: string; options: Option[]; hint?: Content; checks?: never; box?: never }
    | { label: Content; box: true; options?: never; checks?: never }
    | { label: string; id: string; checks: Option[]; options?: never; box?: never }
  );

export type Fields = Record<string, FieldSpec>;
export type Values = Record<string, string | boolean | string[] | null | undefined>;

/** The fields with their present values: `true` for a checked box, a list for several boxes. */
export function showFields(fields: Fields, values: Values = {}, rejected?: RejectedForm): Markup[] {
  return Object.entries(fields).map(([name, spec]) => {
    const value = values[name];
    if (spec.box) return check(name, spec.label, rejected ? rejected.form.has(name) : value === true);
    if (spec.checks) return checkGroup(name, spec, Array.isArray(value) ? value : [], rejected);
    const text = typeof value === "string" ? value : undefined;
    if (spec.options)
      return select(name, spec.label, spec.options, text, { hint: spec.hint ?? "", rejected });
    return field({ name, ...spec, ...(text !== undefined && { value: text }) }, rejected);
  });
}

function checkGroup(
  name: string,
  { id, label, checks }: { id: string; label: string; checks: Option[] },
  checked: string[],
  rejected?: RejectedForm,
): Markup {
  const error = rejected?.describe(name, id, label);
  const chosen = rejected ? rejected.form.getAll(name) : checked;
  return html`
    <fieldset id="${id}" tabindex="-1" ${error ? html`aria-describedby="${id}-error"` : ""}>
      <legend>${label}</legend>
      ${checks.map(([value, text]) => check(name, text, chosen.includes(value), value))}
      ${error ? html`<p class="field-error" id="${id}-error" data-error>${error}</p>` : ""}
    </fieldset>`;
}

export interface FormSpec {
  action: string;
  /** `get` for a form that changes nothing. */
  method?: "get";
  fields?: Fields;
  values?: Values;
  /** Values that a person does not see. */
  hidden?: Record<string, string>;
  /** What else is between the fields and the button. */
  more?: Content | Content[];
  button: Content;
  kind?: "" | "secondary" | "danger" | "small secondary" | "small danger";
  /** Where "Cancel" leads. */
  cancel?: string;
  id?: string;
  className?: string;
}

/** The form, with the errors if it was rejected. Render it before the summary of the page. */
export function form(spec: FormSpec, rejected?: RejectedForm): Markup {
  const { action, method = "post", kind = "", id, className, cancel } = spec;
  const button = html`<button ${kind ? html`class="${kind}"` : ""}>${spec.button}</button>`;
  return html`
    <form method="${method}" action="${action}" ${id ? html`id="${id}"` : ""} ${className ? html`class="${className}"` : ""}>
      ${hiddenInputs(Object.entries(spec.hidden ?? {}))}
      ${showFields(spec.fields ?? {}, spec.values, rejected)}
      ${spec.more ?? ""}
      ${cancel === undefined ? button : html`<p class="actions">${button} <a class="button secondary" href="${cancel}">Cancel</a></p>`}
    </form>`;
}

/** A form for what cannot be taken back easily. It is closed at first and says what happens above its button. */
export function confirmation(
  step: Omit<FormSpec, "method" | "kind" | "cancel"> & {
    summary: Content;
    explanation: Content;
    /** Open at first, for a form that was rejected. */
    isOpen?: boolean;
  },
  rejected?: RejectedForm,
): Markup {
  const { summary, explanation, isOpen, ...spec } = step;
  return html`
    <details class="confirm" ${isOpen ? html`open` : ""}>
      <summary>${summary}</summary>
      <p>${explanation}</p>
      ${form({ ...spec, kind: "danger" }, rejected)}
    </details>`;
}

/** The contract of a form that reads its own fields, for `readForm`. */
export function schemaOf<Specs extends Record<string, { schema: z.ZodMiniType }>>(
  fields: Specs,
): z.ZodMiniObject<{ [Name in keyof Specs]: Specs[Name]["schema"] }> {
  const shape = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  return z.object(shape) as z.ZodMiniObject<{ [Name in keyof Specs]: Specs[Name]["schema"] }>;
}
