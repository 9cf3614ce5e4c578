/**
 * Both reports equal the sums over what was sent and adjusted, for any grouping, level, filter and days. Performance equals the two
 * reports.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { purge } from "../../src/purge.ts";
import { ask, click, DAY, DEMO, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { isLong, runs } from "../part.ts";
import { freshLedger } from "../support.ts";
import {
  comparePerformance,
  dateOf,
  type Item,
  performanceQuestion,
  rarely,
  toUnits,
} from "./performance-model.ts";

interface Cost {
  cost_type: string;
  currency: string;
  /** In units of 0.00001; null for a cost without an amount. */
  amount: number | null;
}

/** What one click, impression or adjustment adds to the reports. */
interface Sent {
  day: string;
  /** The names of the link and of those above it. */
  path: string[];
  partner_id: number | null;
  /** Undefined for an adjustment. */
  kind?: "click" | "impression";
  hasId?: boolean;
  /** Of an adjustment, its cost type and currency. */
  cost: Cost | null;
  /** In units of 0.00000001. */
  adjusted?: bigint;
}

/** Links of the demo data by token: their names and their partner. */
const OPENED: Record<string, { path: string[]; partner: number | null }> = {
  [DEMO.linkToken]: { path: ["Acme"], partner: 1 },
  demo1nk002: { path: ["Acme", "Spring"], partner: 1 },
  demo1nk003: { path: ["Acme", "Spring", "Runners"], partner: 1 },
  demo1nk004: { path: ["Acme", "Spring", "Runners", "Video 15s"], partner: 1 },
  demo1nk006: { path: ["Beacon"], partner: 2 },
  demo1nk008: { path: ["Newsletter"], partner: null },
};

const CREATED = [
  ["Acme", "New"],
  ["Acme", "New", "Runners"],
  ["Acme", "Spring", "Walkers"],
];
const PATHS = [...Object.values(OPENED).map(({ path }) => path), ...CREATED];

const units = fc.constantFrom(0, 1, 10_000, 99_999_999_999, 100_000_000_000);
const event = fc.record({
  token: fc.constantFrom(DEMO.linkToken, ...Object.keys(OPENED)),
  campaign: fc.constantFrom("", "", "Spring", "New"),
  adgroup: fc.constantFrom("", "", "Runners", "Walkers"),
  kind: fc.constantFrom("click" as const, "impression" as const),
  hasId: fc.constantFrom(true, true, false),
  cost: fc.option(
    fc.record({ currency: fc.constantFrom("USD", "EUR"), amount: fc.option(units), isCpi: fc.boolean() }),
  ),
  daysAgo: fc.integer({ min: 0, max: 3 }),
});
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

const adjustment = fc.record({
  token: fc.constantFrom(...Object.keys(OPENED)),
  partner_id: fc.integer({ min: 1, max: 2 }),
  cost_type: fc.constantFrom("cpc", "cpi", "cpm"),
  currency: fc.constantFrom("USD", "EUR"),
  amount: fc.constantFrom("-0.00000001", "0.00000001", "-1000000000", "999999999.99999999", "12.5", "-12.5"),
  daysAgo: fc.integer({ min: 0, max: 3 }),
});
type Adjustment = typeof adjustment extends fc.Arbitrary<infer Value> ? Value : never;

let lastId = 0;

/** Sends an engagement, and its cost if it can have one. Returns what the reports should show of it. */
async function send({ token, campaign, adgroup, kind, hasId, cost, daysAgo }: Event): Promise<Sent> {
  const { path: opened, partner } = OPENED[token] as (typeof OPENED)[string];
  const now = NOW - daysAgo * DAY;
  const id = hasId ? `sent-cost-${String(++lastId).padStart(6, "0")}` : "";
  const open = kind === "click" ? click : view;
  await open(id, { link: token, query: `&campaign=${campaign}&adgroup=${adgroup}`, now });
  const path = [...opened];
  // Only the templates of partner 1 name these parameters.
  if (partner === 1 && path.length === 1 && campaign) path.push(campaign);
  if (partner === 1 && path.length === 2 && adgroup) path.push(adgroup);
  const isRecorded = hasId && partner !== null;
  const sent: Sent = { day: dateOf(daysAgo), path, partner_id: partner, kind, hasId: isRecorded, cost: null };
  if (!cost || !isRecorded || partner !== 1) return sent;
  const { currency, amount } = cost;
  const cost_type = cost.isCpi ? "cpi" : kind === "click" ? "cpc" : "cpm";
  const cost_amount = amount === null ? {} : { cost_amount: (amount / 100_000).toFixed(5) };
  const { body } = await sendCost(
    { cost_id: id, cost_type, cost_currency: currency, ...cost_amount },
    { now },
  );
  expect(body).toMatchObject({ match: "matched" });
  return { ...sent, cost: { cost_type, currency, amount } };
}

