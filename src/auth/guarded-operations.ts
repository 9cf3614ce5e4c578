/**
 * Builds operations: each with the guard of its callers. `handle` gets a caller and the parsed input. Input errors are
 * returned only to callers that the database knows.
 */
import type { Operator } from "../db/audit.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { type Contract, type Parsed, readInput } from "../http/input/input.ts";
import type { Operation, Routed } from "../http/operation.ts";
import { type CostCaller, type Principal, withCostCredential, withOperator, withToken } from "./guards.ts";

type Spec<C extends Contract, Caller> = Omit<Routed, "credentials" | "handler" | "input"> & {
  input: C & Operation["input"];
  handle: (context: Context, caller: Caller, input: Parsed<C>) => Promise<Response>;
  /** Runs before the error of an invalid input is thrown. */
  onInvalidInput?: (context: Context, caller: Caller, error: AppError) => Promise<void>;
};

type Guard<Caller> = (
  handler: (context: Context, caller: Caller) => Promise<Response>,
  isReport?: boolean,
) => Routed["handler"];

function build<C extends Contract, Caller>(
  credentials: Operation["credentials"],
  guard: Guard<Caller>,
  { handle, onInvalidInput, ...operation }: Spec<C, Caller>,
): Routed {
  const handler = guard(async (context, caller) => {
    const input = await readInput(context, operation.input).catch(async (error) => {
      if (error instanceof AppError) await onInvalidInput?.(context, caller, error);
      throw error;
    });
    return handle(context, caller, input);
  }, operation.isReport);
  return { ...operation, credentials, handler };
}

/** For users with an API token. `handle` passes the row that its D1 batch returns for the token to `caller.authorize`. */
export const userOperation = <C extends Contract>(spec: Spec<C, Principal>) =>
  build("api_token", withToken, spec);

/** For operators with an API token, who are authorized before `handle` runs. */
export const operatorOperation = <C extends Contract>(spec: Spec<C, Operator>) =>
  build("operator_token", withOperator, spec);

/** For partners. `handle` passes the row that its D1 batch returns for the credential to `caller.authorize`. */
export const costOperation = <C extends Contract>(spec: Spec<C, CostCaller>) =>
  build("cost_credential", withCostCredential, spec);

/** For the public. `handle` parses what it needs itself, because the public's input is never rejected. */
export function publicOperation({
  handle,
  ...operation
}: Omit<Routed, "credentials" | "handler"> & { handle: Routed["handler"] }): Routed {
  return { ...operation, credentials: "none", handler: handle };
}
