/** `/partner/costs`: the partner's costs by ID, state and day, and those that were rejected, as a page and as CSV. */

import { html } from "hono/html";
import * as z from "zod/mini";
import type { CostCaller } from "../../auth/guards.ts";
import { MATCHES } from "../../db/ledger/cost-list.ts";
import { showInvisible } from "../../domain/characters.ts";
import { RETENTION } from "../../domain/texts.ts";
import { formatDate } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { toCsv } from "../../http/csv.ts";
import { pageQuery, plainText, utcDate } from "../../http/input/fields.ts";
import { type Parsed, readInput } from "../../http/input/input.ts";
import { pagingV2 } from "../../http/paging.ts";
import { priceText } from "../../pages/costs/cost-types.ts";
import { DAY_IN_REPORTS, dayFilter, stateFilter } from "../../pages/costs/filters.ts";
import { rejectionTable } from "../../pages/costs/rejections.ts";
import { costBadge } from "../../pages/costs/states.ts";
import { filterForm } from "../../pages/lists/list.ts";
import { NONE_SO_FAR, searchedList, searchScript } from "../../pages/lists/search.ts";
import { type Column, table } from "../../pages/lists/table.ts";
import { showCount } from "../../pages/locale.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { type CostItem, costsResponse } from "../../usecases/costs/item.ts";
import { listOwnCosts, listOwnRejections } from "../../usecases/costs/read.ts";
import { checkPosition, KEPT_REJECTIONS, rejectionsResponse } from "../../usecases/costs/rejection-item.ts";
import { report, withFrame } from "../frame.ts";

const PAGE_SIZE = 50;
const FILE_SIZE = 1_000;

const STATES = [...MATCHES, "rejected"] as const;

const contract = {
  query: z.object({
    cursor: z.optional(z.string()),
    limit: pageQuery.shape.limit,
    match: z.optional(z.enum(STATES, `must be one of ${STATES.join(", ")}`)),
    cost_id: z.optional(z.string().check(plainText(1, 256))),
    day: z.optional(utcDate),
  }),
  paged: "by text" as const,
};

export const costsPage = withFrame("/partner/costs", async (context, _partner, caller) => {
  const { query, range } = await readQuery(context);
  const page = { ...range, limit: PAGE_SIZE };
  const { list, count, next } =
    query.match === "rejected"
      ? await rejectedPage(context, caller, query, page)
      : await acceptedPage(context, caller, query, page);
  return {
    title: "Costs",
    scripts: [searchScript.href],
    body: html`
      <h1>Costs</h1>
      ${query.match === "rejected" ? "" : html`<p class="lead">Ordered by cost ID.</p>`}
      ${filters(query)}
      ${searchedList({
        list,
        first: range.after === null ? null : pathOf(query),
        next: next === null ? null : pathOf(query, pagingV2(context, range, { next }).cursor),
        // Those of a day lie far apart.
        isFull: count >= (query.day === undefined ? 1 : PAGE_SIZE),
        progress: next === null ? "" : "Still searching your costs.",
      })}
      ${count > 0 ? html`<p><a href="${pathOf(query, query.cursor, "/partner/costs.csv")}">Download CSV</a> <span class="hint">Up to ${showCount(FILE_SIZE)} costs, starting with the first one on this page.</span></p>` : ""}`,
  };
});

async function acceptedPage(context: Context, caller: CostCaller, query: Query, range: Range) {
  const { items, next } = await find(context, caller, query, range);
  const list = table({
    label: "Costs",
    hasHeading: true,
    columns: COLUMNS,
    rows: items,
    empty: emptyList(query, next !== null),
  });
  return { list, count: items.length, next };
}

async function rejectedPage(context: Context, caller: CostCaller, query: Query, range: Range) {
  const { items, next } = await findRejected(context, caller, query, range);
  const list = html`
    <p class="muted">The newest first. ${KEPT_REJECTIONS}</p>
    ${rejectionTable("Rejected costs", items, emptyList(query, false), pathOfCost)}`;
  return { list, count: items.length, next };
}

export const costsFile = withFrame(
  "/partner/costs",
  report(async (context, _partner, caller) => {
    const { query, range } = await readQuery(context);
    const page = { ...range, limit: FILE_SIZE };
    if (query.match === "rejected")
      return rejectionsResponse((await findRejected(context, caller, query, page)).items, toCsv);
    const { items } = await find(context, caller, query, page);
    return costsResponse(items, toCsv);
  }),
);

