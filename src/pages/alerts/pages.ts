/** The pages of alerts, for the members of an app and for operators: what is open and was, and the rules with their forms. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { listAlerts, readOpenAlerts } from "../../db/alerts/alerts.ts";
import { listRules, MAX_RULES, toRule } from "../../db/alerts/rules.ts";
import type { Actor } from "../../db/audit.ts";
import { toPage } from "../../db/keyset.ts";
import { APP_RULES, RULE_KINDS, type RuleKind } from "../../domain/alerts/kinds.ts";
import type { Rule } from "../../domain/alerts/rules.ts";
import { NEEDS, type NumberName, PERIODS } from "../../domain/alerts/settings.ts";
import { formatAmount } from "../../domain/money.ts";
import { toIso } from "../../domain/time.ts";
import { AppError } from "../../errors.ts";
import { parseOrThrow } from "../../http/input/parse.ts";
import { changeRule, createRule, findRule, settings } from "../../usecases/alerts/rules.ts";
import { breadcrumb, buttonLink, card, nameText, notice, pageHead } from "../elements.ts";
import type { Option, RejectedForm } from "../forms/fields.ts";
import { confirmation, type Fields, form, sentBody } from "../forms/form.ts";
import { table } from "../lists/table.ts";
import { NONE } from "../locale.ts";
import { type Markup, time } from "../markup.ts";
import { describeRule, KIND_NAMES, sentenceOf } from "./sentences.ts";

/** Whose alerts a page shows. */
export interface Owner {
  /** Null: of operators. */
  appToken: string | null;
  /** Of the page. */
  path: string;
  /** The names of partners by ID, and the apps, for operators. */
  partners: ReadonlyMap<number, string>;
  apps: Option[];
}

const HISTORY = 100;

/** `after`: the ID of an alert, in the query. */
export async function alertsBody(db: D1Database, owner: Owner, after: string | null, more: Markup | "" = "") {
  const { appToken, path } = owner;
  const range = {
    after: /^\d{1,15}$/.test(after ?? "") ? Number(after) : null,
    before: null,
    limit: HISTORY,
  };
  const [{ rows: rules }, { rows }, open] = await Promise.all([
    listRules(db, { after: null, before: null, limit: MAX_RULES }, { appToken }),
    listAlerts(db, range, { appToken }),
    readOpenAlerts(db, appToken),
  ]);
  const { items, next } = toPage(range, rows, "DESC");
  const closed = items.filter(({ closedAt }) => closedAt !== null);
  return html`
    ${pageHead("Alerts", buttonLink(`${path}/new`, "New rule", ""))}
    <p class="lead">Rules are checked every hour. An alert closes by itself. <a href="/docs/alerts">What each rule looks at</a></p>
    ${card(
      { id: "open", title: `Open alerts (${open.length})` },
      table({
        label: "Open alerts",
        rows: open,
        empty: notice("No alert is open.", "ok"),
        columns: [
          { heading: "What", cell: sentenceOf },
          { heading: "Rule", cell: ({ kind }) => KIND_NAMES[kind] ?? kind },
          { heading: "Since", kind: "day", cell: ({ openedAt }) => time(toIso(openedAt)) },
        ],
      }),
    )}
    ${rulesCard(owner, rules.flatMap(toRule))}
    ${more}
    ${card(
      { id: "history", title: "Closed alerts" },
      table({
        label: "Closed alerts",
        rows: closed,
        empty: html`<p class="muted">${after === null ? "None in the last 90 days." : "There are no more."}</p>`,
        columns: [
          { heading: "What", cell: sentenceOf },
          { heading: "Opened", kind: "day", cell: ({ openedAt }) => time(toIso(openedAt)) },
          { heading: "Closed", kind: "day", cell: ({ closedAt }) => time(toIso(closedAt ?? 0)) },
        ],
      }),
      next === null ? "" : html`<p><a href="${path}?after=${next}#history">Older alerts</a></p>`,
    )}`;
}

function rulesCard(owner: Owner, rules: Rule[]): Markup {
  return card(
    { id: "rules", title: `Rules (${rules.length})` },
    table({
      label: "Rules",
      rows: rules,
      empty: html`<p class="muted">No rules yet. <a href="${owner.path}/new">Create the first one</a>.</p>`,
      columns: [
        { heading: "Rule", cell: ({ kind }) => KIND_NAMES[kind] },
        { heading: "Opens an alert", cell: describeRule },
        { heading: "About", cell: (rule) => subjectOf(owner, rule) },
        {
          heading: "Change",
          kind: "action",
          cell: ({ id, kind }) =>
            html`<a href="${owner.path}/rules/${id}">Change<span class="visually-hidden"> rule ${id}: ${KIND_NAMES[kind]}</span></a>`,
        },
      ],
    }),
  );
}

