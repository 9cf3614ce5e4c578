/** The kinds of alerts and of events. */

/** What the members of an app can set rules for, and what only operators can. */
export const APP_RULES = ["partner_silent", "costs_rejected", "spend_above", "discrepancy"] as const;
export const RULE_KINDS = [
  ...APP_RULES,
  "purge_late",
  "database_large",
  "url_prices_limited",
  "sub_links_full",
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** An alert without a rule: a webhook was turned off. */
export const WEBHOOK_FAILING = "webhook_failing";
export const ALERT_KINDS = [...RULE_KINDS, WEBHOOK_FAILING] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What webhooks get. */
export const EVENT_TYPES = [
  "alert.opened",
  "alert.closed",
  "round.approved",
  "partner.stopped",
  "webhook.test",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
