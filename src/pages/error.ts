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

/** The parameters of pages as people know them. */
const LABELS: Record<string, string> = {
  q: "The search",
  partner: "The partner",
  cost: "The cost data filter",
  archived: "The filter for archived items",
  level: "The level",
  sort: "The order",
  period: "The period",
  from: "The From date",
  to: "The To date",
  day: "The day",
  open: "The list of open links",
  selected: "The selection",
  links: "The selection",
  network: "The network",
  action: "The action",
  page: "The page number",
  after: "The position in the list",
  cursor: "The position in the list",
  before: "The position in the list",
  by: "The grouping",
  group_by: "The grouping",
  app: "The app",
  app_token: "The app",
  link: "The link",
  link_token: "The link",
  partner_id: "The partner",
  metric: "The metric of the chart",
  columns: "The list of columns",
  compare: "The comparison",
  match: "The state",
  state: "The state",
  mode: "The mode",
  role: "The role",
  sign_in: "The sign-in method",
  cost_id: "The cost ID",
  cost_type: "The cost type",
  amount_over: "The amount",
  country: "The country",
  platform: "The platform",
  currency: "The currency",
  what: "The parameter",
  notice: "The notice",
};

/** A sentence about a wrong parameter of a page. */
export const describeWrong = ({ param, message }: InputError): Markup =>
  html`${asCode(toSentence({ param: LABELS[param] ?? `\`${param}\``, message }))}`;

/**
 * A page without the parameters of its address that are wrong, which it names: an old link still shows something. Undefined for what
 * is no such error, and for what is no page.
 */
export async function withoutWrong<Page extends { body: Markup }>(
  context: Context,
  error: unknown,
  show: (context: Context) => Promise<Page | Response>,
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
  const text = html`Check the filters and dates. ${error.errors.map((one) => html`${describeWrong(one)} `)}The page leaves this out.`;
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
