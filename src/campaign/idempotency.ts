/**
 * Idempotency-Key on a POST (IETF draft): the same key and body gives the first answer again for 24 hours. Only an answer
 * that something was done is kept; a request that was refused may be sent again with the same key.
 */

import { Buffer } from "node:buffer";
import type { KeyedRequest, StoredResponse } from "../db/links/creation.ts";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";

const HEADER = "Idempotency-Key";

/** undefined, with a fault, for a key that is none. undefined without a header, too. */
export function readKey(context: Context, errors: InputError[]): string | undefined {
  const key = context.request.headers.get(HEADER);
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  errors.push({ param: HEADER, message: "must be 1 to 255 visible ASCII characters" });
  return undefined;
}

export function toKeyedRequest(
  context: Context,
  operation: KeyedRequest["operation"],
  key: string,
  body: unknown,
): KeyedRequest {
  const bodyHash = sha256(JSON.stringify(body));
  return { operation, key, bodyHash, requestId: context.requestId, now: context.now };
}

/** The first answer again, but for the id of the request. Throws idempotency_key_reused for another request. */
export function replay(
  earlier: StoredResponse & { body_hash: string; request_id: string },
  request: KeyedRequest,
): StoredResponse {
  if (earlier.body_hash !== request.bodyHash) throw new AppError("idempotency_key_reused");
  const named = (id: string) => `"request_id":"${id}"`;
  // In a text of the caller's the quotes are escaped.
  return {
    ...earlier,
    answer: earlier.answer.replaceAll(named(earlier.request_id), named(request.requestId)),
  };
}

/** What one parameter of D1 holds, less than 2 MB: room for 100 links of all but the longest templates. */
const MAX_ANSWER_BYTES = 1_900_000;

/** Throws payload_too_large where an answer is too long to be kept. */
export function refuseLong({ answer }: StoredResponse): void {
  if (Buffer.byteLength(answer) > MAX_ANSWER_BYTES) {
    throw new AppError(
      "payload_too_large",
      "The answer would be too long to keep for the key: send fewer links at once.",
    );
  }
}

/** Another request took the key while this one was on its way. */
export function keyInUse(): AppError {
  return new AppError("idempotency_key_in_use", undefined, { headers: { "retry-after": "1" } });
}
