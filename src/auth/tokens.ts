/**
 * API tokens in KV, the only code that touches them there: hash → user, or the mark of a reset. KV answers first and is
 * never believed alone: what it says of a live token only D1 can grant, and what it says of a reset one is final, for a
 * hash is never given out again. So an entry that is missing, stale or unreadable costs one D1 read and grants nothing.
 */

import { updateLastUse } from "../db/accounts/api-tokens.ts";
import { readCache } from "../db/kv.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** `used_day` counts days since 1970 in UTC; left out before the first use. */
export type TokenEntry = { user_id: number; used_day?: number } | { reset_at: number };

/** How long the mark of a reset spares D1 the question. After that D1 refuses the token by itself. */
const RESET_MARK_SECONDS = 30 * 24 * 3600;

/** null where KV knows nothing, does not answer, or holds what is no entry. */
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
 * Notes the day of a token's use after the answer, in KV and D1, when KV does not know of a use on this day yet. One note a
 * day and isolate is tried: KV may take a minute to show it.
 */
export function recordTokenUse(
  context: Context,
  tokenHash: string,
  userId: number,
  entry: Extract<TokenEntry, { user_id: number }> | null,
): void {
  const day = Math.floor(context.now / DAY_MS);
  if (entry?.used_day === day || recordedToday(day).has(tokenHash)) return;
  recordedToday(day).add(tokenHash);
  context.afterResponse(putEntry(context.env.TOKENS, tokenHash, { user_id: userId, used_day: day }));
  context.afterResponse(updateLastUse(context.env.DB, tokenHash, day));
}

let recorded = { day: 0, tokenHashes: new Set<string>() };

function recordedToday(day: number): Set<string> {
  if (recorded.day !== day) recorded = { day, tokenHashes: new Set() };
  return recorded.tokenHashes;
}

async function putEntry(kv: KVNamespace, tokenHash: string, entry: TokenEntry): Promise<void> {
  await kv.put(tokenHash, JSON.stringify(entry));
}

export async function markTokenReset(kv: KVNamespace, tokenHash: string, now: number): Promise<void> {
  const entry: TokenEntry = { reset_at: now };
  await kv.put(tokenHash, JSON.stringify(entry), { expirationTtl: RESET_MARK_SECONDS });
}
