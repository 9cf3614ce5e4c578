/** The order of performance rows, and the cursors of its pages: the sort value and the key of the last row. */
import { type PriceName, typeOfPrice } from "../../domain/cost-types.ts";
import { NUMBER_FIELDS } from "../../domain/figures/groups.ts";
import { FIGURES, type FigureName } from "../../domain/figures/names.ts";
import { changeOf, figureOf, signalOf } from "../../domain/figures/performance.ts";
import type { Sort } from "../../http/input/report-fields.ts";
import type { PerformanceRow } from "./rows.ts";

/** Undefined: the row has none, so it comes last in both directions. */
type SortValue = string | bigint | undefined;

const isFigure = (field: string): field is FigureName => field in FIGURES;

/** What follows the name of a figure, for the order by its change, by which pages can sort too. */
const CHANGE = /_change$/;

/** The most important one first. */
const SIGNALS = ["too_few_clicks", "cost_per_click_up", "without_cost", "no_cost_data"];

/** The order by signals of rows that show their coverage. */
export const OTHER_SIGNAL = "other_signal";

function sortValue(row: PerformanceRow, field: string): SortValue {
  const name = field.replace(CHANGE, "");
  if (isFigure(name) || typeOfPrice(name)) {
    const [now, before] = [row.now, row.before].map((figures) =>
      figureOf(figures, name as FigureName | PriceName),
    );
    return (name === field ? now : changeOf(now ?? null, before ?? null)) ?? undefined;
  }
  if (field === "signal" || field === OTHER_SIGNAL) {
    const signal = signalOf(row, field === OTHER_SIGNAL);
    return signal && BigInt(SIGNALS.indexOf(signal.name));
  }
  const value = row.fields[field] ?? undefined;
  return typeof value === "number" ? BigInt(value) : value;
}

type AnySort = { field: string; isDescending: boolean };

/** Where a row is in the order. */
export type Position = { value: SortValue; key: string };

const compareKeys = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

function compare(left: Position, right: Position, isDescending: boolean): number {
  if (left.value === right.value) return compareKeys(left.key, right.key);
  if (left.value === undefined) return 1;
  if (right.value === undefined) return -1;
  return left.value < right.value === isDescending ? 1 : -1;
}

export function sortRows(rows: PerformanceRow[], { field, isDescending }: AnySort): PerformanceRow[] {
  return rows
    .map((row) => ({ row, at: positionOf(row, field) }))
    .sort((left, right) => compare(left.at, right.at, isDescending))
    .map(({ row }) => row);
}

export const positionOf = (row: PerformanceRow, field: string): Position => ({
  value: sortValue(row, field),
  key: row.key,
});

/** The sorted rows after a position. */
export function rowsAfter(rows: PerformanceRow[], { field, isDescending }: Sort, after: Position) {
  const start = rows.findIndex((row) => compare(positionOf(row, field), after, isDescending) > 0);
  return start < 0 ? [] : rows.slice(start);
}

/** As a part of a cursor: text, whole numbers as text too, or null. */
export const toText = ({ value }: Position) => (value === undefined ? null : String(value));
/** The value again; undefined if the text is no value of the field. */
export function fromText(text: string | null, field: string): { value: SortValue } | undefined {
  if (text === null) return { value: undefined };
  if (isFigure(field) || NUMBER_FIELDS.includes(field))
    return /^-?\d{1,40}$/.test(text) ? { value: BigInt(text) } : undefined;
  return { value: text };
}
