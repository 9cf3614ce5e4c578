/**
 * Finds where a link leads: the app of the link, then the destination of the app, both from KV first. The app of a link never
 * changes; the destination in KV is updated when the app changes.
 */
import { appsOfLinks, destinations, unknownLinks } from "../db/isolate-memory.ts";
import {
  findCachedApp,
  findCachedDestination,
  putDestination,
  putLink,
} from "../db/links/destination-cache.ts";
import { findDestination } from "../db/links/destinations.ts";
import type { Destination } from "../domain/engagements/click-target.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** Returns undefined if no link has the token. */
export async function lookUpDestination(
  context: Context,
  linkToken: string,
): Promise<Destination | undefined> {
  const { env, now, requestId, afterResponse } = context;
  const { LINKS, DB } = env;
  if (unknownLinks.has(linkToken, now)) return undefined;
  try {
    const known = appsOfLinks.get(linkToken, now);
    const appToken = known ?? (await findCachedApp(LINKS, linkToken));
    if (appToken && !known) appsOfLinks.set(linkToken, appToken, now);
    const cached = appToken && (await findCachedDestination(LINKS, appToken, now));
    if (cached) return cached;
  } catch (error) {
    logError(requestId, error);
  }
  const keep = destinations.reading(now);
  const found = await findDestination(DB, linkToken);
  if (!found) {
    unknownLinks.set(linkToken, true, now);
    return undefined;
  }
  const { appToken, destination } = found;
  appsOfLinks.set(linkToken, appToken, now);
  afterResponse(putLink(LINKS, linkToken, appToken));
  // Otherwise the app was changed meanwhile, which has put the new one.
  if (keep(appToken, destination)) afterResponse(putDestination(LINKS, appToken, destination, now));
  return destination;
}
