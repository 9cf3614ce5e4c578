/** The console's list of users, and the form that creates one. */
import { html } from "hono/html";
import { nameOfSingleSignOn } from "../../../auth/single-sign-on/settings.ts";
import { listAllApps } from "../../../db/operator/apps.ts";
import { searchUsers } from "../../../db/operator/users/users.ts";
import type { Context } from "../../../env.ts";
import type { InputError } from "../../../errors.ts";
import { parsePart } from "../../../http/input/parse.ts";
import { badge, buttonLink, card, nameText, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/forms/fields.ts";
import { type Fields, form, sentBody } from "../../../pages/forms/form.ts";
import { noRows, readListView } from "../../../pages/lists/list.ts";
import { table } from "../../../pages/lists/table.ts";
import { addMember } from "../../api/apps/members.ts";
import { createUser, findTaken, newUser, USER } from "../../api/users/users.ts";
import { type Act, done, type Show } from "../layout.ts";
import { passwordField } from "../step-up.ts";
import { passwordPage, ROLE_NAMES, SET_UP, stateOf } from "./common.ts";

const LIST = {
  path: "/operator/users",
  nouns: ["user", "users"] as [string, string],
  search: "Email contains",
  sorts: { email: "Email", "-created": "Newest first" },
  filters: [
    { name: "role", label: "Role", options: [["", "Any role"], ...Object.entries(ROLE_NAMES)] as Option[] },
    {
      name: "sign_in",
      label: "Sign-in method",
      options: [
        ["", "Any method"],
        ["password", "Password"],
        ["sso", "Single sign-on"],
      ] as Option[],
    },
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
          {
            heading: "User",
            ...list.heading("email"),
            cell: ({ id, email }) => html`<a href="/operator/users/${id}">${email}</a>`,
          },
          { heading: "Role", cell: ({ role }) => ROLE_NAMES[role] },
          {
            heading: "Sign-in method",
            cell: ({ sign_in }) => (sign_in === "sso" ? "Single sign-on" : "Password"),
          },
          {
            heading: "Two-factor",
            cell: ({ two_factor_at, sign_in }) =>
              sign_in === "sso" ? "At the provider" : two_factor_at === null ? "Off" : badge("On", "ok"),
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

/** With single sign-on only if it is set up, and then first. */
const fieldsOf = (env: Context["env"], apps: Awaited<ReturnType<typeof listAllApps>>) => {
  const { sign_in, ...fields } = USER.form;
  const isSetUp = nameOfSingleSignOn(env) !== undefined;
  return {
    ...fields,
    sign_in: {
      ...sign_in,
      options: isSetUp
        ? sign_in.options.toReversed()
        : sign_in.options.map(
            ([value, text]): Option =>
              value === "sso" ? [value, `${text}. Not set up`, true] : [value, text],
          ),
      ...(isSetUp ? {} : { hint: SET_UP }),
    },
    ...(apps.length > 0 && {
      apps: {
        label: "Apps",
        checks: apps.map(
          ({ token, name }) => [token, html`${nameText(name)} <code>${token}</code>`] as const,
        ),
      },
    }),
  } satisfies Fields;
};

/** The address can name an email address and an app, as the page of an app does that does not know the user. */
export const newUserPage: Show = async ({ env, url }, rejected, session) => {
  const fields = fieldsOf(env, await listAllApps(env.DB));
  const { searchParams } = url;
  return {
    title: "New user",
    section: "Users",
    body: html`
      ${pageHead("New user")}
      ${card(
        { id: "user", title: "Who, and how they sign in" },
        form(
          {
            action: "/operator/users/new",
            fields,
            values: {
              email: searchParams.get("email") ?? "",
              apps: searchParams.getAll("app_token"),
            },
            more: passwordField(session, "new", rejected),
            button: "Create user",
            className: "long-checks",
          },
          rejected,
        ),
      )}`,
  };
};

export const submitNewUser: Act = async (context, session, sent) => {
  const { env } = context;
  const allApps = await listAllApps(env.DB);
  const apps = [...new Set(sent.getAll("apps"))];
  const errors: InputError[] = [];
  const body = sentBody(USER.form, sent);
  parsePart(newUser, body, errors);
  if (sent.get("sign_in") === "sso" && nameOfSingleSignOn(env) === undefined)
    errors.push({ param: "sign_in", message: "Single sign-on isn't set up. Choose a password." });
  if (apps.some((token) => !allApps.some((app) => app.token === token)))
    errors.push({ param: "apps", message: "must be apps that are not archived" });
  errors.push(...(await findTaken(context, newUser.shape.email.safeParse(sent.get("email")).data)));
  await session.confirm?.(errors);
  const user = await createUser.submit(context, session, { body });
  for (const token of apps)
    await addMember.handle(context, session, { path: { token }, body: { user_id: user.id } });
  if (user.sign_in === "sso") return done(`/operator/users/${user.id}`, "user-created");
  return passwordPage(context, user);
};
