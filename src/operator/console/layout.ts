/** What every page of the console shares: who may see it, its frame, and how a form is answered. */
import { html } from "hono/html";
import type * as z from "zod/mini";
import type { Operator } from "../../auth/guards.ts";
import { withSession } from "../../auth/sessions.ts";
import type { Range } from "../../db/keyset.ts";
import type { Context } from "../../env.ts";
import { AppError, ERRORS, type InputError } from "../../errors.ts";
import {
  decodeUtf8,
  MAX_BODY_BYTES,
  mediaType,
  parsePart,
  readBody,
  readPairs,
  throwIfInvalid,
} from "../../http/input.ts";
import {
  errorPage,
  type Markup,
  type Page,
  pageResponse,
  redirectResponse,
  wantsPage,
} from "../../http/pages.ts";
import type { Handler } from "../../http/router.ts";
import { asCode } from "../../http/text.ts";

/** An operator who is signed in. */
export interface OperatorSession extends Operator {
  user: NonNullable<Page["user"]>;
}

/** A form that was refused: what is wrong, and what was typed. */
export interface FormError {
  error: AppError;
  typed: Form;
}

/** The fields of a form; cost types may come more than once. */
export type Form = URLSearchParams;

/** Lets a handler run for an operator who is signed in; a member is told so on a page. */
export function withOperatorSession(
  handler: (context: Context, operatorSession: OperatorSession) => Promise<Response>,
): Handler {
  return withSession(async (context, { email, role, idHash }) => {
    const user = { email, role };
    const authorize: Operator["authorize"] = (access) => {
      if (!access) throw new AppError("session_ended");
      if (access.role !== "operator") throw new AppError("operator_required");
      return access;
    };
    const actor = { tokenHash: null, sessionHash: idHash, now: context.now };
    try {
      if (role !== "operator") throw new AppError("operator_required");
      return await handler(context, { actor, authorize, user });
    } catch (error) {
      if (error instanceof AppError && wantsPage(context)) return errorPage(context, error, user);
      throw error;
    }
  });
}

/** As `withOperatorSession`, for a form. What is refused is told on the page that the form stands on. */
export function withForm(
  act: (context: Context, operatorSession: OperatorSession, form: Form) => Promise<Response>,
  show: (context: Context, operatorSession: OperatorSession, formError: FormError) => Promise<Response>,
): Handler {
  return withOperatorSession(async (context, operatorSession) => {
    const typed = await readFields(context);
    try {
      return await act(context, operatorSession, typed);
    } catch (error) {
      const isTold = error instanceof AppError && TOLD_IN_PLACE.has(ERRORS[error.code].status);
      if (!isTold) throw error;
      context.trace.outcome = error.code;
      return show(context, operatorSession, { error, typed });
    }
  });
}

const TOLD_IN_PLACE: ReadonlySet<number> = new Set([400, 409]);

async function readFields(context: Context): Promise<Form> {
  if (mediaType(context.request) !== "application/x-www-form-urlencoded") {
    throw new AppError("unsupported_media_type", "Send the form as application/x-www-form-urlencoded.");
  }
  const body = decodeUtf8(await readBody(context.request, MAX_BODY_BYTES));
  const pairs = body === undefined ? [] : readPairs(body);
  const errors: InputError[] = pairs
    .filter((pair) => !pair.isUtf8)
    .map(({ name }) => ({ param: name, message: "is not percent-encoded UTF-8" }));
  if (body === undefined) errors.push({ param: "body", message: "is not UTF-8" });
  const names = pairs.map(({ name }) => name).filter((name) => name !== "cost_types");
  const again = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  for (const name of again) errors.push({ param: name, message: "is given more than once" });
  throwIfInvalid(errors);
  return new URLSearchParams(pairs.map(({ name, value }) => [name, value]));
}

/** What a form says, by the contract of the JSON interface. Throws invalid_request with every fault. */
export function parse<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const errors: InputError[] = [];
  const parsed = parsePart(schema, value, errors);
  throwIfInvalid(errors);
  return parsed as z.output<T>;
}

