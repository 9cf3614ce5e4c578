/** Why spend differs from that of the days before: its parts, what changed most, and what happened. */
import type { Viewer } from "../../db/accounts/viewers.ts";
import { findRejectionsInApp, findRejectionsInShards } from "../../db/ledger/rejections.ts";
import { findAdjustments } from "../../db/ledger/reports/adjustments.ts";
import { findEvents } from "../../db/ledger/reports/events.ts";
import type { Ledger } from "../../db/ledger/shards.ts";
import { COST_TYPE, type CostType, KINDS } from "../../domain/cost-types.ts";
import type { Event, ShownEvent } from "../../domain/events.ts";
import { type Change, splitChange } from "../../domain/figures/change.ts";
import { type Figures, isInOtherCurrencies, MIN_CLICKS } from "../../domain/figures/performance.ts";
import { type DayRange, dayOf } from "../../domain/time.ts";
import { type EventRows, silentDay, toEvents, withStates } from "../events.ts";
import {
  DEFAULT_LEVEL,
  type Performance,
  type PerformanceQuery,
  type PerformanceRequest,
  readPerformance,
} from "./read.ts";
import type { PerformanceRow } from "./rows.ts";

/** Why spend changed. */
export interface Explained extends Change {
  /** Fewer clicks, or impressions of types that are about these, than say something. */
  isTooFew: boolean;
  /** What happened in the days, and of partners and cost data also in the days before. The newest first. */
  events: Event[];
  /** These and the states of partners, without partners that are only paid in other currencies; for pages. */
  shown: ShownEvent[];
  hasMoreEvents: boolean;
}

/** The rows of an app's events in a period, for the call of its report. With shards, `addRejections` reads the others. */
export function eventStatements(
  control: D1Database,
  viewer: Viewer,
  appToken: string,
  { from, to }: DayRange,
  { link, direct, partner_id: partnerId, cost_type: costType }: PerformanceQuery = {},
) {
  const days = { from, to };
  const before = from - (to - from + 1);
  return {
    ...findEvents(control, viewer, appToken, {
      changed: { from: before, to },
      voided: days,
      link,
      direct,
      partnerId,
    }),
    rejected: findRejectionsInApp(control, viewer, appToken, days),
    adjustments: findAdjustments(control, viewer, appToken, { ...days, link, direct, partnerId, costType }),
  };
}

/** The report of a viewer who may see it, with the campaigns that changed most. One call to D1; see `readSums` for shards. */
export async function readChanges(ledger: Ledger, viewer: Viewer, request: PerformanceRequest) {
  const { appToken, days, query } = request;
  const { more, ...report } = await readPerformance(
    ledger,
    viewer,
    { ...request, query: { ...query, group_by: "link" }, isTotalEnough: true },
    eventStatements(ledger.control, viewer, appToken, days, query),
  );
  // DB said whether the viewer may see the app.
  const inShards = report.access?.appToken ? await findRejectionsInShards(ledger, appToken, days) : [];
  const rows = { ...more, rejected: [...more.rejected, ...inShards] };
  const level = report.link ? Math.min(report.link.level + 1, 4) : DEFAULT_LEVEL;
  const links = report.isTooMany ? undefined : changedMost(report.rowsAt(Math.max(level, DEFAULT_LEVEL)), 3);
  return { report, explained: explain(report, rows, query), links };
}

/**
 * Explains the total of a report with what happened in its days. `isDaily`: it has figures by day, for silences. `isOfMoney`: what is shown
 * is in its currency.
 */
export function explain(
  report: Pick<Performance, "rowsBy" | "total" | "currency" | "now" | "partners" | "lastCost">,
  rows: EventRows,
  { partner_id: partnerId, cost_type: costType, country, platform }: PerformanceQuery,
  { isDaily = false, isOfMoney = true } = {},
): Explained {
  const { rowsBy, total, currency, now } = report;
  const change = changeOf(rowsBy("cost_type"));
  const partners = rowsBy("partner").map((row) => ({ ...row, id: Number(row.key) }));
  const ids = new Set([...partners.map(({ id }) => id), partnerId]);
  // What is by country or platform has no adjustments.
  const adjustments = (country ?? platform) === undefined ? rows.adjustments : [];
  const { events, hasMore } = toEvents(
    { ...rows, adjustments },
    {
      isOfPartner: (id) => ids.has(id),
      currency,
      costType,
      more: partners.flatMap((row) => coverageThatFell(row, now.to)),
    },
  );
  const isElsewhere = ({ now, before }: PerformanceRow) =>
    [now, before].some(isInOtherCurrencies) && now.matched + before.matched === 0n;
  const elsewhere = new Set(isOfMoney ? partners.filter(isElsewhere).map(({ id }) => id) : []);
  const states = partners.map((row) => ({
    id: row.id,
    stoppedAt: report.partners.get(row.id)?.stoppedAt ?? null,
    // Of a partner with few costs, two days without any say nothing.
    silentOn: isDaily && row.now.matched + row.before.matched >= MIN_CLICKS ? silentOn(row, report) : null,
  }));
  const shown = withStates(events, states, now).filter(({ partnerId }) => !elsewhere.has(partnerId ?? 0));
  return { ...change, isTooFew: isTooFew(total, change), events, shown, hasMoreEvents: hasMore };
}

