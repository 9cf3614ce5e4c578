/** What the apps of a user spent: for the account page, and as a file to keep. */

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

/** The days that the account page shows, today in UTC the last of them. */
export function lastDays(now: number): DayRange {
  const today = Math.floor(now / DAY_MS);
  return { from: today - PAGE_DAYS + 1, to: today };
}

/** What the campaign interface tells as CSV, for who is signed in. */
export async function readSpendCsv(context: Context, session: Session): Promise<Response> {
  const { path, query } = await readInput(context, contract.readSpendCsv);
  const { group_by: groups, ...days } = query;
  const { access, rows } = await findSpend(
    context.ledger,
    { kind: "session", hash: session.idHash, now: context.now },
    { ...days, appToken: path.app_token, groups, limit: MAX_SPEND_ROWS + 1 },
  );
  if (!access) throw new AppError("session_ended");
  if (access.app_token === null) throw new AppError("not_found", "You have no app with this token.");
  if (rows.length > MAX_SPEND_ROWS) throw tooManyRows();
  const items = rows.map((row) => toSpendItem(row, groups));
  return csvResponse(toSpendCsv(items, groups), toFileName(path.app_token, days));
}

/** Spend in one currency: amounts in decimal text by day and partner, and what they come to. */
export interface CurrencySpend {
  currency: string;
  total: string;
  partners: { id: number; name: string; total: string }[];
  /** Days with spend, the first first. */
  days: { day: number; total: string; amounts: Map<number, string> }[];
}

export interface AppSpend {
  matched: number;
  unpriced: number;
  /** In the order in which they take their colors, the same in each currency. */
  partnerIds: number[];
  currencies: CurrencySpend[];
}

/** From rows by day and partner, those of one app. */
export function toAppSpend(rows: SpendRow[], appToken: string): AppSpend {
  const own = rows.filter((row) => row.app_token === appToken);
  return {
    matched: own.reduce((sum, row) => sum + row.matched, 0),
    unpriced: own.reduce((sum, row) => sum + row.unpriced, 0),
    partnerIds: [...new Set(own.map((row) => row.partner_id ?? 0))].sort((left, right) => left - right),
    currencies: [...Map.groupBy(own, (row) => row.currency)]
      .map(([currency, some]) => toCurrencySpend(currency, some))
      .sort((left, right) => left.currency.localeCompare(right.currency)),
  };
}

function toCurrencySpend(currency: string, rows: SpendRow[]): CurrencySpend {
  return {
    currency,
    total: formatSpend(rows),
    partners: [...Map.groupBy(rows, (row) => row.partner_id ?? 0)]
      .map(([id, some]) => ({ id, name: some[0]?.partner_name ?? "", total: formatSpend(some) }))
      .sort((left, right) => left.id - right.id),
    days: [...Map.groupBy(rows, (row) => row.day ?? 0)].map(([day, some]) => ({
      day,
      total: formatSpend(some),
      amounts: new Map(some.map((row) => [row.partner_id ?? 0, formatSpend([row])])),
    })),
  };
}
