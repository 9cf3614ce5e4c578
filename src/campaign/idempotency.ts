/**
 * Idempotency-Key on a POST (IETF draft): the same key and body get the first response again for 24 hours. Only responses of
 * accepted requests are stored; a rejected request can be resent with the same key.
 */
import { Buffer } from "node:buffer";
import type { KeyedRequest, StoredResponse } from "../db/links/creation.ts";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";

const HEADER = "Idempotency-Key";

/** The key, or undefined without the header. Adds an error and returns undefined if the key is malformed. */
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

/** The first response with the ID of this request. Throws idempotency_key_reused if the body is different. */
export function replay(
  earlier: StoredResponse & { bodyHash: string; requestId: string },
  request: KeyedRequest,
): StoredResponse {
  if (earlier.bodyHash !== request.bodyHash) throw new AppError("idempotency_key_reused");
  const toMember = (id: string) => `"request_id":"${id}"`;
  // Text that a caller sent cannot contain this, because its quotes are escaped.
  return {
    ...earlier,
    answer: earlier.answer.replaceAll(toMember(earlier.requestId), toMember(request.requestId)),
  };
}

/** A D1 parameter holds less than 2 MB. That is enough for 100 links unless their templates are very long. */
const MAX_ANSWER_BYTES = 1_900_000;

/** Throws payload_too_large if a response is too long to store. */
export function rejectLong({ answer }: StoredResponse): void {
  if (Buffer.byteLength(answer) > MAX_ANSWER_BYTES) {
    throw new AppError(
      "payload_too_large",
      "The response is too long to store for the Idempotency-Key. Send fewer links in one request.",
    );
  }
}

/** Another request with the key started while this one was running. */
export function keyInUse(): AppError {
  return new AppError("idempotency_key_in_use", undefined, { headers: { "retry-after": "1" } });
}
