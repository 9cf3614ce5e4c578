/**
 * The demo's links below and beside the first ones, and 30 days of spend and of clicks and impressions, so that every report has
 * something to show. IDs are forgotten after a time, so only the last days have rows in the ledger; the others have only totals.
 */

import type { CostType, Kind } from "../domain/cost-types.ts";
import type { Platform } from "../domain/engagements/audience.ts";
import { DAY_MS, dayOf, HOUR_MS, RETENTION_MS } from "../domain/time.ts";
import type { DemoRow, Values } from "./demo-rows.ts";

const DAYS = 30;
const DAYS_IN_LEDGER = RETENTION_MS / DAY_MS;

/** A link: its ID, name, parent, level, and the days since a click created it; 0 for one that a user created. */
type Link = [id: number, label: string, parent: number, level: number, createdByClick: number];
export const MORE_LINKS: Link[] = [
  [10, "Brand search", 1, 2, 0],
  [11, "Exact match", 10, 3, 0],
  [12, "Retargeting", 1, 2, 0],
  [13, "Launch week", 1, 2, 9],
  [14, "Lookalike 1%", 13, 3, 9],
];

/** What is spent: the link, the kind of engagement, the cost, and its average amount in units of 0.00001. */
type Spending = [linkId: number, kind: Kind, costType: CostType, currency: string, amount: number];
/** The first four have a cost every day, the others every second day. */
const SPENDING: Spending[] = [
  [1, "click", "cpc", "USD", 40_000],
  [2, "click", "cpc", "EUR", 35_000],
  [3, "click", "cpi", "USD", 120_000],
  [1, "impression", "cpm", "USD", 450_000],
  [4, "click", "cpc", "USD", 55_000],
  [5, "click", "cpe", "EUR", 210_000],
  [10, "click", "cpc", "USD", 90_000],
  [11, "click", "cpc", "USD", 75_000],
  [12, "click", "cpi", "EUR", 160_000],
  [13, "click", "cpc", "USD", 48_000],
  [14, "click", "cpc", "USD", 62_000],
];

/** Where people are, with the part of the clicks and impressions of each. What is left is of the first. */
const AUDIENCE: [country: string, platform: Platform, part: number][] = [
  ["US", "ios", 0.34],
  ["US", "android", 0.17],
  ["DE", "android", 0.14],
  ["GB", "ios", 0.1],
  ["BR", "android", 0.09],
  ["FR", "ios", 0.07],
  ["JP", "ios", 0.05],
  ["XX", "other", 0.04],
];
/** Where the person of a cost is. */
const audienceOf = (daysAgo: number, index: number): { country: string; platform: Platform } => {
  const [country, platform] = AUDIENCE[(daysAgo * 3 + index) % AUDIENCE.length] ?? ["XX", "other"];
  return { country, platform };
};

const createdByClick = (linkId: number) => MORE_LINKS.find(([id]) => id === linkId)?.[4] || DAYS;

/** The costs of a day, each with its position in SPENDING. `daysAgo` is 0 for today. */
const spentOn = (daysAgo: number) =>
  SPENDING.map((spending, index) => ({ spending, index })).filter(
    ({ spending: [linkId], index }) =>
      daysAgo < createdByClick(linkId) && (index < 4 || (index + daysAgo) % 2 === 0),
  );
const vary = (average: number, daysAgo: number, index: number) =>
  Math.round(average * (0.7 + ((daysAgo * 7 + index * 13) % 30) / 50));

/** The columns of `ledger_entries` for the costs of the last days, and the totals of the days before. */
export function demoSpend(
  now: number,
  appToken: string,
): { entries: Values[]; totals: DemoRow[]; audience: DemoRow[] } {
  const entries: Values[] = [];
  const totals: DemoRow[] = [];
  const audience: DemoRow[] = [];
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo--) {
    for (const { spending, index } of spentOn(daysAgo)) {
      const [linkId, kind, cost_type, currency, average] = spending;
      const amount = vary(average, daysAgo, index);
      if (daysAgo >= DAYS_IN_LEDGER) {
        const day = dayOf(now) - daysAgo;
        const key = { app_token: appToken, day, link_id: linkId, partner_id: 1, cost_type, currency };
        const total = { ...key, state: "matched", count: 1, amount };
        totals.push({ table: "daily_totals", values: total });
        audience.push({ table: "daily_audience_spend", values: { ...total, ...audienceOf(daysAgo, index) } });
        continue;
      }
      // Soon after midnight, an hour earlier is the day before, and the totals have that day already.
      const oldest = (dayOf(now) - DAYS_IN_LEDGER + 1) * DAY_MS;
      const { country, platform } = audienceOf(daysAgo, index);
      const at = Math.max(now - daysAgo * DAY_MS - index * HOUR_MS - 60_000, oldest);
      entries.push({
        partner_id: 1,
        cost_id: `demo-spend-${String(daysAgo).padStart(2, "0")}-${index}`,
        [`${kind}_app_token`]: appToken,
        [`${kind}_link_id`]: linkId,
        [`${kind}_at`]: at,
        [`${kind}_cost_data_on`]: 1,
        [`${kind}_country`]: country,
        [`${kind}_platform`]: platform,
        cost_type,
        currency,
        amount,
        tag: "demo",
        received_at: at + 60_000,
      });
    }
  }
  return { entries, totals, audience };
}

