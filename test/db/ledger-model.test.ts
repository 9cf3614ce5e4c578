/** Compares the ledger with an in-memory model that uses only the pure matching rules, on random steps. */

import * as fc from "fast-check";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { submitCosts } from "../../src/db/ledger/costs.ts";
import { insertEngagement } from "../../src/db/ledger/engagements.ts";
import { COST_TYPES, type CostType, toMask } from "../../src/domain/cost-types.ts";
import type { Cost, Credential, Engagement, Engagements, StoredCost } from "../../src/domain/costs.ts";
import {
  COST_WINDOW_MS,
  hasLapsed,
  judgeCost,
  judgeCosts,
  matchOf,
  type Verdict,
} from "../../src/domain/matching.ts";
import { purge } from "../../src/purge.ts";
import { DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { inLedger } from "../support.ts";

const ALL = [...COST_TYPES];
const credentials = [
  { partnerId: 1, mode: "live", costTypes: ALL, revoked: false, supportsCostData: true },
  {
    partnerId: 1,
    mode: "live",
    costTypes: ["cpc", "cpm"] as CostType[],
    revoked: false,
    supportsCostData: true,
  },
  { partnerId: 1, mode: "live", costTypes: ALL, revoked: true, supportsCostData: true },
  { partnerId: 1, mode: "test", costTypes: ALL, revoked: false, supportsCostData: true },
  { partnerId: 2, mode: "live", costTypes: ALL, revoked: false, supportsCostData: false },
  { partnerId: 3, mode: "live", costTypes: ALL, revoked: false, supportsCostData: true },
] as const;

function hashOf(index: number): string {
  const hash = hashToken(createToken("live", `Model${index}`.padEnd(43, "0")), ["live"]);
  if (!hash) throw new Error("A model token is malformed.");
  return hash;
}

beforeAll(async () => {
  await freshDemo();
  await env.DB.prepare(
    `UPDATE partners SET supports_cost_data = 1, integrated_types = ${toMask(ALL)} WHERE id = 3`,
  ).run();
  for (const [index, { partnerId, mode, costTypes, revoked }] of credentials.entries()) {
    await env.DB.prepare(
      "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at, revoked_at) VALUES (?, ?, ?, ?, '', 0, ?)",
    )
      .bind(hashOf(index), partnerId, mode, toMask(costTypes), revoked ? 1 : null)
      .run();
  }
});

const emptyLedger = () =>
  inLedger("DELETE FROM costs", "DELETE FROM engagements", "DELETE FROM daily_totals");
beforeEach(emptyLedger);

const id = fc.constantFrom("model-cost-1", "model-cost-2");
const currency = fc.constantFrom("USD", "EUR");
const amount = fc.constantFrom(null, 0, 100_000, 250_000);

const engage = fc.record({
  step: fc.constant("engage" as const),
  partnerId: fc.constantFrom(1, 1, 1, 3),
  costId: id,
  kind: fc.constantFrom("click" as const, "impression" as const),
  linkId: fc.constantFrom(1, 2),
  eligible: fc.constantFrom(true, true, true, false),
  url: fc.record({
    urlCostType: fc.constantFrom(null, ...COST_TYPES),
    urlCurrency: fc.option(currency),
    urlAmount: amount,
  }),
});
const submit = fc.record({
  step: fc.constant("submit" as const),
  by: fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 3, 4, 5),
  costs: fc.array(
    fc.record({
      costId: id,
      costType: fc.constantFrom(...COST_TYPES),
      currency,
      amount,
      tag: fc.constant("t"),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});
const pass = fc.record({
  step: fc.constant("pass" as const),
  milliseconds: fc.constantFrom(1, DAY, 5 * DAY, COST_WINDOW_MS - 1, COST_WINDOW_MS, COST_WINDOW_MS + 1),
});
const clean = fc.record({ step: fc.constant("purge" as const), slice: fc.constantFrom(1, 2, 5) });

/** The expected contents of the ledger, according to the rules of src/domain. */
class Model {
  now = NOW;
  readonly engagements = new Map<string, Engagements>();
  readonly costs = new Map<string, StoredCost>();

  engage(key: string, kind: "click" | "impression", engagement: Engagement): boolean {
    const known = this.engagements.get(key) ?? {};
    if (known[kind]) return false;
    this.engagements.set(key, { ...known, [kind]: engagement });
    const { eligible, urlCostType, urlCurrency, urlAmount, occurredAt } = engagement;
    const existing = this.costs.get(key);
    const isComplete = urlCostType !== null && urlCurrency !== null && urlAmount !== null;
    if (
      eligible &&
      isComplete &&
      (!existing || hasLapsed(existing, this.engagements.get(key) ?? {}, occurredAt))
    ) {
      this.costs.set(key, {
        costType: urlCostType as StoredCost["costType"],
        currency: urlCurrency,
        amount: urlAmount,
        source: "url",
        receivedAt: occurredAt,
      });
    }
    return true;
  }

  /** Judges the costs one after the other. */
  submit(credential: Credential, costs: Cost[]): Verdict[] {
    return costs.map((cost) => {
      const key = `${credential.partnerId}/${cost.costId}`;
      const engagements = this.engagements.get(key) ?? {};
      const verdict = judgeCost(cost, credential, engagements, this.costs.get(key), this.now);
      if (verdict.outcome === "store") {
        const { costType, currency, amount } = cost;
        this.costs.set(key, { costType, currency, amount, source: "call", receivedAt: this.now });
      }
      return verdict;
    });
  }

  states(): Record<string, unknown>[] {
    return [...this.costs].map(([key, cost]) => {
      const { match, amount } = matchOf(cost, this.engagements.get(key) ?? {});
      const at = match ? this.engagements.get(key)?.[match]?.occurredAt : undefined;
      return {
        key,
        ...cost,
        amountInEffect: amount,
        kind: match,
        state: match === null ? "pending" : amount === null ? "unpriced" : "matched",
        day: Math.floor((at ?? cost.receivedAt) / DAY),
      };
    });
  }
}

const byKey = (left: Record<string, unknown>, right: Record<string, unknown>) =>
  String(left.key).localeCompare(String(right.key));

function ledgerStates() {
  return rows(`
    SELECT s.partner_id || '/' || s.cost_id AS key, c.cost_type AS costType, c.currency, c.amount, c.source,
      c.received_at AS receivedAt, s.amount AS amountInEffect, s.kind, s.state, s.day
    FROM cost_states s JOIN costs c USING (partner_id, cost_id)`);
}

const TOTALS = "app_token, day, link_id, partner_id, cost_type, currency, state";
const storedTotals = () =>
  rows(`SELECT ${TOTALS}, count, amount FROM daily_totals WHERE count <> 0 ORDER BY ${TOTALS}`);
const recomputedTotals = () =>
  rows(`SELECT ${TOTALS}, count(*) AS count, sum(coalesce(amount, 0)) AS amount FROM cost_states
    GROUP BY ${TOTALS} ORDER BY ${TOTALS}`);

type StepOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
type Step = StepOf<typeof engage | typeof submit | typeof pass | typeof clean>;

/** Runs a step on the ledger and on the model, and compares the two results. */
async function take(step: Step, model: Model): Promise<void> {
  if (step.step === "pass") model.now += step.milliseconds;
  if (step.step === "purge") await purge(ledgerOn(), model.now, step.slice);
  if (step.step === "engage") {
    const { partnerId, costId, kind, linkId, eligible, url } = step;
    const engagement = { occurredAt: model.now, eligible, ...(eligible ? url : NO_URL_COST) };
    const first = await insertEngagement(ledgerOn(), {
      ...engagement,
      partnerId,
      costId,
      kind,
      linkId,
      appToken: DEMO.appToken,
    });
    expect(first).toBe(model.engage(`${partnerId}/${costId}`, kind, engagement));
  }
  if (step.step === "submit") {
    const credential = credentials[step.by];
    if (!credential) throw new Error("no such credential");
    const submitted = await submitCosts(ledgerOn(), {
      tokenHash: hashOf(step.by),
      costs: step.costs,
      now: model.now,
      windowMs: COST_WINDOW_MS,
    });
    const expected = model.submit({ ...credential, partnerId: credential.partnerId }, step.costs);
    expect(submitted.errors).toEqual([]);
    const known = submitted.contexts.filter((context) => context !== undefined);
    expect(known.map(({ cost }) => cost)).toEqual(step.costs);
    expect(judgeCosts(known, model.now)).toEqual(expected);
    const accepted = step.costs.filter((_, position) => expected[position]?.outcome === "store");
    expect(submitted.stored.sort()).toEqual(accepted.map(({ costId }) => costId).sort());
  }
}

const NO_URL_COST = { urlCostType: null, urlCurrency: null, urlAmount: null };

it("stores, matches and totals costs according to the rules, for any steps in any order", {
  timeout: 60_000,
}, async () => {
  const steps = fc.array(fc.oneof(engage, submit, submit, pass), { minLength: 4, maxLength: 14 });
  await fc.assert(
    fc
      .asyncProperty(steps, async (work) => {
        const model = new Model();
        for (const step of work) {
          await take(step, model);
          expect((await ledgerStates()).sort(byKey)).toEqual(model.states().sort(byKey));
          expect(await storedTotals()).toEqual(await recomputedTotals());
        }
      })
      .afterEach(emptyLedger),
    { numRuns: 60 },
  );
});

const liveRows = (now: number) =>
  rows(
    `SELECT 'cost' AS row, partner_id, cost_id, state FROM cost_states WHERE coalesce(occurred_at, received_at) >= ?1 - ?2
    UNION ALL SELECT 'engagement', partner_id, cost_id, kind FROM engagements WHERE occurred_at >= ?1 - 2 * ?2
    ORDER BY 1, 2, 3, 4`,
    now,
    COST_WINDOW_MS,
  );

it("counts an ID at most once per cost type, and a purge changes no total, while its engagements are kept", {
  timeout: 60_000,
}, async () => {
  const steps = fc.array(fc.oneof(engage, submit, submit, pass, clean), { minLength: 6, maxLength: 16 });
  await fc.assert(
    fc
      .asyncProperty(steps, async (work) => {
        let now = NOW;
        for (const step of work) {
          if (step.step === "pass") now += step.milliseconds;
          if (now > NOW + 2 * COST_WINDOW_MS) break;
          if (step.step === "engage") {
            // Each ID has its own link, so that the totals distinguish the IDs.
            await insertEngagement(ledgerOn(), {
              ...step,
              ...(step.eligible ? step.url : NO_URL_COST),
              linkId: step.costId === "model-cost-1" ? 1 : 2,
              appToken: DEMO.appToken,
              occurredAt: now,
            });
          }
          if (step.step === "submit") {
            await submitCosts(ledgerOn(), {
              tokenHash: hashOf(step.by),
              costs: step.costs,
              now,
              windowMs: COST_WINDOW_MS,
            });
          }
          if (step.step === "purge") {
            const [totals, live] = [await storedTotals(), await liveRows(now)];
            await purge(ledgerOn(), now, step.slice);
            expect(await storedTotals()).toEqual(totals);
            expect(await liveRows(now)).toEqual(live);
          }
          const counts = await rows<{ count: number }>(
            "SELECT sum(count) AS count FROM daily_totals WHERE state <> 'pending' GROUP BY partner_id, link_id, cost_type",
          );
          for (const { count } of counts) expect([0, 1]).toContain(count);
        }
      })
      .afterEach(emptyLedger),
    { numRuns: 80 },
  );
});
