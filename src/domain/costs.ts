/** What the rules of the ledger speak of: costs, the engagements that they match, and the credentials that send them. */
import type { CostType, Kind } from "./cost-types.ts";

/** A cost as a partner sends it. The amount counts 0.00001 currency units; null leaves it to the engagement's URL. */
export interface Cost {
  costId: string;
  costType: CostType;
  currency: string;
  amount: number | null;
  tag: string;
}

/** What the ledger knows of an engagement. The URL's cost parameters are null where it carried none. */
export interface Engagement {
  occurredAt: number;
  /** Whether cost data was on for the link at that moment. */
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
  /** A cost that a URL carried gives way once to one that is sent. */
  source: "call" | "url";
  receivedAt: number;
}

export interface Credential {
  partnerId: number;
  mode: "live" | "test";
  costTypes: string[];
  revoked: boolean;
  supportsCostData: boolean;
}

/** A submitted cost and what there was for it before, for the rules to judge. */
export interface CostContext {
  cost: Cost;
  credential: Credential;
  engagements: Engagements;
  existing: StoredCost | undefined;
}
