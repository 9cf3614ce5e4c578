/** What a page says in the place of its content after an error. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { type AppError, ERRORS } from "../errors.ts";
import { toSentence } from "../http/input/parse.ts";
import { withContact } from "./contact.ts";
import { asCode, type Markup } from "./markup.ts";

export interface ShownError {
  /** The title of the error by default. */
  heading?: string;
  /** A sentence for each thing that is wrong. By default, the message of the error and its list. */
  sentences?: (Markup | string)[];
  /** Where people go from here. */
  actions: Markup;
}

/** The request ID is for the operator. Somebody who opens a wrong address does not need it. */
export function errorBody(
  { requestId, env }: Context,
  error: AppError,
  { heading = ERRORS[error.code].title, sentences, actions }: ShownError,
): Markup {
  const list = sentences ?? (error.errors.length > 1 ? error.errors.map(toSentence) : []);
  return html`
    <section class="card">
      <h1>${heading}</h1>
      ${sentences ? "" : html`<p data-error>${withContact(env, error.message, asCode)}</p>`}
      ${list.length > 0 ? html`<ul>${list.map((sentence) => html`<li>${sentence}</li>`)}</ul>` : ""}
      <p class="actions">${actions}</p>
      ${error.code === "not_found" ? "" : html`<p class="hint">Request <code>${requestId}</code> · <a href="/docs/errors#${error.code}">what ${error.code} means</a></p>`}
    </section>`;
}
