/** What can be found wrong in an integration round, and what to say of it. Plain data in, plain data out. */

import type { InputError } from "../errors.ts";
import { type CostType, KINDS_THAT_FIT, type Kind } from "./cost-types.ts";
import type { Cost, Engagement, Engagements, StoredCost } from "./costs.ts";
import { COST_WINDOW_MS } from "./matching.ts";
import { formatAmount } from "./money.ts";
import { DAY_MS } from "./time.ts";

/** Something that was sent with a test credential. */
export interface RoundEntry {
  /** 1, 2, 3 … in the order of arrival. */
  number: number;
  receivedAt: number;
  /** The cost ID as it was sent, null where there was none. */
  costId: string | null;
  /** The parameters as they were sent. */
  sent: Record<string, string>;
  errors: InputError[];
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
  /** Those that the partner has integrated before. */
  liveTypes: CostType[];
  entries: RoundEntry[];
  /** Those of the round's time, and those that its entries name. */
  engagements: RoundEngagement[];
  /** Keys of findings that an operator let pass. */
  dismissed: ReadonlySet<string>;
  openedAt: number;
  /** False where the partner has more engagements than a report reads, or the first of the round's are forgotten. */
  complete: boolean;
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
/** `incomplete` is told of a report as a whole, the others of what came. */
export type FindingKind = (typeof FINDING_KINDS)[number] | "incomplete";

/** `open` holds up the approval; `note` is told and holds up nothing. */
export type FindingState = "open" | "resolved" | "dismissed" | "note";

export interface Finding {
  /** Names it in a dismissal: `entry 12`, the kind of an engagement and its cost ID, or `report`. */
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

/** What an entry was judged by. `standing` is the cost that was accepted before it with its ID. */
interface Basis {
  costTypes: CostType[];
  engagements: Engagements;
  current: StoredCost | undefined;
}

/** What is told of an entry. The state is what it is before anything heals it. */
export function toFinding(entry: RoundEntry, kind: FindingKind, basis: Basis): Finding {
  const named = entry.cost?.costType ?? entry.sent.cost_type?.toLowerCase();
  return {
    key: `entry ${entry.number}`,
    kind,
    state: kind === "duplicate" ? "note" : "open",
    costType: basis.costTypes.find((type) => type === named) ?? null,
    costId: entry.costId,
    at: entry.receivedAt,
    sent: entry.sent,
    ...(entry.cost ? explain(entry.cost, kind, basis, entry.receivedAt) : explainErrors(entry)),
  };
}

type Explanation = Pick<Finding, "expected" | "remedy">;

function explainErrors({ errors, costId }: RoundEntry): Explanation {
  return {
    // A refusal of the whole body is a sentence of its own.
    expected: errors
      .map(({ param, message }) => (/^[A-Z]/.test(message) ? message : `${param} ${message}`))
      .join("; "),
    remedy: costId
      ? "Mend the parameters and send them again with the same cost_id. That heals this, if the cost_id itself is good."
      : "Mend the parameters and send them again. The operator then dismisses this.",
  };
}

function explain(
  cost: Cost,
  kind: FindingKind,
  { costTypes, engagements, current }: Basis,
  receivedAt: number,
): Explanation {
  const kinds = KINDS_THAT_FIT[cost.costType];
  const needed =
    kinds.length > 1 ? "A click or an impression" : kinds[0] === "click" ? "A click" : "An impression";
  const fitting = kinds.flatMap((one) => engagements[one] ?? []);
  switch (kind) {
    case "cost_without_engagement":
      return {
        expected: `${needed} with this cost ID, recorded on a link of the partner.`,
        remedy:
          "Put the same cost_id, letter for letter, on the URL of the click or impression, and open it through a link of this partner. The cost matches by itself when that arrives.",
      };
    case "wrong_engagement":
      return {
        expected: `${needed} with this cost ID, for ${cost.costType}.`,
        remedy: `Send ${cost.costType} costs for ${kinds.join("s or ")}s alone, or send another cost_type with the same cost_id.`,
      };
    case "differs_from_url":
      return {
        expected: (fitting.map((one) => differences(cost, one)).find((found) => found.length > 0) ?? [])
          .map(({ param, sent, onUrl }) => `${param} ${onUrl} as on the URL, not ${sent}`)
          .join("; "),
        remedy:
          "Say the same on the URL and in the call, then send the cost again with the same cost_id. That heals this.",
      };
    case "late":
      if (fitting[0] && fitting[0].occurredAt > receivedAt) {
        return {
          expected: `At most ${COST_WINDOW_MS / DAY_MS} days before the engagement of ${toDay(fitting[0].occurredAt)}.`,
          remedy:
            "Send the cost again with the same cost_id. It heals this, within the days after the engagement.",
        };
      }
      return {
        expected: `At most ${COST_WINDOW_MS / DAY_MS} days after the engagement${fitting[0] ? ` of ${toDay(fitting[0].occurredAt)}` : ""}.`,
        remedy: "Send costs sooner. The engagement stays too old, so the operator dismisses this.",
      };
    case "conflict":
      return {
        expected: `${current ? toText(current) : "The values"}, as accepted before with this cost ID.`,
        remedy: "Give every engagement a cost_id of its own. Sending the first values again heals this.",
      };
    case "not_in_round":
      return {
        expected: `One of the cost types of this round: ${costTypes.join(", ")}.`,
        remedy: "Send another cost_type, or ask the operator for a round with this one.",
      };
    default:
      return { expected: "Each cost once.", remedy: "Nothing: a cost that is sent again counts once." };
  }
}

function toDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function toText({ costType, currency, amount }: StoredCost): string {
  return `${costType} ${currency} ${amount === null ? "without an amount" : formatAmount(amount)}`;
}
