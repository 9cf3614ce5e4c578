/**
 * Finds where a link leads: the app of the link and the links above it, then the destination of the app, both from KV first. The
 * former never change; the destination in KV is updated when the app or the target of a link changes.
 */
import { clickedLinks, destinations, unknownLinks } from "../db/isolate-memory.ts";
import {
  findCachedDestination,
  findCachedLink,
  putDestination,
  putLink,
} from "../db/links/destination-cache.ts";
import { type Destination, targetInEffect } from "../domain/engagements/click-target.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

interface Found {
  destination: Destination;
  /** The target of the link, its own or an inherited one; "" if it has none. */
  ownTarget: string;
}

/** Returns undefined if no link has the token. */
export async function lookUpDestination(context: Context, linkToken: string): Promise<Found | undefined> {
  const { env, now, requestId, afterResponse } = context;
  const { LINKS, DB } = env;
  if (unknownLinks.has(linkToken, now)) return undefined;
  let cached: Destination | null = null;
  try {
    const known = clickedLinks.get(linkToken, now);
    const link = known ?? (await findCachedLink(LINKS, linkToken));
    if (link) cached = await findCachedDestination(LINKS, link.appToken, now);
    if (link?.ids) {
      const { appToken, ids } = link;
      if (!known) clickedLinks.set(linkToken, { appToken, ids }, now);
      if (cached) return toFound(cached, ids);
    }
  } catch (error) {
    logError(requestId, error);
  }
  const keep = destinations.reading(now);
  const { findDestination } = await import("../db/links/destinations.ts");
  const found = await findDestination(DB, linkToken).catch((error: unknown) => {
    // KV has the link without what is above it. Its app is better than nothing.
    if (!cached) throw error;
    logError(requestId, error);
    return cached;
  });
  if (!found) {
    unknownLinks.set(linkToken, true, now);
    return undefined;
  }
  if (!("link" in found)) return toFound(found, []);
  const { link, destination } = found;
  clickedLinks.set(linkToken, link, now);
  afterResponse(putLink(LINKS, linkToken, link));
  // Otherwise the app was changed meanwhile, which has put the new one.
  if (keep(link.appToken, destination)) afterResponse(putDestination(LINKS, link.appToken, destination, now));
  return toFound(destination, link.ids);
}

const toFound = (destination: Destination, ids: number[]): Found => ({
  destination,
  ownTarget: targetInEffect(destination, ids),
});
