/**
 * The demo's links below and beside the first ones, and 30 days of spend and of clicks and impressions, so that every report has
 * something to show. IDs are forgotten after a time, so only the last days have rows in the ledger; the others have only totals.
 */

import type { CostType, Kind } from "../../domain/cost-types.ts";
import { type Platform, UNKNOWN_COUNTRY, UNKNOWN_PLATFORM } from "../../domain/engagements/audience.ts";
import { DAY_MS, dayOf, HOUR_MS, RETENTION_MS } from "../../domain/time.ts";
import { type DemoRow, Sums, type Values } from "./rows.ts";

const DAYS = 30;
const DAYS_IN_LEDGER = RETENTION_MS / DAY_MS;

/** A link: its ID, name, parent, level, its own partner, and the days since a click created it; 0 for one that a user created. */
type Link = [
  id: number,
  label: string,
  parent: number | null,
  level: number,
  partnerId: number | null,
  createdByClick: number,
];
export const MORE_LINKS: Link[] = [
  [10, "Brand search", 1, 2, null, 0],
  [11, "Exact match", 10, 3, null, 0],
  [12, "Retargeting", 1, 2, null, 0],
  [13, "Launch week", 1, 2, null, 9],
  [14, "Lookalike 1%", 13, 3, null, 9],
  [15, "Delta", null, 1, 4, 0],
  [16, "Echo", null, 1, 5, 0],
  [17, "Podcasts", 16, 2, null, 0],
];
/** The targets of two of them. "Podcasts" inherits that of "Echo". */
export const TARGETS: Partial<Record<number, string>> = {
  12: "https://shop.example.com/sale?campaign={campaign}&click={cost_id}",
  16: "https://example.com/listen?from={link_token}",
};
/** Days since partner 4 was stopped. */
export const STOPPED_DAYS = 3;

/** What is spent: the link, the kind of engagement, the cost, its average amount in units of 0.00001, and the costs of a day. */
type Spending = [
  linkId: number,
  kind: Kind,
  costType: CostType,
  currency: string,
  amount: number,
  count: number,
];
/** The first four have costs every day, the others every second day. */
const SPENDING: Spending[] = [
  [1, "click", "cpc", "USD", 52_000, 4],
  [1, "click", "cpc", "EUR", 45_000, 3],
  [3, "click", "cpi", "USD", 420_000, 3],
  [1, "impression", "cpm", "USD", 650_000, 1],
  [4, "click", "cpc", "USD", 72_000, 3],
  [5, "click", "cpe", "EUR", 1_250_000, 2],
  [10, "click", "cpc", "USD", 98_000, 3],
  [11, "click", "cpc", "USD", 85_000, 2],
  [12, "click", "cpi", "EUR", 390_000, 3],
  [13, "click", "cpc", "USD", 48_000, 3],
  [14, "click", "cpc", "USD", 62_000, 3],
  [15, "click", "cpi", "USD", 360_000, 2],
  [16, "click", "cpc", "EUR", 38_000, 4],
  [17, "click", "cpi", "EUR", 410_000, 3],
];
const partnerOf = (linkId: number): number => {
  const link = MORE_LINKS.find(([id]) => id === linkId);
  return link?.[4] ?? (link?.[2] ? partnerOf(link[2]) : 1);
};

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

const createdByClick = (linkId: number) => MORE_LINKS.find(([id]) => id === linkId)?.[5] || DAYS;

/** A cost of a day, with its position in SPENDING and among those of its kind on the day. */
interface Spent {
  spending: Spending;
  index: number;
  number: number;
  /** Units of 0.00001, whole cents. */
  amount: number;
}

/** The costs of a day. `daysAgo` is 0 for today. */
const spentOn = (daysAgo: number): Spent[] =>
  SPENDING.flatMap((spending, index) => {
    const [linkId, , , , average, count] = spending;
    if (daysAgo >= createdByClick(linkId)) return [];
    if (partnerOf(linkId) === 4 && daysAgo <= STOPPED_DAYS) return [];
    if (index >= 4 && (index + daysAgo) % 2 > 0) return [];
    return Array.from({ length: count }, (_, number) => {
      const amount = Math.round(vary(average, daysAgo, index + 5 * number) / 1_000) * 1_000;
      return { spending, index, number, amount };
    });
  });
const vary = (average: number, daysAgo: number, index: number) =>
  Math.round(average * (0.7 + ((daysAgo * 7 + index * 13) % 30) / 50));

