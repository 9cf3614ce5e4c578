/**
 * Link token → app, and app → where its links lead, from KV first. The first never changes, so an isolate keeps it; the
 * second is written anew when the app changes.
 */

import {
  findCachedApp,
  findCachedDestination,
  putDestination,
  putLink,
} from "../db/links/destination-cache.ts";
import { findDestination } from "../db/links/destinations.ts";
import type { Destination } from "../domain/click-target.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** undefined for a token that no link has. */
export async function lookUpDestination(
  context: Context,
  linkToken: string,
): Promise<Destination | undefined> {
  const { LINKS, DB } = context.env;
  try {
    const appToken = appTokens.get(linkToken) ?? (await findCachedApp(LINKS, linkToken));
    if (appToken) remember(linkToken, appToken);
    const known = appToken && (await findCachedDestination(LINKS, appToken));
    if (known) return known;
  } catch (error) {
    logError(context.requestId, error);
  }
  const found = await findDestination(DB, linkToken);
  if (!found) return undefined;
  context.afterResponse(putLink(LINKS, linkToken, found.appToken));
  remember(linkToken, found.appToken);
  context.afterResponse(putDestination(LINKS, found.appToken, found.destination));
  return found.destination;
}

const MAX_REMEMBERED = 10_000;
const appTokens = new Map<string, string>();

function remember(linkToken: string, appToken: string): void {
  if (appTokens.size >= MAX_REMEMBERED && !appTokens.has(linkToken)) appTokens.clear();
  appTokens.set(linkToken, appToken);
}
