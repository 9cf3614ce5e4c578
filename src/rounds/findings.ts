/** What can be found wrong in an integration round, and what to say of it. Plain data in, plain data out. */
import { COST_WINDOW_MS } from "../cost/rules.ts";
import { type CostType, KINDS_THAT_FIT, type Kind } from "../cost-types.ts";
import type { Cost, Engagement, Engagements } from "../db/ledger.ts";
import type { Fault } from "../errors.ts";
import { formatAmount } from "../http/money.ts";

/** Something that was sent with a test credential. */
export interface RoundEntry {
  /** 1, 2, 3 … in the order of arrival. */
  number: number;
  receivedAt: number;
  /** The cost ID as it was sent, null where there was none. */
  costId: string | null;
  /** The parameters as they were sent. */
  sent: Record<string, string>;
  faults: Fault[];
  /** Null where the faults left none. */
  cost: Cost | null;
  /** The engagements with the cost ID as they were then: they are forgotten before a long round ends. */
  engagements: Engagements;
  /** What was answered: `ok`, or the code of the refusal. */
  answer: string;
}

export interface RoundEngagement extends Engagement {
  costId: string;
  kind: Kind;
}

export interface RoundRecord {
  costTypes: CostType[];
  entries: RoundEntry[];
  /** Those of the round's time, and those that its entries name. */
  engagements: RoundEngagement[];
  /** Keys of findings that an operator let pass. */
  dismissed: ReadonlySet<string>;
}

export const FINDING_KINDS = [
  "engagement_without_cost",
  "cost_without_engagement",
  "wrong_engagement",
  "differs_from_url",
  "late",
  "malformed",
  "conflict",
  "not_in_round",
  "duplicate",
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** `open` holds up the approval; `note` is told and holds up nothing. */
export type FindingState = "open" | "healed" | "dismissed" | "note";

export interface Finding {
  /** Names it in a dismissal: `entry 12`, or the kind of an engagement and its cost ID. */
  key: string;
  kind: FindingKind;
  state: FindingState;
  costType: CostType | null;
  costId: string | null;
  at: number;
  sent: Record<string, string>;
  expected: string;
  remedy: string;
}

/** What a cost says otherwise than the URL of its engagement. */
export function differences(
  cost: Cost,
  engagement: Engagement,
): { param: string; sent: string; onUrl: string }[] {
  const found: { param: string; sent: string; onUrl: string }[] = [];
  const compare = (param: string, sent: string | null, onUrl: string | null) => {
    if (sent !== null && onUrl !== null && sent !== onUrl) found.push({ param, sent, onUrl });
  };
  const toText = (amount: number | null) => (amount === null ? null : formatAmount(amount));
  compare("cost_type", cost.costType, engagement.urlCostType);
  compare("cost_currency", cost.currency, engagement.urlCurrency);
  compare("cost_amount", toText(cost.amount), toText(engagement.urlAmount));
  return found;
}

/** What is told of an entry. The state is what it is before anything heals it. */
export function toFinding(
  entry: RoundEntry,
  kind: FindingKind,
  round: RoundRecord,
  engagements: Engagements,
): Finding {
  const named = entry.cost?.costType ?? entry.sent.cost_type?.toLowerCase();
  return {
    key: `entry ${entry.number}`,
    kind,
    state: kind === "duplicate" ? "note" : "open",
    costType: round.costTypes.find((type) => type === named) ?? null,
    costId: entry.costId,
    at: entry.receivedAt,
    sent: entry.sent,
    ...explain(entry, kind, round, engagements),
  };
}

function explain(
  entry: RoundEntry,
  kind: FindingKind,
  round: RoundRecord,
  engagements: Engagements,
): { expected: string; remedy: string } {
  const costType = entry.cost?.costType;
  const kinds = costType ? KINDS_THAT_FIT[costType] : [];
  const needed = kinds.map((one) => (one === "click" ? "a click" : "an impression")).join(" or ");
  const matched = kinds.map((one) => engagements[one]).find((engagement) => engagement);
  switch (kind) {
    case "malformed":
      return {
        expected: entry.faults.map((fault) => `${fault.param} ${fault.message}`).join("; "),
        remedy: entry.costId
          ? "Mend the parameters and send them again with the same cost_id. That heals this, if the cost_id itself is good."
          : "Mend the parameters and send them again. The operator then dismisses this.",
      };
    case "cost_without_engagement":
      return {
        expected: `${needed} with this cost ID, recorded on a link of the partner.`,
        remedy:
          "Put the same cost_id on the URL of the click or impression. The cost matches by itself when that arrives.",
      };
    case "wrong_engagement":
      return {
        expected: `${needed} with this cost ID, for ${costType}.`,
        remedy: `Send ${costType} costs for ${kinds.join("s or ")}s alone, or send another cost_type with the same cost_id.`,
      };
    case "differs_from_url":
      return {
        expected: (entry.cost && matched ? differences(entry.cost, matched) : [])
          .map(({ param, sent, onUrl }) => `${param} ${onUrl} as on the URL, not ${sent}`)
          .join("; "),
        remedy:
          "Say the same on the URL and in the call, then send the cost again with the same cost_id. That heals this.",
      };
    case "late":
      return {
        expected: `At most ${COST_WINDOW_MS / DAY_MS} days after the engagement${matched ? ` of ${new Date(matched.occurredAt).toISOString()}` : ""}.`,
        remedy: "Send costs sooner. The engagement stays too old, so the operator dismisses this.",
      };
    case "conflict":
      return {
        expected: "The values of the cost that was accepted before with this cost ID.",
        remedy: "Give every engagement a cost_id of its own. Sending the first values again heals this.",
      };
    case "not_in_round":
      return {
        expected: `One of the cost types of this round: ${round.costTypes.join(", ")}.`,
        remedy: "Send another cost_type, or ask the operator for a round with this one.",
      };
    default:
      return { expected: "Each cost once.", remedy: "Nothing: a cost that is sent again counts once." };
  }
}

const DAY_MS = 24 * 3600 * 1000;
