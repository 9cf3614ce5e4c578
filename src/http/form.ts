/** Reads a form that one of our pages posted. */
import type * as z from "zod/mini";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { decodeUtf8, MAX_BODY_BYTES, mediaType, parsePairs, readBody, readPairs } from "./input.ts";

/**
 * The fields of a form or, if any is invalid, all errors and what was sent. Throws unsupported_media_type, and what
 * `readBody` throws.
 */
export async function readForm<T extends z.ZodMiniObject>(
  context: Context,
  schema: T,
): Promise<{ fields: z.output<T> } | { errors: InputError[]; sent: URLSearchParams }> {
  if (mediaType(context.request) !== "application/x-www-form-urlencoded") {
    throw new AppError("unsupported_media_type", "Send the form as application/x-www-form-urlencoded.");
  }
  const body = decodeUtf8(await readBody(context.request, MAX_BODY_BYTES));
  const sent = new URLSearchParams(body);
  if (body === undefined) return { errors: [{ param: "body", message: "must be UTF-8" }], sent };
  const errors: InputError[] = [];
  const fields = parsePairs(schema, readPairs(body), "rejected", errors);
  return fields === undefined ? { errors, sent } : { fields };
}
