/** App → where its links lead, in KV: written when the app changes, and by a click that found nothing there. */
import type { Destination } from "./destinations.ts";

/** A late writer's old copy goes away by itself. */
const DESTINATION_SECONDS = 3600;

const keyOf = (appToken: string) => `app:${appToken}`;

export function findCachedDestination(kv: KVNamespace, appToken: string): Promise<Destination | null> {
  return kv.get<Destination>(keyOf(appToken), "json");
}

export function putDestination(kv: KVNamespace, appToken: string, destination: Destination): Promise<void> {
  return kv.put(keyOf(appToken), JSON.stringify(destination), { expirationTtl: DESTINATION_SECONDS });
}
