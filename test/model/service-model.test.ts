/** Compares the service with a small model on random requests with injected faults: links, pages, access, matches, spend. */
import * as fc from "fast-check";
import { beforeEach, expect, it, vi } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { purge } from "../../src/purge.ts";
import { type Envelope, LINKS, type Link, type PagingV1 } from "../campaign/support.ts";
import { faultyDatabase } from "../faults/faulty.ts";
import { ask, type Call, call, DAY, DEMO, env, freshDemo, IPHONE, ledgerOn, NOW, rows } from "../harness.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

const WINDOW = 7 * DAY;
const RETENTION = 14 * DAY;
const MODEL_PARTNER = 1;

interface ModelLink {
  token: string;
  label: string;
  parent: ModelLink | undefined;
  partner: number | null;
  cost: boolean | null;
  archived: boolean;
}

interface ModelCost {
  at: number;
  /** In 0.00001 units. */
  amount: number;
}

/** The expected state. All costs have one partner, one currency, and a flat cost type. */
class Model {
  now = NOW;
  token: string = DEMO.apiToken;
  resets = 0;
  readonly links: ModelLink[] = [];
  readonly clicks = new Map<string, number>();
  readonly costs = new Map<string, ModelCost>();
  /** The spend of forgotten IDs. */
  settled = 0;

  level = (link: ModelLink): number => (link.parent ? this.level(link.parent) + 1 : 1);
  name = (link: ModelLink): string => (link.parent ? `${this.name(link.parent)}::${link.label}` : link.label);
  partner = (link: ModelLink | undefined): number | null =>
    (link && (link.partner ?? this.partner(link.parent))) || null;
  switch = (link: ModelLink | undefined): boolean => (link ? (link.cost ?? this.switch(link.parent)) : false);
  costData = (link: ModelLink) => this.partner(link) === MODEL_PARTNER && this.switch(link);
  children = (parent: ModelLink | undefined) => this.links.filter((link) => link.parent === parent);

  /** The time of the click that a cost matches. */
  match(id: string): number | undefined {
    const [cost, click] = [this.costs.get(id), this.clicks.get(id)];
    return cost && click !== undefined && Math.abs(cost.at - click) <= WINDOW ? click : undefined;
  }

  spend(): number {
    return [...this.costs].reduce((sum, [id]) => sum + this.spendOf(id), this.settled);
  }

  private spendOf(id: string): number {
    return this.match(id) === undefined ? 0 : (this.costs.get(id)?.amount ?? 0);
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

const pick = fc.nat({ max: 3 });
const id = fc.constantFrom("service-model-1", "service-model-2");
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
const step = fc.oneof(
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
          cost_data_enabled: fc.boolean(),
        },
        { requiredKeys: ["archived"] },
      ),
      fault,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("click" as const), id, fault }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("cost" as const), id, amount, fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("batch" as const), amount, fault }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cron" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      by: fc.constantFrom(1, WINDOW - 1, WINDOW, WINDOW, WINDOW + 1, RETENTION),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type InjectedFault = typeof fault extends fc.Arbitrary<infer Value> ? Value : never;

/** Sends a request with the fault and repeats it after a 503. */
async function sendWithFault<T>(
  path: string,
  options: Call,
  how: InjectedFault,
): Promise<{ status: number; body: T }> {
  const message = how?.lost ? "D1_ERROR: Network connection lost." : "D1_ERROR: D1 DB is overloaded.";
  const { database } = faultyDatabase(
    how ? { at: (number) => number === how.call, when: how.when, message } : undefined,
  );
  const first = await ask<T>(path, { ...options, env: { DB: database } });
  return first.status === 503 ? ask<T>(path, options) : first;
}

async function take(step: Step, model: Model): Promise<void> {
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
      if (created)
        model.links.push({ token: created.token, label, parent, partner: null, cost: null, archived: false });
      return;
    }
    case "update": {
      const link = numbered(step.which);
      if (!link) return;
      const { name, archived, partner_id, cost_data_enabled } = step.change;
      const partner = partner_id === undefined ? link.partner : partner_id;
      const inEffect = partner ?? model.partner(link.parent);
      const isRejected = cost_data_enabled === true && inEffect !== MODEL_PARTNER;
      const options = { token, method: "PATCH", json: step.change, now };
      expect((await sendWithFault(`${LINKS}/${link.token}`, options, step.fault)).status).toBe(
        isRejected ? 400 : 200,
      );
      if (isRejected) return;
      const turnsOff = partner_id === null || (partner_id !== undefined && inEffect !== MODEL_PARTNER);
      link.cost = cost_data_enabled ?? (turnsOff ? false : link.cost);
      Object.assign(link, { partner, archived, label: name ?? link.label });
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
      return submit(model, ["service-model-1", "service-model-2"], step.amount, step.fault);
  }
}

