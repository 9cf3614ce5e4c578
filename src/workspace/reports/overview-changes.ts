/** Why the spend of an app changed, in the currency of its overview. */
import type { Partners } from "../../db/links/partner-catalog.ts";
import { dayOf } from "../../domain/time.ts";
import type { ChartEvent } from "../../pages/chart/chart.ts";
import { chartEvents } from "../../pages/events.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Period } from "../../pages/periods.ts";
import type { EventRows } from "../../usecases/events.ts";
import { changedMost, explain } from "../../usecases/performance/changes.ts";
import { type BothSums, type PerformanceRow, toRows } from "../../usecases/performance/rows.ts";
import { whatChanged } from "./what-changed.ts";

interface Changed extends EventRows {
  /** The sums of both periods by campaign, partner and cost type. Undefined if there are too many links to read. */
  changes: BothSums | undefined;
  currency: string | null;
  period: Period;
  isCut: boolean;
  partners: Partners;
  performanceHref: (query: Record<string, string>) => string;
}

/** Like the Performance page of the same days. "Needs attention" also has the costs that were rejected later. */
export function overviewChanges(
  changed: Changed,
  now: number,
): { explanation: Markup | ""; events: ChartEvent[] } {
  const { changes, currency, period, isCut, partners, performanceHref } = changed;
  if (!changes) return { explanation: "", events: [] };
  const rowsBy = (group?: "link" | "partner" | "cost_type") =>
    toRows(changes, { group, currency, costType: undefined, now: period, partners });
  const [total] = rowsBy() as [PerformanceRow];
  const rejected = changed.rejected.filter(({ isLater }) => !isLater);
  const explained = explain({ rowsBy, total, currency, now: period }, { ...changed, rejected }, {});
  const explanation = whatChanged({
    explained,
    total,
    currency,
    partners,
    isCompared: period.to < dayOf(now) && !isCut,
    most: changedMost(rowsBy("link"), 3).map((row) => ({
      names: String(row.fields.link_name).split("::"),
      href: performanceHref({ link: row.key, level: "3", ...(currency && { currency }) }),
      row,
    })),
    noun: "campaign",
  });
  return { explanation, events: chartEvents(explained.events, partners) };
}
