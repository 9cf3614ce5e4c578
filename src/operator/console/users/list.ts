/** The console's list of users, and the form that creates one. */
import { html } from "hono/html";
import { searchUsers } from "../../../db/operator/users.ts";
import { noRows, readListView } from "../../../pages/list.ts";
import type { Markup } from "../../../pages/markup.ts";
import { createUser, toUserItem, type UserItem } from "../../api/users.ts";
import { field, pick, select, table } from "../elements.ts";
import { type Act, done, type Show } from "../layout.ts";
import { passwordField } from "../step-up.ts";
import { passwordPage, ROLES, stateOf } from "./common.ts";

const LIST = {
  path: "/operator/users",
  nouns: ["user", "users"] as [string, string],
  search: "Email contains",
  sorts: { email: "Email", "-created": "Newest first" },
  filters: [
    {
      name: "role",
      label: "Role",
      options: [
        ["", "Any role"],
        ["member", "Member"],
        ["operator", "Operator"],
      ] as [string, string][],
    },
    {
      name: "state",
      label: "State",
      options: [
        ["", "Any state"],
        ["active", "Active"],
        ["disabled", "Disabled"],
      ] as [string, string][],
    },
  ],
};

export const usersPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchUsers);
  const columns = ["User", "Role", "Sign-in method", "API token", "State"];
  return {
    section: "Users",
    body: html`
      <div class="head"><h1>Users</h1><a class="button" href="/operator/users/new">New user</a></div>
      ${list.controls}
      ${table("Users", columns, list.rows.map(toUserItem).map(userRow), noRows(list, html``, "users"))}
      ${list.pager}`,
  };
};

function userRow(item: UserItem): Markup {
  return html`
    <tr>
      <th scope="row"><a href="/operator/users/${item.id}">${item.email}</a></th>
      <td data-label="Role">${item.role}</td>
      <td data-label="Sign-in method">${item.sign_in === "sso" ? "single sign-on" : "password"}</td>
      <td data-label="API token">${item.token_hint ? html`<code>${item.token_hint}</code>` : "none"}</td>
      <td data-label="State">${stateOf(item)}</td>
    </tr>`;
}

export const newUserPage: Show = async (_context, formError, session) => ({
  title: "New user",
  section: "Users",
  body: html`
    <h1>New user</h1>
    <section class="card">
      <form method="post" action="/operator/users/new">
        ${field({ name: "email", label: "Email", subject: "The email address", type: "email", required: true }, formError)}
        ${select("role", "Role", ROLES, "member", { rejected: formError })}
        ${select(
          "sign_in",
          "Sign-in method",
          [
            ["password", "Password: get a temporary password"],
            ["sso", "Single sign-on: no password"],
          ],
          "password",
          { rejected: formError },
        )}
        ${passwordField(session, "new", formError)}
        <button>Create user</button>
      </form>
    </section>`,
});

export const submitNewUser: Act = async (context, session, form) => {
  const body = pick(form, "email", "role", "sign_in");
  const user = await createUser.submit(context, session, { body });
  if (user.sign_in === "sso") return done(`/operator/users/${user.id}`, "user-created");
  return passwordPage(context, user);
};