const toUnits = (text: string) => Math.round(Number(text) * 100_000);

/** Returns the expected status and code of a cost, and stores the cost if it is accepted. */
function judge(model: Model, cost_id: string, amount: number): { status: number; code?: string } {
  const { now } = model;
  const [existing, click] = [model.costs.get(cost_id), model.clicks.get(cost_id)];
  const isLapsed = existing && model.match(cost_id) === undefined && now - existing.at > WINDOW;
  if (existing && !isLapsed)
    return existing.amount === amount ? { status: 200 } : { status: 400, code: "cost_id_conflict" };
  if (click !== undefined && now - click > WINDOW) return { status: 400, code: "window_closed" };
  model.costs.set(cost_id, { at: now, amount });
  return { status: 200 };
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
  const response = await sendWithFault<{ results: { status: number | "ok"; code?: string }[] }>(
    "/cost/batch",
    options,
    how,
  );
  expect(response.status).toBe(200);
  const verdicts = response.body.results.map(({ status, code }) => ({
    status: status === "ok" ? 200 : status,
    ...(code && { code }),
  }));
  expect(verdicts).toEqual(ids.map((cost_id) => judge(model, cost_id, toUnits(amount))));
}

/** Reads every item of a list, page by page, forward and then backward. */
async function readAllPages(path: string, options: Call): Promise<Link[]> {
  const read = async (first: string, direction: "next" | "previous"): Promise<Link[]> => {
    const items: Link[] = [];
    let last = "";
    for (let at: string | null = first; at; ) {
      const { body }: { body: Envelope<Link, PagingV1> } = await ask(
        at.replace(/^https:\/\/[^/]+/, ""),
        options,
      );
      if (direction === "next") items.push(...body.data.items);
      else items.unshift(...body.data.items);
      last = at;
      at = body.data.paging[direction];
    }
    if (direction === "next" && last !== first) expect(await read(last, "previous")).toEqual(items);
    return items;
  };
  return read(`${path}?limit=3`, "next");
}

async function compare(model: Model): Promise<void> {
  const { token, now } = model;
  const options = { token, now };
  const shown = (link: Link) => [
    link.token,
    link.name,
    link.level,
    link.partner_id,
    link.cost_data_enabled,
    link.archived,
    link.has_subtrackers,
  ];
  const expected = (link: ModelLink) => [
    link.token,
    model.name(link),
    model.level(link),
    link.partner,
    model.costData(link),
    link.archived,
    model.children(link).length > 0,
  ];
  const first = (await readAllPages(LINKS, options)).slice(DEMO_LINKS);
  expect(first.map(shown)).toEqual(model.children(undefined).map(expected));
  const parent = model.links.find((link) => model.children(link).length > 0);
  if (parent) {
    const below = await readAllPages(`${LINKS}/${parent.token}/children`, options);
    expect(below.map(shown)).toEqual(model.children(parent).map(expected));
  }
  const other = LINKS.replace(DEMO.appToken, DEMO.otherAppToken);
  expect((await call(other, options)).status).toBe(404);
  const report = await ask<{ data: { items: { spend: string }[] } }>(
    `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-12-31&group_by=partner`,
    options,
  );
  expect(toUnits(report.body.data.items[0]?.spend ?? "0")).toBe(model.spend());
}

const DEMO_LINKS = 4;

/** Creates a link with cost data on, and a sub-link. */
const FIRST: Step[] = [
  { kind: "create", below: null, fault: null },
  {
    kind: "update",
    which: 0,
    change: { archived: false, partner_id: 1, cost_data_enabled: true },
    fault: null,
  },
  { kind: "create", below: 0, fault: null },
];

it("has the same links, pages, access, matches and spend as the model after any steps and faults", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      await freshDemo();
      await env.DB.batch(
        ["DELETE FROM ledger_entries", "DELETE FROM daily_totals"].map((one) => env.DB.prepare(one)),
      );
      expect(await rows("SELECT 1 FROM links WHERE app_token = ? AND level = 1", DEMO.appToken)).toHaveLength(
        DEMO_LINKS,
      );
      const model = new Model();
      for (const one of [...FIRST, ...steps]) {
        await take(one, model);
        await compare(model);
      }
    }),
    { numRuns: 25 },
  );
});
