/**
 * Idempotency-Key on a POST (IETF draft): the same key and body gives the first answer again for 24 hours. Only an answer
 * that something was done is kept; a request that was refused may be sent again with the same key.
 */
import { sha256 } from "../auth/secrets.ts";
import type { KeyedRequest, StoredAnswer } from "../db/link-creation.ts";
import type { Context } from "../env.ts";
import { AppError, type Fault } from "../errors.ts";

const HEADER = "Idempotency-Key";

/** undefined, with a fault, for a key that is none. undefined without a header, too. */
export function readKey(context: Context, faults: Fault[]): string | undefined {
  const key = context.request.headers.get(HEADER);
  if (key === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  faults.push({ param: HEADER, message: "must be 1 to 255 visible ASCII characters" });
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

/** The first answer again. Throws idempotency_key_reused for another request. */
export function replay(earlier: StoredAnswer & { body_hash: string }, request: KeyedRequest): StoredAnswer {
  if (earlier.body_hash !== request.bodyHash) throw new AppError("idempotency_key_reused");
  return earlier;
}

/** Another request took the key while this one was on its way. */
export function keyInUse(): AppError {
  return new AppError("idempotency_key_in_use", undefined, { headers: { "retry-after": "1" } });
}
