/** The filters of the Performance page: chips that remove one, the menu that adds some, and the search of rows. */
import { html } from "hono/html";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { PLATFORMS } from "../../domain/engagements/audience.ts";
import { filterOf } from "../../domain/figures/groups.ts";
import { countryName, findCountry, platformName } from "../../pages/costs/audience.ts";
import { chips, menu } from "../../pages/elements.ts";
import { type Option, type RejectedForm, rejectedWith } from "../../pages/forms/fields.ts";
import { filterForm, filterSelect, filterText } from "../../pages/lists/controls.ts";
import { keptInputs, withQuery } from "../../pages/lists/query.ts";
import type { Markup } from "../../pages/markup.ts";
import { sortedPartners } from "../bulk/selection.ts";
import { describeType } from "../reports/lines.ts";
import { rowName } from "./groups.ts";
import type { PerformancePage } from "./view.ts";

export const FILTERS = ["link", "partner_id", "cost_type", "country", "platform"] as const;
/** What belongs to the rows of the present filters. */
const OF_ROWS = ["open", "rows", "view", "notice"];

/** The address without some parameters. */
export const without = (url: URL, ...names: string[]): string =>
  withQuery(
    url,
    Object.fromEntries(
      [...names, ...(names.includes("link") ? ["direct"] : []), ...OF_ROWS].map((name) => [name, null]),
    ),
  );

export function filterChips(url: URL, { query, report, partnerName }: PerformancePage): Markup | "" {
  const labels: Record<string, string | false | undefined> = {
    link: report.link && `Link: ${report.link.label} ${query.direct ? "direct" : "and everything below it"}`,
    partner_id: partnerName !== undefined && `Partner: ${partnerName}`,
    cost_type: query.cost_type && `Cost type: ${describeType(query.cost_type)}`,
    country: query.country && `Country: ${countryName(query.country)}`,
    platform: query.platform && `Platform: ${platformName(query.platform)}`,
  };
  const given = Object.entries(labels).filter((filter): filter is [string, string] => Boolean(filter[1]));
  return chips(
    given.map(([name, label]) => [label, without(url, name)]),
    without(url, ...given.map(([name]) => name)),
  );
}

/** The links whose tokens the menu offers. Others can be entered too. */
const MOST_LINKS = 200;

/** Adds and changes filters. All countries would be a fifth of the page, so one is entered; rows by country are offered. */
export function filterMenu(
  url: URL,
  { query, report, rows }: PerformancePage,
  rejected?: RejectedForm,
): Markup {
  const { group_by } = query;
  /** The rows whose keys are values of a filter. */
  const rowsFor = (filter: (typeof FILTERS)[number]) =>
    filterOf(group_by) === filter ? rows.filter(({ row }) => row.key !== "") : [];
  const links = rowsFor("link")
    .filter(({ isOwn }) => !isOwn)
    .slice(0, MOST_LINKS);
  const select = (name: (typeof FILTERS)[number], label: string, options: Option[]) =>
    filterSelect(name, label, [["", "Any"], ...options], String(query[name] ?? ""));
  const filters = filterForm(
    { action: url.pathname, noun: "filters", kept: keptInputs(url, ...FILTERS, ...OF_ROWS) },
    filterText({
      name: "link",
      label: "Link token",
      value: query.link ?? "",
      suggestions: links.map(({ row }): Option => [row.key, rowName(group_by, row)]),
    }),
    select("partner_id", "Partner", sortedPartners(report.partners)),
    select(
      "cost_type",
      "Cost type",
      COST_TYPES.map((type): Option => [type, describeType(type)]),
    ),
    filterText(
      {
        name: "country",
        label: "Country name or code",
        value: query.country === undefined ? "" : countryName(query.country),
        suggestions: rowsFor("country").map(({ row }): Option => [rowName(group_by, row), row.key]),
      },
      rejected,
    ),
    select(
      "platform",
      "Platform",
      PLATFORMS.map((platform): Option => [platform, platformName(platform)]),
    ),
  );
  return menu("+ Filter", [filters], "", rejected !== undefined);
}

/**
 * The address with the code of the country that was entered, so that whatever keeps it also works where a country has another name.
 * Without a country of that name it has none, and the form shows what is wrong.
 */
export function withCountryCode(given: URL): { url: URL; rejected?: RejectedForm } {
  const [text, ...others] = given.searchParams.getAll("country");
  if (!text || others.length > 0) return { url: given };
  const found = findCountry(text);
  const url = new URL(given);
  if ("code" in found) {
    url.searchParams.set("country", found.code);
    return { url };
  }
  url.searchParams.delete("country");
  const errors = [{ param: "country", message: found.error }];
  return { url, rejected: rejectedWith(errors, new URLSearchParams({ country: text })) };
}

/** What was searched is beside the field: the tiles and the chart are of all rows. */
export const rowSearch = (url: URL, { query }: PerformancePage): Markup =>
  html`${query.q ? chips([[`Table rows with: ${query.q}`, without(url, "q")]], "") : ""}${filterForm({
    action: url.pathname,
    noun: "rows",
    kept: keptInputs(url, "q", ...OF_ROWS),
    search: { name: "q", label: "Search rows", value: query.q ?? "", isInField: true },
  })}`;
