/**
 * API tokens in KV, the only code that touches them there: hash → user, or the mark of a reset. KV answers first and is
 * never believed alone: what it says of a live token only D1 can grant, and what it says of a reset one is final, for a
 * hash is never given out again. So an entry that is missing, stale or unreadable costs one D1 read and grants nothing.
 */
import { logError } from "../log.ts";

export type TokenEntry = { user_id: number } | { reset_at: number };

/** How long the mark of a reset spares D1 the question. After that D1 refuses the token by itself. */
const RESET_MARK_SECONDS = 30 * 24 * 3600;

/** null where KV knows nothing, does not answer, or holds what is no entry. */
export async function findTokenEntry(
  kv: KVNamespace,
  tokenHash: string,
  requestId: string,
): Promise<TokenEntry | null> {
  try {
    const entry = await kv.get<TokenEntry>(tokenHash, "json");
    return typeof entry === "object" ? entry : null;
  } catch (error) {
    logError(requestId, error);
    return null;
  }
}

export function rememberToken(kv: KVNamespace, tokenHash: string, userId: number): Promise<void> {
  return kv.put(tokenHash, JSON.stringify({ user_id: userId } satisfies TokenEntry));
}

export function markTokenReset(kv: KVNamespace, tokenHash: string, now: number): Promise<void> {
  const entry: TokenEntry = { reset_at: now };
  return kv.put(tokenHash, JSON.stringify(entry), {
    expirationTtl: RESET_MARK_SECONDS,
  });
}
