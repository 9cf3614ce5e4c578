/** What an operator does next for a partner. */
import type { PartnerRow } from "../../../db/operator/partners.ts";
import { COST_TYPES, toMask } from "../../../domain/cost-types.ts";
import { templatePairs } from "../../../domain/templates.ts";

export const hasCostId = ({ costParameters }: Pick<PartnerRow, "costParameters">) =>
  templatePairs(costParameters).some(({ name }) => name === "cost_id");

export interface Step {
  text: string;
  href: string;
}

type Known = Pick<
  PartnerRow,
  "id" | "openRounds" | "stoppedAt" | "integratedTypes" | "hasLiveCredential" | "costParameters"
>;

/** Of a cost type, in the last days: what was recorded, and of it what was recorded with cost data on. */
interface Counts {
  recorded: number | null;
  expected: number | null;
}

/** Undefined if every cost type is integrated and can be sent and matched. `counts` are those that the page knows. */
export function nextStep(partner: Known, counts: Counts[] = []): Step | undefined {
  const path = `/operator/partners/${partner.id}`;
  const [round] = JSON.parse(partner.openRounds) as number[];
  if (partner.stoppedAt !== null) return { text: "Resume", href: `${path}#stop` };
  if (round !== undefined) return { text: `Review round ${round}`, href: `/operator/rounds/${round}` };
  const open = { text: "Open a round", href: `${path}#open` };
  if (!partner.integratedTypes) return { text: "Continue setup", href: `${path}/setup` };
  if (!partner.hasLiveCredential) return { text: "Issue a live credential", href: `${path}#credentials` };
  if (!hasCostId(partner)) return { text: "Add a cost_id to the cost parameters", href: `${path}#templates` };
  const isOff = ({ recorded, expected }: Counts) => recorded !== null && recorded > 0 && expected === 0;
  if (counts.some(isOff) && !counts.some(({ expected }) => expected !== null && expected > 0))
    return { text: "Ask members to turn on cost data, which is off on all links", href: `${path}#rates` };
  if (partner.integratedTypes === toMask(COST_TYPES)) return undefined;
  return open;
}
