/**
 * The Partners page of an app: the state of each partner, its links, what it costs compared with the days before, and how
 * complete its costs are.
 */
import { html } from "hono/html";
import type { Partner } from "../../db/links/partner-catalog.ts";
import { toMask, toTypes } from "../../domain/cost-types.ts";

import { PARTNER_STATES, partnerStateOf } from "../../domain/partner-state.ts";
import { partnerBadge, STATES } from "../../pages/costs/states.ts";
import { buttonLink, card, emptyState, pageHead } from "../../pages/elements.ts";
import type { Option } from "../../pages/forms/fields.ts";
import { type ListView, noRows, readListView } from "../../pages/lists/list.ts";
import { inOrder } from "../../pages/lists/order.ts";
import { type Column, firstRows, table } from "../../pages/lists/table.ts";
import { describeDays, NONE, showCount, showList, showPercent, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { cutNotice, daysBefore, NOT_OVER, NOT_READ, periodPicker, periodQuery } from "../../pages/periods.ts";
import type { Member, Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { COVERAGE, change, figure, finality } from "../performance/cells.ts";
import {
  type InCurrency,
  type Line,
  orderOf,
  type PartnerFigures,
  type PartnersView,
  readPartners,
  toFiguresOf,
  toLines,
} from "./figures.ts";
import { partnerLink } from "./link.ts";

const PAGE_SIZE = 50;
const SORTS = {
  "-spend": "Highest spend",
  spend: "Lowest spend",
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  "-change": "Highest rise",
  change: "Highest fall",
  "-clicks": "Most clicks",
  clicks: "Fewest clicks",
  "-links": "Most links",
  links: "Fewest links",
  "-cost_per_click": "Highest cost per click",
  cost_per_click: "Lowest cost per click",
  "-coverage": "Highest coverage",
  coverage: "Lowest coverage",
  "-unpriced": "Most unpriced costs",
  unpriced: "Fewest unpriced costs",
};
const STATE_FILTER: Option[] = [
  ["", "Any state"],
  ...PARTNER_STATES.map((state): Option => [state, STATES[state][0]]),
];

export const partnersPage: Show = async (context, member) => {
  const { url } = context;
  const view = await readPartners(context, member);
  const lines = toLines(view);
  const list = await readListView(
    context,
    {
      path: url.pathname,
      nouns: ["partner", "partners"],
      search: "Name contains",
      sorts: SORTS,
      filters: [{ name: "state", label: "State", options: STATE_FILTER }],
      kept: periodQuery(view.period),
      pageSize: PAGE_SIZE,
    },
    async (_, { sort, offset, limit }, { q = "", state }) => {
      const found = lines.filter(
        (line) =>
          line.partner.displayName.toLowerCase().includes(q.toLowerCase()) &&
          (state === undefined || partnerStateOf(line.integration) === state),
      );
      const rows = inOrder(found, sort, orderOf(view));
      return { rows: rows.slice(offset, offset + limit), total: rows.length };
    },
  );
  const others = [...view.partners.values()].filter(
    ({ id }) => !lines.some(({ partner }) => partner.id === id),
  );
  return {
    title: "Partners",
    body: html`
      ${pageHead("Partners")}
      <div class="toolbar">${periodPicker(url, view.period)}${lines.length > 0 ? list.controls : ""}</div>
      ${cutNotice(view.period, view.from)}
      ${partnersTable(url, member, view, lines, list)}
      ${list.pager}
      ${lines.length === 0 ? "" : html`<p class="hint">${aboutChanges(view)} ${finality(view.period, context.now)} ${aboutOrder(view)} ${COVERAGE}</p>`}
      ${others.length > 0 ? otherPartners(url, member, view, others) : ""}`,
  };
};

function partnersTable(
  url: URL,
  member: Member,
  view: PartnersView,
  lines: Line[],
  list: ListView<Line>,
): Markup | string {
  const { path } = member;
  const hrefOf = (page: string, query: Record<string, string>) =>
    `${path}/${page}?${new URLSearchParams({ ...periodQuery(view.period), ...query })}`;
  const total: PartnerFigures = toFiguresOf(view, (id) => id !== null && view.partners.has(id));
  const number = (heading: string, name: string, cell: (line: Line | PartnerFigures) => Markup | string) => ({
    ...{ heading, kind: "number" as const, cell },
    ...list.heading(name),
  });
  const inEach =
    (cell: (measured: InCurrency, line: Line | PartnerFigures) => Markup | string) =>
    (line: Line | PartnerFigures) =>
      line.money.length === 0 ? NONE : html`${line.money.map((one) => html`<div>${cell(one, line)}</div>`)}`;
  const spend = ({ currency, now }: InCurrency, line: Line | PartnerFigures) => {
    const amount = figure("spend", now, currency);
    const query = "partner" in line ? { partner_id: String(line.partner.id), currency } : { currency };
    return html`<a href="${hrefOf("performance", query)}">${amount}</a>`;
  };
  return table<Line | PartnerFigures>({
    label: "Partners of this app",
    hasHeading: true,
    layout: "figures-in-row",
    rows: list.rows,
    empty: lines.length === 0 ? noPartner(path) : noRows(list, html``, "partners"),
    total: !list.isFiltered && lines.length > 1 ? total : undefined,
    columns: [
      {
        heading: "Partner",
        ...list.heading("name"),
        cell: (line) =>
          "partner" in line
            ? partnerLink(member, line.partner, keepDays(url))
            : `Total, ${showPlural(lines.length, "partner")}`,
      },
      {
        heading: "State",
        cell: (line) => ("integration" in line ? partnerBadge(line.integration) : ""),
      },
      number("Links", "links", (line) =>
        "partner" in line
          ? html`<a href="${hrefOf("links", { partner: String(line.partner.id) })}">${showCount(line.links)}</a>`
          : showCount(line.links),
      ),
      {
        heading: "Cost data on",
        kind: "number",
        isMinor: true,
        cell: ({ costDataOn }) => showCount(costDataOn),
      },
      number("Clicks", "clicks", ({ clicks }) => showCount(clicks)),
      number("Spend", "spend", inEach(spend)),
      number(
        "Change",
        "change",
        inEach((measured) => change("spend", measured, view.compared)),
      ),
      number(
        "Cost per click",
        "cost_per_click",
        inEach(({ currency, now }) => figure("cost_per_click", now, currency)),
      ),
      number("Coverage", "coverage", ({ coverage }) =>
        coverage === null ? NONE : showPercent(Number(coverage) / 1e8),
      ),
      total.unpriced > 0 && {
        ...number("Unpriced", "unpriced", ({ unpriced }) => showCount(unpriced)),
        isMinor: true,
      },
    ],
  });
}

function aboutChanges({ compared, period, from }: PartnersView): string {
  if (compared.isCompared) return `Compared with ${describeDays(daysBefore(period))}.`;
  return from > daysBefore(period).from ? NOT_READ : NOT_OVER;
}

const aboutOrder = ({ currencies }: PartnersView) =>
  currencies.length > 1 ? `Amounts are in order by currency: ${showList(currencies)}.` : "";

const noPartner = (path: string) =>
  emptyState(
    "No link has a partner yet",
    "Open a link and attach a partner in its settings. Its clicks, impressions and costs appear here.",
    buttonLink(`${path}/links`, "Go to links"),
  );

function otherPartners(url: URL, member: Member, { inRound }: PartnersView, partners: Partner[]): Markup {
  const { rows, more } = firstRows(url, partners, "others");
  const columns: Column<Partner>[] = [
    { heading: "Partner", cell: (partner) => partnerLink(member, partner, keepDays(url)) },
    {
      heading: "State",
      cell: (partner) => partnerBadge({ ...partner, typesInRound: toMask(inRound.get(partner.id) ?? []) }),
    },
    {
      heading: "Cost types",
      cell: ({ integratedTypes }) =>
        toTypes(integratedTypes).join(", ") || html`<span class="muted">None</span>`,
    },
  ];
  return card(
    { id: "others", title: "Not attached to any link" },
    table({ label: "Other partners", columns, rows }),
    more,
  );
}
