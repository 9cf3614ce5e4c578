/** The filters of the Performance page: chips that remove one, the menu that adds some, and the search of rows. */

import { COST_TYPES } from "../../domain/cost-types.ts";
import { COUNTRY_CODES, PLATFORMS } from "../../domain/engagements/audience.ts";
import { countryName, platformName } from "../../pages/costs/audience.ts";
import { chips, menu } from "../../pages/elements.ts";
import type { Option } from "../../pages/fields.ts";
import { filterForm, filterSelect, filterText } from "../../pages/list.ts";
import type { Markup } from "../../pages/markup.ts";
import { keptInputs, withQuery } from "../../pages/query.ts";
import { sortedPartners } from "../bulk/selection.ts";
import { describeType } from "../reports/lines.ts";
import { rowName } from "./names.ts";
import type { PerformancePage } from "./view.ts";

export const FILTERS = ["link", "partner_id", "cost_type", "country", "platform"] as const;
/** What belongs to the rows of the present filters. */
const OF_ROWS = ["open", "rows", "view", "notice"];

/** The address without some parameters. */
export const without = (url: URL, ...names: string[]): string =>
  withQuery(url, Object.fromEntries([...names, ...OF_ROWS].map((name) => [name, null])));

export function filterChips(url: URL, { query, report, partnerName }: PerformancePage): Markup | "" {
  const labels: Record<string, string | false | undefined> = {
    link: report.link && `Link: ${report.link.label} and everything below it`,
    partner_id: partnerName !== undefined && `Partner: ${partnerName}`,
    cost_type: query.cost_type && `Cost type: ${describeType(query.cost_type)}`,
    country: query.country && `Country: ${countryName(query.country)}`,
    platform: query.platform && `Platform: ${platformName(query.platform)}`,
    q: query.q && `Rows with: ${query.q}`,
  };
  const given = Object.entries(labels).filter((filter): filter is [string, string] => Boolean(filter[1]));
  return chips(
    given.map(([name, label]) => [label, without(url, name)]),
    without(url, ...given.map(([name]) => name)),
  );
}

/** The links whose tokens the menu offers. Others can be entered too. */
const MOST_LINKS = 200;

/** Adds and changes filters. */
export function filterMenu(url: URL, { query, report, rows }: PerformancePage): Markup {
  const links = query.group_by === "link" ? rows.filter(({ isOwn }) => !isOwn).slice(0, MOST_LINKS) : [];
  const select = (name: (typeof FILTERS)[number], label: string, options: Option[]) =>
    filterSelect(name, label, [["", "Any"], ...options], String(query[name] ?? ""));
  return menu("+ Filter", [
    filterForm(
      { action: url.pathname, noun: "filters", kept: keptInputs(url, ...FILTERS, ...OF_ROWS) },
      filterText(
        "link",
        "Token of a link",
        query.link ?? "",
        links.map(({ row }): Option => [row.key, rowName(row)]),
      ),
      select("partner_id", "Partner", sortedPartners(report.partners)),
      select(
        "cost_type",
        "Cost type",
        COST_TYPES.map((type): Option => [type, describeType(type)]),
      ),
      select("country", "Country", countries()),
      select(
        "platform",
        "Platform",
        PLATFORMS.map((platform): Option => [platform, platformName(platform)]),
      ),
    ),
  ]);
}

let sorted: Option[] | undefined;

/** By their names. */
function countries(): Option[] {
  sorted ??= [...COUNTRY_CODES]
    .map((code): Option => [code, countryName(code)])
    .sort(([, one], [, other]) => (one < other ? -1 : 1));
  return sorted;
}

export const rowSearch = (url: URL, { query }: PerformancePage): Markup =>
  filterForm({
    action: url.pathname,
    noun: "rows",
    kept: keptInputs(url, "q", ...OF_ROWS),
    search: { name: "q", label: "Search rows", value: query.q ?? "" },
  });
