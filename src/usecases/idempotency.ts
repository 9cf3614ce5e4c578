/**
 * Idempotency-Key on a POST (IETF draft): the same key and body get the first response again for 24 hours. Only responses of
 * accepted requests are stored; a rejected request can be resent with the same key.
 */
import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import type { EarlierResponse, KeyedRequest, StoredResponse } from "../db/idempotency.ts";
import { sha256 } from "../domain/hash.ts";
import { toIso } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";

const key = z
  .string()
  .check(z.regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters"))
  .with(
    z.describe(
      "1 to 255 visible ASCII characters. For 24 hours, the same key and body from the same user on the same app and path get the first response again.",
    ),
  );

export const requiredIdempotencyKey = z.object({ "Idempotency-Key": key });
export const idempotencyKey = z.partial(requiredIdempotencyKey);

/** The responses that an app keeps for its idempotency keys, together, in characters. */
export const MAX_STORED_LENGTH = 256 * 1024 * 1024;

/** What an accepted request responds with. */
export type Created = { status: 200 | 201; location: string | null; items: object[] };

export function toKeyedRequest(
  context: Context,
  operation: KeyedRequest["operation"],
  key: string,
  body: unknown,
): KeyedRequest {
  const bodyHash = sha256(JSON.stringify(body));
  return { operation, key, bodyHash, requestId: context.requestId, now: context.now };
}

/** A D1 parameter holds less than 2 MB. That is enough for 100 links unless their templates are very long. */
const MAX_BYTES = 1_900_000;

/** Throws payload_too_large if the response is too long to store. */
export function toStored(context: Context, { status, location, items }: Created): StoredResponse {
  const answer = JSON.stringify({ timestamp: toIso(context.now), items });
  if (Buffer.byteLength(answer) > MAX_BYTES)
    throw new AppError(
      "payload_too_large",
      "The response is too long to store for the Idempotency-Key. Send fewer items in one request.",
    );
  return { status, location, answer };
}

/** The first response with the ID of this request. Throws idempotency_key_reused if the body is different. */
export function replay(context: Context, earlier: EarlierResponse, request: KeyedRequest): Response {
  if (earlier.bodyHash !== request.bodyHash) throw new AppError("idempotency_key_reused");
  const { requestId: request_id } = context;
  const { timestamp, items } = JSON.parse(earlier.answer) as { timestamp: string; items: object[] };
  const replayed = items.map((item) => ("request_id" in item ? { ...item, request_id } : item));
  return jsonResponse(
    { data: { api_version: "1", request_id, timestamp, items: replayed } },
    earlier.status,
    earlier.location === null ? {} : { location: earlier.location },
  );
}

/** Another request with the key started while this one was running. */
export function keyInUse(): AppError {
  return new AppError("idempotency_key_in_use", undefined, { headers: { "retry-after": "1" } });
}

/** The app keeps too many responses. They are deleted after 24 hours. */
export function tooManyStored(): AppError {
  return new AppError(
    "rate_limited",
    "The responses that are stored for the Idempotency-Keys of this app have reached their limit of 256 MiB. Wait until the oldest are 24 hours old, or send the request without a key.",
    { headers: { "retry-after": "3600" } },
  );
}
