/** The console's pages of alerts and of the rules of operators. */

import { html } from "hono/html";
import { deleteRule } from "../../db/alerts/rules.ts";
import { listAppsWithArchived } from "../../db/operator/apps.ts";
import { listPartnerNames } from "../../db/operator/partners.ts";
import { type Context, findEmail } from "../../env.ts";
import * as pages from "../../pages/alerts/pages.ts";
import { KIND_NAMES } from "../../pages/alerts/sentences.ts";
import * as webhooks from "../../pages/alerts/webhooks.ts";
import { card } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { type Act, done, type Show } from "./layout.ts";

const PATH = "/operator/alerts";
const section = "Alerts";

async function readOwner({ env }: Context): Promise<pages.Owner> {
  const [apps, partners] = await Promise.all([listAppsWithArchived(env.DB), listPartnerNames(env.DB)]);
  return {
    ...{ appToken: null, path: PATH },
    partners: new Map(partners.map(({ id, name }) => [id, name])),
    apps: apps.map(({ token, name }) => [token, `${name} (${token})`]),
  };
}

export const alertsPage: Show = async (context) => {
  const owner = await readOwner(context);
  return {
    section,
    body: await pages.alertsBody(
      context.env.DB,
      owner,
      context.url.searchParams.get("after"),
      html`${emailCard(context)}${await webhooks.webhooksCard(context, OPERATORS)}`,
    ),
  };
};

function emailCard({ env }: Context): Markup {
  const email = findEmail(env);
  return card(
    { id: "email", title: "Email" },
    email
      ? html`<p>Alerts are sent to ${email.to.join(", ")}.</p>`
      : html`<p class="muted">Not set up. <a href="/docs/alerts#email">How to send alerts by email</a></p>`,
  );
}

const OPERATORS = { appToken: null, path: PATH };

export const newWebhookPage: Show = async (_, rejected) => ({
  ...{ title: "New webhook", section },
  body: webhooks.newWebhookBody(OPERATORS, rejected),
});

export const submitNewWebhook: Act = async (context, session, sent) => ({
  ...{ title: "Secret of the webhook", section },
  body: await webhooks.submitNewWebhook(context, session, OPERATORS, sent),
});

export const webhookPage: Show = async (context) => {
  const row = await webhooks.webhookOfPath(context, OPERATORS, context.params.id);
  return { title: "Webhook", section, body: await webhooks.webhookBody(context, OPERATORS, row) };
};

export const submitWebhook: Act = async (context, session, sent) => {
  const row = await webhooks.webhookOfPath(context, OPERATORS, context.params.id);
  const result = await webhooks.submitToWebhook(context, session, OPERATORS, row, sent);
  if ("body" in result) return { title: "Secret of the webhook", section, body: result.body };
  return done(result.done === "webhook-deleted" ? PATH : `${PATH}/webhooks/${row.id}`, result.done);
};

export const newRulePage: Show = async (context, rejected) => ({
  title: "New rule",
  section,
  body: pages.newRuleBody(
    await readOwner(context),
    (rejected?.form ?? context.url.searchParams).get("kind"),
    rejected,
  ),
});

export const submitNewRule: Act = async (context, session, sent) => {
  await pages.submitNewRule(context.env.DB, session, await readOwner(context), sent);
  return done(PATH, "rule-created");
};

export const rulePage: Show = async (context, rejected) => {
  const owner = await readOwner(context);
  const rule = await pages.ruleOfPath(context.env.DB, owner, context.params.id);
  return {
    title: `Rule: ${KIND_NAMES[rule.kind]}`,
    section,
    body: pages.ruleBody(owner, rule, rejected),
  };
};

export const submitRule: Act = async (context, session, sent) => {
  const owner = await readOwner(context);
  const rule = await pages.ruleOfPath(context.env.DB, owner, context.params.id);
  await pages.submitRule(context.env.DB, session, owner, rule, sent);
  return done(PATH, "rule-saved");
};

export const submitDeletion: Act = async (context, session) => {
  const rule = await pages.ruleOfPath(context.env.DB, { appToken: null }, context.params.id);
  await deleteRule(context.env.DB, session, rule);
  return done(PATH, "rule-deleted");
};
