/** Adds up the rows of spend reports to the lines of a table and to the series of a chart. Pure. */
import type { ReportRow } from "../../db/ledger/reports/reports.ts";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import { currenciesOf } from "../../domain/figures/performance.ts";
import { sumAdjusted, sumSpend } from "../../domain/money.ts";
import type { Series } from "../../pages/chart/plot.ts";
import type { SpendGroup } from "./spend-query.ts";

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

/** A line of a table. Of its row, the key and the names count. */
export interface Line extends Sums {
  row: Row;
}

export function addUp(currency: string, rows: Row[], before: Row[]): Sums {
  return {
    currency,
    spend: sumSpend(rows),
    adjusted: sumAdjusted(rows),
    matched: rows.reduce((sum, row) => sum + row.matched, 0),
    unpriced: rows.reduce((sum, row) => sum + row.unpriced, 0),
    previous: sumSpend(before),
  };
}

const KEYS: Record<SpendGroup, (row: Row) => string | number | null | undefined> = {
  day: (row) => row.day,
  link: (row) => row.linkToken,
  partner: (row) => row.partnerId,
  cost_type: (row) => row.costType,
};

/**
 * The lines of each currency: days in their order, others with the highest spend first. `before` has the rows of the days before,
 * for days as if they were those of `rows`.
 */
export function toLines(by: SpendGroup, rows: Row[], before: Row[]): Line[] {
  const currencies = currenciesOf(rows, before);
  const keyOf = (row: Row) => JSON.stringify([row.currency, KEYS[by](row)]);
  const [now, then] = [Map.groupBy(rows, keyOf), Map.groupBy(before, keyOf)];
  const lines = [...new Set([...now.keys(), ...then.keys()])].flatMap((key) => {
    const [here = [], earlier = []] = [now.get(key), then.get(key)];
    const row = here[0] ?? earlier[0];
    return row ? [{ row, ...addUp(row.currency, here, earlier) }] : [];
  });
  const position = ({ currency }: Line) => currencies.indexOf(currency);
  const bySpend = (left: Line, right: Line) =>
    left.spend === right.spend ? 0 : left.spend > right.spend ? -1 : 1;
  const byDay = (left: Line, right: Line) => (left.row.day ?? 0) - (right.row.day ?? 0);
  const inCurrency = by === "day" ? byDay : bySpend;
  return lines.sort((left, right) => position(left) - position(right) || inCurrency(left, right));
}

/** The rows of some days, moved by `shift` days. */
export function moveDays(rows: Row[], shift: number): Row[] {
  return rows.map((row) => ({ ...row, day: (row.day ?? 0) + shift }));
}

/** A series for each partner or cost type, in an order that is the same for each currency. */
export function toSeries(by: "partner" | "cost_type", rows: Row[], currency: string): Series[] {
  const byKey = Map.groupBy(rows, KEYS[by]);
  const keys = new Set(toLines(by, rows, []).map(({ row }) => KEYS[by](row)));
  return [...keys].map((key) => {
    const own = byKey.get(key) ?? [];
    const days = Map.groupBy(
      own.filter((row) => row.currency === currency),
      (row) => row.day ?? 0,
    );
    return {
      name: by === "cost_type" ? String(key) : (own[0] && nameOf(by, own[0])) || "",
      values: new Map([...days].map(([day, rows]) => [day, sumSpend(rows)])),
    };
  });
}

export function nameOf(by: Exclude<SpendGroup, "day">, row: Row): string {
  if (by === "link") return describeLink(row.linkName);
  if (by === "partner") return row.partnerName ?? "No partner";
  return describeType(row.costType);
}

export const describeType = (costType: CostType | null) =>
  costType === null ? "" : `${costType}, ${COST_TYPE[costType].name}`;

/** The names of the links above a link and its own. */
export const describeLink = (name: string | null | undefined) => (name ?? "").replaceAll("::", " › ");
