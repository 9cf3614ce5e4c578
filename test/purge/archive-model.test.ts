/**
 * Weeks of random work with purges whose bucket sometimes fails: the ledger and the archive together have everything that was
 * answered with 200, each once, and what they count adds up to the totals.
 */
import * as fc from "fast-check";
import { beforeEach, expect, it, vi } from "vitest";
import { type ArchivedCost, type RawRecord, toArchivedCost } from "../../src/db/archive/record.ts";
import { formatAmount } from "../../src/domain/money.ts";
import { COST_WINDOW_MS, formatDate, RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { faultyBucket } from "../faults/faulty.ts";
import { call, click, DAY, DEMO, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { runs } from "../part.ts";
import { freshLedger, inLedger, totals } from "../support.ts";
import { archiving, bindArchive, readArchive } from "./archive-support.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

const HOUR = 3_600_000;
const IDS = ["archive-model-1", "archive-model-2", "archive-model-3", "archive-model-4"];
const id = fc.constantFrom(...IDS);
const type = fc.constantFrom("cpc", "cpc", "cpm", "cpi");
const amount = fc.constantFrom(undefined, "0", "0.25", "1.00001", "1000000");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("click" as const, "click" as const, "view" as const),
      id,
      price: fc.constantFrom("", "", "&cost_type=cpc&cost_currency=USD&cost_amount=0.07"),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("cost" as const), id, type, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("void" as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      by: fc.constantFrom(HOUR, DAY, 3 * DAY, COST_WINDOW_MS + 1, RETENTION_MS + 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("purge" as const),
      slice: fc.constantFrom(1, 2, 5_000),
      failing: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 2 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

type CostStep = Step & { kind: "cost" };
const cost = (id: string, amount?: CostStep["amount"]): Step => ({ kind: "cost", id, type: "cpc", amount });
const opened = (id: string, price: (Step & { kind: "click" })["price"] = ""): Step => ({
  kind: "click",
  id,
  price,
});
/** Reaches every state, which few random runs do not. */
const EVERY_STATE: Step[] = [
  cost("archive-model-1", "0.25"),
  opened("archive-model-2"),
  cost("archive-model-2", "0.25"),
  { kind: "void", id: "archive-model-2" },
  cost("archive-model-2", "1.00001"),
  opened("archive-model-3"),
  cost("archive-model-3"),
  opened("archive-model-4", "&cost_type=cpc&cost_currency=USD&cost_amount=0.07"),
  { kind: "pass", by: RETENTION_MS + 1 },
  opened("archive-model-1"),
  cost("archive-model-1", "0"),
  { kind: "void", id: "archive-model-1" },
];

/** A cost that was answered with 200 and is no duplicate. Each has its own tag and its own time. */
interface Sent {
  costId: string;
  type: string;
  amount: string | undefined;
  tag: string;
  at: number;
}

async function take(one: Step, now: number, sent: Sent[]): Promise<void> {
  if (one.kind === "click") await click(one.id, { now, query: one.price });
  if (one.kind === "view") await view(one.id, { now });
  if (one.kind === "void") {
    await call(`/cost/${one.id}/void`, { method: "POST", token: DEMO.costToken, now });
  }
  if (one.kind === "purge") {
    const { failing } = one;
    const fault = {
      at: (put: number) => put >= (failing ?? 0),
      when: "after" as const,
      message: "internal error",
    };
    const { bucket } = faultyBucket(failing === null ? undefined : fault);
    await purge(archiving(bucket), now, one.slice).catch(() => undefined);
  }
  if (one.kind === "cost") {
    const tag = `tag-${now}`;
    const { status, body } = await sendCost(
      { cost_id: one.id, cost_type: one.type, tag, ...(one.amount && { cost_amount: one.amount }) },
      { now },
    );
    if (status === 200 && !body.duplicate)
      sent.push({ costId: one.id, type: one.type, amount: one.amount, tag, at: now });
  }
}

/** What the ledger has of each row, and those that wait for the next walk, in the format of the archive. */
async function readLedger(): Promise<ArchivedCost[]> {
  const waiting = await rows<{ record: string }>("SELECT record FROM superseded");
  const kept = await rows<{ record: string }>(
    "SELECT record FROM entry_records WHERE partner_id IS NOT NULL",
  );
  const links = await rows<{ id: number; token: string }>("SELECT id, token FROM links");
  const tokens = new Map(links.map(({ id, token }) => [id, token]));
  return [...kept, ...waiting].map(({ record }) => toArchivedCost(JSON.parse(record) as RawRecord, tokens));
}

const sorted = (list: unknown[]) => list.map((one) => JSON.stringify(one)).sort();

/** Adds up what counts, by the keys of the totals. */
function addUp(costs: ArchivedCost[]): unknown[] {
  const counts = costs.flatMap(({ partner_id, counts }) => counts.map((one) => ({ partner_id, ...one })));
  const keyOf = ({ source: _, kind: __, amount: ___, ...key }: (typeof counts)[number]) =>
    JSON.stringify(key);
  return [...Map.groupBy(counts, keyOf)].map(([key, same]) => ({
    ...JSON.parse(key),
    count: same.length,
    amount: formatAmount(
      same.reduce((sum, { amount }) => sum + Math.round(Number(amount ?? 0) * 100_000), 0),
    ),
  }));
}

async function storedTotals(): Promise<unknown[]> {
  const links = await rows<{ id: number; token: string }>("SELECT id, token FROM links");
  const stored = await totals(
    "app_token, day, link_id, partner_id, cost_type, currency, state, count, amount",
  );
  return stored.map(({ app_token, day, link_id, amount, ...rest }) => ({
    ...rest,
    app_token: app_token || null,
    link_token: links.find(({ id }) => id === link_id)?.token ?? null,
    day: formatDate(Number(day)),
    amount: formatAmount(Number(amount)),
  }));
}

const inOrder = (row: unknown) => Object.fromEntries(Object.entries(row as object).sort());

async function compare(sent: Sent[]): Promise<void> {
  const archive = (await readArchive()).map(({ object: _, ...cost }) => cost);
  const ledger = await readLedger();
  // After a failed run, the last object can have rows that the ledger still has. The two are equal, and the next run deletes them.
  const kept = new Set(ledger.map((cost) => JSON.stringify(cost)));
  const all = [...archive.filter((cost) => !kept.has(JSON.stringify(cost))), ...ledger];
  expect(sorted(addUp(all).map(inOrder))).toEqual(sorted((await storedTotals()).map(inOrder)));
  const calls = all.filter(({ call }) => call?.received_at);
  const keyOf = ({ cost_id, call, replaced_at }: ArchivedCost) =>
    `${cost_id} ${call?.received_at} ${replaced_at}`;
  expect(new Set(calls.map(keyOf)).size).toBe(calls.length);
  for (const { costId, type, amount, tag, at } of sent) {
    const tagged = calls.filter(({ call }) => call?.tag === tag);
    // A call that only got its amount has the time of the first one and the tag of the second.
    const first = calls.filter(
      ({ cost_id, call }) => cost_id === costId && Date.parse(call?.received_at ?? "") === at,
    );
    expect([tag, tagged.length || first.length]).toEqual([tag, 1]);
    const [found] = tagged.length > 0 ? tagged : first;
    expect(found).toMatchObject({ cost_id: costId, call: { cost_type: type, currency: "USD" } });
    if (amount !== undefined) expect(found?.call?.amount).toBe(amount);
  }
  // Nothing that was not sent.
  const times = new Set(sent.map(({ at }) => at));
  expect(calls.filter(({ call }) => !times.has(Date.parse(call?.received_at ?? "")))).toEqual([]);
}

const RUNS = ledgerOn().shards.length > 0 ? 5 : 15;

it("the ledger and the archive have all that was answered with 200, and add up to the totals, after any weeks of work", async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      await freshLedger();
      await inLedger("DELETE FROM ledger_entries");
      await bindArchive();
      const sent: Sent[] = [];
      let now = NOW;
      for (const one of steps) {
        now += one.kind === "pass" ? one.by : 1;
        await take(one, now, sent);
      }
      await compare(sent);
      // The first run completes the walk that a failure interrupted, the next one archives what was left.
      for (const days of [30, 60]) await purge(archiving(), now + days * DAY);
      expect(await readLedger()).toEqual([]);
      await compare(sent);
      for (const { replaced_at, void_state, counts } of await readArchive()) {
        for (const { source, state } of counts) reached.add(`${source} ${state}`);
        if (replaced_at) reached.add("replaced");
        if (void_state) reached.add(void_state);
      }
    }),
    { ...runs(RUNS, Math.ceil(RUNS / 5)), examples: [[EVERY_STATE]] },
  );
  expect([...reached].sort()).toEqual([
    "call matched",
    "call pending",
    "call unpriced",
    "lifted",
    "replaced",
    "url matched",
    "voided",
  ]);
});