/** The cursors of the page and of the file are those of one list. A form also sends the fields that are empty. */
function readQuery(context: Context): Promise<Parsed<typeof contract>> {
  const url = new URL("/partner/costs", context.url);
  for (const [name, value] of context.url.searchParams)
    if (value.trim() !== "") url.searchParams.append(name, value.trim());
  return readInput({ ...context, url }, contract);
}

type Query = Parsed<typeof contract>["query"];
interface Range {
  after: string | null;
  limit: number;
}

/** The day is that on which they were sent. */
const findRejected = (context: Context, caller: CostCaller, { cost_id: prefix, day }: Query, range: Range) =>
  listOwnRejections(context, caller, checkPosition({ ...range, prefix: prefix ?? null, day: day ?? null }));

/** A page of the costs whose IDs start with `cost_id`. */
async function find(
  context: Context,
  caller: CostCaller,
  { match, cost_id: prefix = "", day }: Query,
  { after, limit }: Range,
) {
  const from = after ?? (prefix === "" ? null : justBefore(prefix));
  const { items, next } = await listOwnCosts(
    context,
    caller,
    { match: match === "rejected" ? null : (match ?? null), day: day ?? null },
    { after: from, limit },
    true,
  );
  return {
    items: items.filter(({ cost_id }) => cost_id.startsWith(prefix)),
    next: next?.startsWith(prefix) ? next : null,
  };
}

/** A text before every text that starts with the prefix, in the order of UTF-8, and after all others that any cost ID has. */
function justBefore(prefix: string): string {
  const last = [...prefix].at(-1) ?? "";
  const before = (last.codePointAt(0) ?? 1) - 1;
  // Below the code points of surrogates, which are no characters.
  const character = String.fromCodePoint(before === 0xdfff ? 0xd7ff : before);
  return `${prefix.slice(0, -last.length)}${character}\u{10ffff}`;
}

function pathOf(query: Query, cursor: string | null | undefined = null, path = "/partner/costs"): string {
  const kept = { match: query.match, cost_id: query.cost_id, day: dateOf(query), cursor };
  const search = new URLSearchParams(
    Object.entries(kept).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return search.size > 0 ? `${path}?${search}` : path;
}

const dateOf = ({ day }: Query) => (day === undefined ? "" : formatDate(day));

const isFiltered = ({ match, cost_id, day }: Query) =>
  match !== undefined || cost_id !== undefined || day !== undefined;

function filters(query: Query): Markup {
  const { match = "", cost_id = "" } = query;
  return filterForm(
    {
      action: "/partner/costs",
      noun: "Costs",
      search: { name: "cost_id", label: "Cost ID starts with", value: cost_id },
      ...(isFiltered(query) && { clear: "/partner/costs" }),
    },
    stateFilter(match, ["rejected", "Rejected"]),
    dayFilter(dateOf(query)),
  );
}

const pathOfCost = (costId: string) => `/partner/costs/${encodeURIComponent(costId)}`;

const COLUMNS: Column<CostItem>[] = [
  {
    heading: "Cost ID",
    cell: ({ cost_id }) => html`<a href="${pathOfCost(cost_id)}"><code>${showInvisible(cost_id)}</code></a>`,
  },
  { heading: "State", onPhone: 4, cell: ({ match }) => costBadge(match) },
  { heading: "Type", onPhone: 3, cell: ({ cost_type }) => cost_type ?? "" },
  {
    heading: "Amount",
    kind: "number",
    onPhone: 5,
    cell: (cost) => priceText(cost, true),
  },
  DAY_IN_REPORTS,
  { heading: "Received", cell: ({ received_at }) => (received_at ? time(received_at) : "") },
];

function emptyList(query: Query, hasMore: boolean): Markup {
  if (hasMore) return NONE_SO_FAR;
  if (isFiltered(query))
    return html`<section class="card"><p>No costs match this filter.</p><p><a class="button secondary" href="/partner/costs">Clear filter</a></p></section>`;
  return html`
    <section class="card">
      <p>No costs yet. Costs are listed here until ${RETENTION} after their click or impression.</p>
      <p class="actions"><a class="button" href="/partner/setup">Set up costs</a> <a class="button secondary" href="/partner/upload">Upload costs</a></p>
    </section>`;
}
