/** The entry point of every request, cron run and queue batch. */
import { limitRejections } from "./auth/rate-limits.ts";
import { TooManyWaitingError } from "./db/group-commit.ts";
import { ledgerOf } from "./db/ledger/databases.ts";
import { isNotMigrated, isTransient } from "./db/statement.ts";
import type { OpenedLink } from "./domain/costs.ts";
import { recordQueued } from "./engagement/queue.ts";
import {
  buildContext,
  type Clock,
  type Context,
  checkConfiguration,
  type Env,
  findEmail,
  systemClock,
} from "./env.ts";
import { AppError, ConfigurationError } from "./errors.ts";
import { wantsPage } from "./http/accept.ts";
import { STRICT_TRANSPORT } from "./http/https.ts";
import { problemResponse } from "./http/problems.ts";
import { logError, logRequest } from "./log.ts";
import { route } from "./surfaces.ts";

/**
 * Handles one request. Every error becomes a problem document, or a page for a person. Details of unexpected errors never
 * reach the caller.
 */
export async function serve(
  request: Request,
  env: Env,
  execution: Pick<ExecutionContext, "waitUntil">,
  clock: Clock,
): Promise<Response> {
  const context = buildContext(env, request, execution, clock);
  let response: Response;
  try {
    checkConfiguration(env);
    response = await route(context);
  } catch (error) {
    const respond = wantsPage(context) ? pageFor : problemResponse;
    response = await respond(context, await limitRejections(context, toAppError(context, error)));
  }
  // Copying the response would turn a body of known length into a stream.
  const sent = request.method === "HEAD" ? new Response(null, response) : response;
  sent.headers.set("x-request-id", context.requestId);
  sent.headers.set("x-content-type-options", "nosniff");
  if (context.url.protocol === "https:") sent.headers.set("strict-transport-security", STRICT_TRANSPORT);
  logRequest(context, sent.status, clock());
  return sent;
}

/** The error page of the surface that the request reached. */
async function pageFor(context: Context, error: AppError): Promise<Response> {
  if (context.trace.surface === "engagement")
    return (await import("./engagement/unavailable.ts")).unavailablePage(context, error);
  return (await import("./pages/frame.ts")).errorPage(context, error);
}

const RETRY = { headers: { "retry-after": "5" } };

function toAppError(context: Context, error: unknown): AppError {
  if (error instanceof AppError) return error;
  logError(context.requestId, error);
  if (error instanceof ConfigurationError) {
    const detail = context.url.pathname === "/readyz" ? error.message : undefined;
    return new AppError("not_configured", detail, RETRY);
  }
  if (isNotMigrated(error)) return new AppError("not_migrated", undefined, RETRY);
  if (error instanceof TooManyWaitingError)
    return new AppError("unavailable", undefined, { headers: { "retry-after": "1" } });
  if (isTransient(error)) return new AppError("unavailable", undefined, RETRY);
  return new AppError("internal_error");
}

/** The platform then shows the run as failed. */
function throwFirst(results: PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** The schedule of what cannot wait for the next hour. Any other schedule runs all jobs. */
const EVERY_MINUTE = "* * * * *";

export default {
  fetch(request, env, execution) {
    const answer = serve(request, env, execution, systemClock);
    // A client that disconnects ends its request, and with it the call that has the statements of others (db/group-commit.ts).
    execution.waitUntil(answer);
    return answer;
  },
  async scheduled({ scheduledTime, cron }, env) {
    const { logged, runHourly } = await import("./cron.ts");
    const ledger = await logged(async () => {
      checkConfiguration(env);
      return ledgerOf(env);
    });
    const [{ judgePurge }, { sendEmails }] = await Promise.all([
      import("./alerts.ts"),
      import("./emails.ts"),
    ]);
    const hasEmail = findEmail(env) !== undefined;
    if (cron === EVERY_MINUTE) {
      const judged = await Promise.allSettled([logged(() => judgePurge(ledger, scheduledTime, hasEmail))]);
      const { sendWebhooks } = await import("./webhooks.ts");
      const sent = await Promise.allSettled([
        logged(() => sendEmails(env, scheduledTime)),
        logged(() => sendWebhooks(env, systemClock)),
      ]);
      return throwFirst([...judged, ...sent]);
    }
    throwFirst(await runHourly(ledger, scheduledTime, hasEmail));
  },
  queue(batch, env) {
    checkConfiguration(env);
    return recordQueued(batch, ledgerOf(env), systemClock());
  },
} satisfies ExportedHandler<Env, OpenedLink>;
