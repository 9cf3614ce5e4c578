/**
 * Writes the log: one JSON line for each request and one for each unexpected error. Of what a caller sent, only the method and the tag
 * of a cost are logged. Routes are logged as patterns, so that no cost ID, token or name gets into the log.
 */
import type { ErrorCode } from "./errors.ts";

/** What handlers learn about a request for its log line. */
export interface Trace {
  surface?: string;
  /** The pattern, for example `/cost/:cost_id`. */
  route?: string;
  userId?: number | undefined;
  partnerId?: number;
  /** Of a partner: the one that it sent, or that its browser is signed in with. */
  credentialId?: number;
  /** Of a submitted cost (spec §2.5), at most 128 characters of which each is visible. */
  tag?: string;
  /** The tool that an agent called. */
  tool?: string;
  outcome?: ErrorCode | SignInOutcome;
  /** Why single sign-on failed: a code, or the origin that does not answer. */
  reason?: string;
}

/** The outcomes of a sign-in that are no errors of the API: the page asks for something else. */
type SignInOutcome =
  | "code_required"
  | "password_expired"
  | "wrong_code"
  | `sso_${"rejected" | "unavailable" | "not_linked" | "not_verified" | "not_confirmed"}`;

/** A request that has its response. `now` is in milliseconds since 1970. */
interface CompletedRequest {
  env: { LOG_SAMPLE?: string };
  request: { method: string };
  requestId: string;
  now: number;
  trace: Trace;
}

/**
 * Logs a completed request. `LOG_SAMPLE` (0 to 1, default 1) is the share of requests that are logged; a status of 500 or
 * above always is. `completedAt` is in milliseconds since 1970.
 */
export function logRequest(completed: CompletedRequest, status: number, completedAt: number): void {
  const { env, request, requestId, now, trace } = completed;
  if (status < 500 && toFraction(requestId) >= Number(env.LOG_SAMPLE ?? 1)) return;
  const { surface, route, userId, partnerId, credentialId, tag, tool, outcome, reason } = trace;
  console.log(
    JSON.stringify({
      level: status < 500 ? "info" : "error",
      request_id: requestId,
      surface: surface ?? null,
      route: route ?? null,
      method: request.method,
      status,
      milliseconds: completedAt - now,
      outcome: outcome ?? (status < 400 ? "ok" : null),
      user_id: userId,
      partner_id: partnerId,
      credential_id: credentialId,
      tag,
      tool,
      reason,
    }),
  );
}

/** A number from 0 to 1 that depends only on the random request ID, so the ID determines whether the request is logged. */
const toFraction = (requestId: string): number => Number.parseInt(requestId.slice(0, 8), 16) / 2 ** 32;

/**
 * Logs an unexpected error. Only the first line of its message, because later lines may contain SQL parameters. `lost_engagements` is
 * how many clicks and impressions its call carried: they are not counted, unless the call was committed without an answer.
 */
export function logError(requestId: string, error: unknown, lost: { lost_engagements?: number } = {}): void {
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
      ...lost,
    }),
  );
}

/** The message of a library or runtime error may quote its input. */
function withoutSecrets(message: string): string {
  return message.replace(/ll_(api|read|write|live|test)_\w+/g, "ll_$1_…");
}

/** Logs figures of several requests. */
export function logFigures(figures: { group: Groups } | { lost_engagements: number }): void {
  console.log(JSON.stringify({ level: "group" in figures ? "info" : "error", ...figures }));
}

/** The calls to a database in which requests shared. */
export interface Groups {
  calls: number;
  requests: number;
  /** The most requests of one call. */
  largest: number;
  /** The longest time that a request waited for its call, in milliseconds. */
  longest_wait: number;
}
