/** The pages of alerts and their rules, for the members of an app. */

import { html } from "hono/html";
import { deleteRule } from "../db/alerts/rules.ts";
import { runWithPartners } from "../db/links/partner-catalog.ts";
import { runBatch } from "../db/statement.ts";
import type { Context } from "../env.ts";
import { AppError, ERRORS } from "../errors.ts";
import { readFields } from "../http/input/form.ts";
import { noticesOf } from "../http/notices.ts";
import { redirectResponse } from "../http/redirect.ts";
import * as pages from "../pages/alerts/pages.ts";
import { KIND_NAMES } from "../pages/alerts/sentences.ts";
import * as webhooks from "../pages/alerts/webhooks.ts";
import { errorSummary, RejectedForm } from "../pages/forms/fields.ts";
import type { Markup } from "../pages/markup.ts";
import { showNotice } from "../pages/notice.ts";
import { type AppPage, actorOf, type Member, type Show } from "./frame.ts";

const NOTICES = noticesOf({
  created: "Rule created. It is checked within the hour.",
  saved: "Rule saved.",
  deleted: "Rule deleted.",
  ...webhooks.WEBHOOK_NOTICES,
});

async function readOwner({ env }: Context, { app, path, viewer }: Member): Promise<pages.Owner> {
  const [partners] = await runWithPartners(runBatch, env.DB, viewer);
  return {
    ...{ appToken: app.token, path: `${path}/alerts`, apps: [] },
    partners: new Map([...partners.values()].map(({ id, displayName }) => [id, displayName])),
  };
}

export const alertsPage: Show = async (context, member) => {
  const owner = await readOwner(context, member);
  const card = await webhooks.webhooksCard(context, owner);
  const body = await pages.alertsBody(context.env.DB, owner, context.url.searchParams.get("after"), card);
  return { title: "Alerts", body: html`${showNotice(NOTICES, context)}${body}` };
};

export const newRulePage: Show = async (context, member) => {
  const owner = await readOwner(context, member);
  return { title: "New rule", body: pages.newRuleBody(owner, context.url.searchParams.get("kind")) };
};

/** The page with the errors of its form. */
function rejectedPage(
  context: Context,
  title: string,
  error: unknown,
  sent: URLSearchParams,
  show: (rejected: RejectedForm) => Markup,
): AppPage {
  if (!(error instanceof AppError) || !["invalid_request", "limit_reached"].includes(error.code)) throw error;
  context.trace.outcome = error.code;
  const rejected = new RejectedForm(error, sent);
  const body = show(rejected);
  return {
    title: `Error: ${title}`,
    status: ERRORS[error.code].status,
    body: html`${errorSummary(rejected)}${body}`,
  };
}

export const submitNewRule: Show = async (context, member) => {
  const sent = await readFields(context);
  const owner = await readOwner(context, member);
  try {
    await pages.submitNewRule(context.env.DB, actorOf(context, member), owner, sent);
    return NOTICES.redirect(owner.path, "created");
  } catch (error) {
    return rejectedPage(context, "New rule", error, sent, (rejected) =>
      pages.newRuleBody(owner, sent.get("kind"), rejected),
    );
  }
};

const hooksOf = ({ app, path }: Member) => ({ appToken: app.token, path: `${path}/alerts` });

export const newWebhookPage: Show = async (_, member) => ({
  title: "New webhook",
  body: webhooks.newWebhookBody(hooksOf(member)),
});

const SECRET = "Secret of the webhook";

export const submitNewWebhook: Show = async (context, member) => {
  const sent = await readFields(context);
  const owner = hooksOf(member);
  try {
    return {
      title: SECRET,
      body: await webhooks.submitNewWebhook(context, actorOf(context, member), owner, sent),
    };
  } catch (error) {
    return rejectedPage(context, "New webhook", error, sent, (rejected) =>
      webhooks.newWebhookBody(owner, rejected),
    );
  }
};

export const webhookPage: Show = async (context, member) => {
  const owner = hooksOf(member);
  const row = await webhooks.webhookOfPath(context, owner, context.params.webhook_id);
  const body = await webhooks.webhookBody(context, owner, row);
  return { title: "Webhook", body: html`${showNotice(NOTICES, context)}${body}` };
};

export const submitWebhook: Show = async (context, member) => {
  const sent = await readFields(context);
  const owner = hooksOf(member);
  const row = await webhooks.webhookOfPath(context, owner, context.params.webhook_id);
  const result = await webhooks.submitToWebhook(context, actorOf(context, member), owner, row, sent);
  if ("body" in result) return { title: SECRET, body: result.body };
  const { done } = result;
  return NOTICES.redirect(done === "webhook-deleted" ? owner.path : `${owner.path}/webhooks/${row.id}`, done);
};

const ruleOf = ({ env, params }: Context, { app }: Member) =>
  pages.ruleOfPath(env.DB, { appToken: app.token }, params.rule_id);

export const rulePage: Show = async (context, member) => {
  const [owner, rule] = await Promise.all([readOwner(context, member), ruleOf(context, member)]);
  return { title: `Rule: ${KIND_NAMES[rule.kind]}`, body: pages.ruleBody(owner, rule) };
};

export const submitRule: Show = async (context, member) => {
  const sent = await readFields(context);
  const [owner, rule] = await Promise.all([readOwner(context, member), ruleOf(context, member)]);
  try {
    await pages.submitRule(context.env.DB, actorOf(context, member), owner, rule, sent);
    return NOTICES.redirect(owner.path, "saved");
  } catch (error) {
    return rejectedPage(context, `Rule: ${KIND_NAMES[rule.kind]}`, error, sent, (rejected) =>
      pages.ruleBody(owner, rule, rejected),
    );
  }
};

export const backToRule: Show = async ({ params }, { path }) =>
  redirectResponse(`${path}/alerts/rules/${encodeURIComponent(params.rule_id ?? "")}`);

export const submitDeletion: Show = async (context, member) => {
  const rule = await ruleOf(context, member);
  await deleteRule(context.env.DB, actorOf(context, member), rule);
  return NOTICES.redirect(`${member.path}/alerts`, "deleted");
};
