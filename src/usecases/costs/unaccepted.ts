/** What is known of a cost ID that has no accepted cost: its rejections, its engagements, and what a cost for it would get now. */
import { findKnownOfId, type KnownOfId } from "../../db/ledger/recent-rejections.ts";
import type { LedgerKey } from "../../db/ledger/shards.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { judgeCost, type RejectionCode } from "../../domain/matching.ts";
import { inDays, listOf } from "../../domain/texts.ts";
import { KEPT_REJECTIONS_MS, toIso } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { KEPT_REJECTIONS, toRejectionItem } from "./rejection-item.ts";

/** What a cost would get now, in the words of the API. */
export type Expected = "matched" | "pending" | RejectionCode;

export interface Unaccepted extends KnownOfId {
  /** By each type that the partner has integrated. */
  expected: { costType: CostType; answer: Expected }[];
}

export const toRejections = ({ rejections }: Unaccepted) => rejections.map(toRejectionItem);

export const NOTHING_KNOWN: Unaccepted = { rejections: [], engagements: {}, isStopped: false, expected: [] };

/** `costTypes` are those that the partner can send. */
export async function findUnaccepted(
  { ledger, now }: Context,
  key: LedgerKey,
  costTypes: CostType[],
): Promise<Unaccepted> {
  const known = await findKnownOfId(ledger, key, now);
  const { click, impression } = known.engagements;
  const hasEngagement = click !== undefined || impression !== undefined;
  const expected = costTypes.map((costType) => ({
    costType,
    answer: answerTo(costType, costTypes, known, key, now),
  }));
  return { ...known, expected: hasEngagement ? expected : [] };
}

function answerTo(
  costType: CostType,
  costTypes: CostType[],
  { engagements, isStopped }: KnownOfId,
  { costId }: LedgerKey,
  now: number,
): Expected {
  if (isStopped) return "partner_stopped";
  // The amount decides nothing where there is no earlier call.
  const cost = { costId, costType, currency: "USD", amount: 1, tag: "" };
  const verdict = judgeCost(cost, costTypes, engagements, undefined, now);
  if (verdict.outcome === "reject") return verdict.reason;
  return verdict.match === null ? "pending" : "matched";
}

/** Sentences about it, with times as in the API. Empty if nothing is known. */
function describeUnaccepted({ rejections, engagements, expected }: Unaccepted): string {
  const rejected = rejections.map(
    ({ rejectedAt, code, params }) => `${code}${params ? ` (${params})` : ""} at ${toIso(rejectedAt)}`,
  );
  const { click, impression } = engagements;
  const recorded = [
    ...(click ? [`a click at ${toIso(click.occurredAt)}`] : []),
    ...(impression ? [`an impression at ${toIso(impression.occurredAt)}`] : []),
  ];
  const byAnswer = [...Map.groupBy(expected, ({ answer }) => answer)].map(
    ([answer, same]) => `${answer} (${same.map(({ costType }) => costType).join(", ")})`,
  );
  return [
    ...(rejected.length > 0 ? [`Rejected in the last ${KEPT}: ${listOf(rejected, "and")}.`] : []),
    ...(recorded.length > 0 ? [`Recorded with this ID: ${listOf(recorded, "and")}.`] : []),
    ...(byAnswer.length > 0 ? [`A cost for it would now get: ${listOf(byAnswer, "and")}.`] : []),
  ].join(" ");
}

const KEPT = inDays(KEPT_REJECTIONS_MS);

/** `whoHas`: the beginning of the sentence, for example `You have`. */
export function noAcceptedCost(whoHas: string, known: Unaccepted): AppError {
  const sentences =
    describeUnaccepted(known) ||
    `No rejected cost with this ID is kept. ${KEPT_REJECTIONS} Check the cost_id.`;
  return new AppError("not_found", `${whoHas} no accepted cost with this ID. ${sentences}`);
}
