/** The page of a user: profile, apps, role, API token, sign-in method, and the switch that disables the user. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { listAllApps, listAppsOfUser } from "../../../db/operator/apps.ts";
import { findUserHistory } from "../../../db/operator/users.ts";
import { toIso } from "../../../domain/time.ts";
import { AppError } from "../../../errors.ts";
import { appToken } from "../../../http/input/fields.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import { type Markup, time } from "../../../http/pages.ts";
import { addMember } from "../../api/apps.ts";
import { badField } from "../../api/common.ts";
import { issueToken, readUser, resetPassword, type UserItem, updateUser } from "../../api/users.ts";
import { check, confirmStep, field, pick, select } from "../elements.ts";
import { type Act, done, type Form, idOf, type Show, secretPage } from "../layout.ts";
import { passwordField } from "../step-up.ts";
import { passwordPage, ROLES, stateOf } from "./shared.ts";

export const userPage: Show = async (context, formError, session) => {
  const user = await readUser.handle(context, session, { path: { id: idOf(context) } });
  const { DB } = context.env;
  const [history, apps, allApps] = await Promise.all([
    findUserHistory(DB, user.id),
    listAppsOfUser(DB, user.id),
    listAllApps(DB),
  ]);
  const others = allApps.filter(({ token }) => !apps.some((one) => one.token === token));
  const path = `/operator/users/${user.id}`;
  const isDisabled = user.disabled_at !== null;
  /** The error of the form with this action that sends this field. */
  const rejectedAt = (action: string, name?: string) =>
    context.url.pathname === action && (name === undefined || formError?.form.has(name))
      ? formError
      : undefined;
  return {
    title: user.email,
    section: "Users",
    body: html`
      <div class="head"><h1>${user.email}</h1>${stateOf(user)}</div>
      <section class="card" aria-labelledby="profile">
        <h2 id="profile">Profile</h2>
        <dl class="details">
          <dt>Created</dt><dd>${time(user.created_at)}${history.creator === undefined ? "" : `, by ${history.creator ?? "the command line"}`}</dd>
          <dt>Last sign-in</dt><dd>${history.lastSignIn === null ? "Never" : time(toIso(history.lastSignIn))}</dd>
          <dt>Activity</dt><dd><a href="/operator/audit?who=${user.email}">What this user did</a>, <a href="/operator/audit?object=user%20${user.id}">what was done to this user</a></dd>
        </dl>
        <details ${rejectedAt(path, "email") ? html`open` : ""}>
          <summary>Change email</summary>
          <form method="post" action="${path}">
            ${field({ name: "email", label: "Email", subject: "The email address", type: "email", value: user.email, required: true, hint: "The user signs in with the new address from now on. Password, sessions and API token stay." }, rejectedAt(path, "email"))}
            ${passwordField(session, "email", rejectedAt(path, "email"))}
            <button>Change email</button>
          </form>
        </details>
      </section>
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
      </section>
      <section class="card" aria-labelledby="role-of">
        <h2 id="role-of">Access</h2>
        <form method="post" action="${path}">
          ${select("role", "Role", ROLES, user.role, { rejected: rejectedAt(path, "role") })}
          <p class="hint">A new operator's API token keeps the access of a member until it is reset.</p>
          ${passwordField(session, "role", rejectedAt(path, "role"))}
          <button>Save role</button>
        </form>
      </section>
      <section class="card" aria-labelledby="token">
        <h2 id="token">API token</h2>
        <p>${user.token_hint ? html`<code>${user.token_hint}</code>` : "No API token yet."}</p>
        ${tokenForm(user, path, rejectedAt(`${path}/token`) !== undefined, passwordField(session, "token", rejectedAt(`${path}/token`)))}
      </section>
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign-in method</h2>
        <p>${user.sign_in === "sso" ? "Single sign-on" : "Password"}${user.temporary_password_expires_at === null ? "" : html`: temporary, until ${time(user.temporary_password_expires_at)}`}</p>
        ${confirmStep({
          action: `${path}/password`,
          isOpen: rejectedAt(`${path}/password`) !== undefined,
          summary: "Reset password",
          explanation:
            "The current password and all of the user's sessions stop working immediately, and two-factor authentication is turned off. You get a temporary password, which expires after 7 days.",
          button: "Reset password",
          fields: html`
            ${user.token_hint ? html`${check("revoke_api_token", "Also revoke the API token, because somebody else may have used the account", formError?.form.has("revoke_api_token") ?? false)}<p class="hint">Otherwise the token keeps working but can't be shown anymore.</p>` : ""}
            ${passwordField(session, "password", rejectedAt(`${path}/password`))}`,
        })}
        ${
          user.sign_in === "password"
            ? confirmStep({
                action: path,
                isOpen: rejectedAt(path, "sign_in") !== undefined,
                summary: "Switch to single sign-on",
                explanation: "The password and all of the user's sessions stop working immediately.",
                button: "Switch to single sign-on",
                fields: html`<input type="hidden" name="sign_in" value="sso">${passwordField(session, "sso", rejectedAt(path, "sign_in"))}`,
              })
            : ""
        }
      </section>
      <section class="card danger" aria-labelledby="disable">
        <h2 id="disable">${isDisabled ? "Enable user" : "Disable user"}</h2>
        ${
          isDisabled
            ? html`<form method="post" action="${path}"><input type="hidden" name="disabled" value="no"><button>Enable user</button></form>`
            : confirmStep({
                action: path,
                isOpen: rejectedAt(path, "disabled") !== undefined,
                summary: "Disable user",
                explanation: "The user's API token and sessions stop working immediately.",
                button: "Disable user",
                fields: html`<input type="hidden" name="disabled" value="yes">`,
              })
        }
      </section>`,
  };
};

