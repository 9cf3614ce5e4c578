/** The audit log as sentences, newest first, with filters, and the same as CSV. */

import { html } from "hono/html";
import { type AuditFilter, findAuditObjects, searchAudit } from "../../../db/operator/audit.ts";
import { DAY_MS, formatDate } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { csvResponse, toCsv } from "../../../http/csv.ts";
import { subjectsOf, toShown } from "../../../pages/audit/entries.ts";
import { ACTIONS } from "../../../pages/audit/sentences.ts";
import { nameText, notice, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/fields.ts";
import { filterForm, filterSelect, pager } from "../../../pages/list.ts";
import { showCount, showPlural } from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { table } from "../../../pages/table.ts";
import { toAuditItem } from "../../api/audit.ts";
import type { Show } from "../layout.ts";

const PATH = "/operator/audit";
const PAGE_SIZE = 100;
const MAX_CSV = 5_000;

interface LogQuery {
  filter: AuditFilter;
  before: number;
  /** The parameters that are set, without the position. */
  given: Record<string, string>;
}

/** An invalid value counts as absent. */
function readQuery({ url }: Context): LogQuery {
  const sent = (name: string) => url.searchParams.get(name)?.trim().slice(0, 300) ?? "";
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  const given = {
    who: sent("who").toLowerCase(),
    object: sent("object"),
    action: ACTIONS.find((action) => action === sent("action")) ?? "",
    from: isDay(sent("from")) ? sent("from") : "",
    to: isDay(sent("to")) ? sent("to") : "",
  };
  const { who, object, action, from, to } = given;
  const filter = {
    ...(who && { who }),
    ...(object && { object }),
    ...(action && { action }),
    ...(from && { from: Date.parse(from) }),
    ...(to && { to: Date.parse(to) + DAY_MS }),
  };
  const before = /^\d{1,15}$/.test(sent("before")) ? Number(sent("before")) : Number.MAX_SAFE_INTEGER;
  return {
    filter,
    before,
    given: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")),
  };
}

type Item = ReturnType<typeof toAuditItem>;
interface Line {
  item: Item;
  shown: ReturnType<typeof toShown>;
}

async function readLog({ env }: Context, { filter, before }: LogQuery, limit: number) {
  const { rows, next } = await searchAudit(env.DB, filter, { before, limit });
  const items = rows.map(toAuditItem);
  const objects = await findAuditObjects(env.DB, items.flatMap(subjectsOf));
  return { items, objects, next };
}

export const auditPage: Show = async (context) => {
  const query = readQuery(context);
  const { items, objects, next } = await readLog(context, query, PAGE_SIZE);
  const hrefOf = (path: string, more: Record<string, string> = {}) => {
    const search = new URLSearchParams({ ...query.given, ...more });
    return search.size > 0 ? `${path}?${search}` : path;
  };
  const isFirst = query.before === Number.MAX_SAFE_INTEGER;
  const position = isFirst ? {} : { before: String(query.before) };
  const isFiltered = Object.keys(query.given).length > 0;
  const noEntries = isFirst ? "No entries yet." : "No older entries.";
  const nothing = isFiltered ? "No entries match these filters." : noEntries;
  return {
    section: "Audit log",
    body: html`
      ${pageHead("Audit log")}
      ${filters(query)}
      ${items.length === 0 ? "" : html`<p class="muted">${showPlural(items.length, "entry", "entries")}, newest first. <a href="${hrefOf(`${PATH}.csv`, position)}">Download up to ${showCount(MAX_CSV)} as CSV</a></p>`}
      ${table({
        label: "Audit log",
        rows: items.map((item) => ({ item, shown: toShown(item, objects) })),
        empty: notice(next === null ? nothing : "No entries in this part of the log match these filters."),
        columns: [
          { heading: "What happened", cell: sentence },
          { heading: "Changes", cell: ({ shown }) => html`${shown.changes.map(changeText)}` },
          { heading: "Time", cell: ({ item }) => time(item.happened_at, "seconds") },
        ],
      })}
      ${pager(isFirst ? null : hrefOf(PATH), next === null ? null : hrefOf(PATH, { before: String(next) }), ["Newest entries", "Older entries"])}`,
  };
};

function filters({ given }: LogQuery): Markup {
  const actions = ACTIONS.map((action): Option => [action, action.charAt(0).toUpperCase() + action.slice(1)]);
  const input = (name: string, label: string, type: string) =>
    html`<label>${label} <input type="${type}" name="${name}" value="${given[name] ?? ""}" maxlength="300"></label>`;
  return html`
    ${filterForm(
      { action: PATH, noun: "Audit log", ...(Object.keys(given).length > 0 && { clear: PATH }) },
      input("who", "Email of the user", "search"),
      input("object", "Object", "search"),
      filterSelect("action", "Action", [["", "Any action"], ...actions], given.action ?? ""),
      input("from", "From", "date"),
      input("to", "To", "date"),
    )}
    <p class="hint">An object is a partner, an app, a user or a link, by name, email, token, or as in <code>round 3</code>. Days are in UTC.</p>`;
}

function sentence({ item, shown: { by, verb, object, more } }: Line): Markup {
  const name = object.href
    ? html`<a href="${object.href}">${nameText(object.text)}</a>`
    : nameText(object.text);
  return html`<span class="sentence">${nameActor(item, by)} ${verb} ${name}${more.startsWith(":") ? "" : " "}${more}</span>`;
}

const changeText = ({ field, from, to }: Line["shown"]["changes"][number]): Markup =>
  html`<div>${field}: <del>${nameText(from)}</del> → <ins>${nameText(to)}</ins></div>`;

function nameActor({ user }: Item, by: string | undefined): string {
  return user?.email ?? by ?? "Somebody";
}

/** `GET /operator/audit.csv`: the entries that the page lists, from its position on. */
export async function auditCsv(context: Context): Promise<Response> {
  const query = readQuery(context);
  const { items, objects } = await readLog(context, query, MAX_CSV);
  const header = ["id", "time", "user", "entry", "object", "changes", "action", "subject", "detail"];
  const cells = items.map((item) => {
    const { by, verb, object, more, changes } = toShown(item, objects);
    return [
      item.id,
      item.happened_at,
      nameActor(item, by),
      [verb, object.text, more]
        .filter((part) => part !== "")
        .join(" ")
        .replace(" : ", ": "),
      object.text,
      changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join("; "),
      item.action,
      item.subject,
      JSON.stringify(item.detail),
    ];
  });
  return csvResponse(toCsv(header, cells), `audit-log-${formatDate(Math.floor(context.now / DAY_MS))}.csv`);
}
