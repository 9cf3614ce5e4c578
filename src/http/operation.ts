/**
 * An operation: what it promises and how it is handled, in one object. The routes, the OpenAPI document and the tables of
 * the security tests are made from these objects.
 */
import type * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";
import type { Contract } from "./input/input.ts";
import type { Handler, Method, Route } from "./router.ts";

/** What the Authorization header of a request must contain. */
export type Credentials = "api_token" | "operator_token" | "cost_credential" | "none";

export interface OperationResponse {
  description: string;
  /** The JSON body. Without a schema, the body has the media type `mediaType`, or there is no body. */
  schema?: z.ZodMiniType;
  mediaType?: string;
  /** Another media type of the same content, for callers that prefer it. */
  alsoAs?: string;
  /** Names of the response headers in addition to X-Request-Id. */
  headers?: string[];
  example?: unknown;
}

export interface Operation {
  /** Unique. */
  id: string;
  summary: string;
  description?: string;
  credentials: Credentials;
  input: Contract & {
    /** Read by the handler, from the query string, a form body, or both. */ form?: z.ZodMiniObject;
  };
  /** The JSON body as documented, if the contract parses each item of a list separately. */
  describedBody?: z.ZodMiniType;
  requestExample?: unknown;
  responses: Record<number, OperationResponse>;
  /** The error codes of this operation, in addition to those that follow from its input and credentials. */
  errors: ErrorCode[];
  /** It adds up totals or reads a whole list, so its requests are limited, see src/auth/report-limits.ts. */
  isReport?: boolean;
  /** It only reads, although its method is POST: access tokens for reading may call it. */
  onlyReads?: boolean;
}

/** An operation with its place and its guarded handler, as the functions in src/auth/guards.ts build it. */
export interface Routed extends Operation {
  method: Method;
  /** With parameters as `:name`. */
  path: string;
  handler: Handler;
}

/** The routes of operations: one for each path, in the order of its first operation. A handler carries its operation. */
export function routesOf(operations: Routed[]): Route[] {
  const toEntry = (operation: Routed) => [operation.method, Object.assign(operation.handler, { operation })];
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].map(([path, ofPath]) => ({ path, methods: Object.fromEntries(ofPath.map(toEntry)) }));
}

/** The operation of a handler; undefined for a handler of a page. */
export function operationOf(handler: Handler): Operation | undefined {
  return "operation" in handler ? (handler.operation as Operation) : undefined;
}

/** For the public. `handle` parses what it needs itself, because the public's input is never rejected. */
export function publicOperation({
  handle,
  ...operation
}: Omit<Routed, "credentials" | "handler"> & { handle: Routed["handler"] }): Routed {
  return { ...operation, credentials: "none", handler: handle };
}