/** Adds an adjustment. Returns what the spend report should show of it. */
async function adjust({ token, partner_id, amount, daysAgo, ...more }: Adjustment): Promise<Sent> {
  const day = dateOf(daysAgo);
  const { status } = await ask("/operator/v1/adjustments", {
    token: DEMO.operatorToken,
    headers: { "idempotency-key": `model-${++lastId}` },
    json: { app_token: DEMO.appToken, link_token: token, day, partner_id, amount, reason: "model", ...more },
  });
  expect(status).toBe(201);
  const path = (OPENED[token] as (typeof OPENED)[string]).path;
  return { day, path, partner_id, adjusted: toUnits(amount), cost: { ...more, amount: null } };
}

const question = fc.record({
  report: fc.constantFrom("spend" as const, "engagements" as const),
  groups: fc.uniqueArray(fc.constantFrom("day", "link", "partner", "last"), { minLength: 1 }),
  days: rarely(fc.record({ from: fc.integer({ min: 0, max: 3 }), length: fc.integer({ min: 0, max: 3 }) })),
  level: rarely(fc.integer({ min: 1, max: 4 })),
  path: rarely(fc.constantFrom(...PATHS)),
  partner_id: rarely(fc.integer({ min: 1, max: 2 })),
  cost_type: rarely(fc.constantFrom("cpc", "cpm")),
  currency: rarely(fc.constantFrom("USD", "EUR")),
  kind: rarely(fc.constantFrom("click", "impression")),
});
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** The question as a query; undefined if no link has its path. */
function toQuery(asked: Question, tokens: Map<string, string>): string | undefined {
  const { report, days, path } = asked;
  const query = new URLSearchParams({ group_by: groupsOf(asked).join() });
  if (days) {
    query.set("from", dateOf(days.from));
    query.set("to", dateOf(Math.max(days.from - days.length, 0)));
  }
  for (const name of ["level", "partner_id"] as const) if (asked[name]) query.set(name, String(asked[name]));
  const own = report === "spend" ? (["cost_type", "currency"] as const) : (["kind"] as const);
  for (const name of own) if (asked[name]) query.set(name, asked[name]);
  if (path) {
    const token = tokens.get(path.join("::"));
    if (!token) return undefined;
    query.set("link", token);
  }
  return query.toString();
}

const groupsOf = ({ report, groups }: Question) =>
  groups.map((group) => (group === "last" ? (report === "spend" ? "cost_type" : "kind") : group));

/** `group → sums`, with spend in 0.00000001. */
type Answer = Map<string, (bigint | number)[]>;

/** The answer, added up from what was sent. */
function expected(asked: Question, all: Sent[]): Answer {
  const { report, days, level = 4, path, partner_id, cost_type, currency, kind } = asked;
  const groups = groupsOf(asked);
  const answer: Answer = new Map();
  for (const sent of all) {
    if (report === "spend" ? !sent.cost : !sent.kind) continue;
    const { cost } = sent;
    const isIn =
      (!days ||
        (sent.day >= dateOf(days.from) && sent.day <= dateOf(Math.max(days.from - days.length, 0)))) &&
      (!path || path.every((name, index) => sent.path[index] === name)) &&
      (!partner_id || sent.partner_id === partner_id) &&
      (report === "spend"
        ? (!cost_type || cost?.cost_type === cost_type) && (!currency || cost?.currency === currency)
        : !kind || sent.kind === kind);
    if (!isIn) continue;
    const target = sent.path.slice(0, level).join("::");
    const keys: Record<string, unknown> = {
      day: sent.day,
      link: target,
      partner: sent.partner_id,
      cost_type: cost?.cost_type,
      kind: sent.kind,
    };
    const key = JSON.stringify([
      ...groups.map((group) => keys[group]),
      ...(report === "spend" ? [cost?.currency] : []),
    ]);
    const amount = BigInt(cost?.amount ?? 0) * (cost?.cost_type === "cpm" ? 1n : 1000n);
    const isPriced = cost?.amount != null;
    const isCost = sent.kind !== undefined;
    const adjusted = sent.adjusted ?? 0n;
    const added =
      report === "spend"
        ? [amount + adjusted, adjusted, Number(isCost && isPriced), Number(isCost && !isPriced)]
        : [1, Number(sent.hasId)];
    const sums = answer.get(key) ?? added.map((one) => (typeof one === "bigint" ? 0n : 0));
    answer.set(
      key,
      sums.map((sum, index) =>
        typeof sum === "bigint" ? sum + (added[index] as bigint) : sum + Number(added[index]),
      ),
    );
  }
  return answer;
}

