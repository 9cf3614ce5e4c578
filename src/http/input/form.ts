/** Reads the forms that our pages post. */
import type * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { decodeUtf8, mediaType, readBody } from "./body.ts";
import { readPairs } from "./pairs.ts";
import { invalidRequest, parsePart } from "./parse.ts";

/** The only fields that a form may send more than once. */
const LIST_FIELDS = ["cost_types", "apps"];

/**
 * The parsed fields of a form or, if any is invalid, all errors and what was sent. Throws unsupported_media_type,
 * invalid_request for a body that is not UTF-8, and what `readBody` throws.
 */
export async function readForm<T extends z.ZodMiniObject>(
  context: Context,
  schema: T,
): Promise<{ fields: z.output<T> } | { errors: InputError[]; sent: URLSearchParams }> {
  const { sent, errors } = await readSent(context);
  const fields = parsePart(schema, Object.fromEntries(sent), errors);
  return fields === undefined || errors.length > 0 ? { errors, sent } : { fields };
}

/** The fields of a form as they were sent. Throws what `readForm` throws, and invalid_request for a repeated field. */
export async function readFields(context: Context, maxBytes?: number): Promise<URLSearchParams> {
  const { sent, errors } = await readSent(context, maxBytes);
  if (errors.length > 0) throw invalidRequest(errors);
  return sent;
}

/** The fields and files of a multipart form. Throws what `readForm` throws, and invalid_request for a repeated field. */
export async function readMultipart({ request }: Context, maxBytes: number): Promise<FormData> {
  if (mediaType(request) !== "multipart/form-data")
    throw new AppError("unsupported_media_type", "Send the form as multipart/form-data.");
  const body = await readBody(request, maxBytes);
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw invalidRequest([{ param: "body", message: "is not a form in multipart/form-data" }]);
  });
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of form.keys()) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size === 0) return form;
  throw invalidRequest([...repeated].map((param) => ({ param, message: "is given more than once" })));
}

async function readSent(context: Context, maxBytes?: number) {
  if (mediaType(context.request) !== "application/x-www-form-urlencoded")
    throw new AppError("unsupported_media_type", "Send the form as application/x-www-form-urlencoded.");
  const body = decodeUtf8(await readBody(context.request, maxBytes));
  if (body === undefined) throw invalidRequest([{ param: "body", message: "must be UTF-8" }]);
  const pairs = readPairs(body);
  const errors = new Map<string, InputError>();
  const seen = new Set<string>();
  for (const { name, isUtf8 } of pairs) {
    if (seen.has(name) && !LIST_FIELDS.includes(name))
      errors.set(name, { param: name, message: "is given more than once" });
    if (!isUtf8) errors.set(name, { param: name, message: "must be percent-encoded UTF-8" });
    seen.add(name);
  }
  return {
    sent: new URLSearchParams(pairs.map(({ name, value }) => [name, value])),
    errors: [...errors.values()],
  };
}
