/** Random steps, taken on the service with injected faults and on the model. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { purge } from "../../src/purge.ts";
import { type Envelope, LINKS, type Link, type LinkWithOwn } from "../campaign/support.ts";
import { faultyDatabase } from "../faults/faulty.ts";
import { ask, type Call, call, DAY, DEMO, env, IPHONE, ledgerOn } from "../harness.ts";
import { judge, type Model, PARTNER, RETENTION, toUnits, WINDOW } from "./model.ts";

const pick = fc.nat({ max: 3 });
export const IDS = ["service-model-1", "service-model-2"];
const id = fc.constantFrom(...IDS);
const amount = fc.constantFrom("0", "0.25", "1.00001");
/** The call that fails, before or after it is committed; usually none. */
const fault = fc.option(
  fc.record({
    call: fc.integer({ min: 1, max: 3 }),
    when: fc.constantFrom("before" as const, "after" as const),
    lost: fc.boolean(),
  }),
  { freq: 3 },
);
export const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("create" as const), below: fc.option(pick), fault }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      which: pick,
      change: fc.record(
        {
          name: fc.constantFrom("Renamed", "Again"),
          archived: fc.boolean(),
          partner_id: fc.constantFrom(null, 1, 2),
          cost_data_enabled: fc.constantFrom(null, true, false),
          target: fc.constantFrom(null, ""),
        },
        { requiredKeys: ["archived"] },
      ),
      fault,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("click" as const), id, fault }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cost" as const), id, amount, fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("batch" as const), amount, fault }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("void" as const), id, isOperator: fc.boolean(), fault }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("adjust" as const),
      key: fc.constantFrom("model-1", "model-2"),
      amount: fc.constantFrom("-12.5", "0.00000001", "999999999.99999999"),
      fault,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cron" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      by: fc.constantFrom(1, DAY, WINDOW - 1, WINDOW, WINDOW, WINDOW + 1, RETENTION),
    }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type InjectedFault = typeof fault extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Sends a request with the fault and repeats it after a 503, also after one for an item of a batch. A partner reads a cost before it
 * and twice beside it, so that the second call to D1 has the statements of several requests, also in a shard that the request is not for.
 */
async function sendWithFault<T>(
  path: string,
  options: Call & { now: number },
  how: InjectedFault,
): Promise<{ status: number; body: T }> {
  const message = how?.lost ? "D1_ERROR: Network connection lost." : "D1_ERROR: D1 DB is overloaded.";
  const { database } = faultyDatabase(
    how ? { at: (number) => number === how.call + 1, when: how.when, message } : undefined,
  );
  const shared = { DB: database, GROUP_CALLS: "1" };
  const read = () => call(`/cost/${IDS[0]}`, { token: DEMO.costToken, now: options.now, env: shared });
  const [, first] = await Promise.all([read(), ask<T>(path, { ...options, env: shared }), read(), read()]);
  const { results = [] } = first.body as { results?: { status: unknown }[] };
  const hasFailed = [first, ...results].some(({ status }) => status === 503);
  return hasFailed ? ask<T>(path, options) : first;
}

