/**
 * The fields of a form on a page, and the summary of what is wrong with it. A rejected form keeps what was entered, marks each
 * invalid field, and has a focused summary at the top of the page with a link to each of these fields.
 */
import { html } from "hono/html";
import { type AppError, ERRORS, type InputError } from "../../errors.ts";
import { invalidRequest, toSentence } from "../../http/input/parse.ts";
import { servedScript } from "../../http/served-file.ts";
import { asCode, type Markup } from "../markup.ts";
import { script as password } from "./password.client.js";

/** Shows what was entered. Only pages with a password load it. */
export const passwordScript = servedScript("/password.js", password);

interface RenderedField {
  id: string;
  subject: string;
}

/**
 * A rejected form. Its fields register themselves while they are rendered, so the summary must be rendered after them: it is
 * usually the layout that adds it. A field that comes too late throws, because the summary would not link to it.
 */
export class RejectedForm {
  readonly #fields = new Map<string, RenderedField>();
  #isSummarized = false;
  readonly error: AppError;
  /** The fields as they were sent. */
  readonly form: URLSearchParams;

  constructor(error: AppError, form = new URLSearchParams()) {
    this.error = error;
    this.form = form;
  }

  /** What is wrong with a field, as a sentence; undefined if nothing is. The summary links to the element with this ID. */
  describe(name: string, id: string, subject: string): string | undefined {
    const field = this.#fields.get(name) ?? { id, subject };
    this.#fields.set(name, field);
    const errors = this.error.errors.filter(({ param }) => toFieldName(param) === name);
    if (this.#isSummarized && errors.length > 0)
      throw new Error(`The field ${name} was rendered after the summary.`);
    const sentences = new Set(errors.map((error) => this.#toSentence(error, subject)));
    return errors.length > 0 ? [...sentences].join(" ") : undefined;
  }

  /** One item for each distinct sentence. `id` is undefined if the page does not have the field. */
  items(): { text: string; id: string | undefined }[] {
    this.#isSummarized = true;
    const items = this.error.errors.map((error) => {
      const field = this.#fields.get(toFieldName(error.param));
      return { text: this.#toSentence(error, field?.subject ?? toWords(error.param)), id: field?.id };
    });
    return [...new Map(items.map((item) => [item.text, item])).values()];
  }

  /** A message continues a sentence about the field, unless it starts with a capital letter. */
  #toSentence({ message }: InputError, subject: string): string {
    if (!/^\p{Lu}/u.test(message)) return toSentence({ param: subject, message });
    return /[.?!]$/.test(message) ? message : `${message}.`;
  }
}

/** The form with these errors. */
export function rejectedWith(errors: InputError[], form?: URLSearchParams): RejectedForm {
  return new RejectedForm(invalidRequest(errors), form);
}

/** The field of an item of a list: `redirect_hosts` for `redirect_hosts.0`. */
const toFieldName = (param: string) => param.split(".", 1)[0] ?? param;

/** `Cost types` for `cost_types`, for a field that the page does not have. */
function toWords(param: string): string {
  const words = toFieldName(param).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `lead`: a sentence about what was not done. Without it, the title and the text of the error. */
export function errorSummary(rejected: RejectedForm, lead?: Markup | string): Markup {
  const { error } = rejected;
  const items = rejected.items();
  const invalid = html`<strong>Not saved.</strong> Fix the errors below and try again.`;
  const text =
    error.code === "invalid_request"
      ? invalid
      : html`<strong>${ERRORS[error.code].title}.</strong> ${asCode(error.message)}`;
  return html`
    <div class="notice error" role="alert" tabindex="-1" autofocus>
      <p>${lead ?? text}</p>
      ${items.length > 0 ? html`<ul>${items.map((item) => html`<li>${item.id ? html`<a href="#${item.id}">${item.text}</a>` : item.text}</li>`)}</ul>` : ""}
    </div>`;
}

export interface Field {
  name: string;
  /** The name by default. */
  id?: string;
  label: string;
  /** What a sentence about an error starts with. The label by default. */
  subject?: string;
  value?: string;
  hint?: Markup | string;
  type?: "text" | "url" | "email" | "password" | "search" | "file" | "date";
  /** The types of files. */
  accept?: string;
  /** Values that the field offers. Others can be entered too. */
  suggestions?: Option[];
  autocomplete?: string;
  required?: boolean;
  maxlength?: number;
  /** Unless the form was rejected: then the summary has the focus. */
  autofocus?: boolean;
  /** The rows of a text area. Without it, the field is a single-line input. */
  rows?: number;
  /** Has an empty element for an error that a script shows. */
  live?: boolean;
}

/** A labeled input. After a rejected form, it keeps the entered value and shows its errors. Passwords are never shown. */
export function field(
  { name, id = name, label, subject = label, value = "", hint, type = "text", ...more }: Field,
  rejected?: RejectedForm,
): Markup {
  const described = rejected?.describe(name, id, subject);
  // The browser has emptied the field, so only the summary says what was wrong with the file.
  const error = type === "file" ? undefined : described;
  const text = type === "password" || type === "file" ? "" : (rejected?.form.get(name) ?? value);
  const attributes = html`id="${id}" name="${name}" ${more.required ? html`required` : ""}
    ${more.maxlength ? html`maxlength="${more.maxlength}"` : ""} ${more.suggestions ? html`list="${id}-list"` : ""} ${more.autofocus && !rejected ? html`autofocus` : ""}
    ${marks(id, hint, more.live ? "" : error)}`;
  return html`
    <div class="field">
      <label for="${id}">${label}</label>
      ${more.rows ? html`<textarea ${attributes} rows="${more.rows}" spellcheck="false">${text}</textarea>` : html`<input ${attributes} type="${type}" ${type === "file" ? html`accept="${more.accept ?? ""}"` : html`value="${text}" autocomplete="${more.autocomplete ?? "off"}"`}>`}
      ${more.suggestions ? html`<datalist id="${id}-list">${more.suggestions.map(([option, name]) => html`<option value="${option}">${name}</option>`)}</datalist>` : ""}
      ${type === "password" ? html`<script src="${passwordScript.href}" type="module"></script>` : ""}
      ${notes(id, hint, error)}
      ${more.live ? html`<p class="field-error" id="${id}-error" role="alert"></p>` : ""}
    </div>`;
}

/** For the password of the person who is signed in. */
export const ownPasswordField = (rejected: RejectedForm | undefined, id = "password"): Markup =>
  field(
    {
      name: "password",
      id,
      label: "Your password",
      subject: "The password",
      type: "password",
      autocomplete: "current-password",
      required: true,
    },
    rejected,
  );

/** `isOff`: it is shown, and cannot be chosen. */
export type Option = [value: string, text: string, isOff?: true];

/** An app or a link to choose. */
export const tokenOption = ({ token, name }: { token: string; name: string }): Option => [
  token,
  `${name} (${token})`,
];

/** Options with a common heading. */
export interface OptionGroup {
  group: string;
  options: Option[];
}

export function select(
  name: string,
  label: string,
  options: (Option | OptionGroup)[],
  selected?: string,
  {
    id = name,
    hint,
    required,
    rejected,
  }: {
    id?: string;
    hint?: Markup | string;
    required?: boolean | undefined;
    rejected?: RejectedForm | undefined;
  } = {},
): Markup {
  const error = rejected?.describe(name, id, label);
  const current = rejected?.form.get(name) ?? selected;
  const option = ([value, text, isOff]: Option) =>
    html`<option value="${value}" ${value === current ? html`selected` : ""}${isOff ? html` disabled` : ""}>${text}</option>`;
  return html`
    <div class="field">
      <label for="${id}">${label}</label>
      <select id="${id}" name="${name}" ${required ? html`required` : ""} ${marks(id, hint, error)}>
        ${options.map((one) => ("group" in one ? html`<optgroup label="${one.group}">${one.options.map(option)}</optgroup>` : option(one)))}
      </select>
      ${notes(id, hint, error)}
    </div>`;
}

export function check(name: string, label: Markup | string, isChecked: boolean, value = "yes"): Markup {
  return html`<label class="check"><input type="checkbox" name="${name}" value="${value}" ${isChecked ? html`checked` : ""}>${label}</label>`;
}

/** `error`: an empty text for one that a script shows. */
function marks(id: string, hint: Markup | string | undefined, error: string | undefined): Markup {
  const described = [hint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return html`${described ? html`aria-describedby="${described}"` : ""} ${error ? html`aria-invalid="true"` : ""}`;
}

function notes(id: string, hint: Markup | string | undefined, error: string | undefined): Markup {
  return html`
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : ""}
    ${error ? html`<p class="field-error" id="${id}-error" data-error>${error}</p>` : ""}`;
}
