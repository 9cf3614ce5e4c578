/**
 * Guards for API tokens and cost credentials. A guard reads the token; the database decides, in the same batch as the
 * data.
 */
import { findAccess } from "../db/accounts/api-tokens.ts";
import { type Actor, findOperatorAccess, type OperatorAccess } from "../db/operator/audit.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import type { Handler } from "../http/router.ts";
import { hashToken, type TokenKind } from "./secrets.ts";
import { findTokenEntry, recordTokenUse } from "./tokens.ts";

/**
 * The caller, identified by the token's hash. `authorize` takes the result of the database's check and throws unauthorized
 * if it failed.
 */
export interface Principal {
  tokenHash: string;
  authorize: <A extends Access>(access: A | undefined) => A;
}

/** The database row of a token. There is none for an unknown or reset token. */
export interface Access {
  user_id: number;
}

/** Runs a handler for a request with a well-formed API token. Input errors are sent only if the token is valid. */
export function withToken(handler: (context: Context, principal: Principal) => Promise<Response>): Handler {
  return async (context) => {
    const tokenHash = readTokenHash(context, ["api"]);
    const entry = await findTokenEntry(context.env.TOKENS, tokenHash, context.requestId);
    if (entry && "reset_at" in entry) throw unauthorized();
    let checked = false;
    const authorize: Principal["authorize"] = (access) => {
      if (access && !checked) recordTokenUse(context, tokenHash, access.user_id, entry);
      checked = true;
      if (!access) throw unauthorized();
      context.trace.userId = access.user_id;
      return access;
    };
    try {
      return await handler(context, { tokenHash, authorize });
    } catch (error) {
      if (error instanceof AppError && !checked) authorize(await findAccess(context.env.DB, tokenHash));
      throw error;
    }
  };
}

/**
 * The calling operator. `authorize` takes the result of the database's check and throws unauthorized or operator_required.
 */
export interface Operator {
  actor: Actor;
  authorize: (access: OperatorAccess | undefined) => OperatorAccess;
}

/** As `withToken`, for operators only. */
export function withOperator(handler: (context: Context, operator: Operator) => Promise<Response>): Handler {
  return withToken(async (context, principal) => {
    const actor: Actor = { tokenHash: principal.tokenHash, sessionHash: null, now: context.now };
    let checked = false;
    const authorize: Operator["authorize"] = (found) => {
      checked = true;
      const access = principal.authorize(found);
      if (access.role !== "operator") throw new AppError("operator_required");
      return access;
    };
    try {
      return await handler(context, { actor, authorize });
    } catch (error) {
      if (error instanceof AppError && !checked) authorize(await findOperatorAccess(context.env.DB, actor));
      throw error;
    }
  });
}

/**
 * The hash of the token in the Authorization header. Throws unauthorized if there is no well-formed token of these kinds.
 */
export function readTokenHash(context: Context, kinds: TokenKind[]): string {
  const token = readToken(context);
  const tokenHash = hashToken(token, kinds);
  if (tokenHash) return tokenHash;
  throw unauthorized(explainRejection(token, kinds.includes("api")));
}

/**
 * Why a token is rejected, by its prefix only, and what the path takes. Every path that takes live credentials takes test
 * ones too.
 */
function explainRejection(token: string, takesApiToken: boolean): string {
  const accepted = takesApiToken ? "an API token (ll_api_…)" : "a cost credential (ll_live_… or ll_test_…)";
  if (token === "") return `Send ${accepted} as \`Authorization: Token token=…\`.`;
  const isApiToken = token.startsWith("ll_api_");
  const isCredential = /^ll_(live|test)_/.test(token);
  if (takesApiToken ? isCredential : isApiToken) {
    return `This is ${isApiToken ? "an API token" : "a cost credential"}; this path takes ${accepted}.`;
  }
  return `The token is incomplete or mistyped. This path takes ${accepted}.`;
}

/** The hash of the test credential in the Authorization header; undefined if there is none. */
export function readTestHash(context: Context): string | undefined {
  return hashToken(readToken(context), ["test"]);
}

/** The token of the Authorization header in any of its forms; empty if there is none. */
export function readToken(context: Context): string {
  const header = context.request.headers.get("authorization") ?? "";
  const [, quoted, plain, bearer] = AUTHORIZATION.exec(header) ?? [];
  return quoted ?? plain ?? bearer ?? "";
}

const AUTHORIZATION = /^\s*(?:token\s+token=(?:"([^"]*)"|([^"\s]*))|bearer\s+(\S+))\s*$/i;

/** By default for a well-formed token that the database does not know. */
export function unauthorized(
  detail = "This token does not exist or was reset. Check that you use the current one.",
): AppError {
  return new AppError("unauthorized", detail, {
    headers: {
      "www-authenticate": 'Token realm="linkledger", Bearer realm="linkledger"',
    },
  });
}
