/** The findings of an integration round, and the texts that tell a partner developer how to resolve each. Pure functions. */

import type { InputError } from "../../errors.ts";
import { COST_TYPE, type CostType, KINDS, type Kind } from "../cost-types.ts";
import {
  type Cost,
  differences,
  type Engagement,
  type Engagements,
  type StoredCost,
  urlValues,
} from "../costs.ts";
import { COST_WINDOW } from "../texts.ts";
import { dayOf, formatDate } from "../time.ts";

/** One cost that was sent with a test credential. */
export interface RoundEntry {
  /** 1, 2, 3 … in the order of arrival. */
  number: number;
  receivedAt: number;
  /** The cost ID as it was sent; null if there was none. */
  costId: string | null;
  /** The parameters as they were sent. */
  sent: Record<string, string>;
  errors: InputError[];
  /** Null if the parameters have errors. */
  cost: Cost | null;
  /** The engagements with the cost ID when the entry arrived. Stored here because their rows can expire before the round ends. */
  engagements: Engagements;
  /** The result that the partner received: `ok` or an error code. */
  answer: string;
}

export interface RoundEngagement extends Engagement {
  costId: string;
  kind: Kind;
}

export function listEngagements(costId: string, engagements: Engagements): RoundEngagement[] {
  return KINDS.flatMap((kind) => {
    const engagement = engagements[kind];
    return engagement ? [{ ...engagement, costId, kind }] : [];
  });
}

export interface RoundRecord {
  costTypes: CostType[];
  /** The cost types that the partner integrated before this round. */
  liveTypes: CostType[];
  /** The highest amount on a URL that counts, in units of 0.00001 of the currency; -1 if none does. */
  highestUrlAmount: number;
  /** The only currency on a URL that counts; null if the partner's cost parameters fix none. */
  urlCurrency: string | null;
  entries: RoundEntry[];
  /** The engagements recorded during the round, and those whose cost IDs its entries name. */
  engagements: RoundEngagement[];
  /** The findings that an operator dismissed, by key, each with the reason if one was given. */
  dismissed: ReadonlyMap<string, string | null>;
  openedAt: number;
  /** False if the partner has more engagements than a report reads, or if the first ones of the round have expired. */
  complete: boolean;
}

export const FINDING_KINDS = [
  "engagement_without_cost",
  "cost_without_engagement",
  "wrong_engagement",
  "differs_from_url",
  "late",
  "malformed",
  "unfilled_macro",
  "conflict",
  "not_in_round",
  "duplicate",
] as const;
/** `incomplete` describes the report itself; every other kind describes a submission or an engagement. */
export type FindingKind = (typeof FINDING_KINDS)[number] | "incomplete";

/** `open` blocks the approval. `note` is for information only. */
export type FindingState = "open" | "resolved" | "dismissed" | "note";

export interface Finding {
  /** Identifies the finding in a dismissal: `entry 12`, the kind of an engagement with its cost ID, or `report`. */
  key: string;
  kind: FindingKind;
  state: FindingState;
  costType: CostType | null;
  costId: string | null;
  at: number;
  sent: Record<string, string>;
  expected: string;
  remedy: string;
  /** Why an operator dismissed it. */
  reason: string | null;
}

/** What an entry was judged against. */
interface Basis {
  costTypes: CostType[];
  engagements: Engagements;
  /** The cost accepted before the entry with the same ID. */
  current: StoredCost | undefined;
}

/** Creates the finding for an entry, in the state that it has until a later entry resolves it. */
export function toFinding(entry: RoundEntry, kind: FindingKind, basis: Basis): Finding {
  const sentType = entry.cost?.costType ?? entry.sent.cost_type?.toLowerCase();
  return {
    key: `entry ${entry.number}`,
    kind,
    state: kind === "duplicate" ? "note" : "open",
    costType: basis.costTypes.find((type) => type === sentType) ?? null,
    costId: entry.costId,
    at: entry.receivedAt,
    sent: entry.sent,
    reason: null,
    ...(entry.cost ? explain(entry.cost, kind, basis, entry.receivedAt) : explainErrors(entry)),
  };
}