function toAnswer(asked: Question, items: Item[], tokens: Map<string, string>): Answer {
  const column: Record<string, string> = { link: "link_name", partner: "partner_id" };
  const pairs = items.map((item): [string, (bigint | number)[]] => {
    if (groupsOf(asked).includes("link")) {
      expect(tokens.get(String(item.link_name))).toBe(item.link_token);
      expect(item.link_label).toBe(String(item.link_name).split("::").at(-1));
    }
    const keys = groupsOf(asked).map((group) => item[column[group] ?? group]);
    return asked.report === "spend"
      ? [
          JSON.stringify([...keys, item.currency]),
          [toUnits(item.spend), toUnits(item.adjusted), Number(item.matched), Number(item.unpriced)],
        ]
      : [JSON.stringify(keys), [Number(item.count), Number(item.recorded)]];
  });
  const answer = new Map(pairs);
  expect(answer.size).toBe(items.length);
  return answer;
}

async function tokensByName(): Promise<Map<string, string>> {
  const links = await rows<{ id: number; token: string; label: string; parent_id: number | null }>(
    "SELECT id, token, label, parent_id FROM links",
  );
  const byId = new Map(links.map((link) => [link.id, link]));
  const nameOf = (id: number): string => {
    const { label, parent_id } = byId.get(id) as (typeof links)[number];
    return parent_id === null ? label : `${nameOf(parent_id)}::${label}`;
  };
  return new Map(links.map(({ id, token }) => [nameOf(id), token]));
}

it("both reports equal the sums over what was sent and adjusted, for any grouping, level, filter and days, also after a purge, and performance equals both", async () => {
  const seen = { rows: 0, empty: 0, unknown: 0, compared: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 6, maxLength: 16 }),
      fc.array(adjustment, { maxLength: 8 }),
      fc.array(question, { minLength: 12, maxLength: 12 }),
      fc.boolean(),
      fc.array(performanceQuestion(PATHS), { minLength: 4, maxLength: 4 }),
      async (events, adjustments, questions, isPurged, comparisons) => {
        await freshLedger();
        const sent: Sent[] = [];
        for (const one of events) sent.push(await send(one));
        for (const one of adjustments) sent.push(await adjust(one));
        const tokens = await tokensByName();
        if (isPurged) {
          await purge(ledgerOn(), NOW + 40 * DAY);
          expect(await rows("SELECT cost_id FROM ledger_entries")).toEqual([]);
        }
        for (const asked of questions) {
          const query = toQuery(asked, tokens);
          if (query === undefined) {
            seen.unknown++;
            continue;
          }
          const path = `/public/v1/apps/${DEMO.appToken}/${asked.report}?${query}`;
          const { status, body } = await ask<{ data: { items: Item[] } }>(path, { token: DEMO.apiToken });
          expect(status).toBe(200);
          const { items } = body.data;
          const order = ["day", "link", "partner", "last"];
          const inOrder = {
            ...asked,
            groups: order.filter((group) => asked.groups.includes(group as "day")),
          } as Question;
          expect(toAnswer(inOrder, items, tokens), path).toEqual(expected(inOrder, sent));
          if (asked.groups.includes("day")) {
            const shown = items.map(({ day }) => String(day));
            expect(shown).toEqual(shown.toSorted());
          }
          seen.rows += items.length;
          seen.empty += Number(items.length === 0);
        }
        for (const asked of comparisons) seen.compared += await comparePerformance(asked, tokens);
      },
    ),
    runs(10, 1),
  );
  // The fixed part asks for something.
  if (!isLong) expect(seen).toEqual({ rows: 37, empty: 2, unknown: 1, compared: 4 });
});
