/** The data that the matching rules work on: costs, engagements and the credentials that send costs. */
import type { CostType, Kind } from "./cost-types.ts";

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
  eligible: boolean;
  urlCostType: string | null;
  urlCurrency: string | null;
  urlAmount: number | null;
}

export type Engagements = Partial<Record<Kind, Engagement>>;

export interface StoredCost {
  costType: CostType;
  currency: string;
  amount: number | null;
  /** `call`: sent to the cost API. `url`: a price on a URL, which one call can replace. */
  source: "call" | "url";
  receivedAt: number;
}

export interface Credential {
  partnerId: number;
  mode: "live" | "test";
  costTypes: CostType[];
  revoked: boolean;
  supportsCostData: boolean;
}

/** A submitted cost with everything that is needed to judge it. */
export interface CostContext {
  cost: Cost;
  credential: Credential;
  engagements: Engagements;
  /** The cost already stored with the same ID. */
  existing: StoredCost | undefined;
}
