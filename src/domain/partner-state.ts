/** Whether a partner can send costs, in one word, and whether it sends them: the only place that says it for pages and APIs. */
import { HOUR_MS } from "./time.ts";

export const PARTNER_STATES = ["stopped", "live", "in_round", "not_integrated"] as const;
export type PartnerState = (typeof PARTNER_STATES)[number];

export interface Integration {
  stoppedAt: number | null;
  /** Not 0 if a cost type is live. */
  supportsCostData: number;
  /** The cost types of its open rounds, a bit mask. */
  typesInRound: number;
}

export function partnerStateOf({ stoppedAt, supportsCostData, typesInRound }: Integration): PartnerState {
  if (stoppedAt !== null) return "stopped";
  if (supportsCostData) return "live";
  return typesInRound ? "in_round" : "not_integrated";
}

/** Without a cost for so long while its clicks and impressions went on, a partner is silent. */
const SILENT_AFTER_MS = 24 * HOUR_MS;

/** The hour of the last cost of a live partner that is silent; null if it is not, or if no cost of it is known. */
export function silentSince(
  partner: Integration,
  { lastCostAt, lastClickAt }: { lastCostAt: number | null; lastClickAt: number | null },
): number | null {
  const isLive = partnerStateOf(partner) === "live";
  if (!isLive || lastCostAt === null || lastClickAt === null) return null;
  return lastClickAt - lastCostAt >= SILENT_AFTER_MS ? lastCostAt : null;
}
