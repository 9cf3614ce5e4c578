/** Partners to choose from, those first that can send cost data. */
import type { Partner, Partners } from "../db/links/partner-catalog.ts";
import { toTypes } from "../domain/cost-types.ts";
import type { Option, OptionGroup } from "../pages/forms/fields.ts";

export const byName = (partners: Partners): Partner[] =>
  [...partners.values()].toSorted((one, other) => one.displayName.localeCompare(other.displayName));

const canSend = ({ supportsCostData, stoppedAt }: Partner) => supportsCostData === 1 && stoppedAt === null;

/** What a partner can send, or why it cannot. */
export function describePartner({ supportsCostData, integratedTypes, stoppedAt }: Partner): string {
  if (stoppedAt !== null) return "stopped";
  return supportsCostData ? `cost data: ${toTypes(integratedTypes).join(", ")}` : "no cost data yet";
}

/** Two groups; one that is empty is left out. */
export function partnerOptions(partners: Partners): OptionGroup[] {
  const sorted = byName(partners);
  const toOption = (partner: Partner): Option => [
    String(partner.id),
    `${partner.displayName} (${describePartner(partner)})`,
  ];
  const groups = [
    { group: "Can send cost data", options: sorted.filter(canSend).map(toOption) },
    { group: "Can't send cost data", options: sorted.filter((one) => !canSend(one)).map(toOption) },
  ];
  return groups.filter(({ options }) => options.length > 0);
}
