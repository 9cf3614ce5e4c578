/**
 * Routes requests with itty-router, which no other file imports. A path is registered once with a handler for each of its
 * methods. Another method gets 405 with `Allow`. HEAD is handled as GET, and src/index.ts drops the body.
 */
import { type IRequest, Router } from "itty-router";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";

export type Handler = (context: Context) => Promise<Response> | Response;
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Route {
  path: string;
  methods: Partial<Record<Method, Handler>>;
  /** The surface of the route, and what runs before each of its handlers. src/surfaces.ts sets both. */
  surface?: string;
  before?: (context: Context) => Promise<void>;
}

/**
 * Runs the handler of the first route whose path matches. Throws AppError: not_found, method_not_allowed, or what the
 * handler throws.
 */
export function createRouter(routes: Route[]): (context: Context) => Promise<Response> {
  const router = Router<IRequest, [Context], Response>();
  for (const { path, methods, surface, before } of routes) {
    router.all(path, async (request, context) => {
      Object.assign(context.trace, { route: path, surface });
      const handler = methods[(request.method === "HEAD" ? "GET" : request.method) as Method];
      if (!handler) throw methodNotAllowed(request.method, methods, hintOf(routes, context));
      await before?.(context);
      context.params = decodeParams(request.params);
      return handler(context);
    });
  }
  router.all("*", (_, context) => {
    const hint = hintOf(routes, context);
    throw new AppError("not_found", `This path does not exist.${hint || " The paths are at `/docs`."}`);
  });
  return async (context) => {
    const { origin, pathname } = context.url;
    // Without the query, because itty-router would parse it although nothing reads the result.
    return router.fetch({ method: context.request.method, url: origin + pathname } as IRequest, context);
  };
}

/** A path without the slashes at its end, which itty-router ignores. */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** Version 2 of the campaign API only reads links (spec §9): where the same is in version 1. */
function hintOf(routes: Route[], { url, request }: Context): string {
  if (!url.pathname.startsWith("/public/v2/")) return "";
  const sent = withoutEndSlashes(url.pathname).replace("/public/v2/", "/public/v1/").split("/");
  const isSame = (path: string) => {
    const parts = path.split("/");
    return (
      parts.length === sent.length && parts.every((part, at) => part.startsWith(":") || part === sent[at])
    );
  };
  const method = (request.method === "HEAD" ? "GET" : request.method) as Method;
  const found = routes.find(({ path, methods }) => methods[method] !== undefined && isSame(path));
  return found ? ` Use ${request.method} ${found.path.replaceAll(/:(\w+)/g, "{$1}")}.` : "";
}

function methodNotAllowed(method: string, methods: Route["methods"], hint: string): AppError {
  const allowed = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : name));
  const allow = allowed.join(", ");
  const detail = `This path does not support ${method}. Allowed: ${allow}.${hint}`;
  return new AppError("method_not_allowed", detail, { headers: { allow } });
}

/**
 * itty-router leaves path parameters encoded. One that cannot be decoded becomes malformed Unicode, which no rule accepts.
 */
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
