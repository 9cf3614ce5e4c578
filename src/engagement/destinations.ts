/**
 * Link token → app, and app → where its links lead, from KV first. The first never changes; the second is written anew when
 * the app changes.
 */
import { findCachedDestination, putDestination } from "../db/destination-cache.ts";
import { type Destination, findDestination } from "../db/destinations.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** undefined for a token that no link has. */
export async function lookUpDestination(
  context: Context,
  linkToken: string,
): Promise<Destination | undefined> {
  const { LINKS, DB } = context.env;
  try {
    const appToken = await LINKS.get(`link:${linkToken}`, { cacheTtl: 86_400 });
    const known = appToken && (await findCachedDestination(LINKS, appToken));
    if (known) return known;
  } catch (error) {
    logError(context.requestId, error);
  }
  const found = await findDestination(DB, linkToken);
  if (!found) return undefined;
  context.afterAnswer(LINKS.put(`link:${linkToken}`, found.appToken));
  context.afterAnswer(putDestination(LINKS, found.appToken, found.destination));
  return found.destination;
}
