/** Users in the operator API. */
import * as z from "zod/mini";
import type { UserRow } from "../../db/operator/users.ts";
import { toIso } from "../../domain/time.ts";
import { email } from "../../http/fields.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { change, secret } from "./common.ts";

export const role = z.enum(["member", "operator"], "must be member or operator");

export const user = z
  .strictObject({
    id: z.int(),
    email: z.string(),
    role,
    sign_in: z.enum(["password", "sso"]),
    token_hint: z.nullable(z.string()),
    disabled_at: z.nullable(timestamp),
    created_at: timestamp,
    temporary_password: secret,
    api_token: secret,
  })
  .with(z.meta({ id: "User" }));

export type UserItem = z.output<typeof user>;

export function toUserItem(row: UserRow): UserItem {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    sign_in: row.hasPassword ? "password" : "sso",
    token_hint: row.tokenHint,
    disabled_at: row.disabledAt === null ? null : toIso(row.disabledAt),
    created_at: toIso(row.createdAt),
  };
}

export const newUser = z.strictObject({
  email,
  role: z._default(role, "member"),
  sign_in: z._default(z.enum(["password", "sso"], "must be password or sso"), "password"),
});
export const userChange = change({
  role: z.optional(role),
  disabled: z.optional(z.boolean()),
  sign_in: z.optional(
    z.literal("sso", "can only be changed to sso; to change it to password, reset the password"),
  ),
});
