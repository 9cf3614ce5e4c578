/** The ledger in memory, with the pure rules of src/domain: what the database must contain after the same steps. */
import type { NewEngagement } from "../../src/db/ledger/engagements.ts";
import type { CostType, Kind } from "../../src/domain/cost-types.ts";
import type { Cost, Engagements, StoredCost } from "../../src/domain/costs.ts";
import {
  judgeCost,
  type Mismatch,
  matchOf,
  mismatchReason,
  preferred,
  type Rejection,
} from "../../src/domain/matching.ts";
import { COST_WINDOW_MS, dayOf, RETENTION_MS } from "../../src/domain/time.ts";

/** What decides about a partner's costs. */
export interface Sender {
  partnerId: number;
  costTypes: CostType[];
  stopped: boolean;
}

export type StoredCall = StoredCost & { tag: string };

type Values = Pick<Cost, "costType" | "currency" | "amount">;

/** All that the ledger has of one ID. */
interface Entry {
  partnerId: number;
  costId: string;
  call?: StoredCall | undefined;
  click?: NewEngagement;
  impression?: NewEngagement;
  /** What a void removed, while it holds. */
  removed?: Values | undefined;
  /** Whether the ID was ever voided: prices on URLs no longer count. */
  wasVoided?: boolean;
}

export type VoidResult = "void" | "duplicate" | "window_closed" | "not_found";

/** A cost as its partner reads it. `amount` is null while it is unpriced. */
export interface ReadCost extends Values {
  costId: string;
  match: "matched" | "pending" | "lapsed" | "voided";
}

export interface CostState {
  partnerId: number;
  costId: string;
  source: "call" | "url";
  costType: string;
  currency: string;
  amount: number | null;
  state: "matched" | "unpriced" | "pending";
  kind: Kind | null;
  appToken: string;
  linkId: number;
  day: number;
  country: string | null;
  platform: string | null;
}

export interface Total {
  app_token: string;
  day: number;
  link_id: number;
  partner_id: number;
  cost_type: string;
  currency: string;
  state: string;
  count: number;
  amount: number;
}

/** A total by country and platform. */
export type AudienceTotal = Total & Record<"country" | "platform", string | null>;

/** The result for a cost. Everything after the verdict is given for an accepted cost only. */
export interface Result {
  verdict: "store" | "duplicate" | "partner_stopped" | Rejection;
  state?: CostState["state"] | "voided";
  matchedKind?: Kind | null;
  amount?: number | null;
  mismatch?: Mismatch | undefined;
}

export class LedgerModel {
  private readonly entries = new Map<string, Entry>();
  private readonly forgotten: CostState[] = [];
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  /** How many IDs are remembered. */
  get size(): number {
    return this.entries.size;
  }

