/**
 * What is sent with a test credential: judged as a live cost is, kept in the partner's integration round, and never a cost.
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

/** A cost as it was sent, and what was read of it. `refusal` is what refuses it before any rule does. */
export interface SentCost {
  sent: Record<string, string>;
  cost: Cost | null;
  rejection?: AppError;
}

/** As that of a live cost, with the round that keeps it and the mismatch that it made, if any. */
export type TestResult = CostResult & { round: number; mismatch: FindingKind | null };

/**
 * Keeps each in the round and gives an answer or a refusal for each in order. Throws unauthorized, credential_revoked,
 * test_credential where no round is open, and round_full where nothing more can be kept.
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
  const answers = items.slice(0, room).map((item, index) => {
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
    const before = entries.filter((other) => costId !== null && other.costId === costId);
    const answer = item.rejection ?? judge(entry, before, costTypes, round);
    entry.answer = answer instanceof AppError ? answer.code : "ok";
    entries.push(entry);
    return answer;
  });
  const added = entries.slice(costContext.entries.length);
  const kept = await rounds.insertEntries(context.env.DB, testHash, added, context.now);
  // The round was ended, or filled by another request, since the first question: it is asked again.
  if (kept === 0) return submitTests(context, testHash, items);
  const told = answers.slice(0, kept);
  return items.map((_, index) => told[index] ?? new AppError("round_full"));
}

function judge(
  entry: RoundEntry,
  before: RoundEntry[],
  costTypes: CostType[],
  round: { id: number; costTypes: CostType[] },
): TestResult | AppError {
  const current = currentCostAfter(before, entry.engagements, round.costTypes);
  const { verdict, kind, isGood } = judgeEntry(entry, current, entry.engagements, costTypes);
  if (!verdict || !entry.cost) throw new Error("a cost without faults was not judged");
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

/** As many as a cost has parameters: a body that is no batch may have a fault in every name. */
function toInputErrors({ errors, message }: AppError): InputError[] {
  const all = errors.length > 0 ? errors : [{ param: "body", message }];
  return all
    .slice(0, Object.keys(contract.cost.shape).length)
    .map((error) => ({ ...error, param: toShown(error.param) }));
}

/** As it was sent, so that a malformed cost and the good one after it are told as one. */
function toCostId({ sent, cost }: SentCost): string | null {
  return cost?.costId ?? sent.cost_id ?? null;
}

/** The parameters of a cost that were sent by name. What is given twice is shown twice. */
export function toSentPairs(pairs: Pair[]): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name of Object.keys(contract.cost.shape)) {
    const values = [...new Set(pairs.filter((pair) => pair.name === name).map((pair) => pair.value))];
    if (values.length > 0) sent[name] = toShown(values.join(" and "));
  }
  return sent;
}

/** An item of a batch. */
export function toSentItem(item: unknown): Record<string, string> {
  if (typeof item !== "object" || item === null) return {};
  return Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => Object.hasOwn(contract.cost.shape, name))
      .map(([name, value]) => [name, toShown(typeof value === "string" ? value : JSON.stringify(value))]),
  );
}

const MAX_SHOWN = 300;

/** Bounded, and without what a database or a terminal takes amiss. */
function toShown(value: string): string {
  const characters = [...value.toWellFormed().replace(/\p{Cc}/gu, "\u{fffd}")];
  return characters.length > MAX_SHOWN
    ? `${characters.slice(0, MAX_SHOWN - 1).join("")}…`
    : characters.join("");
}

/** `GET /cost/round`: the partner reads the report of its round. */
export async function readRound(context: Context): Promise<Response> {
  const tokenHash = readTokenHash(context, ["live", "test"]);
  const { credential, found } = await rounds.findRoundOfCredential(context.ledger, tokenHash, context.now);
  if (!credential) throw unauthorized();
  if (credential.revoked) throw new AppError("credential_revoked");
  if (!found) throw new AppError("not_found", "Only a test credential has an integration round.");
  context.trace.partnerId = found.row.partner_id;
  const round = toRoundWithReport(found);
  if (!prefers(context.request, "text/html"))
    return jsonResponse({ ...round, request_id: context.requestId });
  return pageResponse(context, {
    title: `Round ${round.id} · ${round.partner}`,
    body: reportView(round),
  });
}
