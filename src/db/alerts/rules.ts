/** The rules of alerts, each change with its audit entry. A caller has checked who asks. */
import { sql } from "drizzle-orm";
import { NOBODY } from "../../domain/alerts/activity.ts";
import { RULE_KINDS, type RuleKind } from "../../domain/alerts/kinds.ts";
import type { Rule } from "../../domain/alerts/rules.ts";
import { type Actor, auditChange } from "../audit.ts";
import { pagedList } from "../operator/lists/paged.ts";
import { alias, as, names, query, type RowOf, returning } from "../query.ts";
import { alertRules, alerts, costActivity } from "../schema.ts";
import { runBatch, runForRow } from "../statement.ts";

/** So many rules an app can have, and operators. */
export const MAX_RULES = 20;

const r = alias(alertRules, "r");
const { id, appToken, kind, settings } = alertRules;
const fields = { id: r.id, appToken: r.appToken, kind: r.kind, settings: r.settings };
export type RuleRow = RowOf<typeof fields>;

const ofApp = sql`${r.appToken} IS ${sql.placeholder("appToken")}`;
/** Those of an app, or of operators: `appToken` is null. */
export const listRules = pagedList(fields, { from: r, where: ofApp });

const byId = query(fields, sql`FROM ${as(r)} WHERE ${r.id} = ${sql.placeholder("id")}`);
export const findRule = (db: D1Database, id: number) => runForRow(db, byId(db, { id }));

/** Those of these apps, or of operators: a null in the list. */
export const rulesOfApps = query(
  fields,
  sql`FROM json_each(${sql.placeholder("apps")}) j CROSS JOIN ${as(r)} ON ${r.appToken} IS j.value`,
);
const o = alias(alerts, "o");
const c = alias(costActivity, "c");
/** The apps that have a rule, or an open alert of a rule that is gone. Those come first that were judged the longest time ago. */
export const scopes = query(
  { appToken: sql<string>`q.app`, rulesWithLink: sql<number>`sum(q.has_link)` },
  sql`FROM (
    SELECT ${r.appToken} AS app, ${r.settings} ->> 'link_token' IS NOT NULL AS has_link FROM ${as(r)} WHERE ${r.appToken} > ''
    UNION ALL SELECT ${o.appToken}, 0 FROM ${as(o)} INDEXED BY open_alerts_by_app WHERE ${o.appToken} > '' AND ${o.closedAt} IS NULL
  ) q LEFT JOIN ${as(c)} ON ${c.appToken} = q.app AND ${c.partnerId} = ${sql.raw(String(NOBODY))}
  GROUP BY q.app ORDER BY coalesce(${c.hour}, 0), q.app`,
);

/** A row of a later version can have a kind that this one does not know. */
export const toRule = ({ settings, ...row }: RuleRow): Rule[] =>
  RULE_KINDS.includes(row.kind as RuleKind) ? [{ ...row, settings: JSON.parse(settings) } as Rule] : [];

const column = { id, appToken, kind, settings };
const insert = returning(
  sql`INSERT INTO ${alertRules} (${names(appToken, kind, settings)})
    SELECT ${sql.placeholder("appToken")}, ${sql.placeholder("kind")}, ${sql.placeholder("settings")}
    WHERE (SELECT count(*) FROM ${as(r)} WHERE ${ofApp}) < ${sql.raw(String(MAX_RULES))}`,
  column,
);
const update = returning(
  sql`UPDATE ${alertRules} SET ${names(settings)} = ${sql.placeholder("settings")}
    WHERE ${id} = ${sql.placeholder("id")} AND ${settings} <> ${sql.placeholder("settings")}`,
  column,
);
const remove = returning(sql`DELETE FROM ${alertRules} WHERE ${id} = ${sql.placeholder("id")}`, column);

/** Returns undefined if there are MAX_RULES already. */
export function insertRule(db: D1Database, actor: Actor, rule: Omit<Rule, "id">) {
  const values = { ...rule, settings: JSON.stringify(rule.settings) };
  const detail = { kind: rule.kind, appToken: rule.appToken, ...rule.settings };
  return runForRow(db, insert(db, values), auditChange(db, actor, "create alert rule", "rule", null, detail));
}

/** Gives a rule other settings. Its open alerts are judged by them in the next run of the cron. */
export async function updateRule(db: D1Database, actor: Actor, rule: Rule, changed: object): Promise<void> {
  const before = rule.settings as Record<string, unknown>;
  const after = changed as Record<string, unknown>;
  const differing = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  const changes = differing.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]);
  const detail = { kind: rule.kind, appToken: rule.appToken, ...Object.fromEntries(changes) };
  await runBatch(
    db,
    update(db, { id: rule.id, settings: JSON.stringify(changed) }),
    auditChange(db, actor, "update alert rule", "rule", rule.id, detail),
  );
}

/** Its open alerts are closed in the next run of the cron. */
export async function deleteRule(db: D1Database, actor: Actor, rule: Rule): Promise<void> {
  const detail = { kind: rule.kind, appToken: rule.appToken, ...rule.settings };
  await runBatch(
    db,
    remove(db, { id: rule.id }),
    auditChange(db, actor, "delete alert rule", "rule", rule.id, detail),
  );
}
