/** Reads the CSV of the Spend page, which Performance replaced. */
import { type Attachment, findAttachments } from "../../db/ledger/attention.ts";
import type { FilterLink } from "../../db/ledger/reports/reports.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { currenciesOf } from "../../domain/figures/performance.ts";
import { formatMoney } from "../../domain/money.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { readInput } from "../../http/input/input.ts";
import { type Period, toPeriod } from "../../pages/periods.ts";
import { columnsOf, fileNameOf, readReports, reportCsvResponse } from "../../usecases/reports.ts";
import { authorizeApp, type Member } from "../frame.ts";
import { addUp, type Line, moveDays, type Row, type Sums, toLines } from "./lines.ts";
import { type SpendQuery, spendPageQuery } from "./spend-query.ts";

export interface SpendView {
  query: SpendQuery;
  period: Period;
  /** The link and the name of the partner that the query filters by. */
  link: FilterLink | undefined;
  partnerName: string | undefined;
  lines: Line[];
  /** A line for each currency. */
  totals: Sums[];
  /** By day, and by partner or cost type. */
  daily: Row[];
  partners: Partners;
  attachments: Attachment[];
}

/** Throws invalid_request for the query, and not_found for a link or a partner that does not exist. */
export async function readSpendView(context: Context, { viewer, app }: Member): Promise<SpendView> {
  const { query } = await readInput(context, { query: spendPageQuery });
  const { ledger, now } = context;
  const period = toPeriod(query, now, app.firstDay);
  const { previous } = period;
  const filter = {
    link: query.link,
    partnerId: query.partner,
    costType: query.cost_type,
    currency: query.currency,
  };
  const level = query.level === "own" ? undefined : Number(query.level);
  const second = query.by === "cost_type" ? "cost_type" : "partner";
  // The days before are the ones directly before, so one range has both.
  const days = { from: (previous ?? period).from, to: period.to };
  const daily = { report: "spend", scope: { ...filter, ...days, groups: ["day", second] } } as const;
  const byLink = ({ from, to }: { from: number; to: number }) =>
    ({ report: "spend", scope: { ...filter, from, to, level, groups: ["link"] } }) as const;
  const parts =
    query.by === "link"
      ? ([daily, byLink(period), ...(previous ? [byLink(previous)] : [])] as const)
      : ([daily] as const);
  const attached = findAttachments(ledger.control, viewer, app.token);
  const found = await readReports(ledger, viewer, app.token, parts, attached);
  authorizeApp(found.access);
  if (query.link !== undefined && !found.link)
    throw new AppError("not_found", "This app has no link with this token.");
  const partnerName =
    query.partner === undefined ? undefined : found.partners.get(query.partner)?.displayName;
  if (query.partner !== undefined && partnerName === undefined)
    throw new AppError("not_found", "There is no partner with this ID.");

  const [all, linked, linkedBefore = []]: readonly Row[][] = found.rows;
  const rows = (all ?? []).filter(({ day }) => (day ?? 0) >= period.from);
  const before = (all ?? []).filter(({ day }) => (day ?? 0) < period.from);
  const shifted = previous ? moveDays(before, period.from - previous.from) : [];
  return {
    query,
    period,
    link: found.link,
    partnerName,
    lines: linked ? toLines(query.by, linked, linkedBefore) : toLines(query.by, rows, shifted),
    totals: currenciesOf(rows, before).map((currency) => {
      const isOfCurrency = (row: Row) => row.currency === currency;
      return addUp(currency, rows.filter(isOfCurrency), before.filter(isOfCurrency));
    }),
    daily: rows,
    partners: found.partners,
    attachments: found.more[0],
  };
}

/** The lines of the page as CSV, with the columns of the API's report, and with the spend of the days before if they are compared. */
export function spendCsvResponse(appToken: string, { query, period, lines }: SpendView): Response {
  const columns = columnsOf("spend", [query.by]);
  const names = Object.keys(columns).slice(0, -SUMS.length);
  const items = lines.map((line) => ({
    ...Object.fromEntries(names.map((name) => [name, columns[name]?.(line.row) ?? null])),
    currency: line.currency,
    spend: formatMoney(line.spend),
    adjusted: formatMoney(line.adjusted),
    matched: line.matched,
    unpriced: line.unpriced,
    ...(period.previous && { previous_spend: formatMoney(line.previous) }),
  }));
  const header = [...names, ...SUMS, ...(period.previous ? ["previous_spend"] : [])];
  return reportCsvResponse({ header, items, fileName: fileNameOf("spend", appToken, period, [query.by]) });
}

const SUMS = ["currency", "spend", "adjusted", "matched", "unpriced"];
