/** The list of a partner's costs, for partners and for operators: filters, orders, sums and pages. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { MATCHES } from "../../db/ledger/cost-list.ts";
import { COST_ORDERS, type CostOrder, type CostSum, MOST_SORTED } from "../../db/ledger/sorted-costs.ts";
import { showInvisible } from "../../domain/characters.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { amount, costType, plainText, readAs, utcDate } from "../../http/input/fields.ts";
import { dayOfCost } from "../../usecases/costs/item.ts";
import type { FoundCosts, ListedItem } from "../../usecases/costs/listed.ts";
import type { Option } from "../forms/fields.ts";
import { filterForm, filterMenu, filterSelect, pager } from "../lists/controls.ts";
import { describeSearch, NONE_SO_FAR, searchedList } from "../lists/search.ts";
import { type Column, table } from "../lists/table.ts";
import { describeDay, showCount, showPlural } from "../locale.ts";
import { type Markup, time } from "../markup.ts";
import { amountText, moneyText } from "../money.ts";
import { typeOfPrice } from "./cost-types.ts";
import { COST_STATES, costBadge } from "./states.ts";

/** Where a page begins, and what those before it found and read. */
const POSITION = ["page", "after", "found", "read"];
const count = z._default(readAs(z.string().check(z.regex(/^\d{1,15}$/, "must be a number")), Number), 0);
/** The parameters of both lists, but for `match`. */
export const costListQuery = {
  cost_id: z.optional(z.string().check(plainText(1, 256))),
  day: z.optional(utcDate),
  cost_type: z.optional(costType),
  amount_over: z.optional(amount),
  sort: z._default(z.enum(COST_ORDERS, `must be one of ${COST_ORDERS.join(", ")}`), "newest"),
  page: z._default(
    readAs(z.string().check(z.regex(/^[1-9]\d{0,3}$/, "must be a number from 1 to 9999")), Number),
    1,
  ),
  after: z.optional(z.string().check(z.maxLength(256))),
  found: count,
  read: count,
};
type Query = z.output<z.ZodMiniObject<typeof costListQuery>> & { match?: string | undefined };

const PAGE_SIZE = 50;

/** The filters of a query, and where its page begins. */
export const toFilter = ({ cost_id, day, cost_type, amount_over }: Query) => ({
  prefix: cost_id ?? "",
  day: day ?? null,
  costType: cost_type ?? null,
  amountOver: amount_over ?? null,
});
export const toRange = ({ sort, page, after, found }: Query, limit = PAGE_SIZE) => ({
  ...{ order: sort, limit, offset: (page - 1) * PAGE_SIZE, after: after ?? null, found },
});

/** What was sent, without spaces around it. A form also sends the fields that are empty. An ID can end with a space. */
export function sentTo({ searchParams }: URL): URLSearchParams {
  const sent = [...searchParams].map(([name, value]) => [name, name === "after" ? value : value.trim()]);
  return new URLSearchParams(sent.filter(([, value]) => value !== ""));
}

const ORDERS: Record<CostOrder, string> = {
  newest: "Newest first",
  highest: "Highest first",
  cost_id: "Cost ID",
};

interface CostList {
  path: string;
  sent: URLSearchParams;
  states?: Option[];
  /** The filters that are entered: the name and the label of each, beside the day and in the menu. */
  inBar?: [name: string, label: string][];
  inMenu?: [name: string, label: string][];
}

const text = (name: string, label: string, sent: URLSearchParams, type = "text") =>
  html`<label>${label} <input type="${type}" name="${name}" value="${sent.get(name) ?? ""}" maxlength="64" autocomplete="off"></label>`;

export const AMOUNT_OVER: [name: string, label: string] = ["amount_over", "Amount over"];

const isFilter = (name: string) => name !== "sort" && !POSITION.includes(name);

export function costFilters({
  path,
  sent,
  states = [],
  inBar = [],
  inMenu = [AMOUNT_OVER],
}: CostList): Markup {
  const inUse = ["cost_type", ...inMenu.map(([name]) => name)].filter((name) => sent.has(name));
  return filterForm(
    {
      ...{ action: path, noun: "Costs" },
      search: { name: "cost_id", label: "Cost ID starts with", value: sent.get("cost_id") ?? "" },
      ...([...sent.keys()].some(isFilter) && { clear: path }),
    },
    filterSelect(
      "match",
      "State",
      [["", "All states"], ...MATCHES.map((one): Option => [one, COST_STATES[one].name]), ...states],
      sent.get("match") ?? "",
    ),
    text("day", "Day", sent, "date"),
    ...inBar.map(([name, label]) => text(name, label, sent)),
    // Rejected ones have neither.
    sent.get("match") === "rejected"
      ? html``
      : filterMenu(inUse.length, [
          filterSelect(
            "cost_type",
            "Type",
            [["", "All types"], ...COST_TYPES.map((one): Option => [one, one])],
            sent.get("cost_type") ?? "",
          ),
          ...inMenu.map(([name, label]) => text(name, label, sent)),
          filterSelect("sort", "Order", Object.entries(ORDERS), sent.get("sort") ?? "newest"),
        ]),
  );
}

