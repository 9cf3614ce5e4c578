/** The response envelopes of both versions (spec §2.4). */
import type { Context } from "../env.ts";

/** The body ends with a newline, so that a terminal shows the next prompt on its own line. */
export function jsonResponse(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });
}

/** `about` is what is true for all items. */
export function envelopeV1(
  context: Context,
  items: unknown[],
  paging?: object,
  about: object = {},
): { data: object } {
  return {
    data: {
      api_version: "1",
      request_id: context.requestId,
      timestamp: new Date(context.now).toISOString(),
      ...about,
      ...(paging && { paging }),
      items,
    },
  };
}

export function envelopeV2(items: unknown[], paging: object): { data: object } {
  return { data: { paging, items } };
}
