/** The audit log as sentences, newest first, with filters, and the same as CSV. */

import { html } from "hono/html";
import * as z from "zod/mini";
import {
  type AuditFilter,
  type AuditObject,
  findAuditObjects,
  searchAudit,
  searchLines,
} from "../../../db/operator/audit.ts";
import { AUDIT_ACTIONS } from "../../../domain/audit-actions.ts";
import { DAY_MS, formatDate } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { csvResponse, toCsv } from "../../../http/csv.ts";
import { atMost, readAs, utcDate } from "../../../http/input/fields.ts";
import { daysInOrder } from "../../../http/input/report-fields.ts";
import { subjectsOf, toShown } from "../../../pages/audit/entries.ts";
import { sentenceOfMany } from "../../../pages/audit/sentences.ts";
import { nameText, notice, pageHead } from "../../../pages/elements.ts";
import type { Option } from "../../../pages/forms/fields.ts";
import { filterForm, filterSelect, pager } from "../../../pages/lists/controls.ts";
import { readFilters } from "../../../pages/lists/query.ts";
import { MORE_FIGURES, table } from "../../../pages/lists/table.ts";
import { showCount } from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { AUDIT_ENTRY } from "../../api/audit.ts";
import type { Show } from "../layout.ts";

const PATH = "/operator/audit";
const PAGE_SIZE = 50;
const MAX_CSV = 5_000;

const text = z.optional(z.string().check(atMost(300)));
const contract = z
  .strictObject({
    who: text,
    object: text,
    action: z.optional(z.enum(AUDIT_ACTIONS, "must be chosen from the list")),
    from: z.optional(utcDate),
    to: z.optional(utcDate),
    request: text,
    before: z.optional(readAs(z.string().check(z.regex(/^\d{1,15}$/, "must be a number")), Number)),
  })
  .check(daysInOrder);

interface LogQuery {
  filter: AuditFilter;
  before: number;
  /** The parameters that are set, without the position. */
  given: Record<string, string>;
}

/** Throws invalid_request. */
function readQuery({ url }: Context): LogQuery {
  const { before = Number.MAX_SAFE_INTEGER, who, from, to, ...others } = readFilters(url, contract);
  const filter = {
    ...others,
    ...(who !== undefined && { who: who.toLowerCase() }),
    ...(from !== undefined && { from: from * DAY_MS }),
    ...(to !== undefined && { to: (to + 1) * DAY_MS }),
  };
  return { filter, before, given: givenOf(url.searchParams) };
}

function givenOf(sent: URLSearchParams): Record<string, string> {
  const names = Object.keys(contract.shape).filter((name) => name !== "before");
  const given = names.map((name) => [name, sent.get(name)?.trim() ?? ""]);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

type Item = ReturnType<typeof AUDIT_ENTRY.toItem>;
/** An entry, with the number of entries of its request that it shows. */
interface Line {
  item: Item;
  count: number;
  shown: ReturnType<typeof toShown>;
  objects: Map<string, AuditObject>;
}

const readObjects = ({ env }: Context, items: Item[]) => findAuditObjects(env.DB, items.flatMap(subjectsOf));

/** One line for each request and action; for one request, for each of its entries. */
async function readLines(context: Context, { filter, before }: LogQuery) {
  const page = { before, limit: PAGE_SIZE };
  const { DB } = context.env;
  const found =
    filter.request === undefined ? await searchLines(DB, filter, page) : await searchAudit(DB, filter, page);
  const rows = found.rows.map((row) => ({
    item: AUDIT_ENTRY.toItem(row),
    count: "count" in row ? Number(row.count) : 1,
  }));
  const objects = await readObjects(
    context,
    rows.map(({ item }) => item),
  );
  const lines = rows.map((row): Line => ({ ...row, shown: toShown(row.item, objects), objects }));
  return { lines, next: found.next };
}

export const auditPage: Show = async (context) => {
  const query = readQuery(context);
  const { lines, next } = await readLines(context, query);
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
      ${filters(query.given)}
      ${lines.length === 0 ? "" : html`<p class="muted">Newest first. <a href="${hrefOf(`${PATH}.csv`, position)}">Download up to ${showCount(MAX_CSV)} as CSV</a></p>`}
      ${table({
        label: "Audit log",
        hasHeading: true,
        rows: lines,
        empty: notice(next === null ? nothing : "No entries in this part of the log match these filters."),
        columns: [
          { heading: "What happened", cell: (line) => html`${sentence(line)}${MORE_FIGURES}` },
          {
            heading: "Time",
            onPhone: "beside",
            cell: ({ item }) => time(item.happened_at, "seconds"),
          },
        ],
      })}
      ${pager(isFirst ? null : hrefOf(PATH), next === null ? null : hrefOf(PATH, { before: String(next) }), ["Newest entries", "Older entries"])}`,
  };
};

function filters(given: Record<string, string>): Markup {
  const actions = AUDIT_ACTIONS.map(
    (action): Option => [action, action.charAt(0).toUpperCase() + action.slice(1)],
  );
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

function sentence(line: Line): Markup {
  if (line.count > 1) return sentenceOfRequest(line);
  const { item, shown } = line;
  const { by, verb, object, more } = shown;
  const name = object.href
    ? html`<a href="${object.href}">${nameText(object.text)}</a>`
    : nameText(object.text);
  // Of a link, the sentence says them.
  const changes = item.subject.startsWith("link ") ? [] : shown.changes;
  const below = changes.map(
    ({ field, from, to }) =>
      html`<div class="change">${field}: <del>${nameText(from)}</del> → <ins>${nameText(to)}</ins></div>`,
  );
  return html`<div class="sentence"><span class="by">${nameActor(item, by)}</span> ${verb} ${name}${more.startsWith(":") ? "" : " "}${more}${below}</div>`;
}

/** The entries of a request: `demo@example.com created 100 links in Atlas Travel`. */
function sentenceOfRequest({ item, count, objects }: Line): Markup {
  const { app, appName } = objects.get(item.subject) ?? {};
  const where = app ? html` in <a href="/operator/apps/${app}">${nameText(appName ?? app)}</a>` : "";
  const entries = new URLSearchParams({ request: item.request_id ?? "", before: String(item.id + 1) });
  return html`<div class="sentence"><span class="by">${nameActor(item, undefined)}</span> ${sentenceOfMany(item.action, count)}${where}. <a href="${PATH}?${entries}">Show</a></div>`;
}

function nameActor({ user }: Item, by: string | undefined): string {
  return user?.email ?? by ?? "Somebody";
}

/** `GET /operator/audit.csv`: the entries that the page lists, from its position on. */
export async function auditCsv(context: Context): Promise<Response> {
  const query = readQuery(context);
  const { rows } = await searchAudit(context.env.DB, query.filter, { before: query.before, limit: MAX_CSV });
  const items = rows.map(AUDIT_ENTRY.toItem);
  const objects = await readObjects(context, items);
  const header = [
    "id",
    "time",
    "user",
    "entry",
    "object",
    "changes",
    "action",
    "subject",
    "detail",
    "request_id",
  ];
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
      item.request_id,
    ];
  });
  return csvResponse(toCsv(header, cells), `audit-log-${formatDate(Math.floor(context.now / DAY_MS))}.csv`);
}
