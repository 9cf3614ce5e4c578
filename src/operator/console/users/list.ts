/** The console's list of users, and the form that creates one. */
import { html } from "hono/html";
import { searchUsers } from "../../../db/operator/users.ts";
import { buttonLink, card, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/forms/fields.ts";
import { form, sentBody } from "../../../pages/forms/form.ts";
import { noRows, readListView } from "../../../pages/lists/list.ts";
import { table } from "../../../pages/lists/table.ts";
import { createUser, USER } from "../../api/users.ts";
import { type Act, done, type Show } from "../layout.ts";
import { passwordField } from "../step-up.ts";
import { passwordPage, ROLE_NAMES, stateOf } from "./common.ts";

const LIST = {
  path: "/operator/users",
  nouns: ["user", "users"] as [string, string],
  search: "Email contains",
  sorts: { email: "Email", "-created": "Newest first" },
  filters: [
    { name: "role", label: "Role", options: [["", "Any role"], ...Object.entries(ROLE_NAMES)] as Option[] },
    {
      name: "state",
      label: "State",
      options: [
        ["", "Any state"],
        ["active", "Active"],
        ["disabled", "Disabled"],
      ] as Option[],
    },
  ],
};

export const usersPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchUsers);
  return {
    section: "Users",
    body: html`
      ${pageHead("Users", buttonLink("/operator/users/new", "New user", ""))}
      ${list.controls}
      ${table({
        label: "Users",
        rows: list.rows.map(USER.toItem),
        empty: noRows(list, html``, "users"),
        columns: [
          { heading: "User", cell: ({ id, email }) => html`<a href="/operator/users/${id}">${email}</a>` },
          { heading: "Role", cell: ({ role }) => ROLE_NAMES[role] },
          {
            heading: "Sign-in method",
            cell: ({ sign_in }) => (sign_in === "sso" ? "Single sign-on" : "Password"),
          },
          {
            heading: "API token",
            cell: ({ token_hint }) => (token_hint ? html`<code>${token_hint}</code>` : "None"),
          },
          { heading: "State", cell: stateOf },
        ],
      })}
      ${list.pager}`,
  };
};

export const newUserPage: Show = async (_context, rejected, session) => ({
  title: "New user",
  section: "Users",
  body: html`
    ${pageHead("New user")}
    ${card(
      { id: "user", title: "Who, and how they sign in" },
      form(
        {
          action: "/operator/users/new",
          fields: USER.form,
          more: passwordField(session, "new", rejected),
          button: "Create user",
        },
        rejected,
      ),
    )}`,
});

export const submitNewUser: Act = async (context, session, sent) => {
  const user = await createUser.submit(context, session, { body: sentBody(USER.form, sent) });
  if (user.sign_in === "sso") return done(`/operator/users/${user.id}`, "user-created");
  return passwordPage(context, user);
};
