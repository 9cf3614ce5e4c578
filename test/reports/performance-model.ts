/** Compares performance with the two other reports, which give what it adds up and divides. */
import fc from "fast-check";
import { expect } from "vitest";
import { ask, DAY, DEMO, NOW } from "../harness.ts";

export const dateOf = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString().slice(0, 10);

/** Most questions leave a filter out, so that filters together do not exclude everything. */
export const rarely = <T>(filter: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: filter, weight: 1 });
export type Item = Record<string, string | number | null>;

export function toUnits(decimal: unknown): bigint {
  const [, sign = "", whole = "", places = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(decimal)) ?? [];
  return BigInt(`${sign}${whole}${places.padEnd(8, "0")}`);
}

/** `paths` are the names of links. */
export const performanceQuestion = (paths: string[][]) =>
  fc.record({
    group: rarely(fc.constantFrom("link", "partner", "cost_type", "day")),
    days: fc.record({ from: fc.integer({ min: 0, max: 3 }), length: fc.integer({ min: 0, max: 1 }) }),
    level: fc.integer({ min: 1, max: 4 }),
    path: rarely(fc.constantFrom(...paths)),
    partner_id: rarely(fc.integer({ min: 1, max: 2 })),
    cost_type: rarely(fc.constantFrom("cpc", "cpm")),
    currency: fc.constantFrom("USD", "EUR"),
  });
type PerformanceQuestion =
  ReturnType<typeof performanceQuestion> extends fc.Arbitrary<infer Value> ? Value : never;

const read = async <T extends object>(report: string, query: URLSearchParams) => {
  const path = `/public/v1/apps/${DEMO.appToken}/${report}?${query}`;
  const { status, body } = await ask<{ data: { items: T[] } }>(path, { token: DEMO.apiToken });
  expect(status, path).toBe(200);
  return body.data.items;
};

const quotient = (value: bigint, by: bigint) => (by === 0n ? null : Number(value) / Number(by) / 1e8);
const share = (part: number, of: number) => (of === 0 ? null : Math.floor((part * 1e4) / of) / 1e4);

/** The figures of each group in some days, from the two other reports. */
async function addUp(asked: PerformanceQuestion, filters: URLSearchParams, [from, to]: [string, string]) {
  const { group, cost_type, currency } = asked;
  const days = new URLSearchParams({ ...Object.fromEntries(filters), from, to });
  const both = new URLSearchParams(days);
  days.delete("cost_type");
  const isByType = group === "cost_type";
  const byGroup = group && !isByType ? [group] : [];
  both.set("group_by", [...byGroup, "cost_type"].join());
  days.set("group_by", [...byGroup, "kind"].join());
  const [spend, engagements] = await Promise.all([
    read<Item>("spend", both),
    read<Item>("engagements", days),
  ]);
  const column: Record<string, string> = {
    link: "link_token",
    partner: "partner_id",
    cost_type: "cost_type",
  };
  const keyOf = (item: Item) => String(group ? (item[column[group] ?? group] ?? "") : "");
  const keys = new Set([...spend, ...(isByType ? [] : engagements)].map(keyOf));
  if (!group) keys.add("");
  return new Map(
    [...keys].map((key) => {
      const costs = spend.filter((item) => keyOf(item) === key);
      const opened = isByType ? engagements : engagements.filter((item) => keyOf(item) === key);
      const type = isByType ? key : cost_type;
      const own = costs.filter((item) => item.currency === currency);
      const cpc = own.filter((item) => item.cost_type === "cpc");
      const money = (items: Item[], name: string) =>
        items.reduce((sum, item) => sum + toUnits(item[name]), 0n);
      const count = (items: Item[], name: string) => items.reduce((sum, item) => sum + Number(item[name]), 0);
      const ofKind = (kind: string) => opened.filter((item) => item.kind === kind);
      const isOther = costs.some((item) => item.currency !== currency);
      const clicks = count(ofKind("click"), "count");
      const matching = (isCpm: boolean) => costs.filter((item) => (item.cost_type === "cpm") === isCpm);
      const withAmount = (items: Item[]) => count(items, "matched") + count(items, "unpriced");
      return [
        key,
        {
          spend: money(own, "spend"),
          clicks: type ? null : clicks,
          impressions: type ? null : count(ofKind("impression"), "count"),
          matched: count(own, "matched"),
          cost_per_click: quotient(
            money(cpc, "spend") - money(cpc, "adjusted"),
            BigInt(count(cpc, "matched")),
          ),
          effective_cost_per_click: type ? null : quotient(money(own, "spend"), BigInt(clicks)),
          coverage:
            type === "cpm" ? null : share(withAmount(matching(false)), count(ofKind("click"), "recorded")),
          impression_coverage:
            type && type !== "cpm"
              ? null
              : share(withAmount(matching(true)), count(ofKind("impression"), "recorded")),
          isOther,
        },
      ];
    }),
  );
}

