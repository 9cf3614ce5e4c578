/** The cursors of the performance report. Each keeps the days and the currency of its report, so that a day or a cost later its pages still fit. */
import type { DayRange } from "../../db/ledger/reports/statements.ts";
import { CURRENCY_CODES } from "../../domain/money.ts";
import { NOT_OF_LIST } from "../../http/cursors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { isWithinLimits } from "../../http/input/report-fields.ts";
import { fromText, type Position, toText } from "./sort.ts";

/** Where a page starts. */
interface Start {
  days: DayRange;
  currency: string | null;
  after: Position;
}

/** The text of a cursor, for a list by text. */
export const writeStart = ({ days, currency, after }: Start): string =>
  JSON.stringify([days.from, days.to, currency, toText(after), after.key]);

/** Throws invalid_request for a text that `writeStart` didn't write for a list in the order of this field. */
export function readStart(text: string, field: string): Start {
  const start = parse(text, field);
  if (!start || writeStart(start) !== text) {
    throw invalidRequest([{ param: "cursor", message: NOT_OF_LIST }]);
  }
  return start;
}

function parse(text: string, field: string): Start | undefined {
  try {
    const [from, to, currency, value, key] = JSON.parse(text);
    const isPeriod = Number.isSafeInteger(from) && Number.isSafeInteger(to) && isWithinLimits(from, to);
    const isCurrency = currency === null || CURRENCY_CODES.has(currency);
    const read = value === null || typeof value === "string" ? fromText(value, field) : undefined;
    if (!isPeriod || !isCurrency || !read || typeof key !== "string") return undefined;
    return { days: { from, to }, currency, after: { ...read, key } };
  } catch {
    return undefined;
  }
}
