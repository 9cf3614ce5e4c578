/** What an operation promises, beside its handler: from these the OpenAPI document is built. */
import type * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";
import type { Contract } from "./input.ts";
import type { Handler } from "./router.ts";

/** Who may call: what goes into the Authorization header, if anything. */
export type Credentials = "api_token" | "operator_token" | "cost_credential" | "none";

export interface Answer {
  description: string;
  /** The JSON body; without one, the body is of `mediaType`, or there is none. */
  schema?: z.ZodMiniType;
  mediaType?: string;
  /** Another media type that the same comes as, where the caller accepts it. */
  alsoAs?: string;
  /** Names of headers that this answer carries beside X-Request-Id. */
  headers?: string[];
  example?: unknown;
}

export interface Operation {
  /** Unique; names the handler. */
  id: string;
  summary: string;
  description?: string;
  credentials: Credentials;
  input: Contract & { /** Read from the query string, a form body, or both. */ form?: z.ZodMiniObject };
  /** Request headers beside Authorization, each with its meaning. */
  requestHeaders?: Record<string, string>;
  /** The JSON body as it is described, where the contract reads each item of a list by itself. */
  describedBody?: z.ZodMiniType;
  requestExample?: unknown;
  answers: Record<number, Answer>;
  /** The codes that this operation may refuse with, beside those that follow from its input and credentials. */
  errorCodes: ErrorCode[];
}

/** A handler that says what it promises. */
export function documented(operation: Operation, handler: Handler): Handler & { operation: Operation } {
  return Object.assign((context: Parameters<Handler>[0]) => handler(context), { operation });
}

/** The operation of a handler; undefined for a page. */
export function operationOf(handler: Handler): Operation | undefined {
  return "operation" in handler ? (handler.operation as Operation) : undefined;
}
