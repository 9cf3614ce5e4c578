/**
 * Costs sent with a test credential. They are judged like live costs and stored in the partner's integration round; they never
 * enter the ledger.
 */

import { readTokenHash, unauthorized } from "../auth/guards.ts";
import * as rounds from "../db/operator/rounds.ts";
import type { CostType } from "../domain/cost-types.ts";
import type { Cost } from "../domain/costs.ts";
import { formatAmount } from "../domain/money.ts";
import type { FindingKind, RoundEntry } from "../domain/round-findings.ts";
import { currentCostAfter, judgeEntry } from "../domain/round-report.ts";
import type { Context } from "../env.ts";
import { AppError, type InputError } from "../errors.ts";
import { prefers } from "../http/accept.ts";
import { jsonResponse } from "../http/envelope.ts";
import type { Pair } from "../http/input.ts";
import { pageResponse } from "../http/pages.ts";
import { toRoundWithReport } from "../usecases/rounds/serialize.ts";
import { reportView } from "../usecases/rounds/view.ts";
import * as contract from "./contract.ts";
import type { CostResult } from "./submit.ts";

/** The parameters as they were sent, and the cost parsed from them. `rejection` is set if the input is invalid. */
export interface SentCost {
  sent: Record<string, string>;
  cost: Cost | null;
  rejection?: AppError;
}

/** The result of a live cost, with the ID of the round and the finding for this cost, if any. */
export type TestResult = CostResult & { round: number; mismatch: FindingKind | null };

/**
 * Stores the costs in the round. Returns a result or an error for each, in order. Throws unauthorized, credential_revoked,
 * test_credential if no round is open, and round_full if the round has no room for any of them.
 */
export async function submitTests(
  context: Context,
  testHash: string,
  items: SentCost[],
): Promise<(TestResult | AppError)[]> {
  const ids = items.map(toCostId).filter((id) => id !== null);
  const costContext = await rounds.findTestContext(context.ledger, testHash, ids);
  if (!costContext) throw unauthorized();
  const { credential, engagements } = costContext;
  if (credential.revoked) throw new AppError("credential_revoked");
  const round = credential.round;
  if (round) context.trace.partnerId = round.partnerId;
  if (round?.state !== "open") throw new AppError("test_credential");
  const room = rounds.MAX_ROUND_ENTRIES - round.entryCount;
  if (room <= 0) throw new AppError("round_full");
  const costTypes = credential.costTypes.filter((type) => round.costTypes.includes(type));
  const entries = [...costContext.entries];
  const results = items.slice(0, room).map((item, index) => {
    const costId = toCostId(item);
    const entry: RoundEntry = {
      number: round.entryCount + index + 1,
      receivedAt: context.now,
      costId,
      sent: item.sent,
      errors: item.rejection ? toInputErrors(item.rejection) : [],
      cost: item.cost,
      engagements: costId === null ? {} : rounds.engagementsOf(costId, engagements),
      answer: "ok",
    };
    const earlier = entries.filter((other) => costId !== null && other.costId === costId);
    const result = item.rejection ?? judge(entry, earlier, costTypes, round);
    entry.answer = result instanceof AppError ? result.code : "ok";
    entries.push(entry);
    return result;
  });
  const added = entries.slice(costContext.entries.length);
  const storedCount = await rounds.insertEntries(context.env.DB, testHash, added, context.now);
  // The round has ended or was filled by another request since it was read: start again.
  if (storedCount === 0) return submitTests(context, testHash, items);
  const stored = results.slice(0, storedCount);
  return items.map((_, index) => stored[index] ?? new AppError("round_full"));
}

function judge(
  entry: RoundEntry,
  earlier: RoundEntry[],
  costTypes: CostType[],
  round: { id: number; costTypes: CostType[] },
): TestResult | AppError {
  const current = currentCostAfter(earlier, entry.engagements, round.costTypes);
  const { verdict, kind, isGood } = judgeEntry(entry, current, entry.engagements, costTypes);
  if (!verdict || !entry.cost) throw new Error("a valid cost was not judged");
  if (verdict.outcome === "reject") return new AppError(verdict.reason);
  return {
    status: "ok",
    cost_id: entry.cost.costId,
    match: verdict.match ? "matched" : "pending",
    duplicate: verdict.outcome === "duplicate",
    amount: verdict.amount === null ? null : formatAmount(verdict.amount),
    round: round.id,
    mismatch: isGood ? null : (kind ?? null),
  };
}

/** At most as many errors as a cost has parameters: the body of an invalid batch can have an error in every key. */
function toInputErrors({ errors, message }: AppError): InputError[] {
  const all = errors.length > 0 ? errors : [{ param: "body", message }];
  return all
    .slice(0, Object.keys(contract.cost.shape).length)
    .map((error) => ({ ...error, param: toShown(error.param) }));
}

/** The ID as it was sent, so that an invalid cost and its correction belong together in the report. */
function toCostId({ sent, cost }: SentCost): string | null {
  return cost?.costId ?? sent.cost_id ?? null;
}

/** The parameters of a cost among the pairs of a request. A parameter with two values shows both. */
export function toSentPairs(pairs: Pair[]): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name of Object.keys(contract.cost.shape)) {
    const values = [...new Set(pairs.filter((pair) => pair.name === name).map((pair) => pair.value))];
    if (values.length > 0) sent[name] = toShown(values.join(" and "));
  }
  return sent;
}

/** The parameters of a cost in an item of a batch. */
export function toSentItem(item: unknown): Record<string, string> {
  if (typeof item !== "object" || item === null) return {};
  return Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => Object.hasOwn(contract.cost.shape, name))
      .map(([name, value]) => [name, toShown(typeof value === "string" ? value : JSON.stringify(value))]),
  );
}

const MAX_SHOWN = 300;

/** Limits the length, and replaces characters that a database or a terminal cannot handle. */
function toShown(value: string): string {
  const characters = [...value.toWellFormed().replace(/\p{Cc}/gu, "\u{fffd}")];
  return characters.length > MAX_SHOWN
    ? `${characters.slice(0, MAX_SHOWN - 1).join("")}…`
    : characters.join("");
}

/** `GET /cost/round`: a partner reads the report of its round. */
export async function readRound(context: Context): Promise<Response> {
  const tokenHash = readTokenHash(context, ["live", "test"]);
  const { credential, found } = await rounds.findRoundOfCredential(context.ledger, tokenHash, context.now);
  if (!credential) throw unauthorized();
  if (credential.revoked) throw new AppError("credential_revoked");
  if (!found)
    throw new AppError(
      "not_found",
      "Only a test credential has an integration round. Send the request with your test credential.",
    );
  context.trace.partnerId = found.row.partnerId;
  const round = toRoundWithReport(found);
  if (!prefers(context.request, "text/html"))
    return jsonResponse({ ...round, request_id: context.requestId });
  return pageResponse(context, {
    title: `Round ${round.id} · ${round.partner}`,
    body: reportView(round),
  });
}