function subjectOf({ partners, apps }: Owner, { settings }: Rule): Markup | string {
  const of = { partner_id: undefined, link_token: undefined, of_app_token: undefined, ...settings };
  const parts = [
    of.of_app_token && nameText(apps.find(([token]) => token === of.of_app_token)?.[1] ?? of.of_app_token),
    of.link_token && html`link <code>${of.link_token}</code>`,
    of.partner_id && nameText(partners.get(of.partner_id) ?? `Partner ${of.partner_id}`),
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? NONE
    : html`${parts.map((part, index) => html`${index > 0 ? ", " : ""}${part}`)}`;
}

const NUMBER_FIELDS: Record<NumberName, string> = {
  hours: "Hours",
  count: "Rejected costs in an hour, more than",
  percent: "Percent",
  gigabytes: "Gigabytes, more than",
};

function fieldsOf(kind: RuleKind, { appToken, partners, apps }: Owner): Fields {
  const { numbers, hasAmount, of } = NEEDS[kind];
  const fields: Fields = {};
  for (const [name, { min, max }] of Object.entries(numbers))
    fields[name] = {
      label: NUMBER_FIELDS[name as NumberName],
      sends: "number",
      required: true,
      hint: `From ${min} to ${max}.`,
    };
  if (hasAmount) {
    fields.amount = { label: "Spend, more than", required: true, hint: "For example 1000 or 99.50" };
    fields.currency = { label: "Currency", required: true, maxlength: 3, hint: "For example USD" };
    fields.period = { label: "In a", options: PERIODS.map((period): Option => [period, `UTC ${period}`]) };
  }
  if (of.includes("of_app_token") && appToken === null)
    fields.of_app_token = { label: "App", options: [["", "All apps"], ...apps] };
  if (of.includes("partner_id"))
    fields.partner_id = {
      label: "Partner",
      options: [["", "All partners"], ...[...partners].map(([id, name]): Option => [String(id), name])],
      ...(!hasAmount && { hint: "A rule for one partner is in the place of the one for all." }),
    };
  if (of.includes("link_token"))
    fields.link_token = {
      label: "Link token",
      hint: "Only this link and those below it. Empty for all links.",
    };
  return fields;
}

const valuesOf = ({ settings }: Rule) => ({
  ...settings,
  ...("amount" in settings && { amount: formatAmount(settings.amount) }),
  ...("partner_id" in settings && { partner_id: String(settings.partner_id ?? "") }),
});

const DELETE = "Its open alerts are closed in the next hour. You can create it again.";

/** The page that creates a rule: first its kind, then its settings. */
export function newRuleBody(owner: Owner, sentKind: string | null, rejected?: RejectedForm): Markup {
  const kinds: readonly RuleKind[] = owner.appToken === null ? RULE_KINDS : APP_RULES;
  const kind = kinds.find((one) => one === sentKind);
  const trail = breadcrumb([["Alerts", owner.path]], "New rule");
  if (kind === undefined)
    return html`
      ${trail}${pageHead("New rule")}
      ${card(
        { id: "kinds", title: "What do you want to be alerted of?" },
        html`<ul>${kinds.map((one) => html`<li><a href="${owner.path}/new?kind=${one}">${KIND_NAMES[one]}</a></li>`)}</ul>`,
      )}`;
  const usual = Object.entries(NEEDS[kind].numbers).map(([name, { usual }]) => [name, usual]);
  return html`
    ${trail}${pageHead(`New rule: ${KIND_NAMES[kind]}`)}
    ${card(
      { id: "settings", title: "When to open an alert" },
      form(
        {
          action: `${owner.path}/new`,
          hidden: { kind },
          fields: fieldsOf(kind, owner),
          values: Object.fromEntries(usual),
          button: "Create rule",
          cancel: owner.path,
        },
        rejected,
      ),
    )}`;
}

export function ruleBody(owner: Owner, rule: Rule, rejected?: RejectedForm): Markup {
  const { kind, id } = rule;
  const fields = fieldsOf(kind, owner);
  const action = `${owner.path}/rules/${id}`;
  return html`
    ${breadcrumb([["Alerts", owner.path]], KIND_NAMES[kind])}
    ${pageHead(`Rule: ${KIND_NAMES[kind]}`)}
    ${card(
      { id: "settings", title: "When to open an alert" },
      Object.keys(fields).length === 0
        ? html`<p>${describeRule(rule)}. This rule has no settings.</p>`
        : form({ action, fields, values: valuesOf(rule), button: "Save rule", cancel: owner.path }, rejected),
    )}
    ${card(
      { id: "delete", title: "Delete", kind: "danger" },
      confirmation({
        action: `${action}/delete`,
        summary: "Delete this rule",
        explanation: DELETE,
        button: "Delete rule",
      }),
    )}`;
}

const newRule = z.strictObject({ kind: z.enum(RULE_KINDS, "must be one of the list"), ...settings });
const changedRule = z.strictObject(settings);

/** What the form sent; what is empty is not set. */
function sentSettings(kind: RuleKind, owner: Owner, sent: URLSearchParams) {
  const entries = Object.entries(sentBody(fieldsOf(kind, owner), sent)).filter(([, value]) => value !== "");
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === "partner_id" ? Number(value) : value]),
  );
}

/** Throws what is wrong, for the form to show. */
export async function submitNewRule(
  db: D1Database,
  actor: Actor,
  owner: Owner,
  sent: URLSearchParams,
): Promise<void> {
  const { kind } = parseOrThrow(z.object({ kind: newRule.shape.kind }), {
    kind: sent.get("kind") ?? undefined,
  });
  const body = parseOrThrow(newRule, { kind, ...sentSettings(kind, owner, sent) });
  await createRule(db, actor, { appToken: owner.appToken, ...body });
}

export async function submitRule(
  db: D1Database,
  actor: Actor,
  owner: Owner,
  rule: Rule,
  sent: URLSearchParams,
): Promise<void> {
  await changeRule(db, actor, rule, parseOrThrow(changedRule, sentSettings(rule.kind, owner, sent)));
}

/** The rule of the path. Throws not_found. */
export function ruleOfPath(
  db: D1Database,
  owner: Pick<Owner, "appToken">,
  id: string | undefined,
): Promise<Rule> {
  if (!/^[1-9]\d{0,14}$/.test(id ?? "")) throw new AppError("not_found", "This rule does not exist.");
  return findRule(db, Number(id), owner.appToken);
}