type Explanation = Pick<Finding, "expected" | "remedy">;

function explainErrors({ errors, costId }: RoundEntry): Explanation {
  return {
    // An error of the request body is already a sentence.
    expected: errors
      .map(({ param, message }) => (/^[A-Z]/.test(message) ? message : `${param} ${message}`))
      .map((text) => (text.endsWith(".") ? text : `${text}.`))
      .join(" "),
    remedy: costId
      ? "Fix the parameters, then resend the cost with the same cost_id. This resolves it, provided that the cost_id itself is valid."
      : "Fix the parameters and resend the cost, then ask the operator to dismiss this mismatch.",
  };
}

function explain(
  cost: Cost,
  kind: FindingKind,
  { costTypes, engagements, current }: Basis,
  receivedAt: number,
): Explanation {
  const kinds = COST_TYPE[cost.costType].fits;
  const needed =
    kinds.length > 1 ? "A click or an impression" : kinds[0] === "click" ? "A click" : "An impression";
  const fitting = kinds.flatMap((kind) => engagements[kind] ?? []);
  switch (kind) {
    case "cost_without_engagement":
      return {
        expected: `${needed} with this cost ID, recorded on a link of the partner.`,
        remedy:
          "Put exactly the same cost_id on the click or impression URL, then open that URL. The cost matches automatically when the click or impression arrives.",
      };
    case "wrong_engagement":
      return {
        expected: `${needed} with this cost ID, because cost_type is ${cost.costType}.`,
        remedy: `Send ${cost.costType} costs only for ${kinds.join("s or ")}s, or resend this cost with another cost_type and the same cost_id.`,
      };
    case "differs_from_url":
      return {
        expected: (
          fitting.map((one) => differences(cost, urlValues(one))).find((found) => found.length > 0) ?? []
        )
          .map(({ param, sent, known }) => `${param} ${known} as on the URL, not ${sent}.`)
          .join(" "),
        remedy:
          "Use the same values in the URL and in the API call, then resend the cost with the same cost_id. This resolves it.",
      };
    case "late":
      if (fitting[0] && fitting[0].occurredAt > receivedAt)
        return {
          expected: `A cost sent at most ${COST_WINDOW} before the click or impression of ${toDate(fitting[0].occurredAt)}.`,
          remedy: `Resend the cost with the same cost_id within ${COST_WINDOW} after the click or impression. This resolves it.`,
        };
      return {
        expected: `A cost sent at most ${COST_WINDOW} after the click or impression${fitting[0] ? ` of ${toDate(fitting[0].occurredAt)}` : ""}.`,
        remedy: `Send each cost within ${COST_WINDOW} after its click or impression. This one is now too old, so ask the operator to dismiss this mismatch.`,
      };
    case "unfilled_macro":
      return {
        expected:
          "A cost ID that only one click or impression has, not a macro or a placeholder such as null.",
        remedy:
          "Send the value that the network puts in the place of its macro, then ask the operator to dismiss this mismatch.",
      };
    case "conflict":
      return {
        expected: (current ? differences(cost, current) : [])
          .map(({ param, sent, known }) => `${param} ${known} as sent before with this cost ID, not ${sent}.`)
          .join(" "),
        remedy:
          "Resend the earlier values with this cost_id. This resolves it. If this cost is for another click or impression, use another cost_id. With a live credential, void the earlier cost and send the new one.",
      };
    case "not_in_round":
      return {
        expected: `One of the cost types of this round: ${costTypes.join(", ")}.`,
        remedy: "Send one of these cost types, or ask the operator to open a round that includes this one.",
      };
    default:
      return { expected: "Each cost once.", remedy: "No change needed: a duplicate is not counted again." };
  }
}

const toDate = (milliseconds: number): string => formatDate(dayOf(milliseconds));
