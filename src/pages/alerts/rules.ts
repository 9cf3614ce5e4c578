/** The pages that create, change and delete a rule of alerts. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { deleteRule } from "../../db/alerts/rules.ts";
import { APP_RULES, RULE_KINDS, type RuleKind } from "../../domain/alerts/kinds.ts";
import type { Rule } from "../../domain/alerts/rules.ts";
import { NEEDS, type NumberName, PERIODS } from "../../domain/alerts/settings.ts";
import { formatAmount } from "../../domain/money.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { parseForm, parseOrThrow } from "../../http/input/parse.ts";
import { changeRule, createRule, findRule, judgeRule, settings } from "../../usecases/alerts/rules.ts";
import { breadcrumb, card, type Fact, facts, pageHead } from "../elements.ts";
import { type Option, tokenOption } from "../forms/fields.ts";
import { confirmation, type FieldSpec, type Fields, form, sentBody } from "../forms/form.ts";
import { chooseLink } from "../forms/link-field.ts";
import { showCount } from "../locale.ts";
import type { Markup } from "../markup.ts";
import type { Act, Names, Owner, Show } from "./owner.ts";
import { describeRule, KIND_NAMES } from "./sentences.ts";

const LABELS: { [K in RuleKind]?: Partial<Record<NumberName, string>> } = {
  partner_silent: { hours: "Hours without a cost" },
  costs_rejected: {
    count: "Rejected costs in an hour",
    percent: "Percentage of that hour's costs",
  },
  discrepancy: { percent: "Discrepancy in percent" },
  purge_late: { hours: "Hours without a run" },
  database_large: { gigabytes: "Size in gigabytes" },
};

/** `link`: the field that names a link. */
function fieldsOf(kind: RuleKind, isOfApp: boolean, { partners, apps }: Names, link: FieldSpec): Fields {
  const { numbers, hasAmount, of } = NEEDS[kind];
  const fields: Fields = {};
  for (const [name, { min, max }] of Object.entries(numbers))
    fields[name] = {
      label: LABELS[kind]?.[name as NumberName] ?? name,
      sends: "number",
      required: true,
      hint: `From ${showCount(min)} to ${showCount(max)}.`,
    };
  if (hasAmount) {
    fields.amount = { label: "Spend", required: true, hint: "For example 1000 or 99.50" };
    fields.currency = { label: "Currency", required: true, maxlength: 3, hint: "For example USD" };
    fields.period = { label: "In a", options: PERIODS.map((period): Option => [period, `UTC ${period}`]) };
  }
  if (of.includes("of_app_token") && !isOfApp)
    fields.of_app_token = {
      label: "App",
      options: [["", "All apps"], ...[...apps].map(([token, name]) => tokenOption({ token, name }))],
    };
  if (of.includes("partner_id"))
    fields.partner_id = {
      label: "Partner",
      options: [["", "All partners"], ...[...partners].map(([id, name]): Option => [String(id), name])],
      ...(!hasAmount && { hint: "A rule for one partner replaces the rule for all partners." }),
    };
  if (of.includes("link_token")) fields.link_token = link;
  return fields;
}

const LINK_TOKEN = { label: "Link token", hint: "Only this link and those below it. Empty for all links." };

/** The fields of the page of a form, with the form that finds a link. */
async function readFields(
  context: Context,
  owner: Owner,
  kind: RuleKind,
  page: { sent: URLSearchParams; chosen: string | null; action: string; kept: Record<string, string> },
) {
  const { appToken, userId } = owner;
  const hasLinks = appToken !== null && NEEDS[kind].of.includes("link_token");
  const [names, link] = await Promise.all([
    owner.readNames(),
    hasLinks
      ? chooseLink(context, { ...page, appToken, userId, field: LINK_TOKEN, none: "All links" })
      : undefined,
  ]);
  const { field = LINK_TOKEN, hidden = {}, finder = "" } = link ?? {};
  return { fields: fieldsOf(kind, appToken !== null, names, field), hidden, finder };
}

const valuesOf = ({ settings }: Rule) => ({
  ...settings,
  ...("amount" in settings && { amount: formatAmount(settings.amount) }),
  ...("partner_id" in settings && { partner_id: String(settings.partner_id ?? "") }),
});
const linkOf = ({ settings }: Rule) => ("link_token" in settings ? (settings.link_token ?? null) : null);

const kindsOf = (appToken: string | null): readonly RuleKind[] =>
  appToken === null ? RULE_KINDS : APP_RULES;

export const ABOUT_RULES = html`<a href="/docs/alerts#what-each-rule-looks-at">What each rule looks at</a>`;

/** The kinds of rules, each with its form. `lead`: what is above them. */
export const kindsCard = ({ path, appToken }: Owner, lead: Markup | "" = ""): Markup =>
  card(
    { id: "kinds", title: "What should open an alert?" },
    lead,
    facts(
      ...kindsOf(appToken).map((kind): Fact => {
        const { hasAmount } = NEEDS[kind];
        return [
          html`<a href="${path}/new?kind=${kind}">${KIND_NAMES[kind]}</a>`,
          hasAmount
            ? "More than an amount in a day or month"
            : describeRule({ kind, settings: usualOf(kind) } as Rule),
        ];
      }),
    ),
  );