/** Performance says the same about both periods. Returns the number of its rows. */
export async function comparePerformance(
  asked: PerformanceQuestion,
  tokens: Map<string, string>,
): Promise<number> {
  const { group, days, level, path, partner_id, cost_type, currency } = asked;
  const filters = new URLSearchParams({ level: String(level) });
  if (partner_id) filters.set("partner_id", String(partner_id));
  if (cost_type) filters.set("cost_type", cost_type);
  const token = path && tokens.get(path.join("::"));
  if (path && !token) return 0;
  if (token) filters.set("link", token);
  const [first, last] = [days.from, Math.max(days.from - days.length, 0)];
  const length = first - last + 1;
  const query = new URLSearchParams({
    ...Object.fromEntries(filters),
    from: dateOf(first),
    to: dateOf(last),
    currency,
    limit: "1000",
  });
  if (group) query.set("group_by", group);
  const rows = await read<Item & { previous: Item }>("performance", query);
  const now = await addUp(asked, filters, [dateOf(first), dateOf(last)]);
  const before = await addUp(asked, filters, [dateOf(first + length), dateOf(last + length)]);
  const moved = (key: string) =>
    group === "day" ? new Date(Date.parse(key) - length * DAY).toISOString().slice(0, 10) : key;
  const shown = rows.map((row) =>
    String(
      group ? (row[group === "link" ? "link_token" : group === "partner" ? "partner_id" : group] ?? "") : "",
    ),
  );
  const all = new Set([
    ...now.keys(),
    ...[...before.keys()].map((key) =>
      group === "day" ? new Date(Date.parse(key) + length * DAY).toISOString().slice(0, 10) : key,
    ),
  ]);
  expect(shown.toSorted(), String(query)).toEqual([...all].toSorted());
  for (const [index, key] of shown.entries()) {
    const row = rows[index];
    for (const [actual, expected] of [
      [row, now.get(key)],
      [row?.previous, before.get(moved(key))],
    ] as const) {
      if (!expected) {
        expect(actual, String(query)).toMatchObject({ spend: "0", matched: 0, other_currencies: false });
        continue;
      }
      const {
        spend,
        isOther,
        cost_per_click,
        effective_cost_per_click,
        coverage,
        impression_coverage,
        ...counts
      } = expected;
      expect(actual, String(query)).toMatchObject(counts);
      expect(toUnits(actual?.spend)).toBe(spend);
      // Spend of zero in another currency is none.
      if (!isOther) expect(actual?.other_currencies).toBe(false);
      const effective = actual?.other_currencies ? null : effective_cost_per_click;
      for (const [value, exact] of [
        [actual?.cost_per_click, cost_per_click],
        [actual?.effective_cost_per_click, effective],
        [actual?.coverage, coverage],
        [actual?.impression_coverage, impression_coverage],
      ] as const) {
        if (exact === null) expect(value, String(query)).toBeNull();
        else expect(Number(value)).toBeCloseTo(exact, 6);
      }
    }
  }
  return rows.length;
}
