/** The demo's integration round: partner 3 has matches and every kind of mismatch, so that the round's page shows them all. */

import { type CostType, type Kind, toMask } from "../../domain/cost-types.ts";
import type { RoundEntry } from "../../domain/rounds/findings.ts";
import { COST_WINDOW_MS, HOUR_MS } from "../../domain/time.ts";
import type { InputError } from "../../errors.ts";
import type { DemoRow, Values } from "./rows.ts";

const LINK_ID = 7;

/** What the demo partners send, as the guides show it. */
export const DEMO_TYPES = toMask(["cpc", "cpi", "cpe", "cpm"]);
export const DEMO_ROUND = { id: 1, partnerId: 3, costTypes: DEMO_TYPES } as const;

/** Adds the prefix of a kind of engagement to the names of its columns. */
type Columns = (kind: Kind, values: Values) => Values;
type Row = (table: string, values: Record<string, string | number | null>) => DemoRow;

type Submission = { hoursAgo: number; answer?: string; errors?: InputError[]; sent: Record<string, string> };

/** Returns the rows of the round. `now` in milliseconds since 1970. */
export function demoRound(now: number, appToken: string, row: Row, columns: Columns): DemoRow[] {
  const engagement = (
    cost_id: string,
    kind: Kind,
    hoursAgo: number,
    url: Record<string, string | number> = {},
  ) =>
    row("ledger_entries", {
      partner_id: DEMO_ROUND.partnerId,
      cost_id,
      ...columns(kind, {
        app_token: appToken,
        link_id: LINK_ID,
        at: now - hoursAgo * HOUR_MS,
        cost_data_on: 0,
        price_counts: 0,
        ...url,
      }),
    });
  const entries = SUBMISSIONS.map(({ hoursAgo, answer = "ok", errors = [], sent }, index) => {
    const record: Omit<RoundEntry, "number" | "receivedAt" | "costId"> = {
      sent,
      errors,
      cost: errors.length > 0 ? null : toCost(sent),
      engagements: {},
      answer,
    };
    return row("round_entries", {
      round_id: DEMO_ROUND.id,
      number: index + 1,
      received_at: now - hoursAgo * HOUR_MS,
      cost_id: sent.cost_id ?? null,
      record: JSON.stringify(record),
    });
  });
  return [
    row("rounds", {
      id: DEMO_ROUND.id,
      partner_id: DEMO_ROUND.partnerId,
      cost_types: DEMO_ROUND.costTypes,
      state: "open",
      opened_at: now - 5 * 24 * HOUR_MS,
    }),
    engagement("corsair-click-0001", "click", 50),
    engagement("corsair-click-0002", "click", 49, { url_cost_type: "cpc" }),
    engagement("corsair-click-0003", "click", 48, { url_cost_type: "cpc" }),
    engagement("corsair-click-0004", "click", 47),
    engagement("corsair-install-01", "click", 46, { url_cost_type: "cpi", url_currency: "EUR" }),
    engagement("corsair-install-02", "click", 45, {
      url_cost_type: "cpi",
      url_currency: "EUR",
      url_amount: 150_000,
    }),
    engagement("corsair-install-03", "click", COST_WINDOW_MS / HOUR_MS + 48),
    engagement("corsair-install-04", "click", 44, { url_cost_type: "cpi" }),
    engagement("corsair-view-0001", "impression", 44),
    engagement("corsair-view-0002", "impression", 44),
    engagement("corsair-click-0005", "click", 43),
    ...entries,
  ];
}

const cost = (cost_type: CostType, cost_id: string, cost_amount: string, more: object = {}) => ({
  cost_type,
  cost_currency: "EUR",
  cost_id,
  tag: "trial",
  cost_amount,
  ...more,
});

const SUBMISSIONS: Submission[] = [
  { hoursAgo: 42, sent: cost("cpc", "corsair-click-0001", "0.12") },
  { hoursAgo: 41.9, sent: cost("cpc", "corsair-click-0001", "0.12") },
  { hoursAgo: 41.5, sent: cost("cpc", "corsair-click-0002", "0.12") },
  { hoursAgo: 41, answer: "cost_id_conflict", sent: cost("cpc", "corsair-click-0002", "0.15") },
  {
    hoursAgo: 40,
    answer: "invalid_request",
    sent: cost("cpc", "corsair-click-0004", "0,12"),
    errors: [
      {
        param: "cost_amount",
        message: "must be a plain decimal with at most 5 decimal places, for example 0.25",
      },
    ],
  },
  { hoursAgo: 39, sent: cost("cpc", "corsair-click-0004", "0.12") },
  { hoursAgo: 38, sent: cost("cpi", "corsair-install-01", "1.5") },
  { hoursAgo: 37, sent: cost("cpi", "corsair-install-02", "1.2") },
  { hoursAgo: 36, answer: "window_closed", sent: cost("cpi", "corsair-install-03", "1.5") },
  { hoursAgo: 35, sent: cost("cpe", "corsair-event-0001", "0.8") },
  {
    hoursAgo: 34,
    answer: "invalid_request",
    sent: cost("cpe", "corsair-event-0002", "0.8", { cost_currency: "EURO" }),
    errors: [{ param: "cost_currency", message: "must be an ISO 4217 currency code" }],
  },
  { hoursAgo: 33, sent: cost("cpm", "corsair-view-0001", "2.4") },
  { hoursAgo: 32, sent: cost("cpm", "corsair-click-0005", "2.4") },
];

function toCost(sent: Record<string, string>): RoundEntry["cost"] {
  return {
    costId: sent.cost_id ?? "",
    costType: sent.cost_type as CostType,
    currency: sent.cost_currency ?? "",
    amount: Math.round(Number(sent.cost_amount) * 100_000),
    tag: sent.tag ?? "",
  };
}
