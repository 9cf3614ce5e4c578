/** The door: every request and every cron run of the Worker comes in here. */
import { campaignRoutes } from "./campaign/routes.ts";
import { costRoutes } from "./cost/routes.ts";
import { engagementRoutes } from "./engagement/routes.ts";
import { buildContext, type Clock, type Context, type Env, logError, systemClock } from "./env.ts";
import { AppError } from "./errors.ts";
import { problemResponse } from "./http/problem.ts";
import { createRouter } from "./http/router.ts";
import { purge } from "./retention.ts";
import { serviceRoutes } from "./service/routes.ts";

// A link token may be any single segment, so the public's paths come last.
export const routes = [...campaignRoutes, ...costRoutes, ...serviceRoutes, ...engagementRoutes];
const route = createRouter(routes);

/** Answers one request. Whatever goes wrong becomes a problem document, and nothing unexpected reaches the caller. */
export async function serve(
  request: Request,
  env: Env,
  execution: Pick<ExecutionContext, "waitUntil">,
  clock: Clock,
): Promise<Response> {
  const context = buildContext(env, request, execution, clock);
  const answer = await route(context).catch((error: unknown) =>
    problemResponse(context, toAppError(context, error)),
  );
  const response = new Response(answer.body, answer);
  response.headers.set("x-request-id", context.requestId);
  return response;
}

const RETRY = { headers: { "retry-after": "5" } };

/** What D1 says when it may work again in a moment. */
const TRANSIENT =
  /Network connection lost|storage caused object to be reset|reset because its code was updated|overloaded|timeout/i;

function toAppError(context: Context, error: unknown): AppError {
  if (error instanceof AppError) return error;
  logError(context.requestId, error);
  if (String(error).includes("no such table")) return new AppError("not_migrated", undefined, RETRY);
  if (TRANSIENT.test(String(error))) return new AppError("unavailable", undefined, RETRY);
  return new AppError("internal_error");
}

export default {
  fetch: (request, env, execution) => serve(request, env, execution, systemClock),
  scheduled: (controller, env) => purge(env.DB, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
