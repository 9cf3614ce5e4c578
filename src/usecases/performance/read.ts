/** Reads the performance report of an app: what its groups cost in some days, and in as many days before. */
import type { AppAccess, Viewer } from "../../db/accounts/viewers.ts";
import { sumDays } from "../../db/ledger/reports/add-up.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { type FilterLink, readSums } from "../../db/ledger/reports/sums.ts";
import type { Ledger } from "../../db/ledger/shards.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { type Batch, type NamedRows, TooLargeError } from "../../db/statement.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { GROUPS, type PerformanceGroup } from "../../domain/figures/groups.ts";
import { currenciesOf, type Figures } from "../../domain/figures/performance.ts";
import { COST_WINDOW_MS, DAY_MS, type DayRange, dayOf, firstOpenDay } from "../../domain/time.ts";
import { checkAudienceDays, completeDays, type GivenDays, tooManyRows } from "../reports.ts";
import { type Daily, lastCostOf, toCourses, toDaily } from "./daily.ts";
import { type AnySum, type BothSums, type PerformanceRow, toRows, toTotal } from "./rows.ts";

export interface PerformanceQuery {
  currency?: string | undefined;
  group_by?: PerformanceGroup | undefined;
  level?: number | undefined;
  link?: string | undefined;
  /** Only what is recorded on the link of the filter itself. */
  direct?: "1" | undefined;
  partner_id?: number | undefined;
  cost_type?: CostType | undefined;
  country?: string | undefined;
  platform?: string | undefined;
}

export interface PerformanceRequest {
  /** Whether to read what there is while shards don't answer. */
  isPartialAllowed?: boolean;
  /** For a page: whether to read the newest days that fit if there is too much. */
  canBeCut?: boolean;
  /** Whether the total is enough if there are too many rows. A page says so. */
  isTotalEnough?: boolean;
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
  /** The days before were not read, and perhaps not the first days either: there is too much. */
  isCut: boolean;
  /** There are too many rows of the group to read them, so there is only the total. */
  isTooMany: boolean;
  /** By link, the rows of another level. */
  rowsAt: (level: number) => PerformanceRow[];
  /** The total of some of the rows. */
  totalOf: (rows: PerformanceRow[]) => PerformanceRow;
  /** Rows of another group, which all reports have, of all sums or of those that are asked for. */
  rowsBy: (group: "partner" | "cost_type", isOf?: (sum: AnySum) => boolean) => PerformanceRow[];
  /** If the figures by day were asked for: the last day with a cost of a partner. */
  lastCost: (partnerId: number) => number | undefined;
  /** The figures by day of everything, and of these rows, if they were asked for; or of so many days that end with each. */
  daily: (rows: PerformanceRow[], span?: number) => Daily;
  /** The course of a figure for these rows, for links of this level, in these days of the period. */
  courses: (
    rows: PerformanceRow[],
    of: (figures: Figures) => bigint | null,
    level?: number,
    days?: DayRange,
  ) => Map<string, (bigint | null)[]>;
}

export const DEFAULT_LEVEL = 2;

