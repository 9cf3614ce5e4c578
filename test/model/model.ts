/** The expected state, in memory. All costs and adjustments have one partner, one currency, and a flat cost type. */
import { DAY, DEMO, NOW } from "../harness.ts";

export const WINDOW = 7 * DAY;
export const RETENTION = 14 * DAY;
export const PARTNER = 1;

export interface ModelLink {
  token: string;
  label: string;
  parent: ModelLink | undefined;
  partner: number | null;
  cost: boolean | null;
  /** "" for the URLs of the app, null if inherited. */
  target: string | null;
  archived: boolean;
}

interface ModelCost {
  at: number;
  amount: string;
  isVoided: boolean;
}

export class Model {
  now = NOW;
  token: string = DEMO.apiToken;
  resets = 0;
  readonly links: ModelLink[] = [];
  readonly clicks = new Map<string, number>();
  readonly costs = new Map<string, ModelCost>();
  /** The spend of forgotten IDs. */
  settled = 0n;
  /** The adjustment that was added last with an idempotency key. */
  readonly keys = new Map<string, { at: number; amount: string; id: number }>();
  adjusted = 0n;
  adjustments = 0;

  level = (link: ModelLink): number => (link.parent ? this.level(link.parent) + 1 : 1);
  name = (link: ModelLink): string => (link.parent ? `${this.name(link.parent)}::${link.label}` : link.label);
  partner = (link: ModelLink | undefined): number | null =>
    (link && (link.partner ?? this.partner(link.parent))) || null;
  switch = (link: ModelLink | undefined): boolean => (link ? (link.cost ?? this.switch(link.parent)) : false);
  costData = (link: ModelLink) => this.partner(link) === PARTNER && this.switch(link);
  children = (parent: ModelLink | undefined) => this.links.filter((link) => link.parent === parent);

  /** The time of the click that a cost matches. */
  match(id: string): number | undefined {
    const [cost, click] = [this.costs.get(id), this.clicks.get(id)];
    return cost && click !== undefined && Math.abs(cost.at - click) <= WINDOW ? click : undefined;
  }

  /** The costs that the partner can read. */
  readable() {
    const ids = [...this.costs.keys()].sort();
    return ids.map((cost_id) => ({
      cost_id,
      amount: this.costs.get(cost_id)?.amount,
      match: this.state(cost_id),
    }));
  }

  state(id: string): "voided" | "matched" | "lapsed" | "pending" | undefined {
    const cost = this.costs.get(id);
    if (!cost || cost.isVoided) return cost && "voided";
    if (this.match(id) !== undefined) return "matched";
    return this.now - cost.at > WINDOW ? "lapsed" : "pending";
  }

  spend(): bigint {
    return [...this.costs].reduce((sum, [id]) => sum + this.spendOf(id), this.settled + this.adjusted);
  }

  private spendOf(id: string): bigint {
    return this.state(id) === "matched" ? toUnits(this.costs.get(id)?.amount ?? "0") : 0n;
  }

  /** Forgets IDs, whether the purge runs or not. Their spend remains. */
  pass(by: number): void {
    this.now += by;
    for (const id of new Set([...this.clicks.keys(), ...this.costs.keys()])) {
      if ((this.clicks.get(id) ?? this.costs.get(id)?.at ?? 0) >= this.now - RETENTION) continue;
      this.settled += this.spendOf(id);
      this.clicks.delete(id);
      this.costs.delete(id);
    }
  }
}

/** In 0.00000001 of the currency. */
export function toUnits(text: string): bigint {
  const [, sign = "", whole = "", places = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return BigInt(`${sign}${whole}${places.padEnd(8, "0")}`);
}

/** Returns the expected result of a cost, and stores the cost if it is accepted. */
export function judge(model: Model, cost_id: string, amount: string) {
  const { now } = model;
  const [existing, click] = [model.costs.get(cost_id), model.clicks.get(cost_id)];
  const state = model.state(cost_id);
  if (existing && state !== "lapsed") {
    if (existing.amount === amount) return { status: 200, match: state };
    if (state !== "voided") return { status: 400, code: "cost_id_conflict" };
  }
  if (click !== undefined && now - click > WINDOW) return { status: 400, code: "window_closed" };
  model.costs.set(cost_id, { at: now, amount, isVoided: false });
  return { status: 200, match: model.state(cost_id) };
}