/** The number in a path. Throws not_found. */
export function idOf(context: Context): number {
  const id = context.params.id ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "There is nothing at this path.");
  return Number(id);
}

const SECTIONS = [
  ["/operator", "Partners"],
  ["/operator/apps", "Apps"],
  ["/operator/users", "Users"],
  ["/operator/credentials", "Credentials"],
  ["/operator/audit", "Audit log"],
] as const;

type Section = (typeof SECTIONS)[number][1];

interface ConsolePage {
  title: string;
  section: Section;
  body: Markup;
  formError?: FormError | undefined;
}

/** A page of the console, with what was done or refused at its top. */
export function consolePage(
  context: Context,
  operatorSession: OperatorSession,
  page: ConsolePage,
): Promise<Response> {
  const links = SECTIONS.map(
    ([href, name]) =>
      html`<a href="${href}" ${name === page.section ? html`aria-current="page"` : ""}>${name}</a>`,
  );
  return pageResponse(context, {
    title: `${page.title} · Operator console`,
    user: operatorSession.user,
    ...(page.formError && { status: ERRORS[page.formError.error.code].status }),
    body: html`
      <nav class="tabs" aria-label="Operator console">${links}</nav>
      ${doneNotice(context.url.searchParams.get("done"))}
      ${page.formError ? troubleNotice(page.formError.error) : ""}
      ${page.body}`,
  });
}

const DONE = {
  saved: "Saved.",
  made: "Made.",
  added: "Added: the user sees the app from now on.",
  removed: "Removed: the user no longer sees the app.",
  revoked: "Revoked. The credential is dead.",
  dismissed: "Dismissed. The mismatch no longer holds up the approval.",
  approved: "Approved. The cost types are live for the partner.",
  closed: "Closed. Nothing was made live.",
  disabled: "Disabled. The user's token and sessions are dead.",
  enabled: "Enabled. The user has no API token until one is issued.",
};

/** Sends the browser on, to be told what was done. */
export function done(context: Context, path: string, what: keyof typeof DONE): Response {
  return redirectResponse(context, `${path}?done=${what}`);
}

function doneNotice(what: string | null): Markup | "" {
  const text = what !== null && Object.hasOwn(DONE, what) && DONE[what as keyof typeof DONE];
  return text ? html`<p class="notice ok" role="status">${text}</p>` : "";
}

function troubleNotice(error: AppError): Markup {
  return html`
    <div class="notice error" role="alert">
      <p>${error.code === "invalid_request" ? html`<strong>Nothing was changed.</strong> Mend what is named here and send the form again.` : html`<strong>${ERRORS[error.code].title}.</strong> ${asCode(error.message)}`}</p>
      ${error.errors.length > 0 ? html`<ul>${error.errors.map(({ param, message }) => html`<li><code>${param}</code> ${message}</li>`)}</ul>` : ""}
    </div>`;
}

/** Shows a secret that nobody can show again. */
export function secretPage(
  context: Context,
  operatorSession: OperatorSession,
  shown: { section: Section; title: string; name: string; secret: string; use: Markup; back: string },
): Promise<Response> {
  return consolePage(context, operatorSession, {
    title: shown.title,
    section: shown.section,
    body: html`
      <h1>${shown.title}</h1>
      <section class="card">
        <p class="notice warn">This is shown once. Hand it over now: nobody can read it again, only replace it.</p>
        <h2>${shown.name}</h2>
        <p class="secret"><code id="secret">${shown.secret}</code></p>
        ${shown.use}
        <p><a class="button" href="${shown.back}">Go on</a></p>
      </section>`,
  });
}

/** A hundred at a time, from where the query says. */
export function rangeOf(context: Context): Range {
  const after = context.url.searchParams.get("after") ?? "";
  return { after: /^\d{1,15}$/.test(after) ? Number(after) : null, before: null, limit: 100 };
}

/** Links to the next page of a list, where there is one. `path` is the page's own: a form on it may stand at another. */
export function nextLink(path: string, next: number | null): Markup | "" {
  return next === null ? "" : html`<p><a href="${path}?after=${next}">Next page</a></p>`;
}
