/** Why the spend of an app changed, in each of its currencies, for its overview. */
import type { Partners } from "../../db/links/partner-catalog.ts";
import { dayOf } from "../../domain/time.ts";
import { chartEvents } from "../../pages/events.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Period } from "../../pages/periods.ts";
import type { EventRows } from "../../usecases/events.ts";
import { changedMost, type Explained, explain } from "../../usecases/performance/changes.ts";
import { isFinal, lastArrival } from "../../usecases/performance/read.ts";
import { type BothSums, type PerformanceRow, toRows } from "../../usecases/performance/rows.ts";
import { whatChanged } from "./what-changed.ts";

interface Changed extends Omit<EventRows, "rejected"> {
  /** The sums of both periods by campaign, partner and cost type. Undefined if there are too many links to read. */
  changes: BothSums | undefined;
  period: Period;
  isCut: boolean;
  partners: Partners;
  performanceHref: (query: Record<string, string>) => string;
}

/** `currencies` are those of the page, the first one first. "Needs attention" has the rejected costs. */
export function overviewChanges(changed: Changed, currencies: string[], now: number) {
  const { changes, period, isCut, partners, performanceHref } = changed;
  if (!changes) return { explanations: [], eventsOf: () => [] };
  const explained = new Map<string | null, Explained>();
  const explanations = (currencies.length > 0 ? currencies : [null]).map((currency, index): Markup | "" => {
    const rowsBy = (group?: "link" | "partner" | "cost_type") =>
      toRows(changes, { group, currency, costType: undefined, now: period, partners });
    const [total] = rowsBy() as [PerformanceRow];
    const own = explain({ rowsBy, total, currency, now: period }, { ...changed, rejected: [] }, {});
    explained.set(currency, own);
    return whatChanged({
      // What is about all currencies is in the first list, and the pages of the others say the rest.
      explained:
        index === 0 ? own : { ...own, events: own.events.filter(({ type }) => type === "spend_adjusted") },
      total,
      currency,
      partners,
      isCompared: period.to < dayOf(now) && !isCut,
      openUntil: isFinal(period, now) ? undefined : lastArrival(period),
      most: (index === 0 ? changedMost(rowsBy("link"), 3) : []).map((row) => ({
        names: String(row.fields.link_name).split("::"),
        href: performanceHref({ link: row.key, level: "3", ...(currency && { currency }) }),
        row,
      })),
      noun: "campaign",
      ...(currencies.length > 1 && { label: `What changed in ${currency}` }),
    });
  });
  return {
    explanations,
    eventsOf: (currency: string) => chartEvents(explained.get(currency)?.events ?? [], partners),
  };
}
