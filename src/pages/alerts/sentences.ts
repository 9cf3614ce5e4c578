/** What an alert says, for pages, webhooks and email, and what a rule does. */
import { type AlertKind, type RuleKind, WEBHOOK_FAILING } from "../../domain/alerts/kinds.ts";
import type { Finding, Rule, Settings } from "../../domain/alerts/rules.ts";
import { MIN_EXPECTED } from "../../domain/figures/rates.ts";
import { formatAmount } from "../../domain/money.ts";
import { DAY_MS } from "../../domain/time.ts";
import {
  describeDay,
  describeMonth,
  describeTime,
  showAmount,
  showCount,
  showPercent,
  showPlural,
} from "../locale.ts";

export const KIND_NAMES: Record<AlertKind, string> = {
  partner_silent: "No cost from a partner",
  costs_rejected: "Costs rejected",
  spend_above: "Spend above a limit",
  discrepancy: "Discrepancy",
  purge_late: "Hourly job late",
  database_large: "Database large",
  url_prices_limited: "Prices on URLs held",
  sub_links_full: "No more sub-links",
  [WEBHOOK_FAILING]: "Webhook turned off",
};

type Data = Finding["data"];
/** `on 14 Mar 2026`, or `in Mar 2026`. */
const inPeriod = ({ day, month }: Data) =>
  day
    ? `on ${describeDay(Date.parse(`${day}`) / DAY_MS)}`
    : `in ${describeMonth(Date.parse(`${month}-01`) / DAY_MS)}`;
/** ` of Acme Ads on the link Brand › Spring in the app Demo`. A stored alert can have no names. */
const ofWhat = ({ link, link_token, partner, partner_id, app, app_token }: Data) =>
  [
    partner_id && ` of ${partner ?? `partner ${partner_id}`}`,
    link_token && ` on the link ${String(link ?? link_token).replaceAll("::", " › ")}`,
    app_token && ` in the app ${app ?? app_token}`,
  ]
    .filter(Boolean)
    .join("");
/** The network, or the app, below which sub-links are created. */
const belowWhat = ({ link, link_token, app, app_token }: Data) =>
  link_token ? `below the network ${link ?? link_token}` : `in the app ${app ?? app_token}`;
const GIGABYTE = 1_000_000_000;
const gigabytes = (bytes: number) => (Math.round(bytes / (GIGABYTE / 10)) / 10).toFixed(1);

const OPENED: Record<AlertKind, (data: Data) => string> = {
  partner_silent: ({ partner, last_cost_at, waiting_since }) =>
    `No cost from ${partner} after ${describeTime(String(last_cost_at ?? waiting_since))}. Its clicks and impressions wait for costs.`,
  costs_rejected: ({ partner, rejected, costs, hours }) =>
    `${showCount(Number(rejected))} of ${showPlural(Number(costs), "cost")} of ${partner} were rejected in ${hours === 1 ? "an hour" : showPlural(Number(hours), "hour")}.`,
  spend_above: (data) =>
    `The spend${ofWhat(data)} ${inPeriod(data)} is ${showAmount(String(data.spend), String(data.currency))}, above the limit of ${showAmount(String(data.limit), String(data.currency))}.`,
  discrepancy: ({ partner, cost_type, discrepancy }) =>
    `The ${cost_type} costs of ${partner} have a discrepancy of ${showPercent(Number(discrepancy))}.`,
  purge_late: ({ database, purged_at }) =>
    `The hourly job has not run for ${database} since ${describeTime(String(purged_at))}.`,
  database_large: ({ database, bytes }) =>
    `The database ${database} has ${gigabytes(Number(bytes))} of at most 10 GB.`,
  url_prices_limited: ({ partner, held_prices }) =>
    `${showPlural(Number(held_prices), "price")} on URLs of ${partner} ${held_prices === 1 ? "is" : "are"} held, because they are over its limit for the day.`,
  sub_links_full: (data) =>
    `Clicks and impressions can create no more links ${belowWhat(data)} for now. New names count for the links above.`,
  [WEBHOOK_FAILING]: ({ url }) => `The webhook to ${url} was turned off, because it failed for 5 days.`,
};

const CLOSED: Record<AlertKind, (data: Data) => string> = {
  partner_silent: ({ partner }) => `${partner} sends costs again, or none are expected now.`,
  costs_rejected: ({ partner }) => `The rejected costs of ${partner} are below the limit again.`,
  spend_above: (data) => `The spend${ofWhat(data)} ${inPeriod(data)} is no longer above its limit.`,
  discrepancy: ({ partner, cost_type }) =>
    `The discrepancy of the ${cost_type} costs of ${partner} is below the limit again.`,
  purge_late: ({ database }) => `The hourly job runs again for ${database}.`,
  database_large: ({ database }) => `The database ${database} is below the limit again.`,
  url_prices_limited: ({ partner }) => `No prices on URLs of ${partner} are held.`,
  sub_links_full: (data) => `Clicks and impressions can create links ${belowWhat(data)} again.`,
  [WEBHOOK_FAILING]: ({ url }) => `The webhook to ${url} is on again, or was deleted.`,
};

/** One sentence. A kind of a later version is only named. */
export function describeAlert(kind: AlertKind, data: Data, state: "opened" | "closed"): string {
  return (state === "opened" ? OPENED : CLOSED)[kind]?.(data) ?? kind;
}

/** What a stored alert said when it was opened. */
export const sentenceOf = ({ kind, data }: { kind: AlertKind; data: string }): string =>
  describeAlert(kind, JSON.parse(data) as Data, "opened");

/** For an alert whose rule is gone, or looks at other days now. */
export const describeEnd = (kind: AlertKind, data: Data, isRuleGone: boolean): string =>
  `Closed, because its rule ${isRuleGone ? "was changed or deleted" : "covers other days now"}: ${OPENED[kind]?.(data) ?? kind}`;

const LIMITS: { [K in RuleKind]: (settings: Settings[K]) => string } = {
  partner_silent: ({ hours }) => `No cost for ${showPlural(hours, "hour")} while clicks or impressions wait`,
  costs_rejected: ({ count, percent }) =>
    `More than ${showCount(count)} costs, and more than ${showPercent(percent / 100)}, rejected in an hour`,
  spend_above: ({ amount, currency, period }) =>
    `More than ${showAmount(formatAmount(amount), currency)} in a ${period} (UTC)`,
  discrepancy: ({ percent }) =>
    `${showPercent(percent / 100)} or more without a matching cost, of at least ${MIN_EXPECTED} clicks or impressions, counted once a day`,
  purge_late: ({ hours }) => `Not run for more than ${showPlural(hours, "hour")}`,
  database_large: ({ gigabytes }) => `More than ${showCount(gigabytes)} of 10 GB`,
  url_prices_limited: () => "Prices on URLs are held",
  sub_links_full: () => "Clicks and impressions can create no more links",
};

/** From when on the rule opens an alert. */
export const describeRule = ({ kind, settings }: Rule): string => LIMITS[kind](settings as never);
