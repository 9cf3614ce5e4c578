/** The forms on the page of a user. */

import { html } from "hono/html";
import { TEMPORARY } from "../../../auth/passwords.ts";
import type { listAllApps, listAppsOfUser } from "../../../db/operator/apps.ts";
import type { RejectedForm } from "../../../pages/fields.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import type { UserItem } from "../../api/users.ts";
import { check, confirmStep, field, select } from "../elements.ts";
import type { OperatorSession } from "../session.ts";
import { passwordField } from "../step-up.ts";
import { ROLES } from "./common.ts";

export interface UserView {
  user: UserItem;
  /** The path of the page. */
  path: string;
  session: OperatorSession;
  /** The error of the form with this action that sends this field. */
  rejectedAt: (action: string, name?: string) => RejectedForm | undefined;
}

type Apps = Awaited<ReturnType<typeof listAppsOfUser>>;

export function emailForm({ user, path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(path, "email");
  return html`
    <details ${rejected ? html`open` : ""}>
      <summary>Change email</summary>
      <form method="post" action="${path}">
        ${field({ name: "email", label: "Email", subject: "The email address", type: "email", value: user.email, required: true, hint: "The user signs in with the new address from now on. Password, sessions and API token stay." }, rejected)}
        ${passwordField(session, "email", rejected)}
        <button>Change email</button>
      </form>
    </details>`;
}

export function appsSection(
  { path, rejectedAt }: UserView,
  apps: Apps,
  allApps: Awaited<ReturnType<typeof listAllApps>>,
): Markup {
  const others = allApps.filter(({ token }) => !apps.some((one) => one.token === token));
  return html`
    <section class="card" aria-labelledby="apps">
      <h2 id="apps">Apps</h2>
      ${apps.length === 0 ? html`<p class="muted">Not a member of any app yet.</p>` : html`<ul>${apps.map((app) => html`<li><a href="/operator/apps/${app.token}">${app.name}</a> <code>${app.token}</code>${app.archivedAt === null ? "" : html` <span class="badge">Archived</span>`}</li>`)}</ul>`}
      ${
        others.length === 0
          ? ""
          : html`<form method="post" action="${path}/apps">
              ${select(
                "app_token",
                "Add to app",
                others.map((app) => [app.token, `${app.name} (${app.token})`]),
                undefined,
                { rejected: rejectedAt(`${path}/apps`) },
              )}
              <button class="secondary">Add to app</button>
            </form>`
      }
    </section>`;
}

export function roleSection({ user, path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(path, "role");
  return html`
    <section class="card" aria-labelledby="role-of">
      <h2 id="role-of">Access</h2>
      <form method="post" action="${path}">
        ${select("role", "Role", ROLES, user.role, { rejected })}
        <p class="hint">A user who gets another role is signed out everywhere. A new operator's API token keeps the access of a member until it is reset.</p>
        ${passwordField(session, "role", rejected)}
        <button>Save role</button>
      </form>
    </section>`;
}

export function tokenSection(view: UserView): Markup {
  const { user } = view;
  return html`
    <section class="card" aria-labelledby="token">
      <h2 id="token">API token</h2>
      <p>${user.token_hint ? html`<code>${user.token_hint}</code>` : "No API token yet."}</p>
      ${tokenForm(view)}
    </section>`;
}

/** Operators issue tokens only to users who have no password, because any other user creates it on the account page. */
function tokenForm({ user, path, session, rejectedAt }: UserView): Markup {
  if (user.disabled_at !== null) {
    return html`<p class="muted">Disabled users can't have an API token. Enable the user first.</p>`;
  }
  if (user.sign_in === "password") {
    return html`<p class="muted">Users with a password create and reset their API token on the account page.</p>`;
  }
  const rejected = rejectedAt(`${path}/token`);
  return confirmStep({
    action: `${path}/token`,
    isOpen: rejected !== undefined,
    summary: user.token_hint ? "Replace token" : "Issue token",
    explanation: user.token_hint
      ? "The current token stops working immediately. The new token is shown to you once."
      : "The token is shown to you once.",
    button: user.token_hint ? "Replace token" : "Issue token",
    fields: html`${passwordField(session, "token", rejected)}`,
  });
}

export function signInSection({ user, path, session, rejectedAt }: UserView): Markup {
  const rejectedReset = rejectedAt(`${path}/password`);
  const rejectedSwitch = rejectedAt(path, "sign_in");
  return html`
    <section class="card" aria-labelledby="sign-in">
      <h2 id="sign-in">Sign-in method</h2>
      <p>${user.sign_in === "sso" ? "Single sign-on" : "Password"}${user.temporary_password_expires_at === null ? "" : html`: temporary, until ${time(user.temporary_password_expires_at)}`}</p>
      ${confirmStep({
        action: `${path}/password`,
        isOpen: rejectedReset !== undefined,
        summary: "Reset password",
        explanation: `The current password and all of the user's sessions stop working immediately, and two-factor authentication is turned off. You get a temporary password, which expires after ${TEMPORARY}.`,
        button: "Reset password",
        fields: html`
          ${user.token_hint ? html`${check("revoke_api_token", "Also revoke the API token, because somebody else may have used the account", rejectedReset?.form.has("revoke_api_token") ?? false)}<p class="hint">Otherwise the token keeps working but can't be shown anymore.</p>` : ""}
          ${passwordField(session, "password", rejectedReset)}`,
      })}
      ${
        user.sign_in === "password"
          ? confirmStep({
              action: path,
              isOpen: rejectedSwitch !== undefined,
              summary: "Switch to single sign-on",
              explanation: "The password and all of the user's sessions stop working immediately.",
              button: "Switch to single sign-on",
              fields: html`<input type="hidden" name="sign_in" value="sso">${passwordField(session, "sso", rejectedSwitch)}`,
            })
          : ""
      }
    </section>`;
}

/** Disabling or enabling a member needs no password. */
export function disableSection({ user, path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(path, "disabled");
  const confirmation = user.role === "operator" ? passwordField(session, "disable", rejected) : "";
  const isDisabled = user.disabled_at !== null;
  return html`
    <section class="card danger" aria-labelledby="disable">
      <h2 id="disable">${isDisabled ? "Enable user" : "Disable user"}</h2>
      ${
        isDisabled
          ? html`<form method="post" action="${path}"><input type="hidden" name="disabled" value="no">${confirmation}<button>Enable user</button></form>`
          : confirmStep({
              action: path,
              isOpen: rejected !== undefined,
              summary: "Disable user",
              explanation: "The user's API token and sessions stop working immediately.",
              button: "Disable user",
              fields: html`<input type="hidden" name="disabled" value="yes">${confirmation}`,
            })
      }
    </section>`;
}

export function eraseSection({ path, session, rejectedAt }: UserView): Markup {
  const rejected = rejectedAt(`${path}/erase`);
  return html`
    <section class="card danger" aria-labelledby="erase">
      <h2 id="erase">Erase user</h2>
      ${confirmStep({
        action: `${path}/erase`,
        isOpen: rejected !== undefined,
        summary: "Erase user",
        explanation: html`The email address is deleted for good, and everything that the user can sign in with. The audit log keeps what the user did, under the user's ID. <a href="/docs/privacy#erase-a-user">What is erased, and when</a>`,
        button: "Erase user",
        fields: html`${passwordField(session, "erase", rejected)}`,
      })}
    </section>`;
}
