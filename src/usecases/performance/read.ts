/** Reads the performance report of an app: what its groups cost in some days, and in as many days before. */
import type { AppAccess, Viewer } from "../../db/accounts/viewers.ts";
import { findPerformance } from "../../db/ledger/reports/performance.ts";
import type { FilterLink } from "../../db/ledger/reports/reports.ts";
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import type { Ledger } from "../../db/ledger/shards.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { Bound, Rows } from "../../db/statement.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { currenciesOf } from "../../domain/figures/performance.ts";
import { COST_WINDOW_MS, DAY_MS, dayOf } from "../../domain/time.ts";
import type { PerformanceGroup } from "../../http/input/report-fields.ts";
import { checkAudienceDays, completeDays, type GivenDays, tooManyRows } from "../reports.ts";
import { type Daily, toDaily } from "./daily.ts";
import { type PerformanceRow, toRows } from "./rows.ts";

export interface PerformanceQuery {
  currency?: string | undefined;
  group_by?: PerformanceGroup | undefined;
  level?: number | undefined;
  link?: string | undefined;
  partner_id?: number | undefined;
  cost_type?: CostType | undefined;
  country?: string | undefined;
  platform?: string | undefined;
}

export interface PerformanceRequest {
  /** Whether to read what there is while shards don't answer. */
  isPartialAllowed?: boolean;
  /** Whether to read the figures by day too. */
  isDaily?: boolean;
  appToken: string;
  days: DayRange;
  query: PerformanceQuery;
}

export interface Performance {
  /** Undefined, or without an app, if the viewer may not see the app. There are no rows then. */
  access: AppAccess | undefined;
  /** The link of the filter; undefined if the app does not have it. There are no rows then. */
  link: FilterLink | undefined;
  partners: Partners;
  group: PerformanceGroup | undefined;
  now: DayRange;
  before: DayRange;
  /** Null if there is no cost, so no currency, in either period. */
  currency: string | null;
  /** All currencies of both periods, the one with the most matched costs of the period first. */
  currencies: string[];
  /** In any order. */
  rows: PerformanceRow[];
  total: PerformanceRow;
  /** A shard did not answer, so its costs and clicks are missing. */
  isPartial: boolean;
  /** By link, the rows of another level. */
  rowsAt: (level: number) => PerformanceRow[];
  /** The figures by day of everything, and of these rows, if they were asked for. */
  daily: (rows: PerformanceRow[]) => Daily;
}

export const DEFAULT_LEVEL = 2;

/** Reads the report in one call, see `findPerformance`. Throws invalid_request for too many rows. */
export async function readPerformance<More extends Bound<unknown>[] = []>(
  ledger: Ledger,
  viewer: Viewer,
  { appToken, days: now, query, isPartialAllowed = false, isDaily = false }: PerformanceRequest,
  ...more: More
): Promise<Performance & { more: Rows<More> }> {
  const { group_by: group, link, partner_id: partnerId, cost_type: costType, country, platform } = query;
  checkAudienceDays({ ...query, groups: group ? [group] : [] }, now);
  const before = { from: now.from - (now.to - now.from + 1), to: now.from - 1 };
  // Weeks are added up from days.
  const filter = {
    before,
    now,
    group: group === "week" ? ("day" as const) : group,
    link,
    partnerId,
    costType,
    country,
    platform,
    isPartialAllowed,
    hasSeries: isDaily,
  };
  const found = await findPerformance(ledger, viewer, appToken, filter, ...more);
  if (!found.sumsAt) throw tooManyRows();
  const { sumsAt, partners } = found;
  const level = query.level ?? DEFAULT_LEVEL;
  const sums = sumsAt(level);
  const currencies = currenciesOf(sums.now.spend, sums.before.spend);
  const currency = query.currency ?? currencies[0] ?? null;
  const scope = { currency, costType, now, partners };
  const [total] = toRows(sums, { ...scope, group: undefined });
  return {
    access: found.access,
    link: found.link,
    partners,
    group,
    now,
    before,
    currency,
    currencies,
    rows: toRows(sums, { ...scope, group }),
    isPartial: found.isPartial,
    rowsAt: (level) => toRows(sumsAt(level), { ...scope, group }),
    daily: (rows) => toDaily(found.seriesAt(level), { now, rows, group, currency, costType }),
    total: total as PerformanceRow,
    more: found.more,
  };
}

/** The last day on which costs for the days can arrive: a cost arrives at most one window after its engagement. */
export const lastArrival = ({ to }: Pick<DayRange, "to">) => to + COST_WINDOW_MS / DAY_MS;
export const isFinal = (days: Pick<DayRange, "to">, now: number) => dayOf(now) > lastArrival(days);

const DEFAULT_DAYS = 7;

/** The days of a query: by default 7, up to yesterday. Throws invalid_request for days that are no period. */
export const toDays = (query: GivenDays, now: number): DayRange =>
  completeDays(query, { days: DEFAULT_DAYS, to: dayOf(now) - 1, name: "yesterday" });
