/** The currencies, and amounts as text, without rounding. Amounts are integers in units of 0.00001 of the currency. */

/** The ISO 4217 codes in use. A test compares the list with dinero.js, which is not imported here because only its codes are needed. */
const CODES = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
  CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
  GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW
  KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN
  NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD
  SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW
  UZS VED VES VND VUV WST XAD XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
`;

export const CURRENCY_CODES: ReadonlySet<string> = new Set(CODES.trim().split(/\s+/));

/** The highest price on a URL that counts unless an operator sets another: 100 of any currency. */
export const DEFAULT_MAX_URL_AMOUNT = 100 * 100_000;

/** Plain decimal text without trailing zeros: 25000 units are `0.25`. */
export const formatAmount = (units: number | string): string => toText(BigInt(units), 5);

/** The places of spend: an amount per mille is the price of 1,000 impressions, so one impression costs a thousandth of it. */
const MONEY_PLACES = 8;

/** Units of 0.00000001 as plain decimal text without trailing zeros: -150000000 units are `-1.5`. */
export const formatMoney = (units: bigint | string): string => toText(BigInt(units), MONEY_PLACES);

/**
 * Sums of costs: of the whole numbers of their amounts, and of the rests in units of 0.00000001. In one, the sum of many large
 * amounts would not fit into an integer of SQLite.
 */
export type CostSums = { costsWhole: string; costsRest: string };

/** The same of adjustments. */
type AdjustmentSums = { adjustedWhole: string; adjustedRest: string };

export type SpendSums = CostSums & Partial<AdjustmentSums>;

/** The sum of costs and of adjustments, if there are any, in units of 0.00000001. */
export const sumSpend = (rows: SpendSums[]): bigint => sumCosts(rows) + sumAdjusted(rows);

/** The sum of costs, in units of 0.00000001. */
export function sumCosts(rows: CostSums[]): bigint {
  return rows.reduce((sum, { costsWhole, costsRest }) => sum + toUnits(costsWhole, costsRest), 0n);
}

/** The same as plain decimal text. */
export const formatSpend = (rows: SpendSums[]): string => formatMoney(sumSpend(rows));

/** The sum of adjustments, in units of 0.00000001. */
export function sumAdjusted(rows: Partial<AdjustmentSums>[]): bigint {
  return rows.reduce(
    (sum, { adjustedWhole, adjustedRest }) => sum + toUnits(adjustedWhole, adjustedRest),
    0n,
  );
}

/** The same as plain decimal text. */
export const formatAdjusted = (rows: AdjustmentSums[]): string => formatMoney(sumAdjusted(rows));

const toUnits = (whole = "0", rest = "0"): bigint => BigInt(whole) * 100_000_000n + BigInt(rest);

/** Writes an integer count of 10^-places as decimal text without trailing zeros. */
function toText(count: bigint, places: number): string {
  if (count < 0n) return `-${toText(-count, places)}`;
  const digits = String(count).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
}
