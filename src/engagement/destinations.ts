/**
 * Link token → app, and app → where its links lead, from KV first. The first never changes; the second is written anew when
 * the app changes and lives an hour, so that a late writer's old copy goes away by itself.
 */
import { type Destination, findDestination } from "../db/destinations.ts";
import { type Context, logError } from "../env.ts";

const DESTINATION_SECONDS = 3600;

/** undefined for a token that no link has. */
export async function lookUpDestination(
  context: Context,
  linkToken: string,
): Promise<Destination | undefined> {
  const { LINKS, DB } = context.env;
  try {
    const appToken = await LINKS.get(`link:${linkToken}`, { cacheTtl: 86_400 });
    const known = appToken && (await LINKS.get<Destination>(`app:${appToken}`, "json"));
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

function putDestination(kv: KVNamespace, appToken: string, destination: Destination): Promise<void> {
  return kv.put(`app:${appToken}`, JSON.stringify(destination), {
    expirationTtl: DESTINATION_SECONDS,
  });
}
