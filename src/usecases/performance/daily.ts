/** The figures of a performance report by day, for its chart. */
import type { Viewer } from "../../db/accounts/viewers.ts";
import { findDaily, type PerformanceScope } from "../../db/ledger/reports/performance.ts";
import { type LinkChain, settleAt } from "../../db/ledger/reports/report-links.ts";
import type { Ledger } from "../../db/ledger/shards.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { type Figures, toFigures } from "../../domain/figures/performance.ts";
import type { PerformanceGroup } from "../../http/input/report-fields.ts";
import { keyIn, type PerformanceRow } from "./rows.ts";

type ByDay = Map<number, Figures>;

export interface Daily {
  total: ByDay;
  /** Of the days before, as if they were the present ones. */
  before: ByDay;
  /** Of each row, by its key. */
  rows: Map<string, ByDay>;
}

/** What `findPerformance` found. */
interface Found {
  links: LinkChain[];
  below: number[] | undefined;
}

interface Report {
  scope: PerformanceScope;
  rows: PerformanceRow[];
  level: number;
  group: PerformanceGroup | undefined;
  currency: string | null;
}

export async function readDaily(
  ledger: Ledger,
  viewer: Viewer,
  appToken: string,
  { links, below }: Found,
  { scope, rows, level, group, currency }: Report,
): Promise<Daily> {
  const { now } = scope;
  const keys = new Set(rows.map(({ key }) => key));
  const targets = new Map(settleAt(level, links).map(({ linkId, linkToken }) => [linkId, linkToken]));
  const ids = [...targets].filter(([, token]) => keys.has(token)).map(([id]) => id);
  const byLink = group === "link";
  const { all, some } = await findDaily(ledger, viewer, appToken, scope, { ids: byLink ? ids : [], below });
  const source = byLink ? some : all;
  const keyOf = (sum: (typeof source)["spend" | "engagements"][number]) =>
    byLink ? (targets.get(sum.linkId ?? 0) ?? "") : keyIn(group, sum, 0);
  const isNow = ({ day }: { day: number | null }) => (day ?? 0) >= now.from;
  const byDay = (
    { spend, engagements }: typeof source,
    isIn: (sum: (typeof source)["spend" | "engagements"][number]) => boolean,
    costType: CostType | undefined = scope.costType as CostType | undefined,
    shift = 0,
  ): ByDay => {
    const dayOf = ({ day }: { day: number | null }) => (day ?? 0) + shift;
    const costs = Map.groupBy(spend.filter(isIn), dayOf);
    const opened = Map.groupBy(engagements.filter(isIn), dayOf);
    const days = new Set([...costs.keys(), ...opened.keys()]);
    return new Map(
      [...days].map((day) => [
        day,
        toFigures(currency, costs.get(day) ?? [], opened.get(day) ?? [], costType),
      ]),
    );
  };
  return {
    total: byDay(all, isNow),
    before: byDay(all, (sum) => !isNow(sum), undefined, now.to - now.from + 1),
    rows: new Map(
      [...keys].map((key) => [
        key,
        group === "cost_type"
          ? byDay(
              all,
              (sum) => isNow(sum) && (!("costType" in sum) || sum.costType === key),
              rows.find((row) => row.key === key)?.costType,
            )
          : byDay(source, (sum) => isNow(sum) && keyOf(sum) === key),
      ]),
    ),
  };
}