const usualOf = (kind: RuleKind) =>
  Object.fromEntries(Object.entries(NEEDS[kind].numbers).map(([name, { usual }]) => [name, usual]));

/** Creates a rule: first its kind, then its settings. */
export const newRulePage: Show = async (context, owner, rejected) => {
  const { path, appToken } = owner;
  const sent = rejected?.form ?? context.url.searchParams;
  const kind = kindsOf(appToken).find((one) => one === sent.get("kind"));
  const trail = breadcrumb([["Alerts", path]], "New rule");
  if (kind === undefined)
    return {
      title: "New rule",
      body: html`
        ${trail}${pageHead("New rule")}
        ${kindsCard(owner)}
        <p>${ABOUT_RULES}</p>`,
    };
  const action = `${path}/new`;
  const { fields, hidden, finder } = await readFields(context, owner, kind, {
    ...{ sent, chosen: sent.get("link_token"), action, kept: { kind } },
  });
  const spec = { action, hidden: { kind, ...hidden }, fields, button: "Create rule", cancel: path };
  return {
    title: `New rule: ${KIND_NAMES[kind]}`,
    body: html`
      ${trail}${pageHead(`New rule: ${KIND_NAMES[kind]}`)}
      ${finder}
      ${card(
        { id: "settings", title: "When to open an alert" },
        form({ ...spec, values: usualOf(kind) }, rejected),
      )}`,
  };
};

export const rulePage: Show = async (context, owner, rejected) => {
  const rule = await ruleOfPath(context, owner);
  const action = `${owner.path}/rules/${rule.id}`;
  const sent = rejected?.form ?? context.url.searchParams;
  const { fields, hidden, finder } = await readFields(context, owner, rule.kind, {
    ...{ sent, chosen: sent.get("link_token") ?? linkOf(rule), action, kept: {} },
  });
  const spec = { action, fields, hidden, values: valuesOf(rule), button: "Save rule", cancel: owner.path };
  const title = `Rule: ${KIND_NAMES[rule.kind]}`;
  return {
    title,
    body: html`
      ${breadcrumb([["Alerts", owner.path]], KIND_NAMES[rule.kind])}
      ${pageHead(title)}
      ${finder}
      ${card(
        { id: "settings", title: "When to open an alert" },
        Object.keys(fields).length === 0
          ? html`<p>${describeRule(rule)}. This rule has no settings.</p>`
          : form(spec, rejected),
      )}
      ${card(
        { id: "delete", title: "Delete", kind: "danger" },
        confirmation({
          action,
          hidden: { action: "delete" },
          summary: "Delete this rule",
          explanation: "Its open alerts are closed within the hour. You can create the rule again.",
          button: "Delete rule",
        }),
      )}`,
  };
};

const newRule = z.strictObject({ kind: z.enum(RULE_KINDS, "must be chosen from the list"), ...settings });

const NO_NAMES: Names = { partners: new Map(), apps: new Map() };

/** What the form sent; what is empty is not set. */
function sentSettings(kind: RuleKind, { appToken }: Owner, sent: URLSearchParams) {
  const fields = fieldsOf(kind, appToken !== null, NO_NAMES, LINK_TOKEN);
  const entries = Object.entries(sentBody(fields, sent)).filter(([, value]) => value !== "");
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === "partner_id" ? Number(value) : value]),
  );
}

export const submitNewRule: Act = async (context, owner, sent) => {
  const { kind } = parseOrThrow(z.object({ kind: newRule.shape.kind }), {
    kind: sent.get("kind") ?? undefined,
  });
  const { DB } = context.env;
  const judge = async (valid: object) =>
    (await judgeRule(DB, { appToken: owner.appToken, kind }, valid, "person")).errors;
  const body = await parseForm(newRule, { kind, ...sentSettings(kind, owner, sent) }, judge);
  await createRule(DB, owner, { appToken: owner.appToken, ...body }, "person");
  return { to: owner.path, notice: "rule-created" };
};

export const submitRule: Act = async (context, owner, sent) => {
  const rule = await ruleOfPath(context, owner);
  const { DB } = context.env;
  if (sent.get("action") === "delete") {
    await deleteRule(DB, owner, rule);
    return { to: owner.path, notice: "rule-deleted" };
  }
  const judge = async (valid: object) => (await judgeRule(DB, rule, valid, "person")).errors;
  const body = await parseForm(z.strictObject(settings), sentSettings(rule.kind, owner, sent), judge);
  await changeRule(DB, owner, rule, body, "person");
  return { to: owner.path, notice: "rule-saved" };
};

/** Throws not_found. */
function ruleOfPath({ env, params }: Context, { appToken }: Owner): Promise<Rule> {
  const id = params.id ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError("not_found", "This rule does not exist.");
  return findRule(env.DB, Number(id), appToken);
}
