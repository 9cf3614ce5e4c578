/** The forms on the page of a user. */
import { html } from "hono/html";
import { TEMPORARY } from "../../../auth/passwords.ts";
import type { listAllApps, listAppsOfUser } from "../../../db/operator/apps.ts";
import { archivedBadge } from "../../../pages/costs/states.ts";
import { badge, card, nameText } from "../../../pages/elements.ts";
import { type RejectedForm, tokenOption } from "../../../pages/forms/fields.ts";
import { confirmation, type Fields, form } from "../../../pages/forms/form.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { USER, type UserItem } from "../../api/users/users.ts";
import type { OperatorSession } from "../session.ts";
import { passwordField } from "../step-up.ts";
import { SET_UP } from "./common.ts";

export interface UserView {
  user: UserItem;
  /** The path of the page. */
  path: string;
  session: OperatorSession;
  /** Whether users can sign in with single sign-on. */
  hasSingleSignOn: boolean;
  /** The error of the form with this action that sends this field. */
  rejectedAt: (action: string, name?: string) => RejectedForm | undefined;
}

type Apps = Awaited<ReturnType<typeof listAppsOfUser>>;

const { email: EMAIL, role: ROLE } = USER.form;
const EMAIL_HINT =
  "The user signs in with the new address from now on. Password, sessions and API token stay. A single sign-on user is signed out and unlinked.";
const ROLE_HINT =
  "A user who gets another role is signed out everywhere. A new operator's API token keeps the access of a member until it is reset. A new operator with single sign-on is unlinked: link them again after their next sign-in.";

