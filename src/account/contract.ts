/** The fields of the forms on the account pages. */
import * as z from "zod/mini";
import { email, nameText, newPassword, password, plainText, readAs } from "../http/input/fields.ts";

export const signIn = z.object({ email, password, next: z.optional(z.string()) });

const code = z.string().check(plainText(1, 64));

export const enterCode = z.object({ code, next: z.optional(z.string()) });

/** `secret` is the one that the page showed as a QR code. */
export const turnOnTwoFactor = z.object({
  secret: z.string().check(z.regex(/^[A-Z2-7]{32}$/, "is not from this page; reload the page")),
  code,
  password,
  next: z.optional(z.string()),
});

/** A box that is ticked. */
const box = z.optional(z.literal("yes"));
/** Which tokens end too. */
const endedTokens = { end_access_tokens: box, end_api_token: box };

/** `replaces` is the hint of the token that the page showed, so that a form submitted twice resets the token only once. */
const reset = { replaces: z.optional(z.string()), end_access_tokens: box };
export const confirm = z.object({ password, ...reset });
export const resetWithoutPassword = z.object(reset);

export const changePassword = z
  .object({
    current_password: password,
    new_password: newPassword,
    repeat_password: z.string(),
    next: z.optional(z.string()),
    ...endedTokens,
  })
  .check(
    z.refine((fields) => fields.repeat_password === fields.new_password, {
      path: ["repeat_password"],
      error: "must match the new password",
      when: () => true,
    }),
    z.refine((fields) => fields.new_password !== fields.current_password, {
      path: ["new_password"],
      error: "must differ from the current password",
    }),
  );

/** The longest life of an access token, in days. */
export const MAX_TOKEN_DAYS = 366;
const NO_DAYS = `must be a whole number from 1 to ${MAX_TOKEN_DAYS}`;

/** `app_token` is empty for all apps. `password` is missing for a user without one. */
export const createAccessToken = z.object({
  name: z.string().check(z.trim(), nameText(1, 100)),
  scope: z.enum(["read", "write"], "must be read or write"),
  app_token: z.string().check(z.regex(/^([0-9A-Za-z]{12})?$/, "must be one of your apps")),
  days: readAs(z.string(), (value, reject) => {
    const days = /^[1-9]\d{0,2}$/.test(value.trim()) ? Number(value) : MAX_TOKEN_DAYS + 1;
    if (days > MAX_TOKEN_DAYS) reject(NO_DAYS);
    return days;
  }),
  password: z.optional(password),
});

/** `token` is the reference that the list of access tokens shows. */
export const endAccessToken = z.object({
  token: z.string().check(z.regex(/^[0-9a-f]{16}$/, "is not an access token")),
});

/** `password` is missing for a user without one. */
export const signOutEverywhere = z.object({ password: z.optional(password), ...endedTokens });

/** `session` is the reference that the list of sessions shows. `password` is missing for a user without one. */
export const endSession = z.object({
  password: z.optional(password),
  session: z.string().check(z.regex(/^[0-9a-f]{16}$/, "is not a session")),
});
