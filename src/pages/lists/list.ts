/** Lists: search, order, filters and pages, all of them in the query, and the number of results. */
import { html } from "hono/html";
import type { ListPage } from "../../db/operator/lists/searched.ts";
import type { Context } from "../../env.ts";
import type { InputError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import type { Option } from "../forms/fields.ts";
import { showCount, showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { filterForm, filterMenu, filterSelect, pager } from "./controls.ts";
import { hiddenInputs } from "./query.ts";
import type { Column } from "./table.ts";

interface ListSpec<Sort extends string> {
  path: string;
  /** One item, and several. */
  nouns: [one: string, many: string];
  /** The label of the search field; without one, the list has none. */
  search?: string;
  /** The first one is the default. */
  sorts: Record<Sort, string>;
  filters?: { name: string; label: string; options: Option[]; default?: string }[];
  /** Whether the filters and the order are in a menu, so that the list begins near the top of a phone. */
  hasMenu?: boolean;
  /** Parameters of the page that stay. Without any, no other names are known. */
  kept?: Record<string, string>;
  pageSize?: number;
}

const MAX_PAGE = 1_000;

export interface ListView<Row> {
  rows: Row[];
  /** Whether anything is searched for or filtered. */
  isFiltered: boolean;
  /** What a page after the last one has in the place of its table. */
  beyond: Markup | undefined;
  /** The form with the search and the filters, and the count. */
  controls: Markup;
  /** The links to the previous and the next page. */
  pager: Markup | "";
  /** For the column that has the name of an order: a click sorts by it, and the next one turns it around if both are in the list. */
  heading: (name: string) => Pick<Column<unknown>, "href" | "sorted">;
}

/** Reads a page of a list. Throws invalid_request with each value that the list does not know. */
export async function readListView<Sort extends string, Row>(
  { env, url }: Pick<Context, "env" | "url">,
  spec: ListSpec<Sort>,
  list: (
    db: D1Database,
    page: ListPage<Sort>,
    given: Record<string, string>,
  ) => Promise<{ rows: Row[]; total: number }>,
): Promise<ListView<Row>> {
  const { searchParams } = url;
  const { kept = {}, pageSize = 100 } = spec;
  const sorts = Object.keys(spec.sorts) as [Sort, ...Sort[]];
  const wrong: InputError[] = [];
  /** What was sent of a parameter, if it is one of these. What a form sends empty counts as absent. */
  const choose = <Value extends string>(param: string, values: readonly Value[]): Value | undefined => {
    const sent = searchParams.get(param);
    const value = values.find((one) => one === sent);
    if (sent && value === undefined) wrong.push({ param, message: "must be chosen from the list" });
    return value;
  };
  const sort = choose("sort", sorts) ?? sorts[0];
  const q = spec.search === undefined ? "" : (searchParams.get("q") ?? "").trim().slice(0, 255);
  const chosen = (spec.filters ?? []).map((filter) => {
    const options = filter.options.map(([option]) => option);
    return { ...filter, value: choose(filter.name, options) ?? filter.default ?? "" };
  });
  const page = Number(searchParams.get("page") || "1");
  if (!Number.isInteger(page) || page < 1 || page > MAX_PAGE)
    wrong.push({ param: "page", message: `must be a number from 1 to ${MAX_PAGE}` });
  const known = ["q", "sort", "page", "notice", ...chosen.map(({ name }) => name)];
  // A page with other parameters has checked all names.
  const unknown = spec.kept ? [] : [...searchParams.keys()].filter((name) => !known.includes(name));
  wrong.push(...unknown.map((param) => ({ param, message: "is not a known parameter; remove it" })));
  if (wrong.length > 0) throw invalidRequest(wrong);
  const given = Object.fromEntries(
    [["q", q], ...chosen.map(({ name, value }) => [name, value])].filter(([, value]) => value !== ""),
  );
  const offset = (page - 1) * pageSize;
  const { rows, total } = await list(env.DB, { sort, offset, limit: pageSize }, given);
  const inUse = chosen.filter((filter) => filter.value !== (filter.default ?? ""));
  const isFiltered = q !== "" || inUse.length > 0;
  const state = {
    ...kept,
    q,
    sort: sort === sorts[0] ? "" : sort,
    ...Object.fromEntries(inUse.map((one) => [one.name, one.value])),
  };
  const toHref = (parameters: Record<string, string>) => {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
    return query.size > 0 ? `${spec.path}?${query}` : spec.path;
  };
  const hrefOf = (number: number) => toHref({ ...state, page: number > 1 ? String(number) : "" });
  const [one, many] = spec.nouns;
  const range =
    rows.length === 0 || (total <= pageSize && page === 1)
      ? ""
      : `${showCount(offset + 1)} to ${showCount(offset + rows.length)} of `;
  const count = range + showPlural(total, one, many);
  const selects = [
    ...chosen.map(({ name, label, options, value }) => filterSelect(name, label, options, value)),
    filterSelect("sort", "Order", Object.entries<string>(spec.sorts), sort),
  ];
  const controls = html`
    ${
      total <= 1 && !isFiltered
        ? ""
        : filterForm(
            {
              action: spec.path,
              noun: many,
              kept: hiddenInputs(Object.entries(kept)),
              ...(isFiltered && { clear: toHref(kept) }),
              ...(spec.search !== undefined && { search: { name: "q", label: spec.search, value: q } }),
            },
            ...(spec.hasMenu ? [filterMenu(inUse.length, selects)] : selects),
          )
    }
    <h2 class="count">${count}</h2>`;
  const hasNext = offset + rows.length < total && page < MAX_PAGE;
  return {
    rows,
    isFiltered,
    beyond:
      rows.length === 0 && total > 0
        ? html`<p class="notice">There is no page ${showCount(page)}. <a href="${hrefOf(1)}">Show the first page</a></p>`
        : undefined,
    controls,
    heading: (name) => {
      const both = sorts.filter((one) => one === name || one === `-${name}`);
      const next = both.find((one) => one !== sort) ?? sort;
      const sorted = sort.startsWith("-") ? "descending" : "ascending";
      return {
        href: toHref({ ...state, sort: next === sorts[0] ? "" : next }),
        sorted: (both as string[]).includes(sort) ? sorted : undefined,
      };
    },
    pager: pager(page > 1 && rows.length > 0 ? hrefOf(page - 1) : null, hasNext ? hrefOf(page + 1) : null),
  };
}

/** In the place of a table without rows. */
export function noRows(
  { isFiltered, beyond }: Pick<ListView<unknown>, "isFiltered" | "beyond">,
  empty: Markup,
  many: string,
): Markup {
  if (beyond) return beyond;
  return isFiltered ? html`<p class="notice">No ${many} match these filters.</p>` : empty;
}
