/**
 * What the Worker says of itself: one JSON line a request and one for each unexpected error. Nothing that a caller sent
 * goes into them but the method: routes are patterns, so that no cost id, token or name can get in.
 */
import type { ErrorCode } from "./errors.ts";

/** What becomes known of a request on its way, for its line. */
export interface Trace {
  surface?: string;
  /** The pattern, for instance `/cost/:cost_id`. */
  route?: string;
  userId?: number;
  partnerId?: number;
  outcome?: ErrorCode;
}

/** What there is of a request once it was answered. `now` in milliseconds since 1970. */
interface Answered {
  env: { LOG_SAMPLE?: string };
  request: { method: string };
  requestId: string;
  now: number;
  trace: Trace;
}

/**
 * One line for an answered request. `LOG_SAMPLE` (0 to 1, unset 1) says for what share of them; 500 and above always.
 * `answeredAt` in milliseconds since 1970.
 */
export function logRequest(answered: Answered, status: number, answeredAt: number): void {
  const { env, request, requestId, now, trace } = answered;
  if (status < 500 && positionOf(requestId) >= Number(env.LOG_SAMPLE ?? 1)) return;
  const { surface, route, userId, partnerId, outcome } = trace;
  console.log(
    JSON.stringify({
      level: status < 500 ? "info" : "error",
      request_id: requestId,
      surface: surface ?? null,
      route: route ?? null,
      method: request.method,
      status,
      milliseconds: answeredAt - now,
      outcome: outcome ?? (status < 400 ? "ok" : null),
      user_id: userId,
      partner_id: partnerId,
    }),
  );
}

/** Where a request stands between 0 and 1: drawn with its random id, so the id tells whether there is a line. */
function positionOf(requestId: string): number {
  return Number.parseInt(requestId.slice(0, 8), 16) / 2 ** 32;
}

/** A line for something unexpected. Only the name and the first line: later ones may carry SQL parameters. */
export function logError(requestId: string, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(
    JSON.stringify({
      level: "error",
      request_id: requestId,
      error: name,
      message: withoutSecrets(message.split("\n", 1)[0] ?? ""),
      at: stack
        ?.split("\n")
        .find((line) => /^\s+at /.test(line))
        ?.trim(),
    }),
  );
}

/** Errors of others may quote what they were given. */
function withoutSecrets(message: string): string {
  return message.replace(/ll_(api|live|test)_\w+/g, "ll_$1_…");
}