/** The columns of `ledger_entries` for the costs of the last days, and the totals of the days before. */
export function demoSpend(
  now: number,
  appToken: string,
): { entries: Values[]; totals: DemoRow[]; audience: DemoRow[] } {
  const entries: Values[] = [];
  const totals = new Sums();
  const audience = new Sums();
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo--) {
    for (const { spending, index, number, amount } of spentOn(daysAgo)) {
      const [linkId, kind, cost_type, currency] = spending;
      const partner_id = partnerOf(linkId);
      const { country, platform } = audienceOf(daysAgo, index + number);
      if (daysAgo >= DAYS_IN_LEDGER) {
        const day = dayOf(now) - daysAgo;
        const key = { app_token: appToken, day, link_id: linkId, partner_id, cost_type, currency };
        totals.add({ ...key, state: "matched" }, { count: 1, amount });
        audience.add({ ...key, state: "matched", country, platform }, { count: 1, amount });
        continue;
      }
      // Soon after midnight, an hour earlier is the day before, and the totals have that day already.
      const oldest = (dayOf(now) - DAYS_IN_LEDGER + 1) * DAY_MS;
      const at = Math.max(now - daysAgo * DAY_MS - index * HOUR_MS - (1 + 7 * number) * 60_000, oldest);
      entries.push({
        partner_id,
        cost_id: `demo-spend-${String(daysAgo).padStart(2, "0")}-${index}${number > 0 ? `-${number}` : ""}`,
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
  return { entries, totals: totals.rows("daily_totals"), audience: audience.rows("daily_audience_spend") };
}

/**
 * Clicks and impressions without a cost ID: the link, its partner (0 for none), and the average number on a day. Fewer than those with
 * one, so that clicks, coverage, spend and the cost per click agree.
 */
const COUNTED: [linkId: number, partnerId: number, clicks: number, impressions: number][] = [
  [1, 1, 1.4, 4],
  [2, 1, 1, 0],
  [3, 1, 1, 0],
  [4, 1, 0.6, 1],
  [5, 1, 0.6, 1],
  [6, 2, 6, 90],
  [7, 3, 2, 0],
  [8, 0, 4, 0],
  [10, 1, 0.8, 0],
  [11, 1, 0.6, 0],
  [12, 1, 0.8, 1],
  [13, 1, 0.8, 0],
  [14, 1, 0.6, 0],
  [15, 4, 0.6, 0],
  [16, 5, 2, 0],
  [17, 5, 0.8, 0],
];
/** Fewer than these are not worth a row of their own country. */
const FEW = 3;

/**
 * The counts of 30 days, also by country and platform: those of COUNTED, of the spend, and of the engagements in `entries`, which are
 * rows of the ledger.
 */
export function demoCounts(now: number, appToken: string, entries: Values[]): DemoRow[] {
  const counts = new Sums();
  const audience = new Sums();
  const keyOf = (day: number, linkId: number, partnerId: number, kind: Kind) => ({
    ...{ app_token: appToken, day, link_id: linkId, partner_id: partnerId, kind },
  });
  const add = (key: Values, count: number) => {
    if (count === 0) return;
    counts.add(key, { count, recorded: 0 });
    let left = count;
    for (const [country, platform, part] of AUDIENCE.toReversed()) {
      const some = country === "US" && platform === "ios" ? left : Math.floor(count * part);
      if (some < FEW && left > some) continue;
      left -= some;
      audience.add({ ...key, country, platform }, { count: some, recorded: 0 });
    }
  };
  const addRecorded = (key: Values, country: string | number | null, platform: string | number | null) => {
    const one = { count: 1, recorded: 1 };
    counts.add(key, one);
    audience.add(
      { ...key, country: country ?? UNKNOWN_COUNTRY, platform: platform ?? UNKNOWN_PLATFORM },
      one,
    );
  };
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo--) {
    const day = dayOf(now) - daysAgo;
    for (const [linkId, partnerId, clicks, impressions] of COUNTED) {
      if (daysAgo >= createdByClick(linkId)) continue;
      add(keyOf(day, linkId, partnerId, "click"), vary(clicks, daysAgo, linkId));
      add(keyOf(day, linkId, partnerId, "impression"), vary(impressions, daysAgo, linkId));
    }
    if (daysAgo < DAYS_IN_LEDGER) continue;
    for (const { spending, index, number } of spentOn(daysAgo)) {
      const [linkId, kind] = spending;
      const { country, platform } = audienceOf(daysAgo, index + number);
      addRecorded(keyOf(day, linkId, partnerOf(linkId), kind), country, platform);
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
  return [...counts.rows("daily_engagements"), ...audience.rows("daily_audience")];
}
