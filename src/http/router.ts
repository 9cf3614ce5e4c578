/**
 * The only importer of itty-router. A path is registered once with a handler for each of its methods, so that the first
 * path that matches decides: 405 with `Allow` for another method, HEAD is answered as GET (the door drops the body).
 */
import { type IRequest, Router } from "itty-router";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";

export type Handler = (context: Context) => Promise<Response> | Response;
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Route {
  path: string;
  methods: Partial<Record<Method, Handler>>;
  /** Which surface it belongs to, and what comes before each of its handlers; the door says both. */
  surface?: string;
  before?: (context: Context) => Promise<void>;
}

/** Answers a request by the first route whose path matches. Throws AppError: not_found, method_not_allowed, or a handler's own. */
export function createRouter(routes: Route[]): (context: Context) => Promise<Response> {
  const router = Router<IRequest, [Context], Response>();
  for (const { path, methods, surface, before } of routes) {
    router.all(path, async (request, context) => {
      Object.assign(context.trace, { route: path, surface });
      const handler = methods[(request.method === "HEAD" ? "GET" : request.method) as Method];
      if (!handler) throw methodNotAllowed(request.method, methods);
      await before?.(context);
      context.params = decodeParams(request.params);
      return handler(context);
    });
  }
  router.all("*", () => {
    throw new AppError("not_found", "There is nothing at this path.");
  });
  return async (context) => {
    const { origin, pathname } = context.url;
    // Without the query, which itty-router would take apart for nobody.
    return router.fetch({ method: context.request.method, url: origin + pathname } as IRequest, context);
  };
}

function methodNotAllowed(method: string, methods: Route["methods"]): AppError {
  const allowed = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : name));
  return new AppError("method_not_allowed", `This path does not answer ${method}.`, {
    headers: { allow: allowed.join(", ") },
  });
}

/** itty-router leaves path parameters encoded. One that cannot be decoded is told as no well-formed text: it fits no rule. */
function decodeParams(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        return [name, `${value}\u{d800}`];
      }
    }),
  );
}
