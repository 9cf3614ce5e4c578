/** The performance report as CSV. */
import { fieldNames } from "../../domain/figures/groups.ts";
import { FIGURE_NAMES } from "../../domain/figures/names.ts";
import { fileNameOf, reportCsvResponse } from "../reports.ts";
import type { Performance } from "./read.ts";
import { type PerformanceRow, toLine } from "./rows.ts";

const FIGURES = [...FIGURE_NAMES, "other_currencies"];

/** A line for each row, with the currency, and the figures of the days before last. */
export function performanceCsv(
  appToken: string,
  { group, now, currency }: Performance,
  rows: PerformanceRow[],
): Response {
  const fields = group ? fieldNames([group]) : [];
  const header = [...fields, "currency", ...FIGURES, ...FIGURES.map((name) => `previous_${name}`)];
  return reportCsvResponse({
    header,
    items: rows.map((row) => toLine(row, currency)),
    fileName: fileNameOf("performance", appToken, now, [group ?? "total"]),
  });
}
