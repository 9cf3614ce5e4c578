/** The fields of the forms on the account pages. */
import * as z from "zod/mini";
import { email, newPassword, password } from "../http/fields.ts";

export const signIn = z.object({ email, password, next: z.optional(z.string()) });

/** `replaces` is the hint of the token that the page showed, so that a form submitted twice resets the token only once. */
export const confirm = z.object({ password, replaces: z.optional(z.string()) });

export const changePassword = z
  .object({ current_password: password, new_password: newPassword, repeat_password: z.string() })
  .check(
    z.refine((fields) => fields.repeat_password === fields.new_password, {
      path: ["repeat_password"],
      error: "must match the new password",
    }),
  );
