/** The page of alerts: what is open and was, the rules, and the webhooks. */
import { html } from "hono/html";
import { findCheckedHour } from "../../db/alerts/activity.ts";
import { type AlertRow, findOpenAlerts, listAlerts } from "../../db/alerts/alerts.ts";
import { listRules, MAX_RULES, toRule } from "../../db/alerts/rules.ts";
import { namesOfLinks } from "../../db/alerts/subjects.ts";
import { toPage } from "../../db/keyset.ts";
import { runBatch } from "../../db/statement.ts";
import type { Rule } from "../../domain/alerts/rules.ts";
import { NEEDS } from "../../domain/alerts/settings.ts";
import { HOUR_MS, PURGE_OVERDUE_MS, toIso } from "../../domain/time.ts";
import { NOT_OF_LIST } from "../../http/cursors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { buttonLink, card, nameText, notice, pageHead, pathText } from "../elements.ts";
import { table } from "../lists/table.ts";
import { describeTime, NONE } from "../locale.ts";
import { type Markup, time } from "../markup.ts";
import type { Names, Show } from "./owner.ts";
import { ABOUT_RULES, kindsCard } from "./rules.ts";
import { describeRule, KIND_NAMES, sentenceOf } from "./sentences.ts";
import { webhooksCard } from "./webhooks.ts";

const HISTORY = 100;

export const alertsPage: Show = async (context, owner) => {
  const { DB } = context.env;
  const { appToken, path } = owner;
  const after = context.url.searchParams.get("after");
  if (after !== null && !/^\d{1,15}$/.test(after))
    throw invalidRequest([{ param: "after", message: NOT_OF_LIST }]);
  const range = {
    after: after === null ? null : Number(after),
    before: null,
    limit: HISTORY,
  };
  const [names, webhooks, { rows: rules }, { rows }, [open, [checked]]] = await Promise.all([
    owner.readNames(),
    webhooksCard(context, owner),
    listRules(DB, { after: null, before: null, limit: MAX_RULES }, { appToken }),
    listAlerts(DB, range, { appToken }),
    runBatch(DB, findOpenAlerts(DB, appToken), findCheckedHour(DB, appToken)),
  ]);
  const { items, next } = toPage(range, rows, "DESC");
  const times = {
    opened: { kind: "day", cell: ({ openedAt }: AlertRow) => time(toIso(openedAt)) },
    closed: { kind: "day", cell: ({ closedAt }: AlertRow) => time(toIso(closedAt ?? 0)) },
  } as const;
  const body = html`
    ${pageHead("Alerts", buttonLink(`${path}/new`, "New rule", ""))}
    <p class="lead">Rules are checked every hour. An alert closes when its rule no longer finds anything. ${ABOUT_RULES}</p>
    ${
      rules.length + open.length === 0
        ? ""
        : card(
            { id: "open", title: `Open alerts (${open.length})` },
            table({
              label: "Open alerts",
              rows: open,
              empty: noneOpen(checked?.hour, context.now),
              columns: [
                { heading: "What", cell: sentenceOf },
                { heading: "Rule", cell: ({ kind }) => KIND_NAMES[kind] ?? kind },
                { heading: "Since", ...times.opened },
                { heading: "Partner", kind: "action", cell: (alert) => partnerOf(path, alert) },
              ],
            }),
          )
    }
    ${
      rules.length === 0
        ? kindsCard(owner, html`<p>There are no rules, so nothing is checked.</p>`)
        : rulesCard(path, names, rules.flatMap(toRule), await readLinkNames(DB, rules.flatMap(toRule)))
    }
    ${owner.more ?? ""}
    ${rules.length > 0 || webhooks.canBeUsed ? webhooks.card : ""}
    ${
      rules.length + rows.length === 0 && after === null
        ? ""
        : card(
            { id: "history", title: "Closed alerts" },
            table({
              label: "Alerts that closed",
              rows: items.filter(({ closedAt }) => closedAt !== null),
              empty: html`<p class="muted">${after === null ? "None in the last 90 days." : "There are no more."}</p>`,
              columns: [
                { heading: "What", cell: sentenceOf },
                { heading: "Opened", ...times.opened },
                { heading: "Closed", ...times.closed },
              ],
            }),
            next === null ? "" : html`<p><a href="${path}?after=${next}#history">Older alerts</a></p>`,
          )
    }`;
  return { title: "Alerts", body };
};

/** The page of the partner that an alert is about. `path`: of the alerts beside it. */
function partnerOf(path: string, { data }: AlertRow): Markup | "" {
  const { partner_id, partner } = JSON.parse(data) as { partner_id?: number | null; partner?: string };
  return partner_id
    ? html`<a href="${path.replace(/alerts$/, "partners")}/${partner_id}">Open partner<span class="visually-hidden"> ${partner}</span></a>`
    : "";
}

/** `hour`: in which the last check was. Nothing says that all is well before one. */
function noneOpen(hour: number | undefined, now: number): Markup {
  if (hour === undefined) return notice("Not checked yet. The first check is within an hour.");
  const at = hour * HOUR_MS;
  return now - at > PURGE_OVERDUE_MS
    ? notice(`Not checked since ${describeTime(at)}.`, "warn")
    : notice(`No alert is open. Checked in the hour from ${describeTime(at)}.`, "ok");
}

/** By token, with the names of the links above them. */
async function readLinkNames(db: D1Database, rules: Rule[]): Promise<Map<string, string[]>> {
  const tokens = rules.flatMap(({ settings }) => ("link_token" in settings ? settings.link_token : []));
  if (tokens.length === 0) return new Map();
  const [found] = await runBatch(db, namesOfLinks(db, { tokens: JSON.stringify(tokens) }));
  return new Map(found.map(({ token, name }) => [token, name.split("::")]));
}

function rulesCard(path: string, names: Names, rules: Rule[], links: Map<string, string[]>): Markup {
  return card(
    { id: "rules", title: `Rules (${rules.length})` },
    table({
      label: "Rules",
      rows: rules,
      empty: "",
      columns: [
        { heading: "Rule", cell: ({ kind }) => KIND_NAMES[kind] },
        { heading: "Opens an alert", cell: describeRule },
        { heading: "About", cell: (rule) => subjectOf(rule, names, links) },
        {
          heading: "Change",
          kind: "action",
          cell: ({ id, kind }) =>
            html`<a href="${path}/rules/${id}">Change<span class="visually-hidden"> rule ${id}: ${KIND_NAMES[kind]}</span></a>`,
        },
      ],
    }),
  );
}

function subjectOf(
  { kind, settings }: Rule,
  { partners, apps }: Names,
  links: Map<string, string[]>,
): Markup | string {
  const of = { partner_id: undefined, link_token: undefined, of_app_token: undefined, ...settings };
  const parts = [
    of.of_app_token && nameText(apps.get(of.of_app_token) ?? of.of_app_token),
    of.link_token && pathText(links.get(of.link_token) ?? [of.link_token]),
    of.partner_id && nameText(partners.get(of.partner_id) ?? `Partner ${of.partner_id}`),
  ].filter((part) => part !== undefined);
  const all = NEEDS[kind].of.length > 0 ? "All partners" : NONE;
  return parts.length === 0
    ? all
    : html`${parts.map((part, index) => html`${index > 0 ? ", " : ""}${part}`)}`;
}
