/**
 * Where links lead, in KV: link → app, written with the link, and app → its destination, written when the app changes. A
 * click that finds one missing writes it too. KV remembers a miss as long as it may cache a value, so none is read with a
 * longer cache time than the shortest.
 */
import type { Destination } from "../../domain/click-target.ts";
import { readCache } from "../kv.ts";

/** A late writer's old copy goes away by itself. */
const DESTINATION_SECONDS = 3600;

const keyOf = (appToken: string) => `app:${appToken}`;
const keyOfLink = (linkToken: string) => `link:${linkToken}`;

/** The app of a link; null where KV does not know it. */
export function findCachedApp(kv: KVNamespace, linkToken: string): Promise<string | null> {
  return readCache(kv.get(keyOfLink(linkToken)));
}

export async function putLink(kv: KVNamespace, linkToken: string, appToken: string): Promise<void> {
  await kv.put(keyOfLink(linkToken), appToken);
}

export function findCachedDestination(kv: KVNamespace, appToken: string): Promise<Destination | null> {
  return readCache(kv.get<Destination>(keyOf(appToken), "json"));
}

export async function putDestination(
  kv: KVNamespace,
  appToken: string,
  destination: Destination,
): Promise<void> {
  await kv.put(keyOf(appToken), JSON.stringify(destination), { expirationTtl: DESTINATION_SECONDS });
}