  get hasForgotten(): boolean {
    return this.forgotten.length > 0;
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const [key, entry] of this.entries) {
      if (lastAt(entry) >= this.now - RETENTION_MS) continue;
      this.forgotten.push(...statesOf(entry));
      this.entries.delete(key);
    }
  }

  /** Records engagements in the order in which they happened. Returns those that are kept. */
  engage(added: NewEngagement[]): NewEngagement[] {
    const inOrder = [...added].sort((one, other) => one.occurredAt - other.occurredAt);
    return inOrder.filter((engagement) => {
      const { partnerId, costId, kind, occurredAt } = engagement;
      if (occurredAt < this.now - RETENTION_MS) return false;
      const entry = this.entryOf(partnerId, costId);
      if (entry[kind]) return false;
      this.entries.set(`${partnerId} ${costId}`, { ...entry, [kind]: engagement });
      return true;
    });
  }

  /** Judges the costs one after the other, and stores the accepted ones. */
  submit(sender: Sender, costs: Cost[]): Result[] {
    return costs.map((cost) => this.submitOne(sender, cost));
  }

  private submitOne({ partnerId, costTypes, stopped }: Sender, cost: Cost): Result {
    const entry = this.entryOf(partnerId, cost.costId);
    if (!costTypes.includes(cost.costType)) return { verdict: "cost_type_not_integrated" };
    if (stopped) return { verdict: "partner_stopped" };
    const { removed } = entry;
    const { match: matched } = matchOfCall(entry);
    if (removed) {
      const { costType, currency, amount } = removed;
      const isSame = cost.costType === costType && cost.currency === currency;
      if (isSame && (cost.amount === null || cost.amount === amount)) {
        return { verdict: "duplicate", state: "voided", matchedKind: matched, amount, mismatch: undefined };
      }
      const at = matched && entry[matched]?.occurredAt;
      if (at && this.now - at > COST_WINDOW_MS) return { verdict: "window_closed" };
    }
    // A call that a void removed is replaced like one that never came.
    const earlier = removed ? undefined : entry.call;
    const engagements = engagementsOf(entry);
    const verdict = judgeCost(cost, costTypes, engagements, earlier, this.now);
    if (verdict.outcome === "reject") return { verdict: verdict.reason };
    const { match, amount } = verdict;
    const result = {
      state: match === null ? "pending" : amount === null ? "unpriced" : "matched",
      matchedKind: match,
      amount,
    } as const;
    if (verdict.outcome === "duplicate") {
      const at = entry.call?.receivedAt ?? this.now;
      const mismatch = match ? undefined : mismatchReason(cost.costType, engagements, at);
      return { verdict: "duplicate", ...result, mismatch };
    }
    const { costType, currency, amount: sent, tag } = cost;
    const call = { costType, currency, amount: sent, tag, receivedAt: verdict.receivedAt };
    this.entries.set(`${partnerId} ${cost.costId}`, { ...entry, call, removed: undefined });
    return { verdict: "store", ...result, mismatch: verdict.mismatch };
  }

  /** Voids an ID. `isLimited`: by its partner, for whom the window can be closed. */
  void(partnerId: number, costId: string, isLimited: boolean): VoidResult {
    const entry = this.entryOf(partnerId, costId);
    if (entry.removed) return "duplicate";
    const counting = countingOf(entry);
    if (!counting) return "not_found";
    const { startedAt, ...removed } = counting;
    if (isLimited && this.now - startedAt > COST_WINDOW_MS) return "window_closed";
    this.entries.set(`${partnerId} ${costId}`, { ...entry, removed, wasVoided: true });
    return "void";
  }

  /** The costs that a partner can read, by ID. */
  costsOf(partnerId: number): ReadCost[] {
    return this.sorted().flatMap((entry): ReadCost[] => {
      const { costId, call, removed } = entry;
      const counting = removed ?? countingOf(entry);
      if (entry.partnerId !== partnerId || !counting) return [];
      const { costType, currency, amount } = counting;
      const hasLapsed = call && call.receivedAt < this.now - COST_WINDOW_MS;
      const waiting = hasLapsed ? "lapsed" : "pending";
      const isWaiting = call && !matchOfCall(entry).match;
      return [
        { costId, costType, currency, amount, match: removed ? "voided" : isWaiting ? waiting : "matched" },
      ];
    });
  }

  private entryOf(partnerId: number, costId: string): Entry {
    return this.entries.get(`${partnerId} ${costId}`) ?? { partnerId, costId };
  }

  callOf(partnerId: number, costId: string): StoredCall | undefined {
    return this.entryOf(partnerId, costId).call;
  }

  private sorted(): Entry[] {
    return [...this.entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
  }

  /** The columns of the remembered rows, by partner and ID. */
  rows(): Record<string, unknown>[] {
    return this.sorted().map((entry) => {
      const { partnerId, costId, call, click, impression, removed } = entry;
      const { match, amount } = matchOfCall(entry);
      const stored = removed ?? call;
      return {
        partnerId,
        costId,
        costType: stored?.costType ?? null,
        currency: stored?.currency ?? null,
        amount: stored?.amount ?? null,
        tag: call?.tag ?? null,
        receivedAt: call?.receivedAt ?? null,
        clickLinkId: click?.linkId ?? null,
        clickAt: click?.occurredAt ?? null,
        impressionLinkId: impression?.linkId ?? null,
        impressionAt: impression?.occurredAt ?? null,
        matchedKind: match,
        matchedAt: (match && entry[match]?.occurredAt) ?? null,
        amountInEffect: removed ? removed.amount : amount,
        state: removed ? "voided" : (statesOf(entry).find(({ source }) => source === "call")?.state ?? null),
        voidState: removed ? "voided" : entry.wasVoided ? "lifted" : null,
        countingPrice: countingPrice(entry),
        lastAt: lastAt(entry),
      };
    });
  }

  /** What counts of the remembered rows, by partner and ID, the call first. */
  states(): CostState[] {
    return this.sorted().flatMap(statesOf);
  }

  /** What counts now, and what counted of the forgotten rows when they were forgotten. */
  totals(): Total[] {
    return LedgerModel.addUp(this.counted().map(({ country: _, platform: __, ...total }): Total => total));
  }

  /** The totals by country and platform. */
  audienceTotals(): AudienceTotal[] {
    return LedgerModel.addUp(this.counted().filter(({ country }) => country !== null));
  }

  private counted(): AudienceTotal[] {
    return [...this.forgotten, ...this.states()].map((state) => ({
      app_token: state.appToken,
      day: state.day,
      link_id: state.linkId,
      partner_id: state.partnerId,
      cost_type: state.costType,
      currency: state.currency,
      state: state.state,
      count: 1,
      amount: state.amount ?? 0,
      country: state.country,
      platform: state.platform,
    }));
  }

  /** Adds up the totals with equal keys, in the order of `totals` in test/support.ts. */
  static addUp<T extends Total>(all: T[]): T[] {
    const keysOf = ({ count: _, amount: __, ...keys }: Total) => JSON.stringify(keys);
    const sums = [...Map.groupBy(all, keysOf).values()].map((same) => ({
      ...(same[0] as T),
      count: same.reduce((sum, { count }) => sum + count, 0),
      amount: same.reduce((sum, { amount }) => sum + amount, 0),
    }));
    return sums.sort((one, other) => {
      const by = (ORDER as (keyof T)[]).find((name) => one[name] !== other[name]);
      return by === undefined ? 0 : one[by] < other[by] ? -1 : 1;
    });
  }
}

