/**
 * What changed adds up: its parts are the change to the last digit, and the change is the difference of two performance reports, for
 * random costs, voids and adjustments, in any currency, with any filter.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { ask, click, DAY, DEMO, NOW, sendCost, view } from "../harness.ts";
import { isLong, runs } from "../part.ts";
import { freshLedger } from "../support.ts";
import { readChanges } from "./changes-support.ts";
import { dateOf, type Item, rarely, toUnits } from "./performance-model.ts";

/** Links of partner 1. */
const LINKS = [DEMO.linkToken, "demo1nk002", "demo1nk003", "demo1nk004"];
const CURRENCIES = ["USD", "EUR"];
const daysAgo = fc.integer({ min: 0, max: 7 });

const cost = fc.record({
  link: fc.constantFrom(...LINKS),
  type: fc.constantFrom("cpc", "cpc", "cpi", "cpm"),
  currency: fc.constantFrom(...CURRENCIES),
  amount: fc.constantFrom("0", "0.00001", "0.33333", "1", "99.99999", "1000000"),
  isVoided: fc.constantFrom(false, false, false, true),
  daysAgo,
});
const adjustment = fc.record({
  link_token: fc.constantFrom(...LINKS),
  cost_type: fc.constantFrom("cpc", "cpm"),
  currency: fc.constantFrom(...CURRENCIES),
  amount: fc.constantFrom("-0.00000001", "0.00000001", "-1000000000", "999999999.99999999", "12.5"),
  daysAgo,
});
const question = fc.record({
  first: fc.integer({ min: 0, max: 1 }),
  length: fc.integer({ min: 2, max: 4 }),
  currency: rarely(fc.constantFrom(...CURRENCIES)),
  link: rarely(fc.constantFrom(...LINKS)),
  partner_id: rarely(fc.constantFrom("1", "2")),
  cost_type: rarely(fc.constantFrom("cpc", "cpm")),
  country: fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 6 },
    { arbitrary: fc.constantFrom("XX", "DE"), weight: 1 },
  ),
});

let lastId = 0;

async function sendAll(costs: (typeof cost extends fc.Arbitrary<infer T> ? T : never)[]) {
  for (const { link, type, currency, amount, isVoided, daysAgo } of costs) {
    const now = NOW - daysAgo * DAY;
    const cost_id = `changes-model-${++lastId}`;
    await (type === "cpm" ? view : click)(cost_id, { link, now });
    const sent = { cost_id, cost_type: type, cost_currency: currency, cost_amount: amount };
    expect((await sendCost(sent, { now })).body.match).toBe("matched");
    if (isVoided)
      expect(
        (await ask(`/cost/${cost_id}/void`, { method: "POST", token: DEMO.costToken, now })).status,
      ).toBe(200);
  }
}

/** The rows of performance for one period. */
async function performance(query: Record<string, string>): Promise<Item[]> {
  const path = `/public/v1/apps/${DEMO.appToken}/performance?${new URLSearchParams(query)}`;
  const { status, body } = await ask<{ data: { items: Item[] } }>(path, { token: DEMO.apiToken });
  expect(status, path).toBe(200);
  return body.data.items;
}

it("the parts add up to the change, and the change is the difference of the performance of both periods", async () => {
  const seen = { nonzero: 0, volume: 0, price: 0, rest: 0, adjustments: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(cost, { minLength: 16, maxLength: 24 }),
      fc.array(adjustment, { maxLength: 4 }),
      fc.array(question, { minLength: 6, maxLength: 6 }),
      async (costs, adjustments, questions) => {
        await freshLedger();
        await sendAll(costs);
        for (const { daysAgo, ...adjusted } of adjustments) {
          const json = {
            ...adjusted,
            app_token: DEMO.appToken,
            partner_id: 1,
            day: dateOf(daysAgo),
            reason: "model",
          };
          const headers = { "idempotency-key": `changes-${++lastId}` };
          const { status } = await ask("/operator/v1/adjustments", {
            token: DEMO.operatorToken,
            headers,
            json,
          });
          expect(status).toBe(201);
        }
        for (const { first, length, ...given } of questions) {
          const filters = Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined),
          ) as Record<string, string>;
          const now = { from: dateOf(first + length - 1), to: dateOf(first) };
          const before = { from: dateOf(first + 2 * length - 1), to: dateOf(first + length) };
          const changes = await readChanges(`${new URLSearchParams({ ...filters, ...now })}`);
          const { currency } = changes.about;
          const about = JSON.stringify({ ...filters, ...now });
          const of = { ...filters, ...(currency && { currency }) };
          const [total] = await performance({ ...of, ...now });
          const [earlier] = await performance({ ...of, ...before });
          const change = toUnits(changes.change);
          expect(change, about).toBe(toUnits(total?.spend) - toUnits(earlier?.spend));
          const parts = [changes.volume, changes.price, changes.rest].map(toUnits);
          expect(
            parts.reduce((sum, part) => sum + part, 0n),
            about,
          ).toBe(change);
          // Of each type, without adjustments.
          const ended = changes.cost_types.filter(({ state }) => state !== "continued");
          const sum = (items: { change: string }[]) =>
            items.reduce((all, one) => all + toUnits(one.change), 0n);
          expect(toUnits(changes.rest), about).toBe(sum(ended) + toUnits(changes.adjustments));
          expect(sum(changes.cost_types) + toUnits(changes.adjustments), about).toBe(change);
          for (const type of changes.cost_types.filter(({ state }) => state === "continued"))
            expect(toUnits(type.volume) + toUnits(type.price), about).toBe(toUnits(type.change));
          const links = await performance({
            ...of,
            ...now,
            group_by: "link",
            limit: "1000",
            level: given.link ? "4" : "2",
          });
          if (!given.link) {
            const sizes = links.map(
              (row) => toUnits(row.spend) - toUnits((row.previous as unknown as Item).spend),
            );
            const largest = sizes.map((size) => (size < 0n ? -size : size)).filter((size) => size > 0n);
            const shown = changes.links?.map((link) => toUnits(link.change)) ?? [];
            const sorted = largest.sort((one, other) => (one < other ? 1 : -1)).slice(0, 3);
            expect(
              shown.map((size) => (size < 0n ? -size : size)),
              about,
            ).toEqual(sorted);
          }
          seen.nonzero += Number(change !== 0n);
          for (const name of ["volume", "price", "rest", "adjustments"] as const)
            seen[name] += Number(changes[name] !== "0");
        }
      },
    ),
    runs(20, 2),
  );
  // The fixed part has every part.
  if (!isLong) for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(3);
});
