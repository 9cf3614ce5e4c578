/**
 * Finds where a link leads: the app of the link, then the destination of the app, both from KV first. The app of a link never
 * changes, so an isolate caches it; the destination in KV is updated when the app changes.
 */

import {
  findCachedApp,
  findCachedDestination,
  putDestination,
  putLink,
} from "../db/links/destination-cache.ts";
import { findDestination } from "../db/links/destinations.ts";
import type { Destination } from "../domain/engagements/click-target.ts";
import { ExpiringSet } from "../domain/expiring-set.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** Returns undefined if no link has the token. */
export async function lookUpDestination(
  context: Context,
  linkToken: string,
): Promise<Destination | undefined> {
  const { LINKS, DB } = context.env;
  if (unknownTokens.has(linkToken, context.now)) return undefined;
  try {
    const appToken = appTokens.get(linkToken) ?? (await findCachedApp(LINKS, linkToken));
    if (appToken) cacheAppToken(linkToken, appToken);
    const cached = appToken && (await findCachedDestination(LINKS, appToken));
    if (cached) return cached;
  } catch (error) {
    logError(context.requestId, error);
  }
  const found = await findDestination(DB, linkToken);
  if (!found) {
    unknownTokens.add(linkToken, context.now);
    return undefined;
  }
  context.afterResponse(putLink(LINKS, linkToken, found.appToken));
  cacheAppToken(linkToken, found.appToken);
  context.afterResponse(putDestination(LINKS, found.appToken, found.destination));
  return found.destination;
}

/** The Worker chooses link tokens at random, so one that is unknown now does not become a link within a minute. */
const unknownTokens = new ExpiringSet(60_000);

const MAX_CACHED = 10_000;
const appTokens = new Map<string, string>();

function cacheAppToken(linkToken: string, appToken: string): void {
  if (appTokens.size >= MAX_CACHED && !appTokens.has(linkToken)) appTokens.clear();
  appTokens.set(linkToken, appToken);
}
