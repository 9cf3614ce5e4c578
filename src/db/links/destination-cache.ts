/**
 * Caches link destinations in KV: link → app, written with the link, and app → destination, written when the app changes. A
 * click that finds one missing writes it too. KV also caches a miss for the `cacheTtl` of the read, so reads keep the minimum.
 */
import type { Destination } from "../../domain/engagements/click-target.ts";
import { destinations } from "../isolate-memory.ts";
import { readCache } from "../kv.ts";

/** Limits how long an outdated copy from a late writer can last. */
const DESTINATION_SECONDS = 3600;

const keyOf = (appToken: string) => `app:${appToken}`;
const keyOfLink = (linkToken: string) => `link:${linkToken}`;

/** Returns the app token of a link; null when it is not in KV. */
export function findCachedApp(kv: KVNamespace, linkToken: string): Promise<string | null> {
  return readCache(kv.get(keyOfLink(linkToken)));
}

export async function putLink(kv: KVNamespace, linkToken: string, appToken: string): Promise<void> {
  await kv.put(keyOfLink(linkToken), appToken);
}

/** Returns where the links of an app lead, from the memory of this isolate or from KV. `now` in milliseconds since 1970. */
export async function findCachedDestination(
  kv: KVNamespace,
  appToken: string,
  now: number,
): Promise<Destination | null> {
  const known = destinations.get(appToken, now);
  if (known) return known;
  const keep = destinations.reading(now);
  const found = await readCache(kv.get<Destination>(keyOf(appToken), "json"));
  if (found) keep(appToken, found);
  return found;
}

/** This isolate uses it immediately, also while KV still has the old one. */
export async function putDestination(
  kv: KVNamespace,
  appToken: string,
  destination: Destination,
  now: number,
): Promise<void> {
  destinations.set(appToken, destination, now);
  await kv.put(keyOf(appToken), JSON.stringify(destination), { expirationTtl: DESTINATION_SECONDS });
}
