/** What all console pages share: the page layout, form handling, and notices. */

import { html } from "hono/html";
import { version } from "../../../package.json";
import type { Context } from "../../env.ts";
import { AppError, ERRORS, type ErrorCode } from "../../errors.ts";
import { readFields } from "../../http/input/form.ts";
import { noticesOf } from "../../http/notices.ts";
import { redirectResponse } from "../../http/redirect.ts";
import type { Handler } from "../../http/router.ts";
import { ALERT_NOTICES } from "../../pages/alerts/notices.ts";
import { breadcrumb, buttonLink, card, copyable, notice, pageHead } from "../../pages/elements.ts";
import { withoutWrong } from "../../pages/error.ts";
import { errorSummary, RejectedForm } from "../../pages/forms/fields.ts";
import { cardStyles, pageResponse } from "../../pages/frame.ts";
import type { Markup } from "../../pages/markup.ts";
import { showNotice } from "../../pages/notice.ts";
import { type OperatorSession, withOperatorSession } from "./session.ts";
import { confirmationOf } from "./step-up.ts";

/** The fields of a form. Only `cost_types` and `apps` may occur more than once. */
export type Form = URLSearchParams;

/** Builds a page, with the error of its form if that was rejected. */
export type Show = (
  context: Context,
  rejected: RejectedForm | undefined,
  session: OperatorSession,
) => Promise<Page>;

/** Handles a form. Returns a page, or `done`: the redirect to the page that confirms the action in a notice. */
export type Act = (context: Context, session: OperatorSession, form: Form) => Promise<Page | Response>;

/** A page without the parameters that are wrong, which it names. One with a form shows them in it instead. */
export function withPage(show: Show, hasForm = false): Handler {
  return withOperatorSession(async (context, session) => {
    try {
      return consolePage(context, session, await show(context, undefined, session));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_request") throw error;
      if (!hasForm) {
        const page = await withoutWrong(context, error, (other) => show(other, undefined, session));
        if (!page) throw error;
        return consolePage(context, session, page);
      }
      context.trace.outcome = error.code;
      const rejected = new RejectedForm(error, context.url.searchParams);
      return consolePage(context, session, await show(context, rejected, session), rejected);
    }
  });
}

/** Redirects from the address of a form to its page, whose path has so many segments less. */
export function withRedirect(segments: number): Handler {
  return withOperatorSession(async ({ url }) =>
    redirectResponse(url.pathname.split("/").slice(0, -segments).join("/")),
  );
}

/**
 * Handles a form. A rejected form is shown again on its page with the error. `isSensitive`: the operator's password is asked for
 * if it was not entered a short time ago, whatever the form does.
 */
export function withForm(act: Act, show: Show, isSensitive: (form: Form) => boolean = () => false): Handler {
  return withOperatorSession(async (context, session) => {
    const form = await readFields(context);
    try {
      const confirm = confirmationOf(context, session, form);
      if (isSensitive(form)) await confirm();
      const result = await act(context, { ...session, confirm }, form);
      return result instanceof Response ? result : await consolePage(context, session, result);
    } catch (error) {
      const isFormError = error instanceof AppError && isAboutForm(error.code);
      if (!isFormError) throw error;
      context.trace.outcome = error.code;
      const rejected = new RejectedForm(error, form);
      return consolePage(context, session, await show(context, rejected, session), rejected);
    }
  });
}

function isAboutForm(code: ErrorCode): boolean {
  return (
    [400, 409, 422].includes(ERRORS[code].status) ||
    ["password_required", "wrong_password", "rate_limited"].includes(code)
  );
}

/** The ID in the path. Throws not_found if it is not a number. */
export function idOf(context: Context): number {
  const id = context.params.id ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "We couldn't find that page.");
  return Number(id);
}

const SECTIONS = [
  ["/operator", "Overview"],
  ["/operator/partners", "Partners"],
  ["/operator/spend", "Spend"],
  ["/operator/apps", "Apps"],
  ["/operator/users", "Users"],
  ["/operator/credentials", "Credentials"],
  ["/operator/adjustments", "Adjustments"],
  ["/operator/alerts", "Alerts"],
  ["/operator/archive", "Archive"],
  ["/operator/audit", "Audit log"],
] as const;

type Section = (typeof SECTIONS)[number][1];

export interface Page {
  /** The section's name by default. */
  title?: string;
  section: Section;
  body: Markup;
  /** Of a page that says by itself what is wrong, for example with its dates. */
  status?: number;
  /** Paths of scripts, see `servedFile`. */
  scripts?: string[];
}