/** Clicks and impressions without a cost ID: the link, its partner (0 for none), and the average number on a day. */
const COUNTED: [linkId: number, partnerId: number, clicks: number, impressions: number][] = [
  [1, 1, 60, 900],
  [2, 1, 35, 0],
  [3, 1, 28, 0],
  [4, 1, 22, 300],
  [5, 1, 18, 260],
  [6, 2, 75, 1_200],
  [7, 3, 12, 0],
  [8, 0, 40, 0],
  [10, 1, 50, 0],
  [11, 1, 30, 0],
  [12, 1, 25, 400],
  [13, 1, 45, 0],
  [14, 1, 33, 0],
];

type Count = Values & { count: number; recorded: number };

/**
 * The counts of 30 days, also by country and platform: those of COUNTED, of the spend, and of the engagements in `entries`, which are
 * rows of the ledger.
 */
export function demoCounts(now: number, appToken: string, entries: Values[]): DemoRow[] {
  const counts = new Map<string, Count>();
  const audience = new Map<string, Count>();
  const addTo = (sums: Map<string, Count>, key: Values, count: number, recorded: number) => {
    const sum = sums.get(JSON.stringify(key)) ?? { count: 0, recorded: 0 };
    sums.set(JSON.stringify(key), { ...key, count: sum.count + count, recorded: sum.recorded + recorded });
  };
  const keyOf = (day: number, linkId: number, partnerId: number, kind: Kind) => ({
    ...{ app_token: appToken, day, link_id: linkId, partner_id: partnerId, kind },
  });
  const add = (key: Values, count: number) => {
    addTo(counts, key, count, 0);
    let left = count;
    for (const [country, platform, part] of AUDIENCE.toReversed()) {
      const some = country === "US" && platform === "ios" ? left : Math.floor(count * part);
      left -= some;
      if (some > 0) addTo(audience, { ...key, country, platform }, some, 0);
    }
  };
  const addRecorded = (key: Values, country: string | number | null, platform: string | number | null) => {
    addTo(counts, key, 1, 1);
    if (country != null) addTo(audience, { ...key, country, platform: platform ?? "other" }, 1, 1);
  };
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo--) {
    const day = dayOf(now) - daysAgo;
    for (const [linkId, partnerId, clicks, impressions] of COUNTED) {
      if (daysAgo >= createdByClick(linkId)) continue;
      add(keyOf(day, linkId, partnerId, "click"), vary(clicks, daysAgo, linkId));
      if (impressions > 0)
        add(keyOf(day, linkId, partnerId, "impression"), vary(impressions, daysAgo, linkId));
    }
    if (daysAgo < DAYS_IN_LEDGER) continue;
    for (const { spending, index } of spentOn(daysAgo)) {
      const { country, platform } = audienceOf(daysAgo, index);
      addRecorded(keyOf(day, spending[0], 1, spending[1]), country, platform);
    }
  }
  for (const entry of entries) {
    for (const kind of ["click", "impression"] as const) {
      const at = entry[`${kind}_at`];
      if (at == null) continue;
      const key = keyOf(dayOf(Number(at)), Number(entry[`${kind}_link_id`]), Number(entry.partner_id), kind);
      addRecorded(key, entry[`${kind}_country`] ?? null, entry[`${kind}_platform`] ?? null);
    }
  }
  return [
    ...[...counts.values()].map((values) => ({ table: "daily_engagements", values })),
    ...[...audience.values()].map((values) => ({ table: "daily_audience", values })),
  ];
}
