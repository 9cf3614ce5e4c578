/** What an operator does next for a partner. */
import type { PartnerRow } from "../../../db/operator/partners.ts";
import { COST_TYPES, toMask } from "../../../domain/cost-types.ts";

export const hasCostId = ({ costParameters }: Pick<PartnerRow, "costParameters">) =>
  costParameters.includes("cost_id=");

export interface Step {
  text: string;
  href: string;
}

type Known = Pick<
  PartnerRow,
  "id" | "openRounds" | "stoppedAt" | "integratedTypes" | "hasLiveCredential" | "costParameters"
>;

/** Undefined if every cost type is integrated and can be sent and matched. */
export function nextStep(partner: Known): Step | undefined {
  const path = `/operator/partners/${partner.id}`;
  const [round] = JSON.parse(partner.openRounds) as number[];
  if (partner.stoppedAt !== null) return { text: "Resume", href: `${path}#stop` };
  if (round !== undefined) return { text: `Review round ${round}`, href: `/operator/rounds/${round}` };
  const open = { text: "Open a round", href: `${path}#open` };
  if (!partner.integratedTypes) return { text: "Continue setup", href: `${path}/setup` };
  if (!partner.hasLiveCredential) return { text: "Issue a live credential", href: `${path}#credentials` };
  if (!hasCostId(partner)) return { text: "Add a cost_id to the cost parameters", href: `${path}#templates` };
  if (partner.integratedTypes === toMask(COST_TYPES)) return undefined;
  return open;
}
