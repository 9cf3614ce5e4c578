/**
 * A partner's own costs: those in the ledger, or with a test credential those of its integration round, in the state that they
 * would have in the ledger.
 */
import type { CostCaller } from "../../auth/guards.ts";
import { listCosts, type OwnFilter } from "../../db/ledger/cost-list.ts";
import { type CostRecord, findCost } from "../../db/ledger/costs.ts";
import type { RecentRange } from "../../db/ledger/recent-rejections.ts";
import * as db from "../../db/ledger/recent-rejections.ts";
import type { RecentRejection } from "../../db/ledger/rejections-of-id.ts";
import { findTestCosts, listTestRejections } from "../../db/operator/rounds/costs.ts";
import { trimInvisible } from "../../domain/characters.ts";
import type { Credential } from "../../domain/costs.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { type CostItem, dayOfCost, toCostItem } from "./item.ts";
import { type RejectionItem, toRejectionItem } from "./rejection-item.ts";
import { findUnaccepted, NOTHING_KNOWN, type Unaccepted } from "./unaccepted.ts";

/** Lists the costs by ID after `after`. */
export async function listOwnCosts(
  { ledger, now }: Context,
  caller: CostCaller,
  filter: OwnFilter,
  range: { after: string | null; limit: number },
): Promise<{ items: CostItem[]; next: string | null }> {
  if (caller.mode === "live") {
    const { credential, items, next } = await listCosts(ledger, caller.tokenHash, filter, range, now);
    caller.authorize(credential);
    return { items: items.map((cost) => toCostItem(cost.costId, cost, now)), next };
  }
  const { credential, costs } = await findTestCosts(
    ledger,
    caller.tokenHash,
    { after: range.after ?? "" },
    now,
  );
  caller.authorize(credential);
  const listed = costs
    .map((cost) => toCostItem(cost.costId, cost, now))
    .filter((item) => filter.match === null || item.match === filter.match)
    .filter((item) => filter.day === null || dayOfCost(item) === filter.day);
  const items = listed.slice(0, range.limit);
  return { items, next: listed.length > range.limit ? (items.at(-1)?.cost_id ?? null) : null };
}

/**
 * Looks for an ID as it was sent, then without what is invisible at its ends, which is how it is stored now. Returns the ID that was found
 * too.
 */
export async function lookUp<Found>(
  sent: string,
  find: (costId: string) => Promise<Found | undefined>,
): Promise<{ costId: string; found: Found } | undefined> {
  for (const costId of new Set([sent, trimInvisible(sent)])) {
    const found = costId === "" ? undefined : await find(costId);
    if (found !== undefined) return { costId, found };
  }
  return undefined;
}

/** The ID under which a cost that is sent with this one is stored. */
export const toStoredId = (sent: string): string => trimInvisible(sent) || sent;

type OwnCost = { costId: string } & (
  | { found: { cost: CostRecord; rejections: RejectionItem[] }; unaccepted?: undefined }
  | { found?: undefined; unaccepted: Unaccepted }
);

/**
 * Finds the cost with an ID, with the rejected ones that have its ID too if they are asked for, or else what is known of the ID: for a
 * test credential, the rejected ones.
 */
export async function findOwnCost(
  context: Context,
  caller: CostCaller,
  sent: string,
  withRejections = false,
): Promise<OwnCost> {
  const { ledger, now } = context;
  const { tokenHash } = caller;
  let credential: Credential | undefined;
  let rejections: RecentRejection[] = [];
  const known = await lookUp(sent, async (costId) => {
    if (caller.mode === "test") {
      const found = await findTestCosts(ledger, tokenHash, { costId }, now);
      caller.authorize(found.credential);
      rejections = found.rejections;
      return found.costs[0];
    }
    const found = await findCost(ledger, tokenHash, costId, now, withRejections);
    credential = caller.authorize(found.credential);
    rejections = found.rejections;
    return found.cost;
  });
  if (known) {
    const { costId, found: cost } = known;
    return { costId, found: { cost, rejections: rejections.map(toRejectionItem) } };
  }
  const costId = toStoredId(sent);
  if (caller.mode === "test") return { costId, unaccepted: { ...NOTHING_KNOWN, rejections } };
  const { partnerId, costTypes } = expectDefined(credential);
  return { costId, unaccepted: await findUnaccepted(context, { partnerId, costId }, costTypes) };
}

/** Lists the rejected costs, the newest first. `prefix`: only IDs that begin with it. */
export async function listOwnRejections(
  { ledger, now }: Context,
  caller: CostCaller,
  range: RecentRange,
): Promise<{ items: RejectionItem[]; next: string | null }> {
  if (caller.mode === "live") {
    const { credential, items, next } = await db.listOwnRejections(ledger, caller.tokenHash, range, now);
    caller.authorize(credential);
    return { items: items.map(toRejectionItem), next };
  }
  const { credential, items, next } = await listTestRejections(ledger, caller.tokenHash, range);
  caller.authorize(credential);
  return { items: items.map(toRejectionItem), next };
}

/** What a response says of costs that never count. */
export const markTest = ({ mode }: CostCaller): { test?: true } => (mode === "test" ? { test: true } : {});
