/** The sections of a link's page about its costs and its problems. */

import { html } from "hono/html";
import { COST_TYPE, type CostType } from "../../domain/cost-types.ts";
import { DROP_REASONS } from "../../domain/engagements/sub-links.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { card } from "../../pages/elements.ts";
import { type Column, table } from "../../pages/lists/table.ts";
import { describeDay, NONE, showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { moneyText } from "../../pages/money.ts";
import { periodQuery } from "../../pages/periods.ts";
import type { Member } from "../frame.ts";
import { addUp } from "../reports/lines.ts";
import { averageOf, partnerOf } from "./cells.ts";
import { DROPPED_DAYS, type LinkView } from "./link-view.ts";

function performanceHref(
  { path }: Member,
  { link, period }: LinkView,
  query: Record<string, string>,
): string {
  return `${path}/performance?${new URLSearchParams({ link: link.token, ...periodQuery(period), ...query })}`;
}

export function costsByType(member: Member, view: LinkView): Markup {
  const groups = Map.groupBy(view.spend, ({ currency, costType }) => JSON.stringify([costType, currency]));
  const rows = [...groups.keys()].sort().flatMap((key) => {
    const lines = groups.get(key) ?? [];
    const [first] = lines;
    if (!first) return [];
    const { currency, costType } = first;
    return { ...addUp(currency, lines, []), costType, average: averageOf(lines) };
  });
  type Line = (typeof rows)[number];
  const hasOne = new Set(rows.map(({ currency }) => currency)).size < 2;
  const hasUnpriced = rows.some(({ unpriced }) => unpriced > 0);
  const nameOf = (type: CostType) =>
    hasOne && !hasUnpriced ? html`<span class="wide-only">, ${COST_TYPE[type].name}</span>` : "";
  const columns: (Column<Line> | false)[] = [
    {
      heading: "Type",
      cell: ({ costType, currency }) =>
        html`<a href="${performanceHref(member, view, { cost_type: costType ?? "", currency, group_by: "day" })}">${costType && html`${costType}${nameOf(costType)}`}${hasOne ? "" : `\u00a0in\u00a0${currency}`}</a>`,
    },
    { heading: "Spend", kind: "number", cell: ({ spend, currency }) => moneyText(spend, currency) },
    {
      heading: "Average cost",
      kind: "number",
      cell: ({ average, currency }) => (average === undefined ? NONE : moneyText(average, currency)),
    },
    { heading: "Matched costs", kind: "number", cell: ({ matched }) => showCount(matched) },
    hasUnpriced && {
      heading: "Costs without amount",
      kind: "number",
      isMinor: true,
      cell: ({ unpriced }) => showCount(unpriced),
    },
  ];
  return card(
    {
      id: "costs",
      title: "Costs by type",
      aside:
        rows.length > 0
          ? html`<a href="${performanceHref(member, view, { group_by: "day" })}">Show in Performance</a>`
          : "",
    },
    table({
      label: "Costs by type as a table",
      layout: "compact",
      columns,
      rows,
      empty: html`<p class="muted">${noCosts(view)}</p>`,
    }),
  );
}

/** Why a link has no costs in these days. */
function noCosts({ row, link, partners }: LinkView): string {
  const partner = partnerOf(row, partners);
  if (!partner) return "No costs: this link has no partner.";
  if (!partner.supportsCostData) return `No costs: ${partner.displayName} has no cost data yet.`;
  if (!link.cost_data_enabled) return "No costs: cost data is off for this link.";
  return "No cost matched a click or an impression of these days.";
}

/** What was dropped from the URLs, if anything was. */
export function problems({ dropped }: LinkView): Markup | "" {
  if (dropped.length === 0) return "";
  const groups = [...Map.groupBy(dropped, ({ param, reason }) => `${param} ${reason}`).values()];
  const rows = groups
    .map((lines) => ({
      ...lines[0],
      count: sumOf(lines, ({ count }) => count),
      last: lines[0]?.day ?? 0,
    }))
    .sort((one, other) => other.count - one.count);
  type Line = (typeof rows)[number];
  const columns: Column<Line>[] = [
    {
      heading: "Parameter and reason",
      cell: ({ param, reason }) =>
        html`<code>${param}</code><div class="sentence">${reason ? DROP_REASONS[reason] : ""}</div>`,
    },
    { heading: "Count", kind: "number", cell: ({ count }) => showCount(count) },
    { heading: "Last seen", kind: "day", cell: ({ last }) => describeDay(last) },
  ];
  return card(
    { id: "problems", title: "Dropped URL parameters" },
    html`<p>From the URLs of this link, in the last ${DROPPED_DAYS} days. The clicks and impressions count, unless the reason says that they were not recorded.</p>`,
    table({ label: "Dropped URL parameters and reasons", layout: "compact", columns, rows }),
  );
}
