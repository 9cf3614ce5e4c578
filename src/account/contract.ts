/** The fields of the forms on the account pages. */
import * as z from "zod/mini";
import { email, newPassword, password, plainText } from "../http/input/fields.ts";

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

/** `replaces` is the hint of the token that the page showed, so that a form submitted twice resets the token only once. */
export const confirm = z.object({ password, replaces: z.optional(z.string()) });

export const changePassword = z
  .object({ current_password: password, new_password: newPassword, repeat_password: z.string() })
  .check(
    z.refine((fields) => fields.repeat_password === fields.new_password, {
      path: ["repeat_password"],
      error: "must match the new password",
    }),
    z.refine((fields) => fields.new_password !== fields.current_password, {
      path: ["new_password"],
      error: "must differ from the current password",
    }),
  );

/** `session` is the reference that the list of sessions shows. */
export const endSession = z.object({
  session: z.string().check(z.regex(/^[0-9a-f]{16}$/, "is not a session")),
});
