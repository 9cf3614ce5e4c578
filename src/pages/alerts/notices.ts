/** What the pages of alerts and webhooks say after a form. */
export const ALERT_NOTICES = {
  "rule-created": "Rule created. It is checked within the hour.",
  "rule-saved": "Rule saved.",
  "rule-deleted": "Rule deleted.",
  "webhook-tested": "Test event created. It is sent within a minute.",
  "webhook-on": "Webhook turned on.",
  "sent-again": "The delivery is sent again within a minute.",
  "webhook-deleted": "Webhook deleted.",
} as const;
export type AlertNotice = keyof typeof ALERT_NOTICES;
