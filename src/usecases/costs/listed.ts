/** A partner's costs as people look through them: sorted, or of many IDs a search in their order. */
import { countCosts } from "../../db/ledger/cost-counts.ts";
import { listPartnerCosts } from "../../db/ledger/cost-list.ts";
import { justBefore } from "../../db/ledger/key-pages.ts";
import {
  type CostOwner,
  type SortedFilter,
  type SortedRange,
  sortCosts,
} from "../../db/ledger/sorted-costs.ts";
import type { Context } from "../../env.ts";
import { toCostItem } from "./item.ts";

type Costs = Awaited<ReturnType<typeof listPartnerCosts>>["items"];
export type ListedItem = ReturnType<typeof toItems>[number];

const toItems = (costs: Costs, now: number) =>
  costs.map((cost) => ({ ...toCostItem(cost.costId, cost, now), app_token: cost.appToken }));

export type FoundCosts = Awaited<ReturnType<typeof findCosts>>["found"];

/** Those at `offset`, with their sums; or, where there are too many to sort and on the pages of a search, those after the ID `after`. */
export async function findCosts(
  context: Context,
  owner: CostOwner,
  filter: SortedFilter,
  range: SortedRange & { after: string | null; found: number },
) {
  const { ledger, now } = context;
  const { credential, found } =
    range.after === null ? await sortCosts(ledger, owner, filter, range, now) : { credential: undefined };
  if (found) return { credential, found: { items: toItems(found.items, now), sums: found.sums } };
  const searched = await searchCosts(context, owner.partnerId, filter, range, range.found);
  return { credential, found: { ...searched, sums: undefined } };
}

/**
 * A page of the costs in the order of their IDs, and their number if the totals know it: the list ends when so many were found.
 * `found`: what the pages before had, if that is known.
 */
export async function searchCosts(
  { ledger, now }: Context,
  partnerId: number,
  filter: SortedFilter,
  { after, limit }: { after: string | null; limit: number },
  found: number | undefined,
) {
  const { prefix } = filter;
  const [{ items, next, ...reading }, expected] = await Promise.all([
    listPartnerCosts(ledger, partnerId, filter, { after: after ?? justBefore(prefix), limit }, now),
    prefix === "" ? countCosts(ledger, partnerId, filter, now) : null,
  ]);
  const isFound = expected !== null && found !== undefined && found + reading.fitting >= expected;
  const isOver = isFound || !next?.startsWith(prefix);
  const ofPrefix = items.filter(({ costId }) => costId.startsWith(prefix));
  return { items: toItems(ofPrefix, now), ...reading, expected, next: isOver ? null : next };
}
