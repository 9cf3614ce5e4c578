/** The costs of a partner by ID, with filters. A row opens the cost, where it can be voided and its spend adjusted. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findPartner } from "../../../db/operator/partners.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { COST_TYPES } from "../../../domain/cost-types.ts";
import { COST_WINDOW } from "../../../domain/texts.ts";
import { COST_WINDOW_MS, toIso } from "../../../domain/time.ts";
import { readAs } from "../../../http/input/fields.ts";
import { readInput } from "../../../http/input/input.ts";
import { DAY_IN_REPORTS, dayFilter, stateFilter, textFilter } from "../../../pages/costs/filters.ts";
import { costBadge } from "../../../pages/costs/states.ts";
import { nameText, notice, pageHead } from "../../../pages/elements.ts";
import { filterForm, filterSelect } from "../../../pages/lists/list.ts";
import { describeSearch, NONE_SO_FAR, searchedList, searchScript } from "../../../pages/lists/search.ts";
import { type Column, table } from "../../../pages/lists/table.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { amountText } from "../../../pages/money.ts";
import { notFound } from "../../api/common.ts";
import { costFilters, findPartnerCosts } from "../../api/costs.ts";
import { idOf, type Page, partnerTrail, type Show } from "../layout.ts";

const PAGE_SIZE = 50;
const count = z._default(readAs(z.string().check(z.regex(/^\d{1,15}$/, "must be a number")), Number), 0);
const contract = {
  query: z.object({
    ...costFilters,
    after: z.optional(z.string().check(z.maxLength(256))),
    /** What the pages before found and read. */
    found: count,
    read: count,
  }),
};
/** The parameters that say where a page begins. */
const POSITION = ["after", "found", "read"];

export const costsPage: Show = async (context, formError) => {
  const id = idOf(context);
  const path = `/operator/partners/${id}/costs`;
  if (formError) {
    const partner = await findPartner(context.env.DB, id);
    if (!partner) throw notFound("partner");
    return pageOf({ id, name: partner.displayName }, filterBar(path, formError.form));
  }
  const url = new URL(context.url.pathname, context.url);
  // A form also sends the fields that are empty.
  for (const [name, value] of context.url.searchParams)
    if (value.trim() !== "") url.searchParams.append(name, name === "after" ? value : value.trim());
  const { query } = await readInput({ ...context, url }, contract);
  const { after = null, found: foundBefore, read: readBefore, ...filters } = query;
  const range = { after, limit: PAGE_SIZE };
  const { partner, items, next, searched, expected, ...reading } = await findPartnerCosts(
    context,
    id,
    filters,
    range,
    foundBefore,
  );
  const found = foundBefore + reading.fitting;
  const read = readBefore + reading.read;
  const chosen = new URLSearchParams([...url.searchParams].filter(([name]) => !POSITION.includes(name)));
  const hrefOf = (position: Record<string, string>) => {
    const search = new URLSearchParams([...chosen, ...Object.entries(position)]);
    return search.size > 0 ? `${path}?${search}` : path;
  };
  const isPending = filters.match === "pending";
  const columns: (Column<(typeof items)[number]> | false)[] = [
    {
      heading: "Cost ID",
      cell: ({ cost_id }) =>
        html`<a href="/operator/partners/${id}/voids?${new URLSearchParams({ cost_id })}"><code>${showInvisible(cost_id)}</code></a>`,
    },
    { heading: "State", onPhone: 4, cell: ({ match }) => costBadge(match) },
    { heading: "Type", cell: ({ cost_type }) => cost_type ?? "" },
    {
      heading: "Amount",
      kind: "number",
      onPhone: 4,
      cell: ({ amount, cost_currency }) => amountText(amount ?? null, cost_currency ?? null),
    },
    { ...DAY_IN_REPORTS, onPhone: 4 },
    isPending && {
      heading: "Lapses",
      cell: ({ received_at }) => (received_at ? time(toIso(Date.parse(received_at) + COST_WINDOW_MS)) : ""),
    },
    isPending && { heading: "Tag", cell: ({ tag }) => showInvisible(tag ?? "") },
    { heading: "App", cell: ({ app_token }) => (app_token === null ? "" : html`<code>${app_token}</code>`) },
    {
      heading: "Link",
      cell: ({ engagement }) => (engagement?.link_token ? html`<code>${engagement.link_token}</code>` : ""),
    },
  ];
  const none =
    next === null ? notice(chosen.size > 0 ? "No costs match these filters." : "No costs.") : NONE_SO_FAR;
  return pageOf(
    { id, name: partner.displayName },
    html`
      ${chosen.toString() === "match=pending" ? "" : html`<p class="lead">Ordered by cost ID.</p>`}
      ${filterBar(path, chosen)}
      ${searchedList({
        list: table({
          ...{ label: "Costs", hasHeading: true, layout: "figures-in-row" },
          ...{ columns, rows: items, empty: none },
        }),
        next: next === null ? null : hrefOf({ after: next, found: String(found), read: String(read) }),
        first: after === null ? null : hrefOf({}),
        isFull: items.length >= PAGE_SIZE,
        share: searched,
        progress: describeSearch({
          ...{ found, expected, read },
          // Of pending costs without a day, some have lapsed.
          isExact: !isPending || filters.day !== undefined,
          hasAmount: filters.amount_over !== undefined,
        }),
      })}
      <p class="hint"><a href="/operator/partners/${id}/rejections">Rejected costs</a> have a list of their own.${isPending ? html` A pending cost waits up to ${COST_WINDOW} for a click or impression with its cost ID. <a href="/docs/troubleshooting#a-cost-stays-pending">Why a cost stays pending</a>` : ""}</p>`,
  );
};

const pageOf = (partner: { id: number; name: string }, content: Markup): Page => ({
  title: `Costs of ${partner.name}`,
  section: "Partners",
  scripts: [searchScript.href],
  body: html`
    ${partnerTrail(partner, "Costs")}
    ${pageHead(html`Costs of ${nameText(partner.name)}`)}
    ${content}`,
});

function filterBar(path: string, chosen: URLSearchParams): Markup {
  const of = (name: string) => chosen.get(name) ?? "";
  return filterForm(
    { action: path, noun: "Costs", ...(chosen.size > 0 && { clear: path }) },
    stateFilter(of("match")),
    filterSelect(
      "cost_type",
      "Type",
      [["", "All types"], ...COST_TYPES.map((one): [string, string] => [one, one])],
      of("cost_type"),
    ),
    dayFilter(of("day")),
    textFilter("app_token", "App token", of("app_token")),
    textFilter("link_token", "Link token", of("link_token")),
    textFilter("amount_over", "Amount over", of("amount_over")),
  );
}
