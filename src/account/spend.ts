/** The spend of a user's apps, for the account page and as a CSV download. */

import type { Session } from "../auth/sessions.ts";
import type { DayRange, SpendRow } from "../db/ledger/shard-spend.ts";
import { findSpend } from "../db/ledger/spend.ts";
import { formatSpend } from "../domain/money.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { csvResponse } from "../http/csv.ts";
import { readInput } from "../http/input.ts";
import {
  MAX_SPEND_ROWS,
  toFileName,
  tooManyRows,
  toSpendCsv,
  toSpendItem,
} from "../usecases/spend-report.ts";
import * as contract from "./contract.ts";

const PAGE_DAYS = 30;

/** The days that the account page shows: the last 30 days in UTC, including today. */
export function lastDays(now: number): DayRange {
  const today = Math.floor(now / DAY_MS);
  return { from: today - PAGE_DAYS + 1, to: today };
}

/** The CSV spend report of the campaign API for the signed-in user. Throws session_ended and not_found. */
export async function readSpendCsv(context: Context, session: Session): Promise<Response> {
  const { path, query } = await readInput(context, contract.readSpendCsv);
  const { group_by: groups, ...days } = query;
  const { access, rows } = await findSpend(
    context.ledger,
    { kind: "session", hash: session.idHash, now: context.now },
    { ...days, appToken: path.app_token, groups, limit: MAX_SPEND_ROWS + 1 },
  );
  if (!access) throw new AppError("session_ended");
  if (access.appToken === null)
    throw new AppError("not_found", "There is no app with this token, or you are not a member of it.");
  if (rows.length > MAX_SPEND_ROWS) throw tooManyRows();
  const items = rows.map((row) => toSpendItem(row, groups));
  return csvResponse(toSpendCsv(items, groups), toFileName(path.app_token, days));
}

/** Spend in one currency: amounts by day and partner with their totals, as decimal text. */
export interface CurrencySpend {
  currency: string;
  total: string;
  partners: { id: number; name: string; total: string }[];
  /** The days with spend in ascending order. */
  days: { day: number; total: string; amounts: Map<number, string> }[];
}

export interface AppSpend {
  matched: number;
  unpriced: number;
  /** In the order of their colors, which is the same for every currency. */
  partnerIds: number[];
  currencies: CurrencySpend[];
}

/** The spend of one app. `rows` are grouped by day and partner. */
export function toAppSpend(rows: SpendRow[], appToken: string): AppSpend {
  const own = rows.filter((row) => row.app_token === appToken);
  return {
    matched: own.reduce((sum, row) => sum + row.matched, 0),
    unpriced: own.reduce((sum, row) => sum + row.unpriced, 0),
    partnerIds: [...new Set(own.map((row) => row.partner_id ?? 0))].sort((left, right) => left - right),
    currencies: [...Map.groupBy(own, (row) => row.currency)]
      .map(([currency, group]) => toCurrencySpend(currency, group))
      .sort((left, right) => left.currency.localeCompare(right.currency)),
  };
}

function toCurrencySpend(currency: string, rows: SpendRow[]): CurrencySpend {
  return {
    currency,
    total: formatSpend(rows),
    partners: [...Map.groupBy(rows, (row) => row.partner_id ?? 0)]
      .map(([id, group]) => ({ id, name: group[0]?.partner_name ?? "", total: formatSpend(group) }))
      .sort((left, right) => left.id - right.id),
    days: [...Map.groupBy(rows, (row) => row.day ?? 0)].map(([day, group]) => ({
      day,
      total: formatSpend(group),
      amounts: new Map(group.map((row) => [row.partner_id ?? 0, formatSpend([row])])),
    })),
  };
}
