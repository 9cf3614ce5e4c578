/** Who may pass. A guard reads the credential; the database decides, in the same batch as the data. */
import { findAccess } from "../db/accounts/api-tokens.ts";
import { type Actor, findOperatorAccess, type OperatorAccess } from "../db/operator/audit.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import type { Handler } from "../http/router.ts";
import { hashToken, type TokenKind } from "./secrets.ts";
import { findTokenEntry, recordTokenUse } from "./tokens.ts";

/** Who asks, by the token's hash. `admit` turns what the database says of it into a pass. */
export interface Principal {
  tokenHash: string;
  authorize: <A extends Access>(access: A | undefined) => A;
}

/** What the database says of a token: no row where it does not know it. */
export interface Access {
  user_id: number;
}

/** Lets a handler run for whoever sends something that may be an API token. A refusal of its input is told only to a real one. */
export function withToken(handler: (context: Context, principal: Principal) => Promise<Response>): Handler {
  return async (context) => {
    const tokenHash = readTokenHash(context, ["api"]);
    const entry = await findTokenEntry(context.env.TOKENS, tokenHash, context.requestId);
    if (entry && "reset_at" in entry) throw unauthorized();
    let asked = false;
    const authorize: Principal["authorize"] = (access) => {
      if (access && !asked) recordTokenUse(context, tokenHash, access.user_id, entry);
      asked = true;
      if (!access) throw unauthorized();
      context.trace.userId = access.user_id;
      return access;
    };
    try {
      return await handler(context, { tokenHash, authorize });
    } catch (error) {
      if (error instanceof AppError && !asked) authorize(await findAccess(context.env.DB, tokenHash));
      throw error;
    }
  };
}

/** An operator who asks. `admit` turns what the database says into a pass, or throws unauthorized or operator_required. */
export interface Operator {
  actor: Actor;
  authorize: (access: OperatorAccess | undefined) => OperatorAccess;
}

/** As `withToken`, for operators alone. */
export function withOperator(handler: (context: Context, operator: Operator) => Promise<Response>): Handler {
  return withToken(async (context, principal) => {
    const actor: Actor = { tokenHash: principal.tokenHash, sessionHash: null, now: context.now };
    let asked = false;
    const authorize: Operator["authorize"] = (found) => {
      asked = true;
      const access = principal.authorize(found);
      if (access.role !== "operator") throw new AppError("operator_required");
      return access;
    };
    try {
      return await handler(context, { actor, authorize });
    } catch (error) {
      if (error instanceof AppError && !asked) authorize(await findOperatorAccess(context.env.DB, actor));
      throw error;
    }
  });
}

/** The hash of the token in the Authorization header. Throws unauthorized where it is missing or no such token can exist. */
export function readTokenHash(context: Context, kinds: TokenKind[]): string {
  const token = readToken(context);
  const tokenHash = hashToken(token, kinds);
  if (tokenHash) return tokenHash;
  // The prefix alone says so, and gives nothing away.
  const [, kind] = /^ll_(api|live|test)_/.exec(token) ?? [];
  const other = kind !== undefined && !kinds.some((wanted) => wanted === kind);
  const wanted = kinds.map((name) => `ll_${name}_…`).join(" or ");
  if (!context.request.headers.has("authorization")) throw unauthorized("There is no Authorization header.");
  throw unauthorized(other ? `This is a token of another kind: here goes ${wanted}` : undefined);
}

/** The hash of the test credential in the Authorization header; undefined where there is anything else. */
export function readTestHash(context: Context): string | undefined {
  return hashToken(readToken(context), ["test"]);
}

/** The token of the Authorization header, however that is written; empty where there is none. */
export function readToken(context: Context): string {
  const header = context.request.headers.get("authorization") ?? "";
  const [, quoted, plain, bearer] = AUTHORIZATION.exec(header) ?? [];
  return quoted ?? plain ?? bearer ?? "";
}

const AUTHORIZATION = /^\s*(?:token\s+token=(?:"([^"]*)"|([^"\s]*))|bearer\s+(\S+))\s*$/i;

export function unauthorized(detail?: string): AppError {
  return new AppError("unauthorized", detail, {
    headers: {
      "www-authenticate": 'Token realm="linkledger", Bearer realm="linkledger"',
    },
  });
}
