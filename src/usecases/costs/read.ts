/**
 * A partner's own costs: those in the ledger, or with a test credential those of its integration round, in the state that they
 * would have in the ledger.
 */
import type { CostCaller } from "../../auth/guards.ts";
import { listCosts, type MatchFilter } from "../../db/ledger/cost-list.ts";
import { type CostRecord, findCost } from "../../db/ledger/costs.ts";
import { findTestCosts } from "../../db/operator/rounds/costs.ts";
import type { Context } from "../../env.ts";
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

/** Finds the cost with an ID. */
export async function findOwnCost(
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
