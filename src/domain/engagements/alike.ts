/** Engagements without an ID that are stored alike, so that one row with a count has all of them. */
import type { OpenedLink } from "../costs.ts";
import { dayOf } from "../time.ts";

/**
 * What those that are stored alike have in common: all that they say, but of the time only the day, and of the tokens for new sub-links
 * only whether there are any. Undefined with an ID.
 */
export function likenessOf({ occurredAt, subLinks, count: _, ...others }: OpenedLink): string | undefined {
  if (others.costId !== null) return undefined;
  const names = subLinks.map(({ name, reason, token }) => [name, reason, token !== ""]);
  return JSON.stringify([others, dayOf(occurredAt), names]);
}

/** How many engagements these stand for. */
export const countOf = (opened: OpenedLink[]) => opened.reduce((sum, { count = 1 }) => sum + count, 0);

/** Alike engagements as one with their count, in the place of the first. */
export function merge(opened: OpenedLink[]): OpenedLink[] {
  const alike = Map.groupBy(opened, (one) => likenessOf(one) ?? one);
  return [...alike.values()].map((same) => {
    const [first] = same as [OpenedLink];
    return same.length === 1 ? first : { ...first, count: countOf(same) };
  });
}
