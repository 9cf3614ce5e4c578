/** The page of a user: profile, apps, role, API token, sign-in method, and what disables or erases the user. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { nameOfSingleSignOn } from "../../../auth/single-sign-on/settings.ts";
import { readIdentity } from "../../../db/accounts/identities.ts";
import { listAllApps, listAppsOfUser } from "../../../db/operator/apps.ts";
import { findUserHistory } from "../../../db/operator/users/users.ts";
import { toIso } from "../../../domain/time.ts";
import { AppError, type InputError } from "../../../errors.ts";
import { appToken } from "../../../http/input/fields.ts";
import { parseOrThrow, parsePart } from "../../../http/input/parse.ts";
import { card, facts, pageHead } from "../../../pages/elements.ts";
import { time } from "../../../pages/markup.ts";
import { addMember } from "../../api/apps/members.ts";
import { badField } from "../../api/common.ts";
import { eraseUser, issueToken, resetPassword, turnOffTwoFactor } from "../../api/users/sign-in.ts";
import { findTaken, readUser, updateUser, userChange } from "../../api/users/users.ts";
import { type Act, done, idOf, pick, type Show, secretPage } from "../layout.ts";
import { passwordPage, stateOf } from "./common.ts";
import { identitySection } from "./identity.ts";
import * as sections from "./sections.ts";

export const userPage: Show = async (context, formError, session) => {
  const user = await readUser.handle(context, session, { path: { id: idOf(context) } });
  const { DB } = context.env;
  const [{ creator, lastSignIn }, identity, apps, allApps] = await Promise.all([
    findUserHistory(DB, user.id),
    readIdentity(DB, { userId: user.id, now: context.now }),
    listAppsOfUser(DB, user.id),
    listAllApps(DB),
  ]);
  const rejectedAt: sections.UserView["rejectedAt"] = (action, name) =>
    context.url.pathname === action && (name === undefined || formError?.form.has(name))
      ? formError
      : undefined;
  const hasSingleSignOn = nameOfSingleSignOn(context.env) !== undefined;
  const view = { user, path: `/operator/users/${user.id}`, session, hasSingleSignOn, rejectedAt };
  return {
    title: user.email,
    section: "Users",
    body: html`
      ${pageHead(user.email, stateOf(user))}
      ${card(
        { id: "profile", title: "Profile" },
        facts(
          [
            "Created",
            html`${time(user.created_at)}${creator === undefined ? "" : `, by ${creator ?? "the command line"}`}`,
          ],
          ["Last sign-in", lastSignIn === null ? "Never" : time(toIso(lastSignIn))],
          [
            "Activity",
            html`<a href="/operator/audit?who=${encodeURIComponent(user.email)}">Actions by this user</a>, <a href="/operator/audit?object=user%20${user.id}">changes to this user</a>`,
          ],
        ),
        user.erased ? "" : sections.emailForm(view),
      )}
      ${
        user.erased
          ? ""
          : [
              sections.appsSection(view, apps, allApps),
              sections.roleSection(view),
              sections.tokenSection(view),
              sections.signInSection(view),
              sections.twoFactorSection(view),
              user.sign_in === "sso" ? identitySection(view, identity) : "",
              sections.disableSection(view),
              sections.eraseSection(view),
            ]
      }`,
  };
};

export const submitUser: Act = async (context, session, form) => {
  const id = idOf(context);
  const errors: InputError[] = [];
  if (form.get("sign_in") === "sso" && nameOfSingleSignOn(context.env) === undefined)
    errors.push({ param: "sign_in", message: "Single sign-on isn't set up. Choose a password." });
  const disabled = form.get("disabled");
  const body = {
    ...pick(form, "role", "sign_in", "email"),
    ...(disabled !== null && { disabled: disabled === "yes" }),
  };
  parsePart(userChange, body, errors);
  errors.push(
    ...(await findTaken(context, userChange.shape.email.safeParse(form.get("email") ?? undefined).data, id)),
  );
  if (errors.length > 0) await session.confirm?.(errors);
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

export const submitTwoFactorOff: Act = async (context, session) => {
  const path = { id: idOf(context) };
  await turnOffTwoFactor.submit(context, session, { path, body: {} });
  return done(`/operator/users/${path.id}`, "two-factor-off");
};

export const submitErasure: Act = async (context, session) => {
  const path = { id: idOf(context) };
  await eraseUser.submit(context, session, { path, body: {} });
  return done(`/operator/users/${path.id}`, "user-erased");
};

export const submitTokenIssue: Act = async (context, session) => {
  const path = { id: idOf(context) };
  const user = await issueToken.submit(context, session, { path, body: {} });
  return secretPage({
    section: "Users",
    title: "API token",
    name: `API token for ${user.email}`,
    secret: user.api_token,
    use: html`<p>Send it as <code>Authorization: Token token=…</code> with every request to the campaign API.</p>`,
    back: `/operator/users/${user.id}`,
  });
};
