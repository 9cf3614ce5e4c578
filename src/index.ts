/** The entry point of every request, cron run and queue batch. */
import { version } from "../package.json";
import { accountRoutes } from "./account/routes.ts";
import { limitRejections, limitRequests } from "./auth/rate-limits.ts";
import { campaignOperations } from "./campaign/operations.ts";
import { listCosts } from "./cost/list-costs.ts";
import { readCost } from "./cost/read-cost.ts";
import { readRound } from "./cost/read-round.ts";
import { submitBatch } from "./cost/submit-batch.ts";
import { submitCost } from "./cost/submit-cost.ts";
import { voidCost } from "./cost/void-cost.ts";
import { replicateCredentials } from "./db/ledger/credential-copies.ts";
import { ledgerOf } from "./db/ledger/shards.ts";
import { isNotMigrated, isTransient } from "./db/statement.ts";
import type { OpenedLink } from "./domain/costs.ts";
import { openImpression } from "./engagement/open-impression.ts";
import { openLink } from "./engagement/open-link.ts";
import { recordQueued } from "./engagement/queue.ts";
import { unavailablePage } from "./engagement/unavailable.ts";
import { buildContext, type Clock, type Context, checkConfiguration, type Env, systemClock } from "./env.ts";
import { AppError, ConfigurationError } from "./errors.ts";
import { routesOf } from "./http/operation.ts";
import { errorPage, pageRoutes, wantsPage } from "./http/pages.ts";
import { problemResponse } from "./http/problems.ts";
import { createRouter, type Route } from "./http/router.ts";
import { logError, logRequest } from "./log.ts";
import { buildDocument } from "./openapi.ts";
import { operatorRoutes } from "./operator/routes.ts";
import { purge } from "./purge.ts";
import { siteRoutes } from "./site/routes.ts";
import { workspaceRoutes } from "./workspace/routes.ts";

// A link token can be any single path segment, so the paths of links come last.
export const routes: Route[] = [
  ...onSurface("campaign", routesOf(campaignOperations)),
  ...onSurface("cost", routesOf([submitCost, listCosts, submitBatch, readRound, readCost, voidCost])),
  ...onSurface("account", accountRoutes),
  ...onSurface("workspace", workspaceRoutes),
  ...onSurface("operator", operatorRoutes),
  ...onSurface("site", [...pageRoutes, ...siteRoutes(() => buildDocument(routes, version))]),
  ...onSurface("engagement", routesOf([openImpression, openLink])),
];
const route = createRouter(routes);

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
    const respond = wantsPage(context) ? pageFor(context) : problemResponse;
    response = await respond(context, await limitRejections(context, toAppError(context, error)));
  }
  // Copying the response would turn a body of known length into a stream.
  const sent = request.method === "HEAD" ? new Response(null, response) : response;
  sent.headers.set("x-request-id", context.requestId);
  sent.headers.set("x-content-type-options", "nosniff");
  logRequest(context, sent.status, clock());
  return sent;
}

/** The error page of the surface that the request reached. */
function pageFor({ trace }: Context) {
  return trace.surface === "engagement" ? unavailablePage : errorPage;
}

/** Limits how often a credential is used on every surface except the public one, which needs no credential. */
function onSurface(surface: string, routes: Route[]): Route[] {
  const before = surface === "engagement" ? {} : { before: limitRequests };
  return routes.map((route) => ({ ...route, surface, ...before }));
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
  if (isTransient(error)) return new AppError("unavailable", undefined, RETRY);
  return new AppError("internal_error");
}

export default {
  fetch: (request, env, execution) => serve(request, env, execution, systemClock),
  async scheduled(controller, env) {
    try {
      checkConfiguration(env);
      const ledger = ledgerOf(env);
      const done = await Promise.allSettled([
        purge(ledger, controller.scheduledTime),
        // Repairs a shard that is new or missed a change.
        replicateCredentials(ledger),
      ]);
      for (const result of done) if (result.status === "rejected") throw result.reason;
    } catch (error) {
      logError("cron", error);
      throw error;
    }
  },
  queue(batch, env) {
    checkConfiguration(env);
    return recordQueued(batch, ledgerOf(env), systemClock());
  },
} satisfies ExportedHandler<Env, OpenedLink>;
