/**
 * Clicks, impressions and costs of the large app. The ledger has the days whose IDs are remembered, the days before have totals and
 * counts only.
 */

import type { Kind } from "../../../domain/cost-types.ts";
import type { Audience } from "../../../domain/engagements/audience.ts";
import { DAY_MS, dayOf, HOUR_MS, RETENTION_MS } from "../../../domain/time.ts";
import type { DemoRow, Values } from "../rows.ts";
import { LARGE, type Link } from "./links.ts";
import { paidFor, UNITS } from "./partners.ts";

const DAYS = 90;
const DAYS_IN_LEDGER = RETENTION_MS / DAY_MS;
/** Creatives with engagements, of which two thirds have some on a day. */
const ACTIVE_LINKS = 600;
const UNPRICED_SHARE = 0.01;
/** A click has the first of these places in one of two cases, and so on. */
const PLACES: Audience[] = [
  { country: "DE", platform: "ios" },
  { country: "US", platform: "android" },
  { country: "JP", platform: "ios" },
  { country: "SA", platform: "android" },
  { country: "XX", platform: "other" },
];
interface Active {
  link: Link;
  /** How many clicks it has, in comparison with the others. */
  weight: number;
}

/** Clicks, impressions and costs of the links that are active on each day. */
export function createActivity(links: Link[], now: number): DemoRow[] {
  const random = createRandom();
  const rows: Record<"entries" | "totals" | "counts" | "audience" | "spend", DemoRow[]> = {
    ...{ entries: [], totals: [], counts: [], audience: [], spend: [] },
  };
  const active = findActive(links);
  const take = createTaker();
  for (let daysAgo = DAYS - 1; daysAgo >= 0; daysAgo--) {
    const day = dayOf(now) - daysAgo;
    const length = Math.min(now - day * DAY_MS, DAY_MS);
    const season = 1 + 0.3 * Math.sin((day % 7) * 0.9) + (DAYS - daysAgo) / 200;
    for (const { link, weight } of active) {
      if (link.level === 4 && random() > 0.64) continue;
      const { partner } = link;
      const scale = weight * season * (length / DAY_MS);
      const key = { app_token: LARGE.appToken, day, link_id: link.id, partner_id: partner?.id ?? 0 };
      /** By place. */
      const recorded = { click: PLACES.map(() => 0), impression: PLACES.map(() => 0) };
      /** Records an engagement, in the ledger if its ID is remembered. Returns the place. */
      const record = (kind: Kind, cost: Values): number => {
        const place = pickPlace(random);
        recorded[kind][place] = (recorded[kind][place] ?? 0) + 1;
        if (daysAgo >= DAYS_IN_LEDGER) return place;
        const at = day * DAY_MS + Math.floor(random() * length);
        const received_at = cost.tag ? Math.min(at + Math.floor(random() * 6 * HOUR_MS), now) : null;
        const cost_id = `atlas-${String(rows.entries.length).padStart(9, "0")}`;
        const values = { ...engagement(kind, key, PLACES[place], at), cost_id, ...cost, received_at };
        rows.entries.push({ table: "ledger_entries", values });
        return place;
      };
      for (const { cost_type, kind, currency, average, share, freeShare } of paidFor(partner, daysAgo)) {
        if (random() > share) continue;
        const digits = currency === "JPY" ? 1 : 100;
        const sent = Math.max(1, Math.round(scale * share * (0.4 + random())));
        const unpriced = cost_type === "cpc" ? take(`unpriced ${partner?.id}`, sent * UNPRICED_SHARE) : 0;
        const spent = { matched: PLACES.map(none), unpriced: PLACES.map(none) };
        for (let index = 0; index < sent; index++) {
          const price = average * (0.6 + 0.8 * random());
          const isPriced = index >= unpriced;
          const amount = isPriced ? Math.max(1, Math.round(price * digits)) * (UNITS / digits) : null;
          const place = record(kind, { cost_type, currency, amount, tag: "demo" });
          const sum = spent[isPriced ? "matched" : "unpriced"][place] ?? none();
          sum.count++;
          sum.amount += amount ?? 0;
        }
        // Some have no cost.
        const free = { cost_type: null, currency: null, amount: null, tag: null };
        for (let left = take(`free ${partner?.id} ${kind}`, sent * freeShare); left > 0; left--)
          record(kind, free);
        // A trigger adds up those in the ledger.
        if (daysAgo < DAYS_IN_LEDGER) continue;
        for (const [state, places] of Object.entries(spent)) {
          const total = { ...key, cost_type, currency, state };
          const sum = { count: sumOf(places, "count"), amount: sumOf(places, "amount") };
          if (sum.count > 0) rows.totals.push({ table: "daily_totals", values: { ...total, ...sum } });
          for (const [index, { count, amount }] of places.entries())
            if (count > 0)
              rows.spend.push({
                table: "daily_audience_spend",
                values: { ...total, count, amount, ...PLACES[index] },
              });
        }
      }
      const others = {
        click: Math.round(scale * (1 + random() / 3)) - add(recorded.click),
        impression: Math.round(scale * 12 * random()),
      };
      for (const kind of ["click", "impression"] as const) {
        const left = Math.max(0, others[kind]);
        const all = add(recorded[kind]);
        const counted = { ...key, kind, count: all + left, recorded: all };
        if (counted.count > 0) rows.counts.push({ table: "daily_engagements", values: counted });
        for (const [index, other] of split(left).entries()) {
          const some = recorded[kind][index] ?? 0;
          const values = { ...key, kind, count: some + other, recorded: some, ...PLACES[index] };
          if (values.count > 0) rows.audience.push({ table: "daily_audience", values });
        }
      }
    }
  }
  // Rows with the same columns follow each other, so that they are inserted together.
  const groupOf = ({ values }: DemoRow) => Number("impression_at" in values);
  const entries = rows.entries.sort((one, other) => groupOf(one) - groupOf(other));
  return [...rows.counts, ...rows.totals, ...rows.audience, ...rows.spend, ...entries];
}

