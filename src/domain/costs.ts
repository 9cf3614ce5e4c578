/** The data that the matching rules work on: costs, engagements and the credentials that send costs. */

import type { CostType, Kind } from "./cost-types.ts";
import type { Audience } from "./engagements/audience.ts";
import type { DropReason } from "./engagements/sub-links.ts";
import { formatAmount } from "./money.ts";

/** The most characters of a cost ID and of a tag (spec §2.5). */
export const MAX_COST_ID = 256;
export const MAX_TAG = 128;

/** A cost as a partner sends it. */
export interface Cost {
  costId: string;
  costType: CostType;
  currency: string;
  /** In units of 0.00001 of the currency. Null: the price on the engagement's URL supplies it. */
  amount: number | null;
  tag: string;
}

/** An engagement in the ledger, with the cost parameters of its URL; a parameter that the URL does not have is null. */
export interface Engagement {
  occurredAt: number;
  /** Whether cost data was on for the link when the engagement was recorded. */
  costDataOn: boolean;
  urlCostType: string | null;
  urlCurrency: string | null;
  urlAmount: number | null;
  /** Whether the price on the URL counts as a cost by itself, as decided when the engagement was recorded. */
  priceCounts: boolean;
}

/**
 * A click or an impression as its URL describes it, before its link and its partner are looked up. Messages in the queue have
 * this shape.
 */
export interface OpenedLink extends Audience {
  linkToken: string;
  kind: Kind;
  occurredAt: number;
  /** A generated ID is used only if the price on the URL counts. */
  costId: string | null;
  isGenerated: boolean;
  urlCostType: CostType | null;
  urlCurrency: string | null;
  urlAmount: number | null;
  /** For levels 2 to 4: the name of the sub-link on the URL, or why it cannot be used, and a token for it if it is new. */
  subLinks: { name: string | null; reason: DropReason | null; token: string }[];
  /** Pairs of a parameter and a reason. */
  dropped: [string, DropReason][];
  /** True: its address named too many new sub-links, so it creates none. */
  createsNothing?: boolean;
  /** How many alike ones without an ID it counts. Default: 1. */
  count?: number;
  /** By parameter, the form of its value in which it can be a macro of the partner's templates, if that is another text. */
  otherForms?: Record<string, string>;
}

export type Engagements = Partial<Record<Kind, Engagement>>;

/** The values of a cost that another call, or the URL of its engagement, can differ from; null where there is none. */
export type CostValues = { costType: string | null; currency: string | null; amount: number | null };

export const urlValues = ({ urlCostType, urlCurrency, urlAmount }: Engagement): CostValues => ({
  costType: urlCostType,
  currency: urlCurrency,
  amount: urlAmount,
});

export interface Difference {
  param: "cost_type" | "cost_currency" | "cost_amount";
  sent: string;
  known: string;
}

/** The parameters that both have, with different values. */
export function differences(sent: CostValues, known: CostValues): Difference[] {
  const toText = (amount: number | null) => (amount === null ? null : formatAmount(amount));
  const compare = (param: Difference["param"], one: string | null, other: string | null) =>
    one !== null && other !== null && one !== other ? [{ param, sent: one, known: other }] : [];
  return [
    ...compare("cost_type", sent.costType, known.costType),
    ...compare("cost_currency", sent.currency, known.currency),
    ...compare("cost_amount", toText(sent.amount), toText(known.amount)),
  ];
}

/** A cost that was stored. */
export interface StoredCost {
  costType: CostType;
  currency: string;
  amount: number | null;
  /** The arrival of the first call, also if a later one added the amount. */
  receivedAt: number;
}

export interface Credential {
  credentialId: number;
  partnerId: number;
  mode: "live" | "test";
  costTypes: CostType[];
  revoked: boolean;
}

/** The opened link and the sub-links that the URL names. */
export const pathOf = ({ linkToken, subLinks }: OpenedLink) =>
  [linkToken, ...subLinks.map(({ name }) => name ?? "")].join("::");

/** What can be wrong with a cost: its parameters (spec §2.5), its row in a file, and the whole body. */
const WRONG = ["cost_type", "cost_currency", "cost_id", "tag", "cost_amount", "row", "body"];

/**
 * What errors are about, with a space between the names; null if they name nothing of these, because a caller can send any name. In a
 * batch, a name follows the number of its cost.
 */
export function paramsOf(errors: { param: string }[]): string | null {
  const names = new Set(errors.map(({ param }) => param.split(".").at(-1)));
  return WRONG.filter((name) => names.has(name)).join(" ") || null;
}
