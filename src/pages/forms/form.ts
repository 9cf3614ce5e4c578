/**
 * Forms, described as data: the same fields show a form and, if it was rejected, show it again with what was entered and its errors.
 * What a form accepts is the contract of its operation, or of `readForm`.
 */
import { html } from "hono/html";
import { hiddenInputs } from "../lists/query.ts";
import type { Markup } from "../markup.ts";
import {
  check,
  type Field,
  field,
  type Option,
  type OptionGroup,
  type RejectedForm,
  select,
} from "./fields.ts";

type Content = Markup | string;

/** A text, a choice of one option, or a box. The name of the field is its key. */
export type FieldSpec =
  | (Omit<Field, "name" | "value"> & { sends?: Sends; options?: never; checks?: never; box?: never })
  | {
      label: string;
      options: (Option | OptionGroup)[];
      hint?: Content;
      /** The first option has no value, and another one must be chosen. */
      required?: true;
      sends?: Sends;
      checks?: never;
      box?: never;
    }
  | { label: Content; box: true; options?: never; checks?: never }
  | { label: string; checks: Check[]; options?: never; box?: never };

/** What a text is sent as. Text that is not a whole number stays text, which the contract rejects. */
type Sends = "lines" | "number" | "text or null";

type Check = readonly [value: string, text: Content];

export type Fields = Record<string, FieldSpec>;
/** Texts, numbers, `true` for a checked box, and lists: the lines of a text area, or the checked boxes. */
export type Values = Readonly<Record<string, unknown>>;

/** The fields with their present values. `prefix` distinguishes their IDs from those of other forms on the page. */
export function showFields(
  fields: Fields,
  values: Values = {},
  rejected?: RejectedForm,
  prefix = "",
): Markup[] {
  return Object.entries(fields).map(([name, spec]) => {
    const value = values[name];
    const id = prefix + name;
    if (spec.box) return check(name, spec.label, rejected ? rejected.form.has(name) : value === true);
    if (spec.checks) return checkGroup(name, { ...spec, id }, Array.isArray(value) ? value : [], rejected);
    const text = toText(value);
    if (spec.options)
      return select(name, spec.label, spec.options, text, {
        id,
        hint: spec.hint ?? "",
        required: spec.required,
        rejected,
      });
    return field({ id, ...spec, name, ...(text !== undefined && { value: text }) }, rejected);
  });
}

function toText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function checkGroup(
  name: string,
  { id, label, checks }: { id: string; label: string; checks: Check[] },
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
  /** Also the prefix of the IDs of its fields. */
  id?: string;
  className?: string;
}

/** The form, with the errors if it was rejected. Render it before the summary of the page. */
export function form(spec: FormSpec, rejected?: RejectedForm): Markup {
  const { action, method = "post", kind = "", id, className, cancel } = spec;
  const button = html`<button ${kind ? html`class="${kind}"` : ""}>${spec.button}</button>`;
  return html`
    <form method="${method}" action="${action}"${method === "post" && hasFormat(spec.fields) ? html` novalidate` : ""} ${id ? html`id="${id}"` : ""} ${className ? html`class="${className}"` : ""}>
      ${hiddenInputs(Object.entries(spec.hidden ?? {}))}
      ${showFields(spec.fields ?? {}, spec.values, rejected, id && `${id}-`)}
      ${spec.more ?? ""}
      ${cancel === undefined ? button : html`<p class="actions">${button} <a class="button secondary" href="${cancel}">Cancel</a></p>`}
    </form>`;
}

/** Of the errors of such fields, a browser would show one at a time, in words of its own. The summary has all of them. */
const hasFormat = (fields: Fields = {}) =>
  Object.values(fields).some((spec) => "type" in spec && /^(url|email|date)$/.test(spec.type ?? ""));

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

/** A form in a dialog, which a button with `commandfor="{name}-dialog"` opens. A dangerous one has the focus on Cancel at first. */
export function formDialog(
  name: string,
  {
    action,
    title,
    text,
    fields,
    isDangerous,
  }: {
    action: string;
    title: string;
    text: Content;
    fields: Fields;
    isDangerous: boolean;
  },
): Markup {
  return html`
    <dialog id="${name}-dialog" aria-labelledby="${name}-title">
      <h2 id="${name}-title">${title}</h2>
      <form id="${name}-form" method="post" action="${action}">
        <p>${text}</p>
        ${showFields(fields, {}, undefined, `${name}-`)}
        <div class="actions">
          <button type="button" class="secondary" commandfor="${name}-dialog" command="close" ${isDangerous ? html`autofocus` : ""}>Cancel</button>
          <button class="${isDangerous ? "danger" : ""}">${title}</button>
        </div>
      </form>
    </dialog>`;
}

/** What a form with these fields sent, for the contract of an operation: a box is true or false, several boxes are a list. */
export function sentBody(fields: Fields, form: URLSearchParams): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, spec]): [string, unknown][] => {
      if (spec.box) return [[name, form.has(name)]];
      if (spec.checks) return [[name, form.getAll(name)]];
      const text = form.get(name);
      return text === null ? [] : [[name, toSent(text, spec.sends)]];
    }),
  );
}

function toSent(text: string, as: Sends | undefined): string | number | string[] | null {
  if (as === "lines")
    return text
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const trimmed = text.trim();
  if (as === "text or null") return trimmed === "" ? null : text;
  return as === "number" && /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
}