export async function take(step: Step, model: Model): Promise<void> {
  const { now, token } = model;
  const numbered = (which: number) => model.links[which % model.links.length];
  switch (step.kind) {
    case "pass":
      return model.pass(step.by);
    case "cron":
      return purge(ledgerOn(), now, 3);
    case "reset": {
      model.token = createToken("api", `Model${++model.resets}`.padEnd(43, "0"));
      const hash = hashToken(model.token, ["api"]);
      await env.DB.prepare("UPDATE api_tokens SET token_hash = ? WHERE user_id = 1").bind(hash).run();
      expect((await call(LINKS, { token, now })).status).toBe(401);
      return;
    }
    case "create": {
      const parent = step.below === null || model.links.length === 0 ? undefined : numbered(step.below);
      const label = `Link ${model.links.length}`;
      const json = { name: label, ...(parent && { parent_token: parent.token }) };
      const headers = { "idempotency-key": `model-${model.links.length}-${now}` };
      const response = await sendWithFault<Envelope<Link, null>>(
        LINKS,
        { token, json, headers, now },
        step.fault,
      );
      expect(response.status).toBe(parent && model.level(parent) === 4 ? 400 : 201);
      const created = response.body.data?.items[0];
      const own = { partner: null, cost: null, target: null, archived: false };
      if (created) model.links.push({ token: created.token, label, parent, ...own });
      return;
    }
    case "update": {
      const link = numbered(step.which);
      if (!link) return;
      const { name, archived, partner_id, cost_data_enabled, target = link.target } = step.change;
      const partner = partner_id === undefined ? link.partner : partner_id;
      const inEffect = partner ?? model.partner(link.parent);
      const isRejected = cost_data_enabled === true && inEffect !== PARTNER;
      const options = { token, method: "PATCH", json: step.change, now };
      const { status, body } = await sendWithFault<Envelope<LinkWithOwn, null>>(
        `${LINKS}/${link.token}`,
        options,
        step.fault,
      );
      expect(status).toBe(isRejected ? 400 : 200);
      if (isRejected) return;
      if (cost_data_enabled !== undefined) link.cost = cost_data_enabled;
      else if (partner_id === null && link.partner !== null) link.cost = link.parent ? null : false;
      else if (partner_id != null && inEffect !== PARTNER) link.cost = false;
      Object.assign(link, { partner, archived, target, label: name ?? link.label });
      expect(body.data.items[0]?.own).toEqual({ partner_id: partner, cost_data_enabled: link.cost, target });
      return;
    }
    case "click": {
      const path = `/${DEMO.linkToken}?s2s=1&cost_id=${step.id}`;
      const response = await sendWithFault(path, { headers: { "user-agent": IPHONE }, now }, step.fault);
      expect(response.status).toBe(200);
      if (!model.clicks.has(step.id)) model.clicks.set(step.id, now);
      return;
    }
    case "cost":
      return submit(model, [step.id], step.amount, step.fault);
    case "batch":
      return submit(model, IDS, step.amount, step.fault);
    case "void":
      return takeVoid(model, step);
    case "adjust":
      return adjust(model, step);
  }
}

async function takeVoid(model: Model, { id, isOperator, fault }: Step & { kind: "void" }): Promise<void> {
  const { now } = model;
  const [path, options] = isOperator
    ? [
        "/operator/v1/partners/1/voids",
        { token: DEMO.operatorToken, json: { cost_id: id, reason: "model" }, now },
      ]
    : [`/cost/${id}/void`, { token: DEMO.costToken, method: "POST", now }];
  const { status, body } = await sendWithFault<{ duplicate?: boolean; code?: string }>(path, options, fault);
  const cost = model.costs.get(id);
  const began = model.match(id) ?? cost?.at ?? 0;
  if (!cost) expect([status, body.code]).toEqual([404, "not_found"]);
  else if (!isOperator && !cost.isVoided && now - began > WINDOW)
    expect([status, body.code]).toEqual([400, "window_closed"]);
  else {
    expect(status).toBe(200);
    // Repeated after a fault, the request can find its own void.
    if (!fault || cost.isVoided) expect(body.duplicate).toBe(cost.isVoided);
    cost.isVoided = true;
  }
}

async function adjust(model: Model, { key, amount, fault }: Step & { kind: "adjust" }): Promise<void> {
  const { now } = model;
  const json = {
    app_token: DEMO.appToken,
    link_token: DEMO.linkToken,
    day: "2026-03-14",
    partner_id: PARTNER,
    cost_type: "cpc",
    currency: "USD",
    amount,
    reason: "model",
  };
  const options = { token: DEMO.operatorToken, headers: { "idempotency-key": key }, json, now };
  const { status, body } = await sendWithFault<Envelope<{ id: number }, null> & { code?: string }>(
    "/operator/v1/adjustments",
    options,
    fault,
  );
  const known = model.keys.get(key);
  const isKnown = known && now - known.at < DAY;
  if (isKnown && known.amount !== amount) {
    expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
    return;
  }
  const id = isKnown ? known.id : ++model.adjustments;
  expect([status, body.data?.items[0]?.id]).toEqual([201, id]);
  if (isKnown) return;
  model.keys.set(key, { at: now, amount, id });
  model.adjusted += toUnits(amount);
}

async function submit(model: Model, ids: string[], amount: string, how: InjectedFault): Promise<void> {
  const costs = ids.map((cost_id) => ({
    cost_type: "cpc",
    cost_currency: "USD",
    cost_id,
    cost_amount: amount,
    tag: "t",
  }));
  const options = { token: DEMO.costToken, json: { costs }, now: model.now };
  const response = await sendWithFault<{
    results: { status: number | "ok"; code?: string; match?: string }[];
  }>("/cost/batch", options, how);
  expect(response.status).toBe(200);
  const verdicts = response.body.results.map(({ status, code, match }) => ({
    status: status === "ok" ? 200 : status,
    ...(code && { code }),
    ...(match && { match }),
  }));
  expect(verdicts).toEqual(ids.map((cost_id) => judge(model, cost_id, amount)));
}