/** A page of the console, with the notice of the last action or the form's error at the top. */
function consolePage(context: Context, session: OperatorSession, page: Page, rejected?: RejectedForm) {
  return pageResponse(context, {
    title: `${(rejected ?? page.status) ? "Error: " : ""}${page.title ?? page.section} · Operator console`,
    user: session.user,
    wide: true,
    styles: [cardStyles.href],
    ...(page.status && { status: page.status }),
    ...(page.scripts && { scripts: page.scripts }),
    tabs: { label: "Operator console", items: [...SECTIONS], current: page.section },
    ...(rejected && { status: ERRORS[rejected.error.code].status, headers: rejected.error.headers }),
    body: html`
      ${showNotice(NOTICES, context)}
      ${rejected ? errorSummary(rejected, context.request.method === "GET" ? "Fix the errors below and try again." : undefined) : ""}
      ${page.body}
      <p class="hint">linkledger ${version}, deployment <code>${context.env.VERSION.id}</code></p>`,
  });
}

const NOTICES = noticesOf({
  "app-created": "App created.",
  "app-updated": "App updated.",
  "app-archived": "App archived. Its links keep working.",
  "app-restored": "App restored.",
  "member-added": "Member added. They can see the app unless it is archived.",
  "member-removed": "Member removed. They can no longer see this app.",
  "partner-created": "Partner created. Continue with its URL templates.",
  "templates-saved": "URL templates saved.",
  "partner-updated": "Partner updated.",
  "partner-stopped": "Partner stopped. New costs are rejected.",
  "partner-resumed": "Partner resumed. New costs are accepted again.",
  "credential-revoked": "Credential revoked.",
  "adjustment-created": "Adjustment added. Reports include it.",
  ...ALERT_NOTICES,
  "cost-voided": "Cost voided. It no longer counts.",
  "mismatch-dismissed": "Mismatch dismissed. It no longer blocks approval.",
  "mismatches-dismissed": "Mismatches dismissed. They no longer block approval.",
  "dismissal-undone": "Dismissal undone. The mismatch is open again.",
  "link-created": "Link created.",
  "round-approved": "Round approved. The approved cost types are now live for the partner.",
  "round-closed": "Round closed. No cost types went live.",
  "user-created": "User created.",
  "user-updated": "User updated.",
  "user-disabled": "User disabled. Their API token, access tokens and sessions no longer work.",
  "user-enabled": "User enabled. They can sign in again.",
  "user-erased": "User erased.",
  "user-unknown": "Nobody has this email address yet. Create the user, who will then be a member of the app.",
  "two-factor-off": "Two-factor authentication is off. The user can sign in with the password.",
  "identity-linked": "Identity linked. The user can sign in now.",
  "identity-unlinked": "Identity unlinked. The user's sessions ended.",
});

/** `more` are parameters of the page that confirms the action, and `anchor` is the ID of the element that it is opened at. */
export function done(
  path: string,
  notice: (typeof NOTICES.names)[number],
  more: Record<string, string> = {},
  anchor?: string,
): Response {
  const query = new URLSearchParams(more);
  const address = query.size > 0 ? `${path}?${query}` : path;
  return NOTICES.redirect(anchor === undefined ? address : `${address}#${anchor}`, notice);
}

/** A new secret, with the focus where it is said that it is shown once. `name`: what it is. */
export const secretNotice = (secret: string, name: string): Markup => html`
  ${notice("Copy this now. You won't be able to see it again.", "warn", { announced: true })}
  <p>${copyable("secret", secret, name)}</p>`;

/** Shows a new secret. It can't be shown again. */
export function secretPage(
  shown: Required<Pick<Page, "title" | "section">> & {
    name: Markup | string;
    secret: string;
    use: Markup;
    back: string;
  },
): Page {
  const body = html`
    ${pageHead(shown.title)}
    ${card(
      { id: "new-secret", title: shown.name },
      secretNotice(shown.secret, "secret"),
      shown.use,
      html`<p>${buttonLink(shown.back, "Done", "")}</p>`,
    )}`;
  return { ...shown, body };
}

/** The links above a page about a partner. */
export const partnerTrail = (
  { id, name }: { id: number; name: string },
  here: string,
  ...above: [name: string, href: string][]
): Markup =>
  breadcrumb([["Partners", "/operator/partners"], [name, `/operator/partners/${id}`], ...above], here);

/** The fields that were sent of those named. */
export function pick(form: Form, ...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = form.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
