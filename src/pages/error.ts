/** What a page says in the place of its content after an error. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { AppError, ERRORS, type InputError } from "../errors.ts";
import { toSentence } from "../http/input/parse.ts";
import { withContact } from "./contact.ts";
import { buttonLink, notice } from "./elements.ts";
import { asCode, type Markup } from "./markup.ts";

export interface ShownError {
  /** The title of the error by default. */
  heading?: string;
  /** A sentence for each thing that is wrong. By default, the message of the error and its list. */
  sentences?: (Markup | string)[];
  /** Where people go from here. */
  actions: Markup;
}

const DAYS = ["from", "to"];

/**
 * A page without the parameters of its address that are wrong, which it names: an old link still shows something. Undefined for what
 * is no such error, and for what is no page.
 */
export async function withoutWrong<Page extends { body: Markup }>(
  context: Context,
  error: unknown,
  show: (context: Context) => Promise<Page | Response>,
  toText: (error: InputError) => Markup | string = toSentence,
): Promise<(Page & { status: number }) | undefined> {
  if (!(error instanceof AppError) || error.code !== "invalid_request" || context.request.method === "POST")
    return undefined;
  const url = new URL(context.url);
  const wrong = error.errors.flatMap(({ param }) => (DAYS.includes(param) ? DAYS : [param]));
  for (const name of wrong) url.searchParams.delete(name);
  if (url.search === context.url.search) return undefined;
  const page = await show({ ...context, url }).catch(() => undefined);
  if (!page || page instanceof Response) return undefined;
  context.trace.outcome = error.code;
  const text = html`Check the filters and dates. ${error.errors.map((one) => html`${toText(one)} `)}The page leaves this out.`;
  const action = buttonLink(url.pathname, "Reset filters and dates");
  const { status } = ERRORS[error.code];
  return { ...page, status, body: html`${notice(text, "error", { announced: true, action })}${page.body}` };
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
      ${error.code === "not_found" ? "" : html`<p class="hint">Request <code>${requestId}</code>, <a href="/docs/errors#${error.code}">what ${error.code} means</a></p>`}
    </section>`;
}
