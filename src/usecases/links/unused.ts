/** Archives the sub-links that clicks and impressions created and that have no cost: the lowest level first, a part a request. */
import {
  archiveCandidates,
  findWithCosts,
  readCandidates,
  readPlaces,
  type UnusedPosition,
  type UnusedScope,
} from "../../db/links/sub-links/unused.ts";
import type { Context } from "../../env.ts";

/** The most links that one request archives. */
export const MAX_ARCHIVED = 1_000;

/** How many parts of the links a request looks at, if all of them have costs. */
const MAX_READS = 10;

/** Where the walk begins: a link is archived after those below it. */
export const LOWEST: UnusedPosition = { level: 4, after: null };

/**
 * Archives the next part. `next` is where to go on; undefined if there is nothing left. Costs have the days for which counts by
 * country are kept, see db/ledger/purge/audience.ts.
 */
export async function archiveUnused({ env, ledger, now }: Context, scope: UnusedScope, from: UnusedPosition) {
  const found = await readPlaces(env.DB, scope);
  const isFound = found?.appToken != null && (scope.network === null || found.label !== null);
  let position: UnusedPosition | undefined = isFound ? from : undefined;
  let archived = 0;
  for (let read = 0; position && archived === 0 && read < MAX_READS; read++) {
    const links = await readCandidates(env.DB, scope, position, MAX_ARCHIVED);
    const linkIds = links.map(({ id }) => id);
    if (links.length > 0) {
      const withCosts = await findWithCosts(ledger, scope.appToken, linkIds);
      const unused = linkIds.filter((id) => !withCosts.has(id));
      if (unused.length > 0) archived = await archiveCandidates(env.DB, scope, unused, now);
    }
    position = positionAfter(position, links);
  }
  return { found, archived, next: position };
}

function positionAfter({ level }: UnusedPosition, links: { token: string }[]): UnusedPosition | undefined {
  if (links.length === MAX_ARCHIVED) return { level, after: links.at(-1)?.token ?? null };
  return level > 2 ? { level: level - 1, after: null } : undefined;
}
