/** Creates, changes and deletes the rules of alerts, for the members of an app and for operators, and shows rules and alerts as JSON. */
import * as z from "zod/mini";
import type { AlertRow } from "../../db/alerts/alerts.ts";
import * as db from "../../db/alerts/rules.ts";
import { readSubjects } from "../../db/alerts/subjects.ts";
import type { Actor } from "../../db/audit.ts";
import { ALERT_KINDS, APP_RULES, RULE_KINDS } from "../../domain/alerts/kinds.ts";
import type { Finding, Rule } from "../../domain/alerts/rules.ts";
import { judgeSettings, PERIODS, type SentSettings } from "../../domain/alerts/settings.ts";
import { formatAmount } from "../../domain/money.ts";
import { toIso } from "../../domain/time.ts";
import { AppError, type InputError } from "../../errors.ts";
import { appToken, currency, idNumber, sumOfAmounts } from "../../http/input/fields.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { timestamp } from "../../http/response-schemas.ts";

const whole = (what: string) => z.optional(z.int("must be a whole number")).with(z.describe(what));

export const kind = z
  .enum(RULE_KINDS, `must be one of ${RULE_KINDS.join(", ")}`)
  .with(z.describe(`Of an app: ${APP_RULES.join(", ")}. The others are for operators only`));

/** Which of them a kind needs and can have is judged by `judgeSettings`. */
export const settings = {
  hours: whole("partner_silent and purge_late: after this many hours"),
  count: whole("costs_rejected: more costs than this in an hour"),
  percent: whole(
    "costs_rejected: and more than this percentage of the costs of that hour. discrepancy: this percentage or more",
  ),
  gigabytes: whole("database_large: more than this"),
  amount: z
    .optional(sumOfAmounts)
    .with(z.describe("spend_above: more spend than this. A decimal from 0 to 1,000,000,000")),
  currency: z.optional(currency),
  period: z
    .optional(z.enum(PERIODS, "must be day or month"))
    .with(z.describe("spend_above: the UTC day, or the month")),
  partner_id: z
    .optional(idNumber)
    .with(
      z.describe("Only this partner. For it, the rule replaces the rule of the same kind for all partners"),
    ),
  link_token: z
    .optional(z.string().check(z.regex(/^[0-9A-Za-z]{1,64}$/, "must be the token of a link")))
    .with(z.describe("spend_above: only this link and those below it")),
  of_app_token: z.optional(appToken).with(z.describe("spend_above of operators: only this app")),
};

const text = z.optional(z.string());
export const ruleItem = z
  .strictObject({
    id: z.int(),
    app_token: z
      .nullable(z.string())
      .with(z.describe("The app whose members get its alerts; null: operators get them")),
    kind: z.enum(RULE_KINDS),
    ...{ hours: z.optional(z.int()), count: z.optional(z.int()), percent: z.optional(z.int()) },
    ...{ gigabytes: z.optional(z.int()), amount: text, currency: text, period: z.optional(z.enum(PERIODS)) },
    ...{ partner_id: z.optional(z.int()), link_token: text, of_app_token: text },
  })
  .with(z.meta({ id: "AlertRule" }));

export function toRuleItem({ id, appToken, kind, settings }: Rule): z.output<typeof ruleItem> {
  const { amount, ...more } = { amount: undefined, ...settings };
  return {
    id,
    app_token: appToken,
    kind,
    ...more,
    ...(amount !== undefined && { amount: formatAmount(amount) }),
  };
}

export const alertItem = z
  .strictObject({
    id: z.int(),
    rule_id: z
      .nullable(z.int())
      .with(z.describe("null: a webhook was turned off, for which there is no rule")),
    app_token: z.nullable(z.string()).with(z.describe("That of its rule")),
    kind: z.enum(ALERT_KINDS),
    subject: z.string().with(z.describe("What it is about: a rule has at most one open alert for it")),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.null()]))
      .with(z.describe("What was found when it was opened")),
    opened_at: timestamp,
    closed_at: z.nullable(timestamp).with(z.describe("null: it is open")),
  })
  .with(z.meta({ id: "Alert" }));

