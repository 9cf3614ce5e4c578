/** The pages on which a user sets up and manages two-factor authentication. */
import { html, raw } from "hono/html";
import { mustUseTwoFactor, type Session } from "../../auth/sessions.ts";
import { toAuthenticatorUri } from "../../auth/sign-in/totp.ts";
import type { Account } from "../../db/accounts/account.ts";
import type { Context } from "../../env.ts";
import { errorSummary, ownPasswordField, type RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import { pageResponse } from "../../pages/frame.ts";
import type { Markup } from "../../pages/markup.ts";
import { qrSvg } from "../../pages/qr.ts";
import { landingStyles } from "../landing.ts";
import { countCodes } from "../rules.ts";

/** Below this, the page suggests to create new codes. */
const FEW_CODES = 3;

type SetUp = { secret: string; next: string; message?: string; rejected?: RejectedForm; status?: 400 | 403 };

export function setUpPage(context: Context, session: Session, setUp: SetUp): Promise<Response> {
  const { secret, next, rejected, status = 200, message } = setUp;
  // Before the summary, which links to its fields.
  const confirm = form(
    {
      action: "/account/two-factor",
      hidden: { secret, next },
      fields: {
        code: {
          label: "Code",
          subject: "The code",
          autocomplete: "one-time-code",
          required: true,
          hint: "The 6 digits that the app shows for linkledger.",
        },
      },
      more: [ownPasswordField(rejected), html`<p class="hint">You'll be signed out on other devices.</p>`],
      button: "Turn on two-factor",
    },
    rejected,
  );
  const isRequired = mustUseTwoFactor(context, session);
  return pageResponse(context, {
    title: status === 200 ? "Set up two-factor authentication" : "Error: Set up two-factor authentication",
    status,
    user: session,
    narrow: true,
    styles: [landingStyles.href],
    body: html`
      ${message ? html`<p class="notice ok" role="status">${message}</p>` : ""}
      <section class="card">
        <h1>Set up <span class="whole">two-factor</span> authentication</h1>
        ${rejected ? errorSummary(rejected, "Two-factor authentication is still off. Fix the errors below and try again.") : ""}
        ${isRequired ? html`<p class="notice">Operators must use two-factor authentication. Set it up to continue.</p>` : ""}
        <p>When you sign in, you'll enter a code from an app on your phone after your password. Any authenticator app works, including the one in your password manager.</p>
        <h2>1. Add linkledger to the app</h2>
        <p>Scan this QR code with the app.</p>
        <div class="qr" role="img" aria-label="QR code with the setup key">${raw(qrSvg(toAuthenticatorUri(secret, session.email), "L"))}</div>
        <p>Can't scan it? Enter this setup key in the app: <code>${secret.match(/.{4}/g)?.join(" ")}</code></p>
        <h2>2. Confirm</h2>
        ${confirm}
        ${isRequired ? "" : html`<p class="hint"><a href="/account">Back to your account</a></p>`}
      </section>`,
  });
}

/** The recovery codes, which are shown only once. */
export function codesPage(
  context: Context,
  session: Session,
  shown: { message: string; codes: string[]; next: string },
): Promise<Response> {
  return pageResponse(context, {
    title: "Recovery codes",
    user: session,
    styles: [landingStyles.href],
    body: html`
      <h1>Recovery codes</h1>
      <p class="notice ok" role="status">${shown.message}</p>
      <section class="card">
        <p class="notice warn">Copy these codes now, and keep them where you can find them without your phone. You won't be able to see them again.</p>
        <p>If you lose your app, enter one of them instead of a code. Each works once.</p>
        <ul class="codes">${shown.codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
        <p><a class="button" href="${shown.next}">Done</a></p>
      </section>`,
  });
}

/** What was wrong with a form of the page. */
type RejectedStep = { form: "codes" | "off"; rejected: RejectedForm; status: 400 | 403 };

export function twoFactorPage(
  context: Context,
  session: Session,
  account: Account,
  rejected?: RejectedStep,
): Promise<Response> {
  const isRequired = mustUseTwoFactor(context, session);
  const left = account.recoveryCodesLeft;
  const codesStep = step({
    form: "codes",
    path: "recovery-codes",
    summary: "Create new recovery codes",
    text: "Your old recovery codes stop working immediately.",
    rejected,
  });
  const offStep = step({
    form: "off",
    path: "off",
    summary: "Turn off two-factor",
    text: "From then on, your password is enough to sign in. You'll be signed out on other devices.",
    rejected,
  });
  return pageResponse(context, {
    title: rejected ? "Error: Two-factor authentication" : "Two-factor authentication",
    status: rejected?.status ?? 200,
    user: session,
    narrow: true,
    body: html`
      <section class="card">
        <h1><span class="whole">Two-factor</span> authentication</h1>
        ${rejected ? errorSummary(rejected.rejected, "Nothing was changed. Fix the error below and try again.") : ""}
        <p>On. ${countCodes(left)}${left < FEW_CODES ? " Create new ones before you run out." : ""}</p>
        ${codesStep}
        ${
          isRequired
            ? html`<p class="hint">Operators must use two-factor authentication. To move it to another app, ask another operator to turn it off for you, then set it up again.</p>`
            : offStep
        }
        <p class="hint"><a href="/account">Back to your account</a></p>
      </section>`,
  });
}

/** A form with a password that is collapsed until it is needed or was rejected. */
function step(one: {
  form: RejectedStep["form"];
  path: string;
  summary: string;
  text: string;
  rejected: RejectedStep | undefined;
}): Markup {
  const rejected = one.rejected?.form === one.form ? one.rejected.rejected : undefined;
  const again = form(
    {
      action: `/account/two-factor/${one.path}`,
      more: ownPasswordField(rejected, `${one.form}-password`),
      button: one.summary,
      kind: one.form === "off" ? "danger" : "",
    },
    rejected,
  );
  return html`
    <details class="${one.form === "off" ? "confirm" : ""}" ${rejected ? html`open` : ""}>
      <summary>${one.summary}</summary>
      <p>${one.text}</p>
      ${again}
    </details>`;
}