/** Reads the report, see `readSums`. Throws invalid_request for too many rows, and TooLargeError, unless it can be cut. */
export async function readPerformance<More extends Batch = Record<never, never>>(
  ledger: Ledger,
  viewer: Viewer,
  request: PerformanceRequest,
  more?: More,
): Promise<Performance & { more: NamedRows<More> }> {
  const {
    appToken,
    days: asked,
    query,
    isPartialAllowed = false,
    isDaily = false,
    canBeCut = false,
    isTotalEnough = canBeCut,
  } = request;
  const {
    group_by: group,
    link,
    direct,
    partner_id: partnerId,
    cost_type: costType,
    country,
    platform,
  } = query;
  checkAudienceDays({ ...query, groups: group ? [group] : [] }, asked);
  const before = { from: asked.from - (asked.to - asked.from + 1), to: asked.from - 1 };
  const by = group && GROUPS[group].sumsBy;
  // Always by partner, costs by their type, and engagements by their kind.
  const groups =
    by === undefined || by === "cost_type" || by === "partner"
      ? (["partner"] as const)
      : ([by, "partner"] as const);
  const spend = [...groups, "cost_type"] as const;
  const engagements = [...groups, "kind"] as const;
  const found = await readSums(
    ledger,
    {
      whose: { viewer, appToken },
      filters: { link, direct, partnerId, costType, country, platform },
      parts: {
        spend: { report: "spend", ...asked, groups: spend },
        engagements: { report: "engagements", ...asked, groups: engagements },
        spendBefore: { report: "spend", ...before, groups: spend },
        engagementsBefore: { report: "engagements", ...before, groups: engagements },
      },
      hasSeries: isDaily,
      isPartialAllowed,
      canBeCut,
    },
    more,
  ).catch((error) => {
    // Half of the days that fit are those before.
    throw error instanceof TooLargeError && error.days
      ? new TooLargeError(Math.floor(error.days / 2))
      : error;
  });
  const isTooMany = PARTS.some(found.isTooMany);
  if (isTooMany && !isTotalEnough) throw tooManyRows();
  // There are too many rows of one day: the total has no rows.
  if (isTooMany)
    return {
      ...(await readPerformance(
        ledger,
        viewer,
        { ...request, query: { ...query, group_by: undefined } },
        more,
      )),
      group,
      rows: [],
      isTooMany,
    };
  const now = { from: Math.max(asked.from, found.from), to: asked.to };
  // Of the days before, all count or none.
  const isCut = found.from > before.from;
  const { partners } = found;
  const sumsAt = (level: number): BothSums => ({
    now: { spend: found.rowsOf("spend", level), engagements: found.rowsOf("engagements", level) },
    before: isCut
      ? { spend: [], engagements: [] }
      : { spend: found.rowsOf("spendBefore", level), engagements: found.rowsOf("engagementsBefore", level) },
  });
  const seriesAt = once((level: number) => ({
    now: { spend: found.seriesOf("spend", level), engagements: found.seriesOf("engagements", level) },
    before: isCut
      ? { spend: [], engagements: [] }
      : {
          spend: found.seriesOf("spendBefore", level),
          engagements: found.seriesOf("engagementsBefore", level),
        },
  }));
  const costsAt = once((level) => {
    const { now, before } = seriesAt(level);
    return Map.groupBy([...now.spend, ...before.spend], ({ partnerId }) => partnerId);
  });
  const level = query.level ?? DEFAULT_LEVEL;
  const sums = sumsAt(level);
  const currencies = currenciesOf(sums.now.spend, sums.before.spend);
  const currency = query.currency ?? currencies[0] ?? null;
  const scope = { currency, costType, now, partners };
  const [total] = toRows(sums, { ...scope, group: undefined }) as [PerformanceRow];
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
    isCut,
    isTooMany: false,
    rowsAt: (level) => toRows(sumsAt(level), { ...scope, group }),
    totalOf: (rows) => toTotal(sums, { ...scope, group }, rows),
    rowsBy: (group, isOf) => toRows(sums, { ...scope, group }, isOf),
    lastCost: (partnerId) =>
      lastCostOf(
        partnerId,
        sumDays("spend", costsAt(level).get(partnerId) ?? []) as unknown as ReportRow<"spend">[],
      ),
    daily: (rows, span) => toDaily(seriesAt(level), { now, rows, group, currency, costType }, span),
    courses: (rows, of, at = level, days = now) =>
      toCourses(seriesAt(at).now, { now: days, rows, group, currency, costType }, of),
    total,
    more: found.more,
  };
}

/** A function of a level that keeps its results, which several parts of a page ask for. */
function once<T>(of: (level: number) => T): (level: number) => T {
  const found = new Map<number, T>();
  return (level) => {
    const value = found.get(level) ?? of(level);
    found.set(level, value);
    return value;
  };
}

const PARTS = ["spend", "engagements", "spendBefore", "engagementsBefore"] as const;

/** The last day on which costs for the days can arrive. */
export const lastArrival = ({ to }: Pick<DayRange, "to">) => to + COST_WINDOW_MS / DAY_MS;
export const isFinal = ({ to }: Pick<DayRange, "to">, now: number) => to < firstOpenDay(dayOf(now));

const DEFAULT_DAYS = 7;

/** The days of a query: by default 7, up to yesterday. Throws invalid_request for days that are no period. */
export const toDays = (query: GivenDays, now: number): DayRange =>
  completeDays(query, { days: DEFAULT_DAYS, to: dayOf(now) - 1, name: "yesterday" });
