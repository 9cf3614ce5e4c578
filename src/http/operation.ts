/** Describes an operation for the OpenAPI document. */
import type * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";
import type { Contract } from "./input.ts";
import type { Handler } from "./router.ts";

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
  input: Contract & { /** Read from the query string, a form body, or both. */ form?: z.ZodMiniObject };
  /** Request headers in addition to Authorization, each with its description. */
  requestHeaders?: Record<string, string>;
  /** The JSON body as documented, if the contract parses each item of a list separately. */
  describedBody?: z.ZodMiniType;
  requestExample?: unknown;
  answers: Record<number, OperationResponse>;
  /** The error codes of this operation, in addition to those that follow from its input and credentials. */
  errorCodes: ErrorCode[];
}

/** A handler together with its operation. */
export function documented(operation: Operation, handler: Handler): Handler & { operation: Operation } {
  return Object.assign((context: Parameters<Handler>[0]) => handler(context), { operation });
}

/** The operation of a handler; undefined for a handler of a page. */
export function operationOf(handler: Handler): Operation | undefined {
  return "operation" in handler ? (handler.operation as Operation) : undefined;
}
