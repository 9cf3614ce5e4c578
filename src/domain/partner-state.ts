/** Whether a partner can send costs, in one word: the only place that says it for pages and APIs. */

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