export const toAlertItem = (row: AlertRow): z.output<typeof alertItem> => ({
  ...{
    id: row.id,
    rule_id: row.ruleId || null,
    app_token: row.appToken,
    kind: row.kind,
    subject: row.subject,
  },
  data: JSON.parse(row.data) as Finding["data"],
  opened_at: toIso(row.openedAt),
  closed_at: row.closedAt === null ? null : toIso(row.closedAt),
});

/** Who reads what is wrong: a program, or a person who filled in a form, who knows neither kinds nor tokens. */
type Reader = "program" | "person";

/** The settings as they are stored, and everything that is wrong with those that were sent. */
export async function judgeRule(
  d1: D1Database,
  { appToken, kind }: Pick<Rule, "appToken" | "kind">,
  sent: SentSettings,
  reader: Reader,
): Promise<{ settings: object; errors: InputError[] }> {
  const isOfApp = appToken !== null;
  const errors: InputError[] = [];
  if (isOfApp && !(APP_RULES as readonly string[]).includes(kind))
    errors.push({ param: "kind", message: `must be one of ${APP_RULES.join(", ")} for an app` });
  const judged = judgeSettings(kind, sent, isOfApp, reader);
  errors.push(...judged.errors);
  const { partner_id, link_token, of_app_token } = sent;
  const found = await readSubjects(d1, {
    partnerId: partner_id,
    linkToken: link_token,
    appToken: of_app_token ?? appToken,
  });
  if (appToken !== null && found.app === null)
    errors.push({ param: "app_token", message: "must be the token of an existing app" });
  if (of_app_token !== undefined && found.app === null)
    errors.push({ param: "of_app_token", message: "must be the token of an existing app" });
  if (partner_id !== undefined && found.partner === null)
    errors.push({ param: "partner_id", message: "must be the ID of an existing partner" });
  const app = appToken ?? of_app_token ?? found.linkApp;
  if (link_token !== undefined && (found.linkApp === null || found.linkApp !== app))
    errors.push({
      param: "link_token",
      message: reader === "person" ? "must be a link of the app" : "must be the token of a link of the app",
    });
  // A link names its app, so that its spend is found there.
  const ofApp = link_token !== undefined && !isOfApp ? { of_app_token: app } : {};
  return { settings: { ...judged.settings, ...ofApp }, errors };
}

/** Throws invalid_request. */
async function check(...rule: Parameters<typeof judgeRule>): Promise<object> {
  const { settings, errors } = await judgeRule(...rule);
  if (errors.length > 0) throw invalidRequest(errors);
  return settings;
}

export async function createRule(
  d1: D1Database,
  actor: Actor,
  { appToken, kind, ...sent }: Pick<Rule, "appToken" | "kind"> & SentSettings,
  reader: Reader = "program",
): Promise<Rule> {
  const settings = await check(d1, { appToken, kind }, sent, reader);
  const added = await db.insertRule(d1, actor, { appToken, kind, settings } as Rule);
  const [rule] = added ? db.toRule(added) : [];
  if (rule) return rule;
  throw new AppError("limit_reached", `There can be ${db.MAX_RULES} rules. Delete one first.`);
}

/** Gives a rule other settings. */
export async function changeRule(
  d1: D1Database,
  actor: Actor,
  rule: Rule,
  sent: SentSettings,
  reader: Reader = "program",
): Promise<Rule> {
  const settings = await check(d1, rule, sent, reader);
  await db.updateRule(d1, actor, rule, settings);
  return { ...rule, settings } as Rule;
}

/** Throws not_found. `appToken`: whose it must be. */
export async function findRule(d1: D1Database, id: number, appToken?: string | null): Promise<Rule> {
  const row = await db.findRule(d1, id);
  const [rule] = row ? db.toRule(row) : [];
  if (!rule || (appToken !== undefined && rule.appToken !== appToken))
    throw new AppError("not_found", "This rule does not exist.");
  return rule;
}
