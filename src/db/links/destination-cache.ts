/**
 * Caches link destinations in KV: link → its app and the IDs of the links above it, written with the link, and app → destination with
 * the targets of its links, written when one of them changes. So a click reads two keys, and a change writes one, whatever is below the
 * link. A click that finds one missing writes it too. KV also caches a miss for the `cacheTtl` of the read, so reads keep the minimum.
 */
import { type Destination, toIds } from "../../domain/engagements/click-target.ts";
import { destinations } from "../isolate-memory.ts";
import { readCache } from "../kv.ts";
import type { ClickedLink } from "./destinations.ts";

/** Limits how long an outdated copy from a late writer can last. */
const DESTINATION_SECONDS = 3600;

const keyOf = (appToken: string) => `app:${appToken}`;
const keyOfLink = (linkToken: string) => `link:${linkToken}`;

/** A link of KV; undefined when it is not there. `ids` is undefined if it was put there by a version before the links' own targets. */
export async function findCachedLink(
  kv: KVNamespace,
  linkToken: string,
): Promise<{ appToken: string; ids?: number[] } | undefined> {
  const [appToken, ids] = (await readCache(kv.get(keyOfLink(linkToken))))?.split(" ") ?? [];
  return appToken ? { appToken, ...(ids !== undefined && { ids: toIds(ids) }) } : undefined;
}

export async function putLink(kv: KVNamespace, linkToken: string, { appToken, ids }: ClickedLink) {
  await kv.put(keyOfLink(linkToken), `${appToken} ${ids.join(".")}`);
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

/** The next click reads it from D1. */
export async function dropDestination(kv: KVNamespace, appToken: string): Promise<void> {
  destinations.delete(appToken);
  await kv.delete(keyOf(appToken));
}
