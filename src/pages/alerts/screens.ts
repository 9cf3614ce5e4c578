/** The pages of alerts and webhooks, below the page of alerts of an app or of operators. */
import { alertsPage } from "./list.ts";
import type { Act, Show } from "./owner.ts";
import { newRulePage, rulePage, submitNewRule, submitRule } from "./rules.ts";
import { newWebhookPage, showsSecret, submitNewWebhook, submitToWebhook, webhookPage } from "./webhooks.ts";

interface Entry {
  path: string;
  show: Show;
  /** What its forms do, and which of them show a secret. */
  act?: Act;
  showsSecret?: (sent: URLSearchParams) => boolean;
}

export const SCREENS: Entry[] = [
  { path: "", show: alertsPage },
  { path: "/new", show: newRulePage, act: submitNewRule },
  { path: "/rules/:id", show: rulePage, act: submitRule },
  { path: "/webhooks/new", show: newWebhookPage, act: submitNewWebhook },
  { path: "/webhooks/:id", show: webhookPage, act: submitToWebhook, showsSecret },
];