const ORDER: (keyof AudienceTotal)[] = [
  ...(["day", "app_token", "link_id", "partner_id", "cost_type", "currency", "state"] as const),
  ...(["country", "platform"] as const),
];

/** The engagements, whose prices no longer count after a void. */
function engagementsOf({ click, impression, wasVoided }: Entry): Engagements {
  const priceless = wasVoided ? { priceCounts: false } : {};
  return {
    ...(click && { click: { ...click, ...priceless } }),
    ...(impression && { impression: { ...impression, ...priceless } }),
  };
}

const matchOfCall = (entry: Entry) =>
  entry.call ? matchOf(entry.call, engagementsOf(entry)) : { match: null, amount: null };

/** What a void would remove, with the time when its window started: the call, else the price that counts. */
function countingOf(entry: Entry): (Values & { startedAt: number }) | undefined {
  const { call } = entry;
  const { match, amount } = matchOfCall(entry);
  const priced = countingPrice(entry);
  const engagement = (match && entry[match]) || (priced && entry[priced]) || undefined;
  const startedAt = engagement?.occurredAt ?? call?.receivedAt ?? 0;
  if (call) return { costType: call.costType, currency: call.currency, amount, startedAt };
  if (!engagement) return undefined;
  const { urlCostType, urlCurrency, urlAmount } = engagement;
  return { costType: urlCostType as CostType, currency: urlCurrency ?? "", amount: urlAmount, startedAt };
}

/** The newest engagement, or the arrival of a call that matches none if it is later. */
function lastAt(entry: Entry): number {
  const { call, click, impression } = entry;
  const waiting = call && matchOfCall(entry).match === null ? call.receivedAt : 0;
  return Math.max(waiting, ...[click, impression].flatMap((one) => one?.occurredAt ?? []));
}

/** The engagement whose price counts, because no call matches. */
function countingPrice(entry: Entry): Kind | null {
  if (matchOfCall(entry).match) return null;
  const { click, impression } = engagementsOf(entry);
  return preferred(click?.priceCounts ? click : undefined, impression?.priceCounts ? impression : undefined);
}

function statesOf(entry: Entry): CostState[] {
  const { partnerId, costId, call, removed } = entry;
  const states: CostState[] = [];
  if (call && !removed) {
    const { match, amount } = matchOfCall(entry);
    const engagement = match ? entry[match] : undefined;
    states.push({
      partnerId,
      costId,
      source: "call",
      costType: call.costType,
      currency: call.currency,
      amount,
      state: match === null ? "pending" : amount === null ? "unpriced" : "matched",
      kind: match,
      appToken: engagement?.appToken ?? "",
      linkId: engagement?.linkId ?? 0,
      day: dayOf(engagement?.occurredAt ?? call.receivedAt),
      country: engagement?.country ?? null,
      platform: engagement?.platform ?? null,
    });
  }
  const priced = countingPrice(entry);
  const engagement = priced && entry[priced];
  if (engagement) {
    states.push({
      partnerId,
      costId,
      source: "url",
      costType: engagement.urlCostType ?? "",
      currency: engagement.urlCurrency ?? "",
      amount: engagement.urlAmount,
      state: "matched",
      kind: priced,
      appToken: engagement.appToken,
      linkId: engagement.linkId,
      day: dayOf(engagement.occurredAt),
      country: engagement.country,
      platform: engagement.platform,
    });
  }
  return states;
}
