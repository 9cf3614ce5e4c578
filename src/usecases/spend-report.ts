/** Reads the spend report of an app and formats its rows for JSON and CSV. */
import type { AppAccess } from "../db/accounts/api-tokens.ts";
import type { Ledger } from "../db/ledger/shards.ts";
import { type DayRange, findSpend, type SpendRow, type Viewer } from "../db/ledger/spend.ts";
import type { SpendGroup } from "../domain/cost-types.ts";
import { formatSpend } from "../domain/money.ts";
import { formatDate } from "../domain/time.ts";
import { type Cell, csvResponse, toCsv } from "../http/csv.ts";
import { invalidRequest } from "../http/input.ts";

const MAX_SPEND_ROWS = 50_000;

/** A row of the report: the values that it is grouped by, then currency, spend, matched and unpriced. */
export type SpendItem = Record<string, Cell>;

/** The days of a report and how it groups them, as `spendQuery` parses them. */
type SpendQuery = DayRange & { group_by: readonly SpendGroup[] };

/**
 * Reads a report. `access` is undefined, or has no app, if the viewer may not see the app; there are no items then. Throws
 * invalid_request for a report with too many rows.
 */
export async function readSpendReport(
  ledger: Ledger,
  viewer: Viewer,
  appToken: string,
  { group_by: groups, ...days }: SpendQuery,
): Promise<{ access: AppAccess | undefined; items: SpendItem[] }> {
  const limit = MAX_SPEND_ROWS + 1;
  const { access, rows } = await findSpend(ledger, viewer, { ...days, appToken, groups, limit });
  if (rows.length > MAX_SPEND_ROWS) {
    const message = `gives more than ${MAX_SPEND_ROWS} rows; use fewer groups or fewer days`;
    throw invalidRequest([{ param: "group_by", message }]);
  }
  return { access, items: rows.map((row) => toSpendItem(row, groups)) };
}

function toSpendItem(row: SpendRow, groups: readonly SpendGroup[]): SpendItem {
  const keys: Record<SpendGroup, SpendItem> = {
    day: { day: formatDate(row.day ?? 0) },
    link: { link_token: row.linkToken, link_label: row.linkLabel },
    partner: { partner_id: row.partnerId, partner_name: row.partnerName },
    cost_type: { cost_type: row.costType },
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

/** The report as a CSV file. */
export function spendCsvResponse(items: SpendItem[], appToken: string, query: SpendQuery): Response {
  const groupKeys = query.group_by.flatMap((group) => CSV_KEYS[group]);
  const header = [...groupKeys, "currency", "spend", "matched", "unpriced"];
  const cells = items.map((item) => header.map((name) => item[name] ?? null));
  // An app token has only letters and digits, so the name of the file needs no escaping.
  const name = `spend-${appToken}-${formatDate(query.from)}-${formatDate(query.to)}.csv`;
  return csvResponse(toCsv(header, cells), name);
}
