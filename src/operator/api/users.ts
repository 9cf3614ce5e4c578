/** Users in the operator API. A password or token of a user is returned only by the operation that creates it. */
import * as z from "zod/mini";
import { createTemporaryPassword } from "../../auth/passwords.ts";
import { markTokenReset } from "../../auth/tokens.ts";
import * as db from "../../db/operator/users.ts";
import { toIso } from "../../domain/time.ts";
import { AppError } from "../../errors.ts";
import { email } from "../../http/input/fields.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { requirePassword, yourPassword } from "../confirmation.ts";
import { byId, change, createSecret, notFound, page, secret } from "./common.ts";
import { itemOperation, listOperation } from "./operation.ts";

const PASSWORD_ERRORS = ["password_required", "wrong_password"] as const;

export const role = z.enum(["member", "operator"], "must be member or operator");

const user = z
  .strictObject({
    id: z.int(),
    email: z.string(),
    role,
    sign_in: z.enum(["password", "sso"]),
    token_hint: z.nullable(z.string()),
    disabled_at: z.nullable(timestamp),
    created_at: timestamp,
    temporary_password_expires_at: z
      .nullable(timestamp)
      .with(z.describe("Null if the user has chosen a password or has none")),
    temporary_password: secret,
    api_token: secret,
  })
  .with(z.meta({ id: "User" }));

export type UserItem = z.output<typeof user>;

export function toUserItem(row: db.UserRow): UserItem {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    sign_in: row.hasPassword ? "password" : "sso",
    token_hint: row.tokenHint,
    disabled_at: row.disabledAt === null ? null : toIso(row.disabledAt),
    created_at: toIso(row.createdAt),
    temporary_password_expires_at: row.passwordExpiresAt === null ? null : toIso(row.passwordExpiresAt),
  };
}

const listUsers = listOperation({
  path: "/operator/v1/users",
  id: "listUsers",
  summary: "List users",
  input: page,
  item: user,
  errors: [],
  list: ({ env }, { range }) => db.listUsers(env.DB, range),
  toItem: toUserItem,
});

const newUser = z.strictObject({
  email,
  role: z._default(role, "member"),
  sign_in: z._default(z.enum(["password", "sso"], "must be password or sso"), "password"),
  your_password: yourPassword,
});

export const createUser = itemOperation({
  method: "POST",
  path: "/operator/v1/users",
  id: "createUser",
  summary: "Create a user with a temporary password or for single sign-on",
  input: { body: newUser },
  item: user,
  errors: ["email_taken", ...PASSWORD_ERRORS],
  async handle(context, operator, { body: { email, role, sign_in, your_password } }) {
    const { env, now } = context;
    if (role === "operator" && sign_in === "password")
      await requirePassword(context, operator, your_password);
    const created = sign_in === "password" ? await createTemporaryPassword(now) : undefined;
    const stored = created?.stored ?? db.NO_PASSWORD;
    const inserted = await db.insertUser(env.DB, operator, { email, role, ...stored });
    if (!inserted) throw new AppError("email_taken");
    return { ...toUserItem(inserted), ...(created && { temporary_password: created.password }) };
  },
  locate: ({ id }) => id,
});

export const readUser = itemOperation({
  method: "GET",
  path: "/operator/v1/users/:id",
  id: "readUser",
  summary: "Get a user",
  input: { path: byId },
  item: user,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    const found = await db.findUser(env.DB, id);
    if (!found) throw notFound("user");
    return toUserItem(found);
  },
});

const userChange = change(
  {
    role: z.optional(role),
    disabled: z.optional(z.boolean()),
    email: z.optional(email),
    sign_in: z.optional(
      z.literal("sso", "can only be changed to sso; to change it to password, reset the password"),
    ),
  },
  { your_password: yourPassword },
);

export const updateUser = itemOperation({
  method: "PATCH",
  path: "/operator/v1/users/:id",
  id: "updateUser",
  summary: "Update a user: change the email, the role or the sign-in method, disable or enable",
  input: { path: byId, body: userChange },
  item: user,
  description:
    "A new email address is the one to sign in with. Sessions, the password and the API token stay.",
  errors: ["not_found", "last_operator", "email_taken", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { role, disabled, email, sign_in, your_password } }) {
    const { DB } = context.env;
    const current = role && (await db.findUser(DB, id))?.role;
    if (current !== undefined && current !== role) await requirePassword(context, operator, your_password);
    const change = { role, disabled, email, ...(sign_in && { password: db.NO_PASSWORD }) };
    const updated = await db.updateUser(DB, operator, id, change);
    if (updated) return toUserItem(updated);
    if (!(await db.findUser(DB, id))) throw notFound("user");
    const other = email === undefined ? undefined : await db.findUserByEmail(DB, email);
    throw new AppError(other && other.id !== id ? "email_taken" : "last_operator");
  },
});

const passwordReset = z._default(
  z.strictObject({
    revoke_api_token: z
      .optional(z.boolean())
      .with(
        z.describe(
          "Also deletes the user's API token. By default it keeps working, but can no longer be shown",
        ),
      ),
    your_password: yourPassword,
  }),
  {},
);

/** The user's sessions end, and a sealed API token can no longer be shown. */
export const resetPassword = itemOperation({
  method: "POST",
  path: "/operator/v1/users/:id/password",
  id: "resetPassword",
  summary: "Reset a user's password to a temporary password",
  description:
    "To recover an account that somebody else may have used, set `revoke_api_token`: the password, the sessions and the API token stop working in one step.",
  input: { path: byId, body: passwordReset },
  item: user,
  returns: "The user with the password",
  errors: ["not_found", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { revoke_api_token, your_password } }) {
    const { env, now } = context;
    const found = await db.findUser(env.DB, id);
    if (!found) throw notFound("user");
    if (found.role === "operator") await requirePassword(context, operator, your_password);
    const { password, stored } = await createTemporaryPassword(now);
    const change = { password: stored, revokesToken: revoke_api_token ?? false };
    const updated = await db.updateUser(env.DB, operator, id, change);
    if (!updated) throw notFound("user");
    return { ...toUserItem(updated), temporary_password: password };
  },
});

export const issueToken = itemOperation({
  method: "POST",
  path: "/operator/v1/users/:id/token",
  id: "issueToken",
  summary: "Replace the API token of a single sign-on user",
  input: { path: byId },
  item: user,
  returns: "The user with the token",
  errors: ["not_found", "user_disabled", "has_password"],
  async handle({ env, now, afterResponse }, operator, { path: { id } }) {
    const { secret, stored } = createSecret("api");
    const { user, replaced, oldHash } = await db.replaceToken(env.DB, operator, id, stored);
    if (!user) throw notFound("user");
    if (!replaced) throw new AppError(user.disabledAt === null ? "has_password" : "user_disabled");
    if (oldHash) afterResponse(markTokenReset(env.TOKENS, oldHash, now));
    return { ...toUserItem(user), api_token: secret };
  },
});

export const operations = [listUsers, createUser, readUser, updateUser, resetPassword, issueToken];
