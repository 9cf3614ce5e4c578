/**
 * The Partners page of an app: the state of each partner, its links, what it costs compared with the days before, and how
 * complete its costs are.
 */
import { html } from "hono/html";
import type { Partner } from "../../db/links/partner-catalog.ts";
import { toMask, toTypes } from "../../domain/cost-types.ts";
import { coverageBadge, partnerBadge, partnerSignals } from "../../pages/costs/states.ts";
import { buttonLink, card, emptyState, pageHead } from "../../pages/elements.ts";
import { cardStyles } from "../../pages/frame.ts";
import { type ListView, noRows } from "../../pages/lists/list.ts";
import { readPartnerList } from "../../pages/lists/partners.ts";
import { type Column, firstRows, table } from "../../pages/lists/table.ts";
import { NONE, showCount, showList, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { eachAmount } from "../../pages/money.ts";
import {
  aboutChanges,
  cutNotice,
  daysBefore,
  finality,
  periodPicker,
  periodQuery,
} from "../../pages/periods.ts";
import type { Member, Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { COVERAGE, change, figure } from "../performance/cells.ts";
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

export const partnersPage: Show = async (context, member) => {
  const { url } = context;
  const view = await readPartners(context, member);
  const lines = toLines(view);
  const list = await readPartnerList(context, {
    rows: lines,
    order: orderOf(view),
    sorts: {
      "-clicks": "Most clicks",
      clicks: "Fewest clicks",
      "-links": "Most links",
      links: "Fewest links",
      "-cost_per_click": "Highest cost per click",
      cost_per_click: "Lowest cost per click",
      "-unpriced": "Most costs without amount",
      unpriced: "Fewest costs without amount",
    },
    kept: periodQuery(view.period),
    pageSize: 50,
  });
  const others = [...view.partners.values()].filter(({ id }) => !lines.some((line) => line.id === id));
  return {
    title: "Partners",
    styles: [cardStyles.href],
    body: html`
      ${pageHead("Partners")}
      <div class="toolbar">${periodPicker(url, view.period)}${lines.length > 0 ? list.controls : ""}</div>
      ${cutNotice(view.period, view.from)}
      ${partnersTable(url, member, view, lines, list)}
      ${list.pager}
      ${lines.length === 0 ? "" : html`<p class="hint">${aboutChanges(view.period, view.compared.isCompared, view.from <= daysBefore(view.period).from)} ${finality(view.period, context.now)} ${aboutOrder(view)} ${COVERAGE}</p>`}
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
    const query = "id" in line ? { partner_id: String(line.id), currency } : { currency };
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
          "id" in line
            ? partnerLink(member, line, keepDays(url))
            : `Total, ${showPlural(lines.length, "partner")}`,
      },
      {
        heading: "State",
        onPhone: "beside",
        cell: (line) => ("id" in line ? partnerSignals(line, line) : ""),
      },
      lines.some(({ links, costDataOn }) => links !== 1 || costDataOn !== 1) && {
        ...number("Cost data on", "links", (line) => {
          const text = `${showCount(line.costDataOn)} of ${showPlural(line.links, "link")}`;
          return "id" in line
            ? html`<a href="${hrefOf("links", { partner: String(line.id) })}">${text}</a>`
            : text;
        }),
        isMinor: true,
      },
      number("Clicks", "clicks", ({ clicks }) => showCount(clicks)),
      {
        ...number("Spend", "spend", (line) =>
          line.money.length === 0
            ? NONE
            : eachAmount(line.money.map((one) => [one.currency, spend(one, line)])),
        ),
        onPhone: 5,
      },
      {
        ...number(
          "Change",
          "change",
          inEach((measured) => change("spend", measured, view.compared)),
        ),
        onPhone: 4,
      },
      number(
        "Cost per click",
        "cost_per_click",
        inEach(({ currency, now }) => figure("cost_per_click", now, currency)),
      ),
      {
        // A total isn't marked: its rows say which of them need a look.
        ...number("Coverage", "coverage", (line) =>
          coverageBadge(line.coverage, "id" in line ? line.recorded : 0),
        ),
        onPhone: 3,
      },
      total.unpriced > 0 && {
        ...number("Costs without amount", "unpriced", ({ unpriced }) => showCount(unpriced)),
        isMinor: true,
      },
    ],
  });
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
      onPhone: "beside",
      cell: (partner) => partnerBadge({ ...partner, typesInRound: toMask(inRound.get(partner.id) ?? []) }),
    },
    {
      heading: "Cost types",
      onPhone: 7,
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