export function emailForm({ user, path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(path, "email");
  return html`
    <details ${rejected ? html`open` : ""}>
      <summary>Change email</summary>
      ${form(
        {
          action: path,
          fields: { email: { ...EMAIL, hint: EMAIL_HINT } },
          values: { email: user.email },
          more: passwordField(session, "email", rejected),
          button: "Change email",
        },
        rejected,
      )}
    </details>`;
}

export function appsSection(
  { path, rejectedAt }: UserView,
  apps: Apps,
  allApps: Awaited<ReturnType<typeof listAllApps>>,
): Markup {
  const others = allApps.filter(({ token }) => !apps.some((one) => one.token === token));
  const options = others.map(tokenOption);
  const items = apps.map(
    ({ token, name, archivedAt }) =>
      html`<li><a href="/operator/apps/${token}">${nameText(name)}</a> <code>${token}</code> ${archivedBadge(archivedAt !== null)}</li>`,
  );
  return card(
    { id: "apps", title: "Apps" },
    items.length === 0 ? html`<p class="muted">Not a member of any app yet.</p>` : html`<ul>${items}</ul>`,
    options.length === 0
      ? ""
      : form(
          {
            action: `${path}/apps`,
            fields: { app_token: { label: "Add to app", options } },
            button: "Add to app",
            kind: "secondary",
          },
          rejectedAt(`${path}/apps`),
        ),
  );
}

export function roleSection({ user, path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(path, "role");
  return card(
    { id: "role-of", title: "Access" },
    form(
      {
        action: path,
        fields: { role: { ...ROLE, hint: ROLE_HINT } },
        values: { role: user.role },
        more: passwordField(session, "role", rejected),
        button: "Save role",
      },
      rejected,
    ),
  );
}

export const tokenSection = (view: UserView): Markup =>
  card(
    { id: "token", title: "API token" },
    html`<p>${view.user.token_hint ? html`<code>${view.user.token_hint}</code>` : "No API token yet."}</p>`,
    tokenForm(view),
  );

/** Operators issue tokens only to users who have no password, because any other user creates it on the account page. */
function tokenForm({ user, path, session, rejectedAt }: UserView): Markup {
  if (user.disabled_at !== null) {
    return html`<p class="muted">Disabled users can't have an API token. Enable the user first.</p>`;
  }
  if (user.sign_in === "password") {
    return html`<p class="muted">Users with a password create and reset their API token on the account page.</p>`;
  }
  const rejected = rejectedAt(`${path}/token`);
  const action = user.token_hint ? "Replace token" : "Issue token";
  return confirmation({
    action: `${path}/token`,
    isOpen: rejected !== undefined,
    summary: action,
    explanation: user.token_hint
      ? "The current token stops working immediately. The new token is shown to you once."
      : "The token is shown to you once.",
    button: action,
    more: passwordField(session, "token", rejected),
  });
}

const REVOKE = {
  revoke_api_token: {
    label: "Also revoke the API token, because somebody else may have used the account",
    box: true,
  },
} satisfies Fields;

export function signInSection({ user, path, session, hasSingleSignOn, rejectedAt }: UserView): Markup {
  const rejectedReset = rejectedAt(`${path}/password`);
  const rejectedSwitch = rejectedAt(path, "sign_in");
  const until = user.temporary_password_expires_at;
  return card(
    { id: "sign-in", title: "Sign-in method" },
    html`<p>${user.sign_in === "sso" ? "Single sign-on" : "Password"}${until === null ? "" : html`: temporary, until ${time(until)}`}</p>`,
    confirmation(
      {
        action: `${path}/password`,
        isOpen: rejectedReset !== undefined,
        summary: "Reset password",
        explanation: `${user.sign_in === "sso" ? "The user signs in with a password from now on, and the link to single sign-on is deleted. All" : "The current password and all"} of the user's sessions stop working immediately, and two-factor authentication is turned off. You get a temporary password, which expires after ${TEMPORARY}.`,
        button: "Reset password",
        fields: user.token_hint ? REVOKE : {},
        more: [
          user.token_hint
            ? html`<p class="hint">Otherwise the token keeps working but can't be shown anymore.</p>`
            : "",
          passwordField(session, "password", rejectedReset),
        ],
      },
      rejectedReset,
    ),
    user.sign_in === "password" && !hasSingleSignOn ? html`<p class="hint">${SET_UP}</p>` : "",
    user.sign_in === "password" && hasSingleSignOn
      ? confirmation({
          action: path,
          isOpen: rejectedSwitch !== undefined,
          summary: "Switch to single sign-on",
          explanation:
            "The password, the access tokens and all of the user's sessions stop working immediately.",
          button: "Switch to single sign-on",
          hidden: { sign_in: "sso" },
          more: passwordField(session, "sso", rejectedSwitch),
        })
      : "",
  );
}

/** Users of single sign-on have a second factor at the provider. */
export function twoFactorSection({ user, path, session, rejectedAt }: UserView): Markup | "" {
  if (user.sign_in === "sso") return "";
  const action = `${path}/two-factor`;
  return card(
    { id: "two-factor", title: "Two-factor authentication" },
    user.two_factor_at === null
      ? html`<p>${badge("Off")} The user sets it up on the account page.</p>`
      : html`
        <p>${badge("On", "ok")} since ${time(user.two_factor_at)}</p>
        <p>For a user who lost the phone and the recovery codes. First check who is asking: after this, the password is enough to sign in. All of the user's sessions end.</p>
        ${form(
          {
            action,
            more: passwordField(session, "two-factor", rejectedAt(action)),
            button: "Turn off two-factor",
            kind: "danger",
          },
          rejectedAt(action),
        )}`,
  );
}

/** Disabling or enabling a member needs no password. */
export function disableSection({ user, path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(path, "disabled");
  const isDisabled = user.disabled_at !== null;
  const button = isDisabled ? "Enable user" : "Disable user";
  const step = {
    action: path,
    hidden: { disabled: isDisabled ? "no" : "yes" },
    more: user.role === "operator" ? passwordField(session, "disable", rejected) : "",
    button,
  };
  return card(
    { id: "disable", title: button, kind: "danger" },
    isDisabled
      ? form(step)
      : confirmation({
          ...step,
          isOpen: rejected !== undefined,
          summary: button,
          explanation: "The user's API token, access tokens and sessions stop working immediately.",
        }),
  );
}

export function eraseSection({ path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(`${path}/erase`);
  return card(
    { id: "erase", title: "Erase user", kind: "danger" },
    confirmation({
      action: `${path}/erase`,
      isOpen: rejected !== undefined,
      summary: "Erase user",
      explanation: html`The email address and everything that the user can sign in with are permanently deleted. The audit log keeps what the user did, under the user's ID. <a href="/docs/privacy#erase-a-user">What is erased, and when</a>`,
      button: "Erase user",
      more: passwordField(session, "erase", rejected),
    }),
  );
}
