/**
 * A partner's own costs: those in the ledger, or with a test credential those of its integration round, in the state that they
 * would have in the ledger.
 */
import type { CostCaller } from "../../auth/guards.ts";
import { listCosts, type MatchFilter } from "../../db/ledger/cost-list.ts";
import { type CostRecord, findCost } from "../../db/ledger/costs.ts";
import { findTestCosts } from "../../db/operator/rounds/costs.ts";
import { trimInvisible } from "../../domain/characters.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { type CostItem, toCostItem } from "./item.ts";

/** Lists the costs by ID after `after`. `match` null: in every state. */
export async function listOwnCosts(
  { ledger, now }: Context,
  caller: CostCaller,
  match: MatchFilter | null,
  range: { after: string | null; limit: number },
): Promise<{ items: CostItem[]; next: string | null }> {
  if (caller.mode === "live") {
    const { credential, items, next } = await listCosts(ledger, caller.tokenHash, match, range, now);
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
    .filter((item) => match === null || item.match === match);
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

/** Finds the cost with an ID. Throws not_found. */
export async function findOwnCost(
  context: Context,
  caller: CostCaller,
  sent: string,
): Promise<{ costId: string; found: CostRecord }> {
  const cost = await lookUp(sent, (costId) => findById(context, caller, costId));
  if (!cost) throw new AppError("not_found", NO_COST);
  return cost;
}

export const NO_COST =
  "You have no cost with this ID: it was never sent, or it has expired. Check the cost_id.";

async function findById(
  { ledger, now }: Context,
  caller: CostCaller,
  costId: string,
): Promise<CostRecord | undefined> {
  if (caller.mode === "live") {
    const { credential, cost } = await findCost(ledger, caller.tokenHash, costId, now);
    caller.authorize(credential);
    return cost;
  }
  const { credential, costs } = await findTestCosts(ledger, caller.tokenHash, { costId }, now);
  caller.authorize(credential);
  return costs[0];
}

/** What a response says of costs that never count. */
export const markTest = ({ mode }: CostCaller): { test?: true } => (mode === "test" ? { test: true } : {});
