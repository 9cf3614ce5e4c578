/**
 * What users sign in with, in the operator API: a new password or token, and its end. A password or token is returned only by the
 * operation that creates it.
 */
import * as z from "zod/mini";
import { createTemporaryPassword } from "../../../auth/passwords.ts";
import { markTokenReset } from "../../../auth/tokens.ts";
import { eraseUser as erase } from "../../../db/operator/users/erase-user.ts";
import { turnOffTwoFactor as removeTwoFactor } from "../../../db/operator/users/two-factor.ts";
import { updateUser } from "../../../db/operator/users/update-user.ts";
import * as db from "../../../db/operator/users/users.ts";
import { expectDefined } from "../../../domain/expect-defined.ts";
import { AppError } from "../../../errors.ts";
import { yourPassword } from "../../confirmation.ts";
import { byId, createSecret } from "../common.ts";
import { itemOperation } from "../item-operations.ts";
import { changeUser, PASSWORD_ERRORS, USER } from "./users.ts";

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
  item: USER.item,
  returns: "The user with the password",
  errors: ["not_found", "user_erased", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { revoke_api_token, your_password } }) {
    const { env, now } = context;
    const whom = { id, isSensitive: true, your_password };
    const reset = await changeUser(context, operator, whom, async (target) => {
      const { password, stored } = await createTemporaryPassword(now);
      const change = { password: stored, revokesToken: revoke_api_token ?? false };
      const user = await updateUser(env.DB, operator, target, change);
      return user && { ...USER.toItem(user), temporary_password: password };
    });
    return expectDefined(reset);
  },
});

const onlyPassword = z._default(z.strictObject({ your_password: yourPassword }), {});

export const issueToken = itemOperation({
  method: "POST",
  path: "/operator/v1/users/:id/token",
  id: "issueToken",
  summary: "Replace the API token of a single sign-on user",
  input: { path: byId, body: onlyPassword },
  item: USER.item,
  returns: "The user with the token",
  errors: ["not_found", "user_erased", "user_disabled", "has_password", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { your_password } }) {
    const { env, now, afterResponse } = context;
    const { secret, stored } = createSecret("api");
    const issued = await changeUser(context, operator, { id, isSensitive: true, your_password }, (target) =>
      db.replaceToken(env.DB, operator, target, stored),
    );
    if (!issued) {
      const found = await db.findUser(env.DB, id);
      throw new AppError(found?.disabledAt === null ? "has_password" : "user_disabled");
    }
    if (issued.oldHash) afterResponse(markTokenReset(env.TOKENS, issued.oldHash, now));
    return { ...USER.toItem(issued.user), api_token: secret };
  },
});

export const eraseUser = itemOperation({
  method: "POST",
  path: "/operator/v1/users/:id/erase",
  id: "eraseUser",
  summary: "Erase a user",
  description:
    "Permanently replaces the email address with `erased user` and the ID. Everything that the user can sign in with ends, and so do the tokens, the sessions and the memberships. What the user did stays in the audit log, under the ID.",
  input: { path: byId, body: onlyPassword },
  item: USER.item,
  returns: "The erased user",
  errors: ["not_found", "user_erased", "last_operator", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { your_password } }) {
    const erased = await changeUser(context, operator, { id, isSensitive: true, your_password }, (target) =>
      erase(context.env.DB, operator, target),
    );
    if (!erased) throw new AppError("last_operator");
    return USER.toItem(erased);
  },
});

export const turnOffTwoFactor = itemOperation({
  method: "POST",
  path: "/operator/v1/users/:id/two-factor/off",
  id: "turnOffTwoFactor",
  summary: "Turn off a user's two-factor authentication",
  description:
    "The password stays, and the sessions end. For a user who lost the phone: first check who is asking.",
  input: { path: byId, body: onlyPassword },
  item: USER.item,
  errors: ["not_found", "user_erased", ...PASSWORD_ERRORS],
  async handle(context, operator, { path: { id }, body: { your_password } }) {
    const changed = await changeUser(context, operator, { id, isSensitive: true, your_password }, (target) =>
      removeTwoFactor(context.env.DB, operator, target),
    );
    return USER.toItem(expectDefined(changed));
  },
});

export const operations = [resetPassword, turnOffTwoFactor, issueToken, eraseUser];