interface FoundList extends CostList {
  query: Query;
  found: FoundCosts;
  hrefOf: (costId: string) => string;
  columns?: (Column<ListedItem> | false)[];
  /** In the place of a list without costs or filters. */
  empty: Markup;
}

/** What was found, with the filters above it. */
export function costList(list: FoundList): Markup {
  const { path, sent, query, found, hrefOf, columns = [], empty } = list;
  const { items, sums } = found;
  const kept = [...sent].filter(([name]) => !POSITION.includes(name));
  const to = (changes: Record<string, string | number>) => {
    const search = new URLSearchParams(kept);
    for (const [name, value] of Object.entries(changes)) search.set(name, String(value));
    return search.size > 0 ? `${path}?${search}` : path;
  };
  const isFiltered = kept.some(([name]) => isFilter(name));
  const order = (sort: CostOrder) =>
    sums &&
    ({
      href: to({ sort }),
      sorted: query.sort === sort ? (sort === "cost_id" ? "ascending" : "descending") : undefined,
    } as const);
  const rows = table({
    ...{ label: "Costs", hasHeading: sums === undefined, layout: "figures-in-row", rows: items },
    columns: [
      {
        ...{ heading: "Cost ID", ...order("cost_id") },
        cell: ({ cost_id }) => html`<a href="${hrefOf(cost_id)}"><code>${showInvisible(cost_id)}</code></a>`,
      },
      { heading: "State", onPhone: "beside", cell: ({ match }) => costBadge(match) },
      {
        ...{ heading: "Amount", kind: "number", onPhone: 3, ...order("highest") },
        cell: ({ amount, cost_currency }) =>
          amount === null
            ? html`<span class="muted whole">no amount</span>`
            : amountText(amount, cost_currency),
      },
      { heading: "Type", onPhone: 5, cell: typeOfPrice },
      {
        ...{ heading: "Day", kind: "day", isMinor: true, onPhone: 4 },
        cell: (cost) => {
          const day = dayOfCost(cost);
          return day === null ? "" : describeDay(day);
        },
      },
      {
        ...{ heading: "Received", kind: "day", ...order("newest") },
        cell: ({ received_at }) => (received_at ? time(received_at) : ""),
      },
      ...columns,
    ],
    empty: isFiltered ? html`<p class="notice">No costs match these filters.</p>` : empty,
  });
  if (sums) {
    const total = sumOf(sums, (one) => one.count);
    const { offset } = toRange(query);
    const range =
      total <= PAGE_SIZE ? "" : `${showCount(offset + 1)} to ${showCount(offset + items.length)} of `;
    return html`
      ${total === 0 && !isFiltered ? "" : costFilters(list)}
      ${items.length === 0 ? "" : html`<h2 class="count">${range}${showPlural(total, "cost", "costs")}${sumsText(sums)}</h2>`}
      ${items.length === 0 && total > 0 ? html`<p class="notice">There is no page ${showCount(query.page)}. <a href="${to({})}">Show the first page</a></p>` : rows}
      ${pager(query.page > 1 ? to({ page: query.page - 1 }) : null, offset + items.length < total ? to({ page: query.page + 1 }) : null)}`;
  }
  const { next, searched, expected, fitting, read } = found;
  const soFar = { found: query.found + fitting, read: query.read + read };
  const isPending = query.match === "pending";
  return html`
    ${costFilters(list)}
    <p class="muted">In the order of their IDs: more than ${showCount(MOST_SORTED)} can't be sorted. Enter how an ID starts to get fewer.</p>
    ${searchedList({
      list: items.length === 0 && next !== null ? NONE_SO_FAR : rows,
      first: query.after === undefined ? null : to({}),
      next: next === null ? null : to({ after: next, ...soFar }),
      isFull: items.length >= PAGE_SIZE,
      share: searched,
      progress: describeSearch({
        ...{ ...soFar, expected },
        // Of pending costs without a day, some have lapsed.
        isExact: !isPending || query.day !== undefined,
        hasAmount: query.amount_over !== undefined,
      }),
    })}`;
}

/** `, 2,981 matched $412.10 + €3.00, 54 pending $12.00` */
function sumsText(sums: CostSum[]): Markup[] {
  return [...Map.groupBy(sums, ({ match }) => match)].map(([match, same]) => {
    const count = sumOf(same, (one) => one.count);
    const money = same.flatMap(({ currency, amount }) => (currency ? [moneyText(amount, currency)] : []));
    return html`, <span class="whole">${showCount(count)} ${COST_STATES[match].name.toLowerCase()}${money.map((one, index) => html`${index > 0 ? " + " : " "}${one}`)}</span>`;
  });
}
