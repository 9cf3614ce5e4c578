/** Formats the rows of a spend report for JSON and CSV. No I/O, no clock. */
import type { DayRange, SpendRow } from "../db/ledger/shard-spend.ts";
import type { SpendGroup } from "../domain/cost-types.ts";
import { formatSpend } from "../domain/money.ts";
import { formatDate } from "../domain/time.ts";
import { AppError } from "../errors.ts";
import { type Cell, toCsv } from "../http/csv.ts";

/** A row of the report: the values that it is grouped by, then currency, spend, matched and unpriced. */
export type SpendItem = Record<string, Cell>;

export function toSpendItem(row: SpendRow, groups: readonly SpendGroup[]): SpendItem {
  const keys: Record<SpendGroup, SpendItem> = {
    day: { day: formatDate(row.day ?? 0) },
    link: { link_token: row.link_token ?? null, link_label: row.link_label ?? null },
    partner: { partner_id: row.partner_id ?? null, partner_name: row.partner_name ?? null },
    cost_type: { cost_type: row.cost_type ?? null },
  };
  return Object.assign({}, ...groups.map((group) => keys[group]), {
    currency: row.currency,
    spend: formatSpend([row]),
    matched: row.matched,
    unpriced: row.unpriced,
  });
}

const CSV_KEYS: Record<SpendGroup, string[]> = {
  day: ["day"],
  link: ["link_token", "link_label"],
  partner: ["partner_id", "partner_name"],
  cost_type: ["cost_type"],
};

export function toSpendCsv(items: SpendItem[], groups: readonly SpendGroup[]): string {
  const header = [...groups.flatMap((group) => CSV_KEYS[group]), "currency", "spend", "matched", "unpriced"];
  return toCsv(
    header,
    items.map((item) => header.map((name) => item[name] ?? null)),
  );
}

export const MAX_SPEND_ROWS = 50_000;

/** The error for a report with more rows than `MAX_SPEND_ROWS`. */
export function tooManyRows(): AppError {
  const message = `gives more than ${MAX_SPEND_ROWS} rows; use fewer groups or fewer days`;
  return new AppError("invalid_request", `group_by ${message}.`, {
    errors: [{ param: "group_by", message }],
  });
}

/** The file name of a report. An app token has only letters and digits, so it needs no escaping. */
export function toFileName(appToken: string, { from, to }: DayRange): string {
  return `spend-${appToken}-${formatDate(from)}-${formatDate(to)}.csv`;
}
