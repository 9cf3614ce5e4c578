/** The format of the archive: one row of the ledger with everything that proves what counted of it, as one line of JSON. */
import type { CostType, Kind } from "../../domain/cost-types.ts";
import { UNKNOWN_COUNTRY, UNKNOWN_PLATFORM } from "../../domain/engagements/audience.ts";
import { formatAmount } from "../../domain/money.ts";
import { dayOf, formatDate, toIso } from "../../domain/time.ts";

interface RawEngagement {
  appToken: string;
  linkId: number;
  /** Null on a shard, which has no links. */
  linkToken: string | null;
  occurredAt: number;
  costDataOn: number;
  urlCostType: CostType | null;
  urlCurrency: string | null;
  urlAmount: number | null;
  priceCounts: number;
  /** Null in rows from before it was always counted. */
  country: string | null;
  platform: string | null;
}

/** A row as the view `entry_records` has it: times in milliseconds, days since 1970, amounts in units of 0.00001. */
export interface RawRecord {
  partnerId: number;
  costId: string;
  costType: CostType | null;
  currency: string | null;
  amount: number | null;
  tag: string | null;
  receivedAt: number | null;
  voidState: "voided" | "lifted" | null;
  click: RawEngagement | null;
  impression: RawEngagement | null;
  /** The computed columns of the ledger that say what counts. */
  state: "voided" | "pending" | "unpriced" | "matched" | null;
  matchedKind: Kind | null;
  amountInEffect: number | null;
  countingPrice: Kind | null;
  rememberedUntil: number;
  /** When another call replaced this one, which counts nothing any more. */
  replacedAt: number | null;
}

/** A line of an object. Amounts are decimal text, times ISO 8601 in UTC. `site/pages/archive.md` documents it. */
export type ArchivedCost = ReturnType<typeof toArchivedCost>;

/** Formats a row. `tokens` has the links of shards. */
export function toArchivedCost(raw: RawRecord, tokens: ReadonlyMap<number, string>) {
  const linkOf = ({ linkId, linkToken }: RawEngagement) => linkToken ?? tokens.get(linkId) ?? null;
  const engagement = (at: RawEngagement | null) =>
    at && {
      app_token: at.appToken,
      link_token: linkOf(at),
      occurred_at: toIso(at.occurredAt),
      cost_data_enabled: at.costDataOn === 1,
      url_price: priceOf(at),
      country: at.country ?? UNKNOWN_COUNTRY,
      platform: at.platform ?? UNKNOWN_PLATFORM,
    };
  return {
    partner_id: raw.partnerId,
    cost_id: raw.costId,
    call:
      raw.costType === null || raw.currency === null
        ? null
        : {
            cost_type: raw.costType,
            currency: raw.currency,
            amount: toAmount(raw.amount),
            tag: raw.tag,
            received_at: raw.receivedAt === null ? null : toIso(raw.receivedAt),
          },
    void_state: raw.voidState,
    click: engagement(raw.click),
    impression: engagement(raw.impression),
    counts: raw.replacedAt === null ? countsOf(raw, linkOf) : [],
    expired_at: toIso(raw.rememberedUntil),
    replaced_at: raw.replacedAt === null ? null : toIso(raw.replacedAt),
  };
}

/** What the daily totals include of a row, like the view `cost_states`: the call, and the price on a URL if no call matches. */
function countsOf(raw: RawRecord, linkOf: (at: RawEngagement) => string | null) {
  const { costType, currency, state, matchedKind, amountInEffect, countingPrice, receivedAt } = raw;
  const priced = countingPrice && raw[countingPrice];
  const entry = (kind: Kind | null) => {
    const at = kind && raw[kind];
    return {
      kind,
      app_token: at?.appToken ?? null,
      link_token: at ? linkOf(at) : null,
      day: formatDate(dayOf(at?.occurredAt ?? receivedAt ?? 0)),
    };
  };
  return [
    ...(state !== null && state !== "voided"
      ? [
          {
            source: "call" as const,
            state,
            ...entry(matchedKind),
            cost_type: costType,
            currency,
            amount: toAmount(amountInEffect),
          },
        ]
      : []),
    ...(priced
      ? [
          {
            source: "url" as const,
            state: "matched" as const,
            ...entry(countingPrice),
            cost_type: priced.urlCostType,
            currency: priced.urlCurrency,
            amount: toAmount(priced.urlAmount),
          },
        ]
      : []),
  ];
}

function priceOf({ urlCostType, urlCurrency, urlAmount, priceCounts }: RawEngagement) {
  if (urlCostType === null && urlCurrency === null && urlAmount === null) return null;
  return {
    cost_type: urlCostType,
    currency: urlCurrency,
    amount: toAmount(urlAmount),
    counts: priceCounts === 1,
  };
}

const toAmount = (units: number | null) => (units === null ? null : formatAmount(units));

/** The days on which the call, the click and the impression happened. */
export function daysOf({ receivedAt, click, impression }: RawRecord): number[] {
  const times = [receivedAt, click?.occurredAt ?? null, impression?.occurredAt ?? null];
  return times.flatMap((at) => (at === null ? [] : [dayOf(at)]));
}

/** The links of a row whose tokens it lacks. */
export function linksWithoutToken({ click, impression }: RawRecord): number[] {
  return [click, impression].flatMap((at) => (at && at.linkToken === null ? [at.linkId] : []));
}
