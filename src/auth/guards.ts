/**
 * Guards for API tokens and cost credentials, and operations with the guard of their callers. A guard reads the token; the database
 * decides, in the same batch as the data. Input errors are returned only to callers that the database knows.
 */
import { findAccess, findTokenUser, type TokenViewer } from "../db/accounts/api-tokens.ts";
import type { Operator } from "../db/audit.ts";
import { acceptedTokens } from "../db/isolate-memory.ts";
import { findCredential } from "../db/ledger/costs.ts";
import type { Credential } from "../domain/costs.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { type Contract, type Parsed, readInput } from "../http/input/input.ts";
import type { Operation, Routed } from "../http/operation.ts";
import type { Handler } from "../http/router.ts";
import { asReport, explainTooLarge, userKey } from "./report-limits.ts";
import { kindOf, type TokenKind } from "./secrets.ts";
import { findTokenEntry, readToken, recordTokenUse } from "./tokens.ts";

/**
 * A caller, identified by the hash of a token. `authorize` takes the row that the database has for the token, or undefined,
 * and throws if the caller may not continue.
 */
export type Caller<Row> = { tokenHash: string; authorize: <R extends Row>(row: R | undefined) => R };

/** A user's API token or access token. There is no row for one that is unknown, was reset or ended, or has expired. */
export type Principal = Caller<Access> & { viewer: TokenViewer };
export type Access = { userId: number };

/** A partner's cost credential. `mode` is that of its prefix. There is no row for an unknown credential. */
export type CostCaller = Caller<CostAccess> & { mode: Credential["mode"] };
type CostAccess = Pick<Credential, "credentialId" | "partnerId" | "revoked">;

/**
 * Runs a handler and fails closed: its response is sent only if `authorize` accepted every row. An error of the input is
 * thrown only to a caller whom the database knows; `find` asks for the row if the handler did not get that far.
 */
export async function guard<Row>(
  check: (row: Row | undefined) => void,
  find: () => Promise<Row | undefined>,
  handle: (authorize: Caller<Row>["authorize"]) => Promise<Response>,
): Promise<Response> {
  let isChecked = false;
  let isRejected = false;
  const authorize = <R extends Row>(row: R | undefined): R => {
    isChecked = true;
    try {
      check(row);
    } catch (error) {
      isRejected = true;
      throw error;
    }
    return row as R;
  };
  let response: Response;
  try {
    response = await handle(authorize);
  } catch (thrown) {
    const error = explainTooLarge(thrown);
    if (error instanceof AppError && !isChecked) authorize(await find());
    throw error;
  }
  if (!isChecked) throw new Error("The handler responded before the database confirmed the caller.");
  if (isRejected) throw new Error("The handler responded to a caller who was rejected.");
  return response;
}

type Limits = Pick<Operation, "isReport" | "onlyReads">;

/**
 * Runs a handler for a request with a well-formed API token or access token. An access token for reading is only for GET and for what
 * only reads, which its prefix says and its hash proves. The requests for reports are limited.
 */
export function withToken(
  handler: (context: Context, caller: Principal) => Promise<Response>,
  { isReport = false, onlyReads = false }: Limits = {},
): Handler {
  return async (context) => {
    const { env, now, request } = context;
    const { hash: tokenHash, kind } = identify(context, USER_TOKENS);
    // D1 decides about every request. KV only saves it tokens that were reset, and names the user for the limit of reports.
    const asksKv = isReport || !acceptedTokens.has(tokenHash, now);
    const entry = asksKv ? await findTokenEntry(env.TOKENS, tokenHash, context.requestId) : null;
    if (entry && "reset_at" in entry) throw unauthorized();
    const viewer: TokenViewer =
      kind === "api" ? { by: "token", tokenHash } : { by: "access", tokenHash, now };
    const check = (row: Access | undefined) => {
      if (!row) throw unauthorized();
      acceptedTokens.set(tokenHash, true, now);
      recordTokenUse(context, viewer, row.userId, entry);
      context.trace.userId = row.userId;
    };
    const find = () => findAccess(env.DB, viewer);
    const isAllowed = kind !== "read" || onlyReads || request.method === "GET" || request.method === "HEAD";
    const run = () =>
      guard(check, find, async (authorize) => {
        if (isAllowed) return handler(context, { tokenHash, viewer, authorize });
        authorize(await find());
        throw new AppError("insufficient_scope", ONLY_READS);
      });
    return isReport ? asReport(context, entry ? userKey(entry.user_id) : tokenHash, run) : run();
  };
}

/** The kinds of tokens that users have. */
const USER_TOKENS: TokenKind[] = ["api", "read", "write"];

const ONLY_READS =
  "This access token only reads. For requests that change something, use a token with the scope `write`.";

/**
 * Runs a handler for an operator with an API token or an access token. The database has confirmed the operator before the handler
 * runs.
 */
