/** The partners of the large app, with their credentials, open rounds and costs that wait for a click. */
import { type CostType, type Kind, toMask } from "../../../domain/cost-types.ts";
import { DEFAULT_MAX_URL_AMOUNT } from "../../../domain/money.ts";
import { COST_WINDOW_MS, DAY_MS, HOUR_MS } from "../../../domain/time.ts";
import { auditEntry, type DemoRow } from "../rows.ts";
import { demoToken, tokenColumns } from "../secrets.ts";
import { PARTNER_NAMES } from "./names.ts";

/** After the partners of the default demo. */
const FIRST_PARTNER = 6;
/** Days since the stopped partner was stopped. */
const STOPPED_DAYS = 4;

/** What is paid for: what it costs if a click costs one US dollar, and how often a link has it on a day. */
const TYPES: [costType: CostType, kind: Kind, perClick: number, share: number][] = [
  ["cpc", "click", 1, 1],
  ["cpm", "impression", 9, 0.7],
  ["cpi", "click", 4.2, 0.5],
  ["cpe", "click", 12, 0.2],
];
export const ALL_TYPES = toMask(TYPES.map(([costType]) => costType));
/** The units of an amount in one of its currency. */
export const UNITS = 100_000;
/** How much of a currency is a US dollar. */
export const CURRENCIES = { USD: 1, EUR: 0.9, JPY: 150 };
type Currency = keyof typeof CURRENCIES;

export interface Partner {
  id: number;
  currency: Currency;
  /** Of a click in US dollars, on average. */
  price: number;
  /** Whether it sends costs. */
  isIntegrated: boolean;
  isStopped: boolean;
}

const LOWEST = 0.08;
const HIGHEST = 3.4;

export const PARTNERS = PARTNER_NAMES.map((_, index): Partner => {
  const isIntegrated = index % 8 !== 7;
  const currency = index % 3 === 1 ? "EUR" : index % 6 === 2 ? "JPY" : "USD";
  // Each is as much higher than the one below it; neighbors in the list differ.
  const rank = ((index * 7 + 11) % PARTNER_NAMES.length) / (PARTNER_NAMES.length - 1);
  const price = LOWEST * (HIGHEST / LOWEST) ** rank;
  return { id: FIRST_PARTNER + index, currency, price, isIntegrated, isStopped: index === 3 };
});

/** "Blueshift Performance" sends no costs anymore, and costs of "Northwind Ads" were rejected. */
export const SILENT = PARTNERS[5]?.id ?? 0;
export const REJECTED = PARTNERS[0]?.id ?? 0;

/** How many clicks have no cost, in comparison with those that have one. Above 0.04, the discrepancy of cpc is over 5%. */
const FREE_SHARE = 0.015;
/** The costs of "Northwind Ads" for clicks before the last week came too late, and some of this week are missing too. */
const freeShareOf = (id: number, daysAgo: number) =>
  id !== REJECTED ? FREE_SHARE : daysAgo > COST_WINDOW_MS / DAY_MS ? 0.15 : 0.05;

/** What the partner sends costs for on a day, with the average amount in its currency. */
export function paidFor(partner: Partner | undefined, daysAgo: number) {
  if (!partner?.isIntegrated || (partner.isStopped && daysAgo < STOPPED_DAYS)) return [];
  const { id, currency, price } = partner;
  const freeShare = freeShareOf(id, daysAgo);
  return TYPES.map(([cost_type, kind, perClick, share]) => ({
    ...{ cost_type, kind, currency, share, freeShare },
    average: perClick * price * CURRENCIES[currency],
  }));
}

/** The cost credential of a partner that sends costs. */
export const liveToken = ({ id }: Partner): string => demoToken("live", `Atlas${id}`);

/** The partners, and what they have in the tables of partners. `now` in milliseconds since 1970. */
export function partnerRows(now: number, created_at: number): DemoRow[] {
  const open = PARTNERS.filter(({ isIntegrated }) => !isIntegrated);
  return [
    ...PARTNERS.map((partner) => partnerRow(partner, now, created_at)),
    ...PARTNERS.filter(({ isIntegrated }) => isIntegrated).map((partner) => ({
      table: "credentials",
      values: {
        ...tokenColumns("live", liveToken(partner)),
        partner_id: partner.id,
        mode: "live",
        cost_types: ALL_TYPES,
        created_at,
      },
    })),
    ...PARTNERS.filter(({ isStopped }) => isStopped).map(({ id }) => {
      const at = now - STOPPED_DAYS * DAY_MS;
      return auditEntry(at, "update partner", `partner ${id}`, { stopped_at: { from: null, to: at } });
    }),
    ...open.map(({ id: partner_id }, index) => ({
      table: "rounds",
      values: {
        partner_id,
        cost_types: toMask(["cpc", "cpi"]),
        state: "open",
        opened_at: now - (index + 2) * DAY_MS,
      },
    })),
  ];
}

function partnerRow({ id, currency, isIntegrated, isStopped }: Partner, now: number, created_at: number) {
  return {
    table: "partners",
    values: {
      id,
      display_name: PARTNER_NAMES[id - FIRST_PARTNER] ?? "",
      supports_cost_data: Number(isIntegrated),
      integrated_types: isIntegrated ? ALL_TYPES : 0,
      server_to_server: Number(id % 5 === 0),
      click_parameters: "campaign={campaign}&adgroup={adgroup}&creative={creative}",
      impression_parameters: "campaign={campaign}&adgroup={adgroup}&creative={creative}",
      cost_parameters: `cost_id={click_id}&cost_type={model}&cost_amount={price}&cost_currency=${currency}`,
      max_url_amount: DEFAULT_MAX_URL_AMOUNT,
      stopped_at: isStopped ? now - STOPPED_DAYS * DAY_MS : null,
      created_at,
    },
  };
}

/** Costs that wait for their click, some of them in vain. */
export function pendingCosts({ id, currency, isIntegrated, isStopped }: Partner, now: number): DemoRow[] {
  if (!isIntegrated || isStopped) return [];
  return Array.from({ length: 8 }, (_, index) => ({
    table: "ledger_entries",
    values: {
      partner_id: id,
      cost_id: `atlas-pending-${id}-${index}`,
      cost_type: "cpc",
      currency,
      amount: CURRENCIES[currency] * UNITS,
      tag: "demo",
      received_at: now - index * 30 * HOUR_MS - HOUR_MS,
    },
  }));
}
