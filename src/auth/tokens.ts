/**
 * The token of a request, and the cache of the tokens of users in KV: hash → user, or a reset mark. No other code reads or writes it. An
 * entry for a valid token grants nothing, because only D1 decides. A reset mark is final, because a hash is never used again. A
 * missing, stale or unreadable entry costs one D1 read.
 */
import type { TokenViewer } from "../db/accounts/api-tokens.ts";
import { recordedUses } from "../db/isolate-memory.ts";
import { readCache } from "../db/kv.ts";
import { sha256 } from "../domain/hash.ts";
import { dayOf } from "../domain/time.ts";
import type { Context, SentToken } from "../env.ts";
import { logError } from "../log.ts";

/** The token of the Authorization header in any of its forms, and its SHA-256. Both are empty if there is none. */
export function readToken(context: Context): SentToken {
  context.token ??= parseToken(context.request.headers.get("authorization") ?? "");
  return context.token;
}

function parseToken(header: string): SentToken {
  const [, quoted, plain, bearer] = AUTHORIZATION.exec(header) ?? [];
  const text = quoted ?? plain ?? bearer ?? "";
  return { text, hash: text && sha256(text) };
}

const AUTHORIZATION = /^\s*(?:token\s+token=(?:"([^"]*)"|([^"\s]*))|bearer\s+(\S+))\s*$/i;

/** `used_day` is in days since 1970 in UTC; absent before the first use. */
export type TokenEntry = { user_id: number; used_day?: number } | { reset_at: number };

/** How long the reset mark saves a D1 read. After that, D1 rejects the token. */
const RESET_MARK_SECONDS = 30 * 24 * 3600;

/** null if KV has no entry, does not respond, or holds something else. */
export async function findTokenEntry(
  kv: KVNamespace,
  tokenHash: string,
  requestId: string,
): Promise<TokenEntry | null> {
  try {
    const entry = await readCache(kv.get<TokenEntry>(tokenHash, "json"));
    return typeof entry === "object" ? entry : null;
  } catch (error) {
    logError(requestId, error);
    return null;
  }
}

export function rememberToken(kv: KVNamespace, tokenHash: string, userId: number): Promise<void> {
  return putEntry(kv, tokenHash, { user_id: userId });
}

/**
 * Records the day of a token's use in KV and D1 after the response, if the KV entry does not have this day yet. An isolate
 * tries once a day, because KV may take a minute to show a write.
 */
export function recordTokenUse(
  context: Context,
  viewer: TokenViewer,
  userId: number,
  entry: Extract<TokenEntry, { user_id: number }> | null,
): void {
  const { tokenHash } = viewer;
  const day = dayOf(context.now);
  if (entry?.used_day === day || recordedUses.get(tokenHash, context.now) === day) return;
  recordedUses.set(tokenHash, day, context.now);
  context.afterResponse(putEntry(context.env.TOKENS, tokenHash, { user_id: userId, used_day: day }));
  context.afterResponse(
    import("../db/accounts/api-tokens.ts").then(({ updateLastUse }) =>
      updateLastUse(context.env.DB, viewer, day),
    ),
  );
}

async function putEntry(kv: KVNamespace, tokenHash: string, entry: TokenEntry): Promise<void> {
  await kv.put(tokenHash, JSON.stringify(entry));
}

export async function markTokenReset(kv: KVNamespace, tokenHash: string, now: number): Promise<void> {
  const entry: TokenEntry = { reset_at: now };
  await kv.put(tokenHash, JSON.stringify(entry), { expirationTtl: RESET_MARK_SECONDS });
}
