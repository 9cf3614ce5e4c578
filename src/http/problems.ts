/** Problem documents (RFC 9457), the format of every error response. */
import type * as z from "zod/mini";
import type { Context } from "../env.ts";
import { type AppError, ERRORS } from "../errors.ts";
import type { problem } from "./response-schemas.ts";

export function toProblem(context: Context, error: AppError): z.output<typeof problem> {
  const { status, title } = ERRORS[error.code];
  return {
    type: `${context.url.origin}/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: context.requestId,
    ...(error.errors.length > 0 && { errors: error.errors }),
  };
}

export function problemResponse(context: Context, error: AppError): Response {
  const problem = toProblem(context, error);
  context.trace.outcome = error.code;
  return new Response(`${JSON.stringify(problem)}\n`, {
    status: problem.status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...error.headers },
  });
}