/** Operators issue tokens only to users who have no password, because any other user creates it on the account page. */
function tokenForm(user: UserItem, path: string, isOpen: boolean, confirmation: Markup | ""): Markup {
  if (user.disabled_at !== null) {
    return html`<p class="muted">Disabled users can't have an API token. Enable the user first.</p>`;
  }
  if (user.sign_in === "password") {
    return html`<p class="muted">Users with a password create and reset their API token on the account page.</p>`;
  }
  return confirmStep({
    action: `${path}/token`,
    isOpen,
    summary: user.token_hint ? "Replace token" : "Issue token",
    explanation: user.token_hint
      ? "The current token stops working immediately. The new token is shown to you once."
      : "The token is shown to you once.",
    button: user.token_hint ? "Replace token" : "Issue token",
    fields: html`${confirmation}`,
  });
}

export const isSensitive = (form: Form) => form.has("role") || form.has("sign_in") || form.has("email");

export const submitUser: Act = async (context, session, form) => {
  const id = idOf(context);
  const disabled = form.get("disabled");
  const body = {
    ...pick(form, "role", "sign_in", "email"),
    ...(disabled !== null && { disabled: disabled === "yes" }),
  };
  await updateUser.submit(context, session, { path: { id }, body });
  const action = disabled === null ? "user-updated" : disabled === "yes" ? "user-disabled" : "user-enabled";
  return done(`/operator/users/${id}`, action);
};

export const submitUserApp: Act = async (context, session, form) => {
  const user_id = idOf(context);
  const { app_token } = parseOrThrow(appForm, { app_token: form.get("app_token") });
  await addMember
    .handle(context, session, { path: { token: app_token }, body: { user_id } })
    .catch((error) => {
      const isUnknown = error instanceof AppError && error.code === "not_found";
      throw isUnknown ? badField("app_token", "must be the token of an existing app") : error;
    });
  return done(`/operator/users/${user_id}`, "member-added");
};

const appForm = z.object({ app_token: appToken });

export const submitPasswordReset: Act = async (context, session, form) => {
  const path = { id: idOf(context) };
  const body = { revoke_api_token: form.has("revoke_api_token") };
  const user = await resetPassword.submit(context, session, { path, body });
  return passwordPage(context, user);
};

export const submitTokenIssue: Act = async (context, session) => {
  const user = await issueToken.handle(context, session, { path: { id: idOf(context) } });
  return secretPage({
    section: "Users",
    title: "API token",
    name: `API token for ${user.email}`,
    secret: user.api_token,
    use: html`<p>Send it as <code>Authorization: Token token=…</code> with every request to the campaign API.</p>`,
    back: `/operator/users/${user.id}`,
  });
};