export function withOperator(
  handler: (context: Context, operator: Operator) => Promise<Response>,
  limits: Limits = {},
): Handler {
  return withToken(async (context, caller) => {
    const { userId, role, issuedAs, onlyApp } = caller.authorize(
      await findTokenUser(context.env.DB, caller.viewer),
    );
    if (role !== "operator") throw new AppError("operator_required");
    if (onlyApp !== null) throw new AppError("insufficient_scope", ONLY_AN_APP);
    if (issuedAs !== "operator") throw new AppError("operator_required", OLD_TOKEN);
    return handler(context, { userId, now: context.now });
  }, limits);
}

const ONLY_AN_APP = "This access token is for one app. For operator paths, use a token for all of your apps.";

/** A promotion does not widen the access of a token that may be in many hands. */
const OLD_TOKEN =
  "This token was issued when you were a member. Reset it, or create another one. The new one has the access of an operator.";

/** Runs a handler for a request with a well-formed cost credential. */
export function withCostCredential(
  handler: (context: Context, caller: CostCaller) => Promise<Response>,
  { isReport = false }: Limits = {},
): Handler {
  return async (context) => {
    const { hash: tokenHash, kind: mode } = identify(context, ["live", "test"]);
    const check = (row: CostAccess | undefined) => {
      if (!row) throw unauthorized();
      context.trace.partnerId = row.partnerId;
      context.trace.credentialId = row.credentialId;
      if (row.revoked) {
        acceptedTokens.delete(tokenHash);
        throw new AppError("credential_revoked");
      }
      acceptedTokens.set(tokenHash, true, context.now);
    };
    const run = () =>
      guard(
        check,
        () => findCredential(context.ledger, tokenHash),
        (authorize) => handler(context, { tokenHash, mode, authorize }),
      );
    return isReport ? asReport(context, tokenHash, run) : run();
  };
}

/** The token of a request, which has one of these kinds. Throws unauthorized if there is no such token. */
function identify<Kind extends TokenKind>(context: Context, kinds: Kind[]): { hash: string; kind: Kind } {
  const { text, hash } = readToken(context);
  const found = kindOf(text, acceptedTokens.has(hash, context.now));
  const kind = kinds.find((one) => one === found);
  if (!kind) throw unauthorized(explainRejection(text, kinds));
  return { hash, kind };
}

/**
 * Why a token is rejected, by its prefix only, and what the path takes. Every path that takes live credentials takes test
 * ones too.
 */
function explainRejection(token: string, kinds: TokenKind[]): string {
  const takesApiToken = kinds.includes("api");
  const accepted = takesApiToken
    ? "an API token (ll_api_…) or an access token (ll_read_… or ll_write_…)"
    : "a cost credential (ll_live_… or ll_test_…)";
  if (token === "") return `Send ${accepted} as \`Authorization: Token token=…\`.`;
  const isOfUser = /^ll_(api|read|write)_/.test(token);
  const isCredential = /^ll_(live|test)_/.test(token);
  if (takesApiToken ? isCredential : isOfUser) {
    const name = token.startsWith("ll_api_") ? "an API token" : "an access token";
    return `This is ${isOfUser ? name : "a cost credential"}; this path takes ${accepted}.`;
  }
  return `The token is incomplete or mistyped. This path takes ${accepted}.`;
}

/** By default for a well-formed token that the database does not know. */
export function unauthorized(
  detail = "This token does not exist, was reset or ended, or has expired. Check that you use the current one.",
): AppError {
  return new AppError("unauthorized", detail, {
    headers: { "www-authenticate": 'Token realm="linkledger", Bearer realm="linkledger"' },
  });
}

type Spec<C extends Contract, Caller> = Omit<Routed, "credentials" | "handler" | "input"> & {
  input: C & Operation["input"];
  handle: (context: Context, caller: Caller, input: Parsed<C>) => Promise<Response>;
  /** Runs before the error of an invalid input is thrown. */
  onInvalidInput?: (context: Context, caller: Caller, error: AppError) => Promise<void>;
};

type Guard<Caller> = (
  handler: (context: Context, caller: Caller) => Promise<Response>,
  limits?: Limits,
) => Routed["handler"];

function build<C extends Contract, Caller>(
  credentials: Operation["credentials"],
  withCaller: Guard<Caller>,
  { handle, onInvalidInput, ...operation }: Spec<C, Caller>,
): Routed {
  const handler = withCaller(async (context, caller) => {
    // `handle` reads a form by itself, because a test cost is stored although it is invalid.
    if (operation.input.form) return handle(context, caller, {} as Parsed<C>);
    const input = await readInput(context, operation.input).catch(async (error) => {
      if (error instanceof AppError) await onInvalidInput?.(context, caller, error);
      throw error;
    });
    return handle(context, caller, input);
  }, operation);
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
