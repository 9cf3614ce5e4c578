/** Money and its changes as people read them. Amounts are integers in units of 0.00000001, so nothing is rounded on the way. */
import { formatMoney } from "../domain/money.ts";

/** The number of units in one of the currency. */
export const MONEY_SCALE = 100_000_000;

const formats = new Map<string, Intl.NumberFormat>();

function formatFor(currency: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify([currency, options]);
  const format =
    formats.get(key) ?? new Intl.NumberFormat("en-US", { style: "currency", currency, ...options });
  formats.set(key, format);
  return format;
}

/** Intl formats decimal text exactly. A number would lose digits. */
const toNumeric = (units: bigint) => formatMoney(units) as Intl.StringNumericLiteral;

/** Rounded to the digits of the currency: `$1,234.50`. An amount that would be rounded to zero is `<$0.01`. */
export function showMoney(units: bigint, currency: string): string {
  const format = formatFor(currency, {});
  const text = format.format(toNumeric(units));
  if (units === 0n || /[1-9]/.test(text)) return text;
  const smallest = 10 ** -(format.resolvedOptions().maximumFractionDigits ?? 0);
  return units > 0n ? `<${format.format(smallest)}` : `>${format.format(-smallest)}`;
}

/** Every digit, for a table whose column names the currency: `1,234.50000001`. */
export function showExact(units: bigint, currency: string): string {
  const { minimumFractionDigits: digits = 0 } = formatFor(currency, {}).resolvedOptions();
  return formatFor(currency, {
    style: "decimal",
    minimumFractionDigits: digits,
    maximumFractionDigits: 8,
  }).format(toNumeric(units));
}

/** Short labels for a scale with these steps: `$1.5K`, `$0.25`. */
export function scaleMoney(currency: string, step: number): (value: number) => string {
  const { minimumFractionDigits = 0 } = formatFor(currency, {}).resolvedOptions();
  const isWhole = Number.isInteger(step);
  const format = formatFor(currency, {
    notation: "compact",
    minimumFractionDigits: isWhole ? 0 : minimumFractionDigits,
    maximumFractionDigits: isWhole ? 1 : 8,
  });
  return (value) => format.format(value);
}

export const showCount = (count: number | bigint): string => COUNT.format(count);
const COUNT = new Intl.NumberFormat("en-US");

const PERCENT = new Intl.NumberFormat("en-US", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** The change from an earlier value: `+12.5%`, `no change`, or `new` where there was nothing. */
export function showChange(now: bigint, before: bigint): string {
  if (now === before) return "no change";
  if (before === 0n) return "new";
  return PERCENT.format(toRatio(now - before, before < 0n ? -before : before));
}

/** The part of a total: `12.5%`; a dash where negative amounts leave no total to be a part of. */
export function showShare(part: bigint, total: bigint): string {
  return total > 0n ? SHARE.format(toRatio(part, total)) : "–";
}
const SHARE = new Intl.NumberFormat("en-US", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** Divides integers of any size. The result has six places, enough for a percentage. */
function toRatio(part: bigint, whole: bigint): number {
  return Number((part * 1_000_000n) / whole) / 1_000_000;
}
