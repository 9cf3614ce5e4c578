/** The console's pages for users: role, sign-in method, API token, and the forms to disable and enable a user. */
import { html } from "hono/html";
import { listUsers } from "../../db/operator/users.ts";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import { time } from "../../usecases/rounds/view.ts";
import {
  createUser,
  issueToken,
  readUser,
  resetPassword,
  toUserItem,
  type UserItem,
  updateUser,
} from "../api/users.ts";
import { check, confirmStep, field, pick, select, table } from "./elements.ts";
import {
  type Act,
  done,
  type Form,
  idOf,
  nextLink,
  type Page,
  readPage,
  type Show,
  secretPage,
} from "./layout.ts";
import { passwordField } from "./step-up.ts";

const ROLES: [string, string][] = [
  ["member", "Member: can use the apps they're added to"],
  ["operator", "Operator: can also use this console"],
];

export const usersPage: Show = async (context, formError, session) => {
  const page = await readPage(context, listUsers);
  const columns = ["User", "Role", "Sign-in method", "API token", "State"];
  return {
    section: "Users",
    body: html`
      <h1>Users</h1>
      ${table("Users", columns, page.items.map(toUserItem).map(userRow))}
      ${nextLink("/operator/users", page.next)}
      <section class="card" aria-labelledby="new">
        <h2 id="new">New user</h2>
        <form method="post" action="/operator/users">
          ${field({ name: "email", label: "Email", type: "email", required: true }, formError)}
          ${select("role", "Role", ROLES, formError?.form.get("role") ?? "member")}
          ${select("sign_in", "Sign-in method", [
            ["password", "Password: get a temporary password"],
            ["sso", "Single sign-on: no password"],
          ])}
          ${passwordField(session, "new", formError)}
          <button>Create user</button>
        </form>
      </section>`,
  };
};

function stateOf(user: UserItem): Markup {
  return user.disabled_at === null
    ? html`<span class="badge ok">active</span>`
    : html`<span class="badge">disabled</span>`;
}

function userRow(item: UserItem): Markup {
  return html`
    <tr>
      <th scope="row"><a href="/operator/users/${item.id}">${item.email}</a></th>
      <td>${item.role}</td>
      <td>${item.sign_in === "sso" ? "single sign-on" : "password"}</td>
      <td>${item.token_hint ? html`<code>${item.token_hint}</code>` : "none"}</td>
      <td>${stateOf(item)}</td>
    </tr>`;
}

export const submitNewUser: Act = async (context, session, form) => {
  const body = pick(form, "email", "role", "sign_in");
  const user = await createUser.submit(context, session, { body });
  if (user.sign_in === "sso") return done(`/operator/users/${user.id}`, "user-created");
  return passwordPage(context, user);
};

function passwordPage({ url }: Context, { id, email, temporary_password = "" }: UserItem): Page {
  return secretPage({
    section: "Users",
    title: "Temporary password",
    name: `Temporary password for ${email}`,
    secret: temporary_password,
    use: html`<p>Send it to the user. They sign in at <code>${url.origin}/login</code> within 7 days and choose their own password there.</p>`,
    back: `/operator/users/${id}`,
  });
}

export const userPage: Show = async (context, formError, session) => {
  const user = await readUser.handle(context, session, { path: { id: idOf(context) } });
  const path = `/operator/users/${user.id}`;
  const isDisabled = user.disabled_at !== null;
  const isRejected = (action: string) => formError !== undefined && context.url.pathname === action;
  return {
    title: user.email,
    section: "Users",
    body: html`
      <div class="head"><h1>${user.email}</h1>${stateOf(user)}</div>
      <section class="card" aria-labelledby="role-of">
        <h2 id="role-of">Role</h2>
        <form method="post" action="${path}">
          ${select("role", "Role", ROLES, formError?.form.get("role") ?? user.role)}
          <p class="hint">A new operator's API token keeps the access of a member until it is reset.</p>
          ${passwordField(session, "role", formError)}
          <button>Save role</button>
        </form>
      </section>
      <section class="card" aria-labelledby="token">
        <h2 id="token">API token</h2>
        <p>${user.token_hint ? html`<code>${user.token_hint}</code>` : "No API token yet."}</p>
        ${tokenForm(user, path, isRejected(`${path}/token`), passwordField(session, "token", formError))}
      </section>
      <section class="card" aria-labelledby="sign-in">
        <h2 id="sign-in">Sign-in method</h2>
        <p>${user.sign_in === "sso" ? "Single sign-on" : "Password"}${user.temporary_password_expires_at === null ? "" : html`: temporary, until ${time(user.temporary_password_expires_at)}`}</p>
        ${confirmStep({
          action: `${path}/password`,
          isOpen: isRejected(`${path}/password`),
          summary: "Reset password",
          explanation:
            "The current password and all of the user's sessions stop working immediately, and two-factor authentication is turned off. You get a temporary password, which expires after 7 days.",
          button: "Reset password",
          fields: html`
            ${user.token_hint ? html`${check("revoke_api_token", "Also revoke the API token, because somebody else may have used the account", formError?.form.has("revoke_api_token") ?? false)}<p class="hint">Otherwise the token keeps working but can't be shown anymore.</p>` : ""}
            ${passwordField(session, "password", formError)}`,
        })}
        ${
          user.sign_in === "password"
            ? confirmStep({
                action: path,
                isOpen: isRejected(path) && formError?.form.has("sign_in") === true,
                summary: "Switch to single sign-on",
                explanation: "The password and all of the user's sessions stop working immediately.",
                button: "Switch to single sign-on",
                fields: html`<input type="hidden" name="sign_in" value="sso">${passwordField(session, "sso", formError)}`,
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

export const isSensitive = (form: Form) => form.has("role") || form.has("sign_in");

export const submitUser: Act = async (context, session, form) => {
  const id = idOf(context);
  const disabled = form.get("disabled");
  const body = {
    ...pick(form, "role", "sign_in"),
    ...(disabled !== null && { disabled: disabled === "yes" }),
  };
  await updateUser.submit(context, session, { path: { id }, body });
  const action = disabled === null ? "user-updated" : disabled === "yes" ? "user-disabled" : "user-enabled";
  return done(`/operator/users/${id}`, action);
};

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
