/** Adds up the rows of spend reports, and makes the series of a chart of them. Pure. */
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import { currenciesOf, sumOf } from "../../domain/figures/performance.ts";
import { sumAdjusted, sumSpend } from "../../domain/money.ts";
import type { Series, Values } from "../../pages/chart/series.ts";

export type Row = ReportRow<"spend">;

/** What costs add up to, in one currency. Money is in units of 0.00000001. */
export interface Sums {
  currency: string;
  /** With the adjustments. */
  spend: bigint;
  adjusted: bigint;
  matched: number;
  unpriced: number;
  /** The spend of the days before. */
  previous: bigint;
}

export function addUp(currency: string, rows: Row[], before: Row[]): Sums {
  return {
    currency,
    spend: sumSpend(rows),
    adjusted: sumAdjusted(rows),
    matched: sumOf(rows, (row) => row.matched),
    unpriced: sumOf(rows, (row) => row.unpriced),
    previous: sumSpend(before),
  };
}

const KEYS = {
  partner: (row: Row) => row.partnerId,
  cost_type: (row: Row) => row.costType,
};

/** A series for each partner or cost type, in an order that is the same for each currency. */
export function toSeries(by: keyof typeof KEYS, rows: Row[], currency: string): Series[] {
  const keyOf: (row: Row) => string | number | null | undefined = KEYS[by];
  const byKey = Map.groupBy(rows, keyOf);
  return sortedKeys(keyOf, rows).map((key) => {
    const own = byKey.get(key) ?? [];
    return {
      name: by === "cost_type" ? String(key) : own[0] ? (own[0].partnerName ?? "No partner") : "",
      key: String(key ?? ""),
      values: spendByDay(own, currency),
    };
  });
}

export function spendByDay(rows: Row[], currency: string): Values {
  const days = Map.groupBy(
    rows.filter((row) => row.currency === currency),
    (row) => row.day ?? 0,
  );
  return new Map([...days].map(([day, rows]) => [day, sumSpend(rows)]));
}

/** The keys of each currency, those with the highest spend first. */
function sortedKeys<T>(keyOf: (row: Row) => T, rows: Row[]): T[] {
  const byCurrency = Map.groupBy(rows, ({ currency }) => currency);
  const keys = currenciesOf(rows, []).flatMap((currency) =>
    [...Map.groupBy(byCurrency.get(currency) ?? [], keyOf)]
      .map(([key, own]) => ({ key, spend: sumSpend(own) }))
      .sort((left, right) => (left.spend === right.spend ? 0 : left.spend > right.spend ? -1 : 1)),
  );
  return [...new Set(keys.map(({ key }) => key))];
}

export const describeType = (costType: CostType | null) =>
  costType === null ? "" : `${costType}, ${COST_TYPE[costType].name}`;
