/** Spend after random operations equals the sum over the ledger, also after everything is purged. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { purge } from "../../src/purge.ts";
import { ask, click, DAY, DEMO, ledgerOn, NOW, rows, sendCost, view } from "../harness.ts";
import { freshLedger } from "../support.ts";

const SPEND = `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-03-31`;

interface State {
  day: number;
  link: string;
  partner_id: number;
  cost_type: string;
  currency: string;
  amount: number | null;
}

type Item = Record<string, string | number | null>;

const costIds = ["model-cost-0001", "model-cost-0002", "model-cost-0003", "model-cost-0004"];
const amounts = ["0", "0.00001", "0.1", "0.2", "999999.99999", "1000000"];

const step = fc.record({
  kind: fc.constantFrom("click", "view", "cost", "cost", "batch"),
  id: fc.constantFrom(...costIds),
  link: fc.constantFrom(DEMO.linkToken, "demo1nk004", "demo1nk006"),
  type: fc.constantFrom("cpc", "cpi", "cpm"),
  currency: fc.constantFrom("USD", "EUR"),
  amount: fc.option(fc.constantFrom(...amounts), { nil: undefined }),
  at: fc.integer({ min: -3, max: 3 }).map((days) => NOW + days * DAY),
});

async function run(steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): Promise<void> {
  for (const { kind, id, link, type, currency, amount, at } of steps) {
    const cost = {
      cost_id: id,
      cost_type: type,
      cost_currency: currency,
      ...(amount !== undefined && { cost_amount: amount }),
    };
    const query =
      amount === undefined ? "" : `&cost_type=${type}&cost_currency=${currency}&cost_amount=${amount}`;
    if (kind === "click") await click(id, { link, query, now: at });
    else if (kind === "view") await view(id, { link, query, now: at });
    else if (kind === "cost") await sendCost(cost, { now: at });
    else {
      const costs = costIds.map((cost_id) => ({ ...cost, cost_id, tag: "model" }));
      await ask("/cost/batch", { token: DEMO.costToken, json: { costs }, now: at });
    }
  }
}

/** The spend, added up from the rows of the ledger: `group → [spend in 0.00000001, matched, unpriced]`. */
async function addUp(keysOf: (state: State) => unknown[]): Promise<Map<string, [bigint, number, number]>> {
  const links = await rows<{ id: number; token: string }>("SELECT id, token FROM links");
  const tokenOf = new Map(links.map(({ id, token }) => [id, token]));
  const states = await rows<Omit<State, "link"> & { link_id: number }>(
    "SELECT day, link_id, partner_id, cost_type, currency, amount FROM cost_states WHERE app_token = ?",
    DEMO.appToken,
  );
  const sums = new Map<string, [bigint, number, number]>();
  for (const { link_id, ...rest } of states) {
    const state = { ...rest, link: tokenOf.get(link_id) ?? "" };
    const key = JSON.stringify([...keysOf(state), state.currency]);
    const [spend, matched, unpriced] = sums.get(key) ?? [0n, 0, 0];
    const worth = BigInt(state.amount ?? 0) * (state.cost_type === "cpm" ? 1n : 1000n);
    const isPriced = state.amount !== null;
    sums.set(key, [spend + worth, matched + Number(isPriced), unpriced + Number(!isPriced)]);
  }
  return sums;
}

function toUnits(spend: unknown): bigint {
  const [whole = "", places = ""] = String(spend).split(".");
  return BigInt(whole + places.padEnd(8, "0"));
}

const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);

const GROUPINGS: [string, (state: State) => unknown[], string[]][] = [
  ["day", ({ day }) => [dateOf(day)], ["day"]],
  ["link,cost_type", ({ link, cost_type }) => [link, cost_type], ["link_token", "cost_type"]],
  ["partner", ({ partner_id }) => [partner_id], ["partner_id"]],
  [
    "day,link,partner,cost_type",
    ({ day, link, partner_id, cost_type }) => [dateOf(day), link, partner_id, cost_type],
    ["day", "link_token", "partner_id", "cost_type"],
  ],
];

async function report(groups: string): Promise<Item[]> {
  const response = await ask<{ data: { items: Item[] } }>(`${SPEND}&group_by=${groups}`, {
    token: DEMO.apiToken,
  });
  return response.body.data.items;
}

it("equals the sum over the ledger after any operations and by any group, also after a purge of everything", async () => {
  let reported = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      await freshLedger();
      await run(steps);
      const before: Item[][] = [];
      for (const [groups, keysOf, columns] of GROUPINGS) {
        const items = await report(groups);
        before.push(items);
        reported += items.length;
        const totals = items.map((item): [string, [bigint, number, number]] => [
          JSON.stringify([...columns.map((column) => item[column]), item.currency]),
          [toUnits(item.spend), Number(item.matched), Number(item.unpriced)],
        ]);
        expect(totals).toHaveLength(new Set(totals.map(([key]) => key)).size);
        expect(new Map(totals)).toEqual(await addUp(keysOf));
      }
      await purge(ledgerOn(), NOW + 40 * DAY);
      expect(await rows("SELECT cost_id FROM costs UNION ALL SELECT cost_id FROM engagements")).toEqual([]);
      for (const [index, [groups]] of GROUPINGS.entries())
        expect(await report(groups)).toEqual(before[index]);
    }),
    { numRuns: 20 },
  );
  expect(reported).toBeGreaterThan(60);
}, 120_000);
