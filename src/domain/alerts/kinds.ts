/** The kinds of alerts and of events. */

/** What the members of an app can be alerted of, and then what only operators can. */
export const APP_ALERTS = ["partner_silent", "costs_rejected", "spend_above"] as const;
export const ALERT_KINDS = [
  ...APP_ALERTS,
  "discrepancy",
  "purge_late",
  "database_large",
  "url_prices_limited",
  "sub_links_full",
  "webhook_failing",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What webhooks are told. */
export const EVENT_TYPES = [
  "alert.opened",
  "alert.closed",
  "round.approved",
  "partner.stopped",
  "webhook.test",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
