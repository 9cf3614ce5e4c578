/**
 * The only place that writes numbers, money, dates, lists and plurals for people. Numbers and money are written as the reader's
 * browser asks for, texts and dates in English. Amounts are integers in units of 0.00000001, so nothing is rounded on the way.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { formatMoney } from "../domain/money.ts";
import { DAY_MS, type DayRange, dayOf } from "../domain/time.ts";

/** The number of units of an amount in one of its currency. */
export const MONEY_SCALE = 100_000_000;

/** More languages than this are not looked at: anyone can send a long header. */
const MAX_TAGS = 5;
const MAX_LENGTH = 200;
/** How many locales an isolate keeps. */
const MAX_KEPT = 50;
const DEFAULT = "en-US";

/** What an amount is written as where there is nothing to divide. */
export const NONE = "–";

const toMinus = (text: string) => text.replaceAll("-", "−");

class Locale {
  readonly tag: string;
  /** The formats that were used, by their options. */
  readonly #formats = new Map<string, Intl.NumberFormat>();

  constructor(tag: string) {
    this.tag = tag;
  }

  #format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
    const key = JSON.stringify(options);
    const format = this.#formats.get(key) ?? new Intl.NumberFormat(this.tag, options);
    this.#formats.set(key, format);
    return format;
  }

  /** A whole number: `14,336`. */
  number(value: number | bigint): string {
    return toMinus(this.#format({}).format(value));
  }

  /** Short, for the labels of an axis: `1.5K`. */
  compact(value: number): string {
    return toMinus(this.#format({ notation: "compact", maximumFractionDigits: 1 }).format(value));
  }

  /** Rounded to the digits of the currency: `$1,234.50`. An amount that would be rounded to zero is `<$0.01`. */
  money(units: bigint, currency: string): string {
    const format = this.#format({ style: "currency", currency });
    const text = format.format(toNumeric(units));
    if (
      units === 0n ||
      format.formatToParts(toNumeric(units)).some(({ type, value }) => isCounted(type, value))
    )
      return toMinus(text);
    const smallest = 10 ** -(format.resolvedOptions().maximumFractionDigits ?? 0);
    return toMinus(units > 0n ? `<${format.format(smallest)}` : `>${format.format(-smallest)}`);
  }

  /** The smallest amount that `money` writes, in units. */
  smallest(currency: string): bigint {
    const { maximumFractionDigits = 0 } = this.#format({ style: "currency", currency }).resolvedOptions();
    return BigInt(MONEY_SCALE / 10 ** maximumFractionDigits);
  }

  /** An average price, with a digit more than its currency has: `$0.284`. */
  price(units: bigint, currency: string): string {
    const { maximumFractionDigits = 0 } = this.#format({ style: "currency", currency }).resolvedOptions();
    const digits = {
      minimumFractionDigits: maximumFractionDigits + 1,
      maximumFractionDigits: maximumFractionDigits + 1,
    };
    return toMinus(this.#format({ style: "currency", currency, ...digits }).format(toNumeric(units)));
  }

  /** Short, for a large amount whose exact value is near: `$1.84M`. */
  compactMoney(units: bigint, currency: string): string {
    const format = this.#format({
      style: "currency",
      currency,
      notation: "compact",
      maximumFractionDigits: 2,
    });
    return toMinus(format.format(toNumeric(units)));
  }

  /** Every digit of an amount as the API writes it: `$0.00012`, `−$25.00`. */
  amount(decimal: string, currency: string): string {
    const format = this.#format({ style: "currency", currency, maximumFractionDigits: 8 });
    return toMinus(format.format(decimal as Intl.StringNumericLiteral));
  }

  /** Short labels for an axis of money with these steps: `$1.5K`, `$0.25`. */
  moneyScale(currency: string, step: number): (value: number) => string {
    const { minimumFractionDigits = 0 } = this.#format({ style: "currency", currency }).resolvedOptions();
    const isWhole = Number.isInteger(step);
    const format = this.#format({
      style: "currency",
      currency,
      notation: "compact",
      minimumFractionDigits: isWhole ? 0 : minimumFractionDigits,
      maximumFractionDigits: isWhole ? 1 : 8,
    });
    return (value) => toMinus(format.format(value));
  }

  /** A part of a whole, with one digit: `68.2%`. */
  percent(ratio: number): string {
    return toMinus(this.#format(PERCENT).format(ratio));
  }

  /** A part of a whole on an axis, without digits that say nothing: `50%`, `97.5%`. */
  axisPercent(ratio: number): string {
    return this.#format({ style: "percent", maximumFractionDigits: 2 }).format(ratio);
  }

  /** The change of a percentage: `+0.5 points`. */
  points(difference: number): string {
    const options = {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      signDisplay: "exceptZero",
    } as const;
    return `${toMinus(this.#format(options).format(difference * 100))} points`;
  }

  /** The change from an earlier value: `+12.5%`, from 100% on `+227%`, `no change`, or `new` where there was nothing. */
  change(now: bigint, before: bigint): string {
    if (now === before) return "no change";
    if (before === 0n) return "new";
    const ratio = toRatio(now - before, before < 0n ? -before : before);
    // 99.95% would be rounded to 100.0%.
    const digits =
      Math.abs(ratio) < 0.9995 ? PERCENT : ({ style: "percent", maximumFractionDigits: 0 } as const);
    return toMinus(this.#format({ ...digits, signDisplay: "exceptZero" }).format(ratio));
  }

  /** The part of a total: `12.5%`; a dash where negative amounts leave no total to be a part of. */
  share(part: bigint, total: bigint): string {
    return total > 0n ? this.percent(toRatio(part, total)) : NONE;
  }

  /** The size of data: `7.2 GB`, `0.4 MB`. */
  bytes(value: number): string {
    const [unit, size] = value >= 1e9 ? ["gigabyte", 1e9] : ["megabyte", 1e6];
    return this.#format({ style: "unit", unit, maximumFractionDigits: 1 }).format(value / size);
  }

  /** A number and its noun: `1 link`, `5,000 links`. */
  plural(count: number, one: string, many = `${one}s`): string {
    return `${this.number(count)} ${count === 1 ? one : many}`;
  }
}

const PERCENT = { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;

/** Intl formats decimal text exactly. A number would lose digits. */
const toNumeric = (units: bigint) => formatMoney(units) as Intl.StringNumericLiteral;
const isCounted = (type: string, value: string) =>
  (type === "integer" || type === "fraction") && /[1-9]/.test(value);

/** Divides integers of any size. The result has six places, enough for a percentage. */
function toRatio(part: bigint, whole: bigint): number {
  return Number((part * 1_000_000n) / whole) / 1_000_000;
}

/** The locale of the reader for whom a page is written. Between requests there is none. */
const reader = new AsyncLocalStorage<Locale>();

/** Runs a handler that writes for the reader with this Accept-Language header. */
export const inLocale = <T>(header: string | null, handle: () => T): T =>
  reader.run(localeFor(header), handle);

const here = () => reader.getStore() ?? localeFor(null);

/** The functions of Locale, as the reader of the present request has them. */
export const showCount: Locale["number"] = (value) => here().number(value);
export const showCompact: Locale["compact"] = (value) => here().compact(value);
export const showMoney: Locale["money"] = (units, currency) => here().money(units, currency);
export const smallestAmount: Locale["smallest"] = (currency) => here().smallest(currency);
export const showPrice: Locale["price"] = (units, currency) => here().price(units, currency);
export const showCompactMoney: Locale["compactMoney"] = (units, currency) =>
  here().compactMoney(units, currency);
export const showAmount: Locale["amount"] = (decimal, currency) => here().amount(decimal, currency);
export const scaleMoney: Locale["moneyScale"] = (currency, step) => here().moneyScale(currency, step);
export const showPercent: Locale["percent"] = (ratio) => here().percent(ratio);
export const showAxisPercent: Locale["axisPercent"] = (ratio) => here().axisPercent(ratio);
export const showPoints: Locale["points"] = (difference) => here().points(difference);
export const showChange: Locale["change"] = (now, before) => here().change(now, before);
export const showShare: Locale["share"] = (part, total) => here().share(part, total);
export const showBytes: Locale["bytes"] = (value) => here().bytes(value);
export const showPlural: Locale["plural"] = (count, one, many) => here().plural(count, one, many);

/** Those used last come last. */
const kept = new Map<string, Locale>();

/** The locale of the first language of an Accept-Language header that exists, among its first five; else en-US. */
export function localeFor(header: string | null): Locale {
  const tags = (header ?? "").slice(0, MAX_LENGTH).split(",", MAX_TAGS);
  const tag = tags.map((part) => toSupported(part.split(";", 1)[0]?.trim() ?? "")).find(Boolean) ?? DEFAULT;
  const locale = kept.get(tag) ?? new Locale(tag);
  kept.delete(tag);
  kept.set(tag, locale);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return locale;
}

/** A tag with language and region only, Latin digits and no other extensions; undefined if it does not exist. */
function toSupported(tag: string): string | undefined {
  try {
    const { language, region } = new Intl.Locale(tag);
    const [supported] = Intl.NumberFormat.supportedLocalesOf(region ? `${language}-${region}` : language);
    return supported && `${supported}-u-nu-latn`;
  } catch {
    return undefined;
  }
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
function partsOf(day: number): [day: string, month: string, year: string] {
  const date = new Date(day * DAY_MS);
  return [String(date.getUTCDate()), ` ${MONTHS[date.getUTCMonth()]}`, ` ${date.getUTCFullYear()}`];
}

/** A day since 1970 in UTC: `14 Mar 2026`. */
export const describeDay = (day: number): string => partsOf(day).join("");

/** The month of a day: `Mar 2026`. */
export const describeMonth = (day: number): string => partsOf(day).slice(1).join("").trim();

/** Without the year, for the labels of an axis: `14 Mar`. */
export const describeShortDay = (day: number): string => partsOf(day).slice(0, 2).join("");

/** `9 – 15 Mar 2026`, `28 Feb – 3 Mar 2026`. What both days share is written once. */
export function describeDays({ from, to }: DayRange): string {
  if (from === to) return describeDay(to);
  const [day, month, year] = partsOf(from);
  const last = partsOf(to);
  const start = year !== last[2] ? day + month + year : month !== last[1] ? day + month : day;
  return `${start} – ${last.join("")}`;
}

/** `14 Mar 2026, 15:09 UTC`. With `seconds`: `14 Mar 2026, 15:09:26 UTC`. `instant` can be in ISO 8601. */
export function describeTime(instant: number | string, seconds?: "seconds"): string {
  const at = new Date(instant);
  return `${describeDay(dayOf(at.getTime()))}, ${at.toISOString().slice(11, seconds ? 19 : 16)} UTC`;
}

/** Without the year of `now`, for a column of times in UTC: `14 Mar, 15:09`, `14 Mar 2025, 15:09`. */
export function describeShortTime(instant: string, now: number): string {
  const text = describeTime(instant).replace(" UTC", "");
  return text.replace(` ${new Date(now).getUTCFullYear()},`, ",");
}

/** `Acme, Beacon, and Corsair`. */
export const showList = (items: Iterable<string>): string => LIST.format(items);
const LIST = new Intl.ListFormat(DEFAULT);

/** The English name of a country of ISO 3166-1 alpha-2. `short`: `Hong Kong` for `Hong Kong SAR China`. */
export const describeCountry = (code: string, style: keyof typeof COUNTRIES = "long"): string =>
  COUNTRIES[style].of(code) ?? code;
const countries = (style: "long" | "short") =>
  new Intl.DisplayNames(DEFAULT, { type: "region", fallback: "code", style });
const COUNTRIES = { long: countries("long"), short: countries("short") };
