/** Users in the operator API: who they are, and how they are created and changed. */
import * as z from "zod/mini";
import { createTemporaryPassword } from "../../../auth/passwords.ts";
import { updateUser as saveUser } from "../../../db/operator/users/update-user.ts";
import * as db from "../../../db/operator/users/users.ts";
import { toIso } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { AppError, type InputError } from "../../../errors.ts";
import { email } from "../../../http/input/fields.ts";
import { type ActingOperator, requirePassword, yourPassword } from "../../confirmation.ts";
import { INSTANT, instantOrNull, noun } from "../../noun.ts";
import { byId, change, notFound, page, secret } from "../common.ts";
import { itemOperation, listOperation } from "../item-operations.ts";

export const PASSWORD_ERRORS = ["password_required", "wrong_password"] as const;

export const role = z.enum(["member", "operator"], "must be member or operator");

export const USER = noun("User", {
  id: { item: z.int() },
  email: {
    item: z.string(),
    input: email,
    form: { label: "Email", subject: "The email address", type: "email", required: true },
  },
  role: {
    item: role,
    input: role,
    default: "member",
    form: {
      label: "Role",
      options: [
        ["member", "Member: can use the apps they're added to"],
        ["operator", "Operator: can also use this console"],
      ],
    },
  },
  sign_in: {
    item: z.enum(["password", "sso"]),
    of: ({ hasPassword }: db.UserRow) => (hasPassword ? "password" : "sso"),
    input: z
      .enum(["password", "sso"], "must be password or sso")
      .with(
        z.describe("password: with a temporary password at first; sso: single sign-on, without a password"),
      ),
    default: "password",
    form: {
      label: "Sign-in method",
      options: [
        ["password", "Password: get a temporary password"],
        ["sso", "Single sign-on: no password"],
      ],
    },
  },
  token_hint: { item: z.nullable(z.string()) },
  disabled_at: instantOrNull(),
  erased: {
    item: z.boolean().with(z.describe("Whether the user was erased, and can no longer be changed")),
    of: (row: db.UserRow) => row.isErased === 1,
  },
  created_at: INSTANT,
  temporary_password_expires_at: {
    ...instantOrNull("Null if the user has chosen a password or has none"),
    of: (row: db.UserRow) => row.passwordExpiresAt && toIso(row.passwordExpiresAt),
  },
  two_factor_at: instantOrNull("Since when two-factor authentication is on; null if it is off"),
  temporary_password: { item: secret },
  api_token: { item: secret },
});

export type UserItem = z.output<typeof USER.item>;

/**
 * Changes a user by `write`. If it is sensitive, for example because it changes how the user signs in, or if the user is or
 * becomes an operator, or is the one who acts, that takes the operator's own password. `write` gets whether it was entered, and
 * returns undefined if it changed nothing, for example because a member has become an operator. Then the user is judged again.
 * Returns undefined if nothing was changed for another reason. Throws not_found, user_erased, and what `requirePassword` throws.
 */
export async function changeUser<T>(
  context: Context,
  operator: ActingOperator,
  {
    id,
    isSensitive,
    your_password,
    taken = [],
  }: { id: number; isSensitive: boolean; your_password: string | undefined; taken?: InputError[] },
  write: (target: db.Target) => Promise<T | undefined>,
): Promise<T | undefined> {
  let isConfirmed = false;
  for (let attempt = 1; attempt <= 2; attempt++) {
    const found = await db.findUser(context.env.DB, id);
    if (!found) throw notFound("user");
    if (found.isErased) throw new AppError("user_erased");
    const needsPassword = isSensitive || found.role === "operator" || id === operator.userId;
    const asks = needsPassword && !isConfirmed;
    await requireFor(context, operator, { asks, your_password, taken });
    isConfirmed ||= needsPassword;
    const written = await write({ id, isConfirmed });
    if (written) return written;
  }
  return undefined;
}

/** That another user has an email address, as an error. Operators can list all users. */
export async function findTaken(
  { env }: Context,
  email: string | undefined,
  ownId?: number,
): Promise<InputError[]> {
  const other = email === undefined ? undefined : await db.findUserByEmail(env.DB, email);
  return other && other.id !== ownId
    ? [{ param: "email", message: "Another user has this email address." }]
    : [];
}

/** Asks for the password, if `asks`. A taken email address is named beside a missing one, and before one is checked, which counts. */
async function requireFor(
  context: Context,
  operator: ActingOperator,
  { asks, your_password, taken }: { asks: boolean; your_password: string | undefined; taken: InputError[] },
): Promise<void> {
  const isMissing = asks && your_password === undefined;
  if (taken.length > 0 && !isMissing) throw new AppError("email_taken");
  if (asks) await requirePassword(context, operator, your_password, taken);
}

const listUsers = listOperation({
  path: "/operator/v1/users",
  id: "listUsers",
  summary: "List users",
  input: page,
  item: USER.item,
  errors: [],
  list: ({ env }, { range }) => db.listUsers(env.DB, range),
  toItem: USER.toItem,
});

export const newUser = z.strictObject({ ...USER.created, your_password: yourPassword });

export const createUser = itemOperation({
  method: "POST",
  path: "/operator/v1/users",
  id: "createUser",
  summary: "Create a user with a temporary password or for single sign-on",
  input: { body: newUser },
  item: USER.item,
  errors: ["email_taken", ...PASSWORD_ERRORS],
  async handle(context, operator, { body: { email, role, sign_in, your_password } }) {
    const { env, now } = context;
    const taken = await findTaken(context, email);
    await requireFor(context, operator, { asks: role === "operator", your_password, taken });
    const created = sign_in === "password" ? await createTemporaryPassword(now) : undefined;
    const stored = created?.stored ?? db.NO_PASSWORD;
    const inserted = await db.insertUser(env.DB, operator, { email, role, ...stored });
    if (!inserted) throw new AppError("email_taken");
    return { ...USER.toItem(inserted), ...(created && { temporary_password: created.password }) };
  },
  locate: ({ id }) => id,
});

export const readUser = itemOperation({
  method: "GET",
  path: "/operator/v1/users/:id",
  id: "readUser",
  summary: "Read a user",
  input: { path: byId },
  item: USER.item,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    const found = await db.findUser(env.DB, id);
    if (!found) throw notFound("user");
    return USER.toItem(found);
  },
});

export const userChange = change(
  {
    ...USER.changed,
    disabled: z
      .optional(z.boolean())
      .with(z.describe("true: the sessions and tokens of the user end, and nobody can sign in as the user")),
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
  requestExample: { role: "member", your_password: "…" },
  item: USER.item,
  description:
    "A new email address is the one to sign in with. Sessions, the password and the API token stay, but a single sign-on user is unlinked and signed out, and linked again by the next sign-in. A new operator is unlinked too, and an operator must link them after their next sign-in.",
  errors: ["not_found", "user_erased", "last_operator", "email_taken", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { role, disabled, email, sign_in, your_password } }) {
    const { DB } = context.env;
    const change = { role, disabled, email, ...(sign_in && { password: db.NO_PASSWORD }) };
    const isSensitive = role !== undefined || email !== undefined || sign_in !== undefined;
    const taken = await findTaken(context, email, id);
    const updated = await changeUser(context, operator, { id, isSensitive, your_password, taken }, (target) =>
      saveUser(DB, operator, target, change),
    );
    if (updated) return USER.toItem(updated);
    const other = email === undefined ? undefined : await db.findUserByEmail(DB, email);
    throw new AppError(other && other.id !== id ? "email_taken" : "last_operator");
  },
});

export const operations = [listUsers, createUser, readUser, updateUser];
