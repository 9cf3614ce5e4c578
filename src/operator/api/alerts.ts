/** Alerts and their rules in the operator API: those of operators, and those of any app. */
import * as z from "zod/mini";
import { listAlerts } from "../../db/alerts/alerts.ts";
import { deleteRule, listRules, toRule } from "../../db/alerts/rules.ts";
import { appToken, pageQuery } from "../../http/input/fields.ts";
import {
  alertItem,
  changeRule,
  createRule,
  findRule,
  kind,
  ruleItem,
  settings,
  toAlertItem,
  toRuleItem,
} from "../../usecases/alerts/rules.ts";
import { byId, change } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const ofApp = {
  query: z.strictObject({
    ...pageQuery.shape,
    app_token: z.optional(appToken).with(z.describe("Those of this app; without it, those of operators")),
  }),
  paged: true,
} as const;

const listAlertsOperation = listOperation({
  path: "/operator/v1/alerts",
  id: "listAlerts",
  summary: "List alerts",
  description: "The newest first. Closed ones are kept for 90 days.",
  input: ofApp,
  item: alertItem,
  errors: [],
  list: ({ env }, { range, query }) => listAlerts(env.DB, range, { appToken: query.app_token ?? null }),
  toItem: toAlertItem,
  order: "DESC",
});

const listRulesOperation = listOperation({
  path: "/operator/v1/alert-rules",
  id: "listAlertRules",
  summary: "List alert rules",
  input: ofApp,
  item: ruleItem,
  errors: [],
  async list({ env }, { range, query }) {
    const { rows, total } = await listRules(env.DB, range, { appToken: query.app_token ?? null });
    return { rows: rows.flatMap(toRule), total };
  },
  toItem: toRuleItem,
});

const createRuleOperation = itemOperation({
  method: "POST",
  path: "/operator/v1/alert-rules",
  id: "createAlertRule",
  summary: "Create an alert rule",
  description:
    "The rule is checked every hour, and `purge_late` every minute. An app can have 20 rules, and operators can have 20 too. `/docs/alerts` says what each kind looks at.",
  input: {
    body: z.strictObject({
      kind,
      app_token: z
        .optional(appToken)
        .with(z.describe("The app whose members get its alerts; without it, operators get them")),
      ...settings,
    }),
  },
  requestExample: { kind: "partner_silent", hours: 24 },
  item: ruleItem,
  errors: ["limit_reached"],
  async handle({ env }, operator, { body: { app_token, ...body } }) {
    return toRuleItem(await createRule(env.DB, operator, { appToken: app_token ?? null, ...body }));
  },
  locate: ({ id }) => id,
});

const readRule = itemOperation({
  method: "GET",
  path: "/operator/v1/alert-rules/:id",
  id: "readAlertRule",
  summary: "Read an alert rule",
  input: { path: byId },
  item: ruleItem,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    return toRuleItem(await findRule(env.DB, id));
  },
});

const updateRule = itemOperation({
  method: "PATCH",
  path: "/operator/v1/alert-rules/:id",
  id: "updateAlertRule",
  summary: "Change the settings of an alert rule",
  description: "The next run of the hourly job checks its open alerts with the new settings.",
  input: { path: byId, body: change(settings) },
  requestExample: { hours: 48 },
  item: ruleItem,
  errors: ["not_found"],
  async handle({ env }, operator, { path: { id }, body }) {
    const rule = await findRule(env.DB, id);
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    return toRuleItem(await changeRule(env.DB, operator, rule, { ...rule.settings, ...given }));
  },
});

const removeRule = itemOperation({
  method: "DELETE",
  path: "/operator/v1/alert-rules/:id",
  id: "deleteAlertRule",
  summary: "Delete an alert rule",
  description: "The next run of the hourly job closes its open alerts.",
  input: { path: byId },
  item: ruleItem,
  returns: "Deleted: the rule as it was",
  errors: ["not_found"],
  async handle({ env }, operator, { path: { id } }) {
    const rule = await findRule(env.DB, id);
    await deleteRule(env.DB, operator, rule);
    return toRuleItem(rule);
  },
});

export const operations = [
  listAlertsOperation,
  listRulesOperation,
  createRuleOperation,
  readRule,
  updateRule,
  removeRule,
];
