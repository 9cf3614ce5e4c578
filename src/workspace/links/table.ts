/** The table of the Links page: a tree whose branches open without a script, or a list of what was found. */
import { html } from "hono/html";
import type { LinkFigures } from "../../db/ledger/reports/link-figures.ts";
import type { BrowsedLink } from "../../db/links/browse.ts";
import type { Context } from "../../env.ts";
import { badge, copyMenu, nameText, pathText } from "../../pages/elements.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { type Column, table } from "../../pages/lists/table.ts";
import { showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { toLink } from "../../usecases/links/link.ts";
import { checkbox } from "../bulk/selection.ts";
import type { Member } from "../frame.ts";
import {
  costCell,
  costPerClickCell,
  countCell,
  inPlace,
  type KnownPartners,
  keepDays,
  partnerCell,
  partnerOf,
  partnerSignal,
  spendCell,
  testBadge,
} from "./cells.ts";
import { type BranchPosition, buildAfter, LEVEL_NAMES, MAX_OPEN, ROOT, type Sort } from "./query.ts";
import type { LinksView } from "./view.ts";

/** What a row needs beside its link. */
export interface Shown extends KnownPartners {
  context: Context;
  member: Member;
  figures: Map<number, LinkFigures> | undefined;
  /** The selection, where links can be selected. */
  selected?: LinksView["query"]["selected"];
  /** The order of the list, where it can be changed. */
  sort?: Sort;
  /** Whether all links have the same distance from the side. */
  isFlat: boolean;
}

/** A link with what opens it, or a link to more links of a branch. */
export type Line = { row: BrowsedLink; lead: Markup | "" } | { level: number; more: Markup };

export function linksTable(shown: Shown, lines: Line[]): Markup | string {
  const { context, member, partners, figures } = shown;
  const { url } = context;
  const hrefOf = ({ token }: BrowsedLink, page = "") => `${member.path}/links/${token}${page}`;
  const sortable = (sort: Sort, sorted: "ascending" | "descending") =>
    shown.sort && {
      href: withQuery(url, { sort: sort === "name" ? null : sort, after: null }),
      sorted: shown.sort === sort ? sorted : undefined,
    };
  const columns: Column<BrowsedLink>[] = [
    {
      heading: "Link",
      cell: (row) => html`
        <div title="${row.label}"><a href="${hrefOf(row)}${keepDays(url)}">${nameText(row.label)}</a></div>
        ${below(row, shown)}`,
      ...sortable("name", "ascending"),
    },
    {
      heading: "Partner",
      cell: (row) => partnerCell(member, row, shown, keepDays(url), newSignal(row, shown)),
    },
    { heading: "Cost data", cell: (row) => costCell(toLink(row, partners, context), row) },
    {
      heading: "Clicks",
      kind: "number",
      cell: ({ id }) => (figures ? countCell(figures.get(id)?.clicks) : "–"),
      ...sortable("-clicks", "descending"),
    },
    {
      heading: "Spend",
      kind: "number",
      cell: ({ id }) => spendCell(figures?.get(id)),
      ...sortable("-spend", "descending"),
    },
    { heading: "Cost per click", kind: "number", cell: ({ id }) => costPerClickCell(figures?.get(id)) },
    {
      heading: "Copy",
      kind: "action",
      cell: (row) => {
        const { click_url, impression_url } = toLink(row, partners, context);
        return copyMenu(
          row.label,
          [
            ["click URL", click_url],
            ["impression URL", impression_url],
          ],
          [
            html`<a href="${hrefOf(row, "/qr.svg")}">QR code</a>`,
            html`<a href="${hrefOf(row, "/settings")}">Settings</a>`,
          ],
        );
      },
    },
  ];
  return table({
    label: "Links",
    // On the page of a link, the table has a heading.
    hasHeading: shown.selected !== undefined,
    layout: "links figures-in-row",
    rows: lines,
    classOf: (line) => (shown.isFlat ? "" : `level-${"row" in line ? line.row.level : line.level}`),
    spanOf: (line) => ("row" in line ? undefined : line.more),
    columns: columns.map(({ cell, ...column }, index) => ({
      ...column,
      cell: (line: Line) =>
        !("row" in line)
          ? ""
          : index > 0
            ? cell(line.row)
            : html`<div class="name">${shown.selected ? checkbox(line.row.token, line.row.label, shown.selected) : ""}${line.lead}<div>${cell(line.row)}</div></div>`,
    })),
  });
}

/** The lines of a branch, each link followed by those below it if it is open. */
export function branchLines(shown: Shown, view: LinksView, key = ROOT, level = 1): Line[] {
  const branch = view.branches.get(key);
  if (!branch) return [];
  const { url } = shown.context;
  const more = (text: string, position: BranchPosition | undefined): Line => {
    const after = new Map(view.query.after);
    if (position) after.set(key, position);
    else after.delete(key);
    const href = withQuery(url, { after: buildAfter(after) || null });
    return { level, more: html`<a href="${href}" data-in-place>${text}</a>` };
  };
  return [
    ...(branch.isContinued ? [more("Back to the first links", undefined)] : []),
    ...branch.links.flatMap((row): Line[] => [
      { row, lead: shown.isFlat ? "" : toggle(url, view, row) },
      ...branchLines(shown, view, row.token, row.level + 1),
    ]),
    ...(branch.next ? [more("Show 50 more", branch.next)] : []),
  ];
}

/** The second line of a name: the states of the link and, in a list that doesn't show it otherwise, where it is. */
function below(row: BrowsedLink, shown: Shown): Markup {
  const level = LEVEL_NAMES[row.level - 1];
  const own = row.archived || testBadge(row);
  const [signal, where] = signalOf(row, shown);
  const states = html`${row.archived ? badge("Archived") : ""} ${testBadge(row)}${signal && html` <span class="${where}">${signal}</span>`}`;
  if (isList(shown))
    return html`<div class="below">${states} <span class="muted level">${level}</span> ${path(row)}</div>`;
  const heard = html`<span class="visually-hidden">${level}</span>`;
  return own || signal ? html`${heard}<div class="below${own ? "" : ` ${where}`}">${states}</div>` : heard;
}

/** Whether the links above its rows are not on the page. On the page of a link, all rows are in that link. */
const isList = ({ isFlat, selected }: Shown) => isFlat && selected !== undefined;

/** The state of the partner, where the link above does not say it already. */
const newSignal = (row: BrowsedLink, shown: Shown) =>
  row.partnerId === null && !isList(shown) ? "" : partnerSignal(row, shown);

/** That a link with a partner has no costs as usual, for windows that don't have it in the columns of the partner and of cost data. */
function signalOf(
  row: BrowsedLink,
  shown: Shown,
): [signal: Markup | "", where: "narrow-only" | "phone-only"] {
  const signal = newSignal(row, shown);
  if (signal !== "") return [signal, "narrow-only"];
  const isOwn = row.partnerId !== null || row.costSwitch !== null || isList(shown);
  const isOff = isOwn && partnerOf(row, shown.partners) && (row.costSwitch ?? row.inheritedSwitch) !== 1;
  return [isOff && !testBadge(row) ? badge("Cost data off") : "", "phone-only"];
}

/** The names above the link. The whole path is the title, for a window that has no room for it. */
function path({ inheritedName }: BrowsedLink): Markup | "" {
  if (!inheritedName) return "";
  const names = inheritedName.split("::");
  return html`<span class="muted path" title="${names.join(" › ")}">${pathText(names)}</span>`;
}

/** Opens or closes the branch of a link. */
function toggle(url: URL, { query }: LinksView, { token, label, childCount }: BrowsedLink): Markup {
  if (childCount === 0) return html`<span class="toggle"></span>`;
  const isOpen = query.open.includes(token);
  // The list has a limit, so the branch that was opened first closes.
  const open = isOpen
    ? query.open.filter((other) => other !== token)
    : [...query.open, token].slice(-MAX_OPEN);
  const after = new Map([...query.after].filter(([branch]) => branch === ROOT || open.includes(branch)));
  const changes = { open: open.join(",") || null, after: buildAfter(after) || null };
  const text = html`<span aria-hidden="true">${isOpen ? "▾" : "▸"}</span><span class="visually-hidden">${isOpen ? "Close" : "Open"} ${label}, ${showPlural(childCount, "sub-link")}</span>`;
  return html`<span class="toggle">${inPlace(url, `open-${token}`, changes, text)}</span>`;
}
