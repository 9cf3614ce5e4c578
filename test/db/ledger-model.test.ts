/** Compares the ledger, and what partners read of it, with an in-memory model of the rules, on random steps. */

import * as fc from "fast-check";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { MATCHES } from "../../src/db/ledger/cost-list.ts";
import { insertEngagements, type NewEngagement } from "../../src/db/ledger/engagements.ts";
import { judgeCosts } from "../../src/db/ledger/submission.ts";
import { COST_TYPE, COST_TYPES, toMask } from "../../src/domain/cost-types.ts";
import type { Cost } from "../../src/domain/costs.ts";
import type { Audience } from "../../src/domain/engagements/audience.ts";
import { formatAmount } from "../../src/domain/money.ts";
import { COST_WINDOW_MS, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { ask, DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows } from "../harness.ts";
import { isWhole, runs } from "../part.ts";
import { inLedger } from "../support.ts";
import { LedgerModel, type Sender, type Total } from "./ledger-model.ts";
import { ledgerRows, ledgerStates, storedAudienceTotals, storedTotals, TOTALS } from "./ledger-state.ts";

const ALL = [...COST_TYPES];
const live: Sender = { partnerId: 1, costTypes: ALL, stopped: false };
const senders: { sender: Sender; mode: "live" | "test"; revoked: boolean }[] = [
  { sender: live, mode: "live", revoked: false },
  { sender: { ...live, costTypes: ["cpc", "cpm"] }, mode: "live", revoked: false },
  { sender: { ...live, partnerId: 3 }, mode: "live", revoked: false },
  // Partner 2 is not integrated, partner 4 is stopped.
  { sender: { partnerId: 2, costTypes: [], stopped: false }, mode: "live", revoked: false },
  { sender: { partnerId: 4, costTypes: ALL, stopped: true }, mode: "live", revoked: false },
  { sender: live, mode: "live", revoked: true },
  { sender: live, mode: "test", revoked: false },
];

const tokenOf = (index: number) => createToken("live", `Model${index}`.padEnd(43, "0"));
function hashOf(index: number): string {
  const hash = hashToken(tokenOf(index), ["live"]);
  if (!hash) throw new Error("A model token is malformed.");
  return hash;
}

beforeAll(async () => {
  await freshDemo();
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE partners SET supports_cost_data = 1, integrated_types = ${toMask(ALL)} WHERE id = 3`,
    ),
    env.DB.prepare(
      `UPDATE partners SET click_parameters = '', impression_parameters = '', cost_parameters = '',
         integrated_types = ${toMask(ALL)}, stopped_at = 1, created_at = 0 WHERE id = 4`,
    ),
    ...senders.map(({ sender, mode, revoked }, index) =>
      env.DB.prepare(
        "INSERT INTO credentials (token_hash, partner_id, mode, cost_types, hint, created_at, revoked_at) VALUES (?, ?, ?, ?, '', 0, ?)",
      ).bind(
        hashOf(index),
        sender.partnerId,
        mode,
        toMask(sender.partnerId === 2 ? ALL : sender.costTypes),
        revoked ? 1 : null,
      ),
    ),
  ]);
});

const emptyLedger = () =>
  inLedger("DELETE FROM ledger_entries", "DELETE FROM daily_totals", "DELETE FROM daily_audience_spend");
beforeEach(emptyLedger);

const IDS = ["model-cost-1", "model-cost-2"];
const id = fc.constantFrom("model-cost-1", "model-cost-1", ...IDS);
const currency = fc.constantFrom("USD", "USD", "USD", "EUR");
const amount = fc.constantFrom(null, null, 0, 100_000, 250_000);
const NO_PRICE = { urlCostType: null, urlCurrency: null, urlAmount: null, priceCounts: false };
const FAR = [COST_WINDOW_MS, COST_WINDOW_MS + 1, RETENTION_MS - DAY, RETENTION_MS, RETENTION_MS + 1];

const engagement = fc
  .record({
    partnerId: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 3, 3, 4),
    costId: id,
    kind: fc.constantFrom("click" as const, "impression" as const),
    linkId: fc.constantFrom(1, 2),
    audience: fc.constantFrom<Audience>(
      { country: "DE", platform: "ios" },
      { country: "XX", platform: "other" },
      { country: "US", platform: "android" },
    ),
    costDataOn: fc.constantFrom(true, true, true, false),
    costType: fc.constantFrom(null, ...COST_TYPES),
    currency: fc.option(currency, { freq: 8 }),
    amount,
    /** Whether the partner's template names the amount, and the amount is not above the limit. */
    trusted: fc.constantFrom(true, true, false),
    /** How long after it happened it is recorded. */
    delay: fc.constantFrom(...Array(8).fill(0), 1, DAY, ...FAR),
  })
  .map(({ costType, currency, amount, trusted, ...rest }) => {
    const fits = costType !== null && COST_TYPE[costType].fits.includes(rest.kind);
    const isComplete = fits && currency !== null && amount !== null;
    const price = fits
      ? {
          urlCostType: costType,
          urlCurrency: currency,
          urlAmount: amount,
          priceCounts: isComplete && rest.costDataOn && trusted,
        }
      : NO_PRICE;
    return { ...rest, ...price };
  });
const engage = fc.record({
  step: fc.constant("engage" as const),
  engagements: fc.uniqueArray(engagement, {
    minLength: 1,
    maxLength: 3,
    // Which of two engagements of the same instant is kept is not defined.
    selector: ({ partnerId, costId, kind, delay }) => [partnerId, costId, kind, delay].join(),
  }),
});
const submit = fc.record({
  step: fc.constant("submit" as const),
  by: fc.constantFrom(...Array(8).fill(0), 2, 2, 1, 3, 4, 5, 6),
  costs: fc.array(
    fc.record({
      costId: id,
      costType: fc.constantFrom(...COST_TYPES),
      currency,
      amount,
      tag: fc.constantFrom("one", "two"),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
/** An earlier call again, without its amount or with one. */
const resend = fc.record({
  step: fc.constant("resend" as const),
  by: fc.constantFrom(0, 0, 0, 2),
  costId: id,
  amount,
});
const pass = fc.record({
  step: fc.constant("pass" as const),
  milliseconds: fc.constantFrom(1, DAY, 5 * DAY, COST_WINDOW_MS - 1, ...FAR),
});
const clean = fc.record({ step: fc.constant("purge" as const), slice: fc.constantFrom(1, 2, 5) });
const voiding = fc.record({
  step: fc.constant("void" as const),
  /** A sender, or the operator for a partner. */
  by: fc.constantFrom(...Array(4).fill(0), 2, 4, 5, 6, ...Array(4).fill("operator")),
  partnerId: fc.constantFrom(1, 1, 1, 3),
  costId: id,
});
const anyStep = fc.oneof(
  { weight: 4, arbitrary: engage },
  { weight: 4, arbitrary: submit },
  { weight: 2, arbitrary: resend },
  { weight: 3, arbitrary: voiding },
  { weight: 2, arbitrary: pass },
  { weight: 1, arbitrary: clean },
);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** The beginnings of states that random steps reach too seldom. */
const VOIDED_PRICE: Step[] = [
  {
    step: "engage",
    engagements: [
      {
        partnerId: 1,
        costId: "model-cost-1",
        kind: "click",
        linkId: 1,
        audience: { country: "US", platform: "android" },
        costDataOn: true,
        delay: 0,
        urlCostType: "cpc",
        urlCurrency: "USD",
        urlAmount: 100_000,
        priceCounts: true,
      },
    ],
  },
  { step: "void", by: 0, partnerId: 1, costId: "model-cost-1" },
];
const UNPRICED_AFTER_VOID: Step[] = [
  ...VOIDED_PRICE,
  {
    step: "submit",
    by: 0,
    costs: [{ costId: "model-cost-1", costType: "cpm", currency: "USD", amount: null, tag: "one" }],
  },
];
/** Changes an ID twice after its void, which must not be forgotten. */
const CHANGED_TWICE: Step[] = [
  ...UNPRICED_AFTER_VOID,
  { step: "resend", by: 0, costId: "model-cost-1", amount: 100_000 },
];

/** A matched cost that has no amount, and then gets one. */
const UNPRICED: Step[] = [
  {
    step: "engage",
    engagements: [
      {
        partnerId: 1,
        costId: "model-cost-1",
        kind: "click",
        linkId: 1,
        audience: { country: "US", platform: "android" },
        costDataOn: true,
        delay: 0,
        urlCostType: null,
        urlCurrency: null,
        urlAmount: null,
        priceCounts: false,
      },
    ],
  },
  {
    step: "submit",
    by: 0,
    costs: [{ costId: "model-cost-1", costType: "cpc", currency: "USD", amount: null, tag: "one" }],
  },
  { step: "resend", by: 0, costId: "model-cost-1", amount: 100_000 },
];

interface Answer {
  status: string | number;
  code?: string;
  match?: string;
  duplicate?: boolean;
}
const ANSWERS = {
  void: { status: "ok", match: "voided", duplicate: false },
  duplicate: { status: "ok", match: "voided", duplicate: true },
  window_closed: { status: 400, code: "window_closed" },
  not_found: { status: 404, code: "not_found" },
};

async function takeVoid({ by, partnerId, costId }: Step & { step: "void" }, model: LedgerModel) {
  const { now } = model;
  if (by === "operator") {
    const json = { cost_id: costId, reason: "model" };
    const path = `/operator/v1/partners/${partnerId}/voids`;
    const { body } = await ask<Answer>(path, { token: DEMO.operatorToken, json, now });
    expect(body).toMatchObject(ANSWERS[model.void(partnerId, costId, false)]);
    return;
  }
  const { sender, mode, revoked } = senders[by] as (typeof senders)[number];
  const options = { method: "POST", token: tokenOf(by), now };
  const { body } = await ask<Answer>(`/cost/${costId}/void`, options);
  if (revoked) expect(body).toMatchObject({ status: 403, code: "credential_revoked" });
  else if (mode === "test") expect(body).toMatchObject({ status: 403, code: "test_credential" });
  else expect(body).toMatchObject(ANSWERS[model.void(sender.partnerId, costId, true)]);
}

interface Item {
  cost_id: string;
  cost_type: string;
  cost_currency: string;
  amount: string | null;
  match: string;
}
const shown = ({ cost_id, cost_type, cost_currency, amount, match }: Item) => ({
  cost_id,
  cost_type,
  cost_currency,
  amount,
  match,
});

/** Compares what a partner lists and reads back. Returns the states. */
async function compareCosts(model: LedgerModel, by: number, filters: string[]): Promise<string[]> {
  const options = { token: tokenOf(by), now: model.now };
  const expected = model.costsOf(senders[by]?.sender.partnerId ?? 0).map((cost) => ({
    cost_id: cost.costId,
    cost_type: cost.costType,
    cost_currency: cost.currency,
    amount: cost.amount === null ? null : formatAmount(cost.amount),
    match: cost.match,
  }));
  for (const filter of filters) {
    const { body } = await ask<{ items: Item[] }>(`/cost?${filter && `match=${filter}`}`, options);
    expect(body.items.map(shown)).toEqual(expected.filter(({ match }) => !filter || match === filter));
  }
  for (const costId of IDS) {
    const { status, body } = await ask<Item>(`/cost/${costId}`, options);
    const cost = expected.find(({ cost_id }) => cost_id === costId);
    expect(status === 404 ? undefined : shown(body)).toEqual(cost);
  }
  return expected.map(({ match }) => match);
}

/** Takes a step on the ledger and on the model, and compares the two results. */
async function take(step: Step, model: LedgerModel): Promise<void> {
  if (step.step === "pass") return model.pass(step.milliseconds);
  if (step.step === "purge") return purge(ledgerOn(), model.now, step.slice);
  if (step.step === "void") return takeVoid(step, model);
  if (step.step === "engage") {
    const added = step.engagements.map(
      ({ delay, audience, ...rest }): NewEngagement => ({
        ...rest,
        ...audience,
        appToken: DEMO.appToken,
        occurredAt: model.now - delay,
      }),
    );
    model.engage(added);
    for (const part of await insertEngagements(ledgerOn(), added, model.now))
      expect(part).not.toHaveProperty("error");
    return;
  }
  if (step.step === "submit") return takeCosts(step.by, step.costs, model);
  const { by, costId, amount } = step;
  const earlier = model.callOf(senders[by]?.sender.partnerId ?? 0, costId);
  if (earlier) await takeCosts(by, [{ ...earlier, costId, amount }], model);
}

async function takeCosts(by: number, costs: Cost[], model: LedgerModel): Promise<void> {
  const { sender, mode, revoked } = senders[by] ?? {};
  if (!sender) throw new Error("There is no such sender.");
  const submitted = await judgeCosts(
    ledgerOn(),
    {
      tokenHash: hashOf(by),
      costs,
      now: model.now,
    },
    "store",
  );
  expect(submitted.errors).toEqual([]);
  const judged = submitted.judgements.map((judgement) => ({
    ...judgement,
    credential: undefined,
    stored: undefined,
    missing: undefined,
  }));
  // The request is rejected for the credential, and nothing is stored.
  if (mode === "test") return expect(submitted.judgements).toEqual(costs.map(() => undefined));
  for (const judgement of submitted.judgements) {
    expect(judgement?.credential).toEqual({
      credentialId: expect.any(Number),
      partnerId: sender.partnerId,
      revoked,
    });
    if (revoked) expect(judgement?.verdict).toBe("credential_revoked");
  }
  if (revoked) return;
  const expected = model.submit(sender, costs);
  expect(judged.map(({ verdict }) => verdict)).toEqual(expected.map(({ verdict }) => verdict));
  const isAccepted = ({ verdict }: { verdict?: string }) => verdict === "store" || verdict === "duplicate";
  expect(judged.filter(isAccepted)).toEqual(expected.filter(isAccepted));
}

const WRONG = "count < 0 OR (count = 0 AND amount <> 0)";
const emptyTotals = async () => [
  ...(await rows(`SELECT * FROM daily_totals WHERE ${WRONG}`)),
  ...(await rows(`SELECT * FROM daily_audience_spend WHERE ${WRONG}`)),
];
async function recomputedTotals(): Promise<Total[]> {
  return LedgerModel.addUp(
    await rows<Total>(`SELECT ${TOTALS}, 1 AS count, coalesce(amount, 0) AS amount FROM cost_states`),
  );
}

it("judges, matches, voids, totals, lists and forgets costs according to the rules, for any steps in any order", async () => {
  const reached = new Set<string>();
  const start = fc.constantFrom([], VOIDED_PRICE, UNPRICED_AFTER_VOID);
  const steps = fc
    .tuple(start, fc.array(anyStep, { minLength: 6, maxLength: 16 }))
    .map(([before, random]) => [...before, ...random]);
  await fc.assert(
    fc
      .asyncProperty(steps, async (work) => {
        const model = new LedgerModel(NOW);
        for (const step of work) {
          await take(step, model);
          const states = model.states();
          for (const { state, source } of states) reached.add(`${source} ${state}`);
          const counted = states.filter(({ state }) => state !== "pending");
          const ids = new Set(counted.map(({ partnerId, costId }) => `${partnerId} ${costId}`));
          expect(ids.size).toBe(counted.length);
          for (const { voidState, receivedAt } of model.rows()) {
            if (voidState) reached.add(`${voidState} ${receivedAt === null ? "url" : "call"}`);
          }
          const stored = [
            ...[ledgerRows(model.now), ledgerStates(model.now)],
            ...[storedTotals(), storedAudienceTotals()],
          ];
          // The totals of forgotten IDs remain, before and after the purge deletes their rows.
          expect(await Promise.all(stored)).toEqual([
            ...[model.rows(), states],
            ...[model.totals(), model.audienceTotals()],
          ]);
          if (!model.hasForgotten) expect(await recomputedTotals()).toEqual(model.totals());
          for (const match of await compareCosts(model, 0, [""])) reached.add(match);
        }
        for (const by of [0, 2, 4]) await compareCosts(model, by, ["", ...MATCHES]);
        expect(await emptyTotals()).toEqual([]);
      })
      .afterEach(emptyLedger),
    { ...runs(60, isWhole ? 5 : 1), examples: [[CHANGED_TWICE], [UNPRICED]] },
  );
  // Few runs do not reach all.
  if (!isWhole) return;
  expect([...reached].sort()).toEqual([
    "call matched",
    "call pending",
    "call unpriced",
    "lapsed",
    "lifted call",
    "matched",
    "pending",
    "url matched",
    "voided",
    "voided call",
    "voided url",
  ]);
});