/** The parts of the change that these rows by cost type have. */
function changeOf(rows: PerformanceRow[]): Change {
  const sums = ({ spend, adjusted, matched }: Figures) => ({ spend: spend - adjusted, matched });
  const total = (of: "now" | "before") => rows.reduce((sum, row) => sum + row[of].adjusted, 0n);
  return splitChange(
    new Map(rows.map((row) => [row.key as CostType, { now: sums(row.now), before: sums(row.before) }])),
    { now: total("now"), before: total("before") },
  );
}

function isTooFew({ now, before }: Pick<PerformanceRow, "now" | "before">, { types }: Change): boolean {
  const kinds = new Set(types.map(({ costType }) => COST_TYPE[costType].fits[0]));
  const countOf = ({ clicks, impressions, recorded }: Figures) =>
    (kinds.has("click") ? (clicks ?? recorded.click) : 0n) +
    (kinds.has("impression") ? (impressions ?? recorded.impression) : 0n);
  return types.length > 0 && countOf(now) < MIN_CLICKS && countOf(before) < MIN_CLICKS;
}

const LEAST_FALL = 10_000_000n;
const COVERAGE = { click: "coverage", impression: "impressionCoverage" } as const;

/** Coverage of a partner that fell by 10 points or more, of enough clicks or impressions in both periods. */
function coverageThatFell({ id, now, before }: PerformanceRow & { id: number }, day: number): Event[] {
  return KINDS.flatMap((kind) => {
    const [to, from] = [now[COVERAGE[kind]], before[COVERAGE[kind]]];
    const isEnough = now.recorded[kind] >= MIN_CLICKS && before.recorded[kind] >= MIN_CLICKS;
    if (!isEnough || to === null || from === null || from - to < LEAST_FALL) return [];
    return [{ type: "coverage_fell", day, partnerId: id, kind, coverage: to, before: from }];
  });
}

/** A partner that explains a large part of a change by itself. */
export interface Cause {
  partnerId: number;
  change: bigint;
  /** `new`: there were no costs before. */
  what: "stopped" | "silent" | "new";
  /** When it was stopped, or the last day with a cost. */
  day: number;
}

const MOST_CAUSES = 2;
/** A part of the change. */
const LEAST_PART = 10n;

/** The day on which a partner was stopped, up to the last of the days. */
function stoppedOn(
  partnerId: number,
  partners: Performance["partners"],
  { to }: DayRange,
): number | undefined {
  const stoppedAt = partners.get(partnerId)?.stoppedAt;
  return stoppedAt != null && dayOf(stoppedAt) <= to ? dayOf(stoppedAt) : undefined;
}

/** The last day with a cost of a row's partner that is not stopped and has sent none for two days. */
function silentOn(
  { key }: PerformanceRow,
  { now, partners, lastCost }: Pick<Performance, "now" | "partners" | "lastCost">,
): number | null {
  const id = Number(key);
  return stoppedOn(id, partners, now) === undefined ? silentDay(lastCost(id) ?? now.to, now) : null;
}

/** The partners that were stopped, became silent or are new, those with the largest change first; and why the others changed. */
export function findCauses({
  rowsBy,
  total,
  now,
  partners,
  lastCost,
}: Pick<Performance, "rowsBy" | "total" | "now" | "partners" | "lastCost">): {
  causes: Cause[];
  others: Change;
} {
  const large = rowsBy("partner").filter((row) => row.key !== "" && LEAST_PART * size(row) >= size(total));
  const causes = changedMost(large, large.length)
    .flatMap((row): Cause[] => {
      const partnerId = Number(row.key);
      const of = { partnerId, change: difference(row) };
      if (row.before.matched === 0n)
        return row.now.matched > 0n ? [{ ...of, what: "new", day: now.from }] : [];
      if (of.change > 0n) return [];
      const stopped = stoppedOn(partnerId, partners, now);
      if (stopped !== undefined) return [{ ...of, what: "stopped", day: stopped }];
      const silent = silentOn(row, { now, partners, lastCost });
      return silent === null ? [] : [{ ...of, what: "silent", day: silent }];
    })
    .slice(0, MOST_CAUSES);
  const isCause = ({ partnerId }: { partnerId: number | null }) =>
    causes.some((cause) => cause.partnerId === partnerId);
  return { causes, others: changeOf(rowsBy("cost_type", (sum) => !isCause(sum))) };
}

const difference = ({ now, before }: PerformanceRow) => now.spend - before.spend;
const size = (row: PerformanceRow) => (difference(row) < 0n ? -difference(row) : difference(row));

/** The rows whose spend changed most. */
export function changedMost(rows: PerformanceRow[], most: number): PerformanceRow[] {
  return rows
    .filter((row) => size(row) > 0n)
    .sort((one, other) => {
      const [left, right] = [size(one), size(other)];
      return left === right ? (one.key < other.key ? -1 : 1) : left > right ? -1 : 1;
    })
    .slice(0, most);
}
