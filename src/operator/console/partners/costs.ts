/** The costs of a partner by ID, with filters. A row opens the cost, where it can be voided and its spend adjusted. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { MATCHES } from "../../../db/ledger/cost-list.ts";
import { MAX_KEYS } from "../../../db/ledger/key-pages.ts";
import { MAX_PAGES } from "../../../db/ledger/key-walk.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { COST_TYPES } from "../../../domain/cost-types.ts";
import { dayOf } from "../../../domain/time.ts";
import { readInput } from "../../../http/input/input.ts";
import { COST_STATES, costBadge } from "../../../pages/costs/states.ts";
import { nameText, notice, pageHead } from "../../../pages/elements.ts";
import { filterForm, filterSelect, pager } from "../../../pages/lists/list.ts";
import { type Column, table } from "../../../pages/lists/table.ts";
import { describeDay, showCount, showPercent } from "../../../pages/locale.ts";
import type { Markup } from "../../../pages/markup.ts";
import { amountText } from "../../../pages/money.ts";
import { costFilters, findPartnerCosts } from "../../api/costs.ts";
import { idOf, partnerTrail, type Show } from "../layout.ts";

const PAGE_SIZE = 50;
const MOST_READ = (MAX_PAGES * MAX_KEYS) / 2;
const contract = {
  query: z.object({ ...costFilters, after: z.optional(z.string().check(z.maxLength(256))) }),
};

export const costsPage: Show = async (context) => {
  const id = idOf(context);
  const url = new URL(context.url.pathname, context.url);
  // A form also sends the fields that are empty.
  for (const [name, value] of context.url.searchParams)
    if (value.trim() !== "") url.searchParams.append(name, name === "after" ? value : value.trim());
  const { query } = await readInput({ ...context, url }, contract);
  const { after = null, ...filters } = query;
  const range = { after, limit: PAGE_SIZE };
  const { partner, items, next, searched } = await findPartnerCosts(context, id, filters, range);
  const chosen = new URLSearchParams([...url.searchParams].filter(([name]) => name !== "after"));
  const path = `/operator/partners/${id}/costs`;
  const hrefOf = (position: string | null) => {
    const search = new URLSearchParams([...chosen, ...(position === null ? [] : [["after", position]])]);
    return search.size > 0 ? `${path}?${search}` : path;
  };
  const columns: Column<(typeof items)[number]>[] = [
    {
      heading: "Cost ID",
      cell: ({ cost_id }) =>
        html`<a href="/operator/partners/${id}/voids?${new URLSearchParams({ cost_id })}"><code>${showInvisible(cost_id)}</code></a>`,
    },
    { heading: "State", cell: ({ match }) => costBadge(match) },
    { heading: "Type", cell: ({ cost_type }) => cost_type ?? "" },
    {
      heading: "Amount",
      kind: "number",
      cell: ({ amount, cost_currency }) => amountText(amount ?? null, cost_currency ?? null),
    },
    {
      heading: "Day in reports",
      kind: "day",
      cell: ({ engagement, received_at }) => {
        const at = engagement?.occurred_at ?? received_at;
        return at ? describeDay(dayOf(Date.parse(at))) : "";
      },
    },
    { heading: "App", cell: ({ app_token }) => (app_token === null ? "" : html`<code>${app_token}</code>`) },
    {
      heading: "Link",
      cell: ({ engagement }) => (engagement?.link_token ? html`<code>${engagement.link_token}</code>` : ""),
    },
  ];
  const isEnd = next === null;
  return {
    title: `Costs of ${partner.displayName}`,
    section: "Partners",
    body: html`
      ${partnerTrail({ id, name: partner.displayName }, "Costs")}
      ${pageHead(html`Costs of ${nameText(partner.displayName)}`)}
      <p class="lead">By cost ID, because costs have no order by time: a page looks at up to ${showCount(MOST_READ)} IDs. So filters suit partners of up to some 100,000 costs. <a href="/operator/partners/${id}/rejections">Rejected costs</a> have a list of their own.</p>
      ${filterBar(path, chosen)}
      ${table({ label: "Costs", columns, rows: items, empty: notice(emptyText(isEnd, chosen.size > 0)) })}
      ${isEnd ? "" : html`<p class="muted">Looked through about ${showPercent(searched)} of the IDs.</p><progress max="100" value="${Math.round(searched * 100)}" aria-label="Share of the IDs that was looked through"></progress>`}
      ${pager(after === null ? null : hrefOf(null), isEnd ? null : hrefOf(next), ["First page", items.length < PAGE_SIZE ? "Look further" : "Next page"])}`,
  };
};

function emptyText(isEnd: boolean, isFiltered: boolean): string {
  if (!isEnd) return `None of these ${showCount(MOST_READ)} IDs has such a cost. Look further below.`;
  return isFiltered ? "No costs match these filters." : "No costs.";
}

function filterBar(path: string, chosen: URLSearchParams): Markup {
  const of = (name: string) => chosen.get(name) ?? "";
  const field = (name: string, label: string, type = "text") =>
    html`<label>${label} <input type="${type}" name="${name}" value="${of(name)}" maxlength="64" autocomplete="off"></label>`;
  return filterForm(
    { action: path, noun: "Costs", ...(chosen.size > 0 && { clear: path }) },
    filterSelect(
      "match",
      "State",
      [["", "All states"], ...MATCHES.map((one): [string, string] => [one, COST_STATES[one].name])],
      of("match"),
    ),
    filterSelect(
      "cost_type",
      "Type",
      [["", "All types"], ...COST_TYPES.map((one): [string, string] => [one, one])],
      of("cost_type"),
    ),
    field("day", "Day", "date"),
    field("app_token", "App token"),
    field("link_token", "Link token"),
    field("amount_over", "Amount above"),
  );
}