const none = () => ({ count: 0, amount: 0 });
const add = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
const sumOf = (sums: ReturnType<typeof none>[], name: "count" | "amount") =>
  add(sums.map((sum) => sum[name]));

/** All networks, and creatives of all campaigns. Few links have most of the clicks. */
function findActive(links: Link[]): Active[] {
  const creatives = links.filter(({ level }) => level === 4);
  const step = Math.floor(creatives.length / ACTIVE_LINKS);
  return [
    ...links.filter(({ level }) => level === 1).map((link) => ({ link, weight: 12 })),
    ...Array.from({ length: ACTIVE_LINKS }, (_, index) => ({
      link: creatives[index * step] as Link,
      weight: 1.5 + 30 / (1 + (index % 97)),
    })),
  ];
}

function engagement(kind: Kind, key: Values, place: Audience | undefined, at: number): Values {
  return {
    partner_id: key.partner_id ?? null,
    [`${kind}_app_token`]: LARGE.appToken,
    [`${kind}_link_id`]: key.link_id ?? null,
    [`${kind}_at`]: at,
    [`${kind}_cost_data_on`]: 1,
    ...(place && { [`${kind}_country`]: place.country, [`${kind}_platform`]: place.platform }),
  };
}

/** The position of a place. Each is half as often as the one before it. */
const pickPlace = (random: () => number): number =>
  Math.min(Math.floor(-Math.log2(random())), PLACES.length - 1);

/** Splits a number of engagements over the places, each half of what the ones before it leave. */
function split(count: number): number[] {
  let left = count;
  return PLACES.map((_, index) => {
    const some = index === PLACES.length - 1 ? left : Math.ceil(left / 2);
    left -= some;
    return some;
  });
}

/** Takes whole ones of parts, by a name: what is left counts for the next time, so shares are exact whatever the numbers are. */
function createTaker(): (name: string, part: number) => number {
  const left = new Map<string, number>();
  return (name, part) => {
    const sum = (left.get(name) ?? 0) + part;
    left.set(name, sum % 1);
    return Math.floor(sum);
  };
}

/** A generator of numbers between 0 and 1 that gives the same ones each time (Park and Miller). */
function createRandom(): () => number {
  let state = 20_261;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
