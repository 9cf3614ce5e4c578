/** The page of an app's dropped parameters: those of the URLs of its links that were not used, with the reasons. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { findIgnored, type Ignored } from "../../db/ledger/reports/ignored.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import { DROP_REASONS } from "../../domain/engagements/sub-links.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import type { Context } from "../../env.ts";
import { readInput } from "../../http/input/input.ts";
import { breadcrumb, choices, notice, pageHead, pathText } from "../../pages/elements.ts";
import type { Option } from "../../pages/forms/fields.ts";
import { noRows, readListView } from "../../pages/lists/list.ts";
import { inOrder } from "../../pages/lists/order.ts";
import { withQuery } from "../../pages/lists/query.ts";
import { table } from "../../pages/lists/table.ts";
import { describeDay, showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import {
  cutNotice,
  type Period,
  periodChecks,
  periodFields,
  periodPicker,
  periodQuery,
  toPeriod,
} from "../../pages/periods.ts";
import { authorizeApp, type Member, type Show } from "../frame.ts";
import { keepDays } from "../links/cells.ts";
import { partnerLink } from "../partners/link.ts";

const GROUPS = { parameter: "Parameter and reason", link: "Link", partner: "Partner" } as const;
type Group = keyof typeof GROUPS;
const CHOICES: Record<Group, string> = { ...GROUPS, parameter: "Parameter" };

const text = z.optional(z.string());
const ignoredQuery = z
  .strictObject({
    ...periodFields,
    group_by: z._default(z.enum(Object.keys(GROUPS) as Group[], "is unknown"), "parameter"),
    ...{ q: text, what: text, partner: text, sort: text, page: text },
  })
  .check(...periodChecks);

/** A parameter that was ignored for a reason, with the link and its partner. */
interface Found extends Ignored {
  token: string;
  /** The names of the link, the highest first. */
  names: string[];
  /** The partner of most clicks of the link; null for none. */
  partner: { id: number; displayName: string } | null;
}

interface Line {
  first: Found;
  links: number;
  count: number;
  last: number;
}

const NO_PARTNER = "none";
/** What a row is about, for a filter. */
const whatOf = ({ param, reason }: Ignored) => `${param} ${reason}`;
const partnerOf = ({ partner }: Found) => (partner === null ? NO_PARTNER : String(partner.id));
const KEYS: Record<Group, (found: Found) => string> = {
  parameter: whatOf,
  link: ({ token }) => token,
  partner: partnerOf,
};
const NAMES: Record<Group, (found: Found) => string> = {
  parameter: whatOf,
  link: ({ names }) => names.join(" › "),
  partner: ({ partner }) => partner?.displayName ?? "No partner",
};

export const ignoredHref = ({ path }: Pick<Member, "path">, period: Period): string =>
  `${path}/ignored?${new URLSearchParams(periodQuery(period))}`;

export const ignoredPage: Show = async (context, member) => {
  const { url } = context;
  const { query } = await readInput(context, { query: ignoredQuery });
  const period = toPeriod(query, context.now, member.app.firstDay);
  const { found, from, isTooMany } = await readIgnored(context, member, period);
  const group = query.group_by;
  const nameOf = NAMES[group];
  const options = (first: string, all: [value: string, name: string][]): Option[] => [
    ["", first],
    ...[...new Map(all)].sort(([, one], [, other]) => (one < other ? -1 : 1)),
  ];
  const list = await readListView(
    context,
    {
      path: url.pathname,
      nouns: group === "parameter" ? ["parameter", "parameters"] : [group, `${group}s`],
      search: "Name contains",
      sorts: {
        "-count": "Most first",
        count: "Fewest first",
        name: "Name, A to Z",
        "-name": "Name, Z to A",
        "-links": "Most links",
        "-last": "Newest first",
      },
      filters: [
        {
          name: "what",
          label: "Parameter",
          options: options(
            "Any parameter",
            found.map((one) => [whatOf(one), `${one.param}: ${DROP_REASONS[one.reason]}`]),
          ),
        },
        {
          name: "partner",
          label: "Partner",
          options: options(
            "Any partner",
            found.map((one) => [partnerOf(one), NAMES.partner(one)]),
          ),
        },
      ],
      kept: { ...periodQuery(period), group_by: group === "parameter" ? "" : group },
      hasMenu: true,
      pageSize: 50,
    },
    async (_, { sort, offset, limit }, { q = "", what, partner }) => {
      const rows = found.filter(
        (one) =>
          nameOf(one).toLowerCase().includes(q.toLowerCase()) &&
          (what === undefined || what === whatOf(one)) &&
          (partner === undefined || partner === partnerOf(one)),
      );
      const lines = inOrder(toLines(rows, KEYS[group]), sort, {
        name: ({ first }) => nameOf(first),
        count: ({ count }) => count,
        links: ({ links }) => links,
        last: ({ last }) => last,
      });
      return { rows: lines.slice(offset, offset + limit), total: lines.length };
    },
  );
  const [total] = list.isFiltered ? [] : toLines(found, () => "");
  const byLink = (filter: Record<string, string>) =>
    withQuery(url, { group_by: "link", sort: null, page: null, q: null, ...filter });
  const nameCell: Record<Group, (first: Found) => Markup> = {
    parameter: (first) =>
      html`<a href="${byLink({ what: whatOf(first) })}"><code>${first.param}</code></a><div class="sentence">${DROP_REASONS[first.reason]}</div>`,
    link: ({ token, names }) =>
      html`<a href="${member.path}/links/${token}${keepDays(url)}#problems">${pathText(names)}</a>`,
    partner: (first) => html`<a href="${byLink({ partner: partnerOf(first) })}">${NAMES.partner(first)}</a>`,
  };
  return {
    title: "Dropped URL parameters",
    body: html`
      ${breadcrumb([["Overview", `${member.path}${keepDays(url)}`]], "Dropped URL parameters")}
      ${pageHead("Dropped URL parameters")}
      <div class="toolbar">${periodPicker(url, period)}${choices(
        "Break down by",
        (Object.keys(GROUPS) as Group[]).map((one) => [
          CHOICES[one],
          withQuery(url, { group_by: one === "parameter" ? null : one, sort: null, page: null }),
          one === group,
        ]),
      )}${found.length === 0 ? "" : list.controls}</div>
      ${cutNotice(period, from)}
      ${isTooMany ? notice("Too many links had clicks or impressions to read their parameters. Choose fewer days.", "warn") : ""}
      ${table<Line>({
        label: `Dropped URL parameters by ${GROUPS[group].toLowerCase()}`,
        layout: "compact",
        rows: list.rows,
        empty:
          found.length === 0
            ? notice(isTooMany ? "" : "No parameters were dropped in these days.")
            : noRows(list, html``, "parameters"),
        total,
        columns: [
          {
            ...{ heading: GROUPS[group], ...list.heading("name") },
            cell: (line) => (line === total ? "Total" : nameCell[group](line.first)),
          },
          group === "link" && {
            heading: "Partner",
            isMinor: true,
            cell: (line) =>
              line === total
                ? ""
                : line.first.partner === null
                  ? html`<span class="muted">None</span>`
                  : partnerLink(member, line.first.partner, keepDays(url)),
          },
          group !== "link" && {
            heading: "Links",
            kind: "number",
            ...list.heading("links"),
            cell: ({ links }) => showCount(links),
          },
          {
            heading: "Count",
            kind: "number",
            ...list.heading("count"),
            cell: ({ count }) => showCount(count),
          },
          {
            heading: "Last seen",
            kind: "day",
            ...list.heading("last"),
            cell: ({ last }) => describeDay(last),
          },
        ],
      })}
      ${list.pager}
      <p class="hint">Parameters of click and impression URLs that weren't used. The clicks and impressions count, unless the reason says otherwise. <a href="/docs/rules#why-a-parameter-is-dropped">All reasons</a></p>`,
  };
};

/** The page reads the links that had clicks or impressions, and then their ignored parameters. */
async function readIgnored({ ledger }: Context, { viewer, app }: Member, period: Period) {
  const { from, to } = period;
  const read = await readSums(ledger, {
    whose: { viewer, appToken: app.token },
    parts: {
      opened: { report: "engagements", from, to, groups: ["link", "partner"], isOptional: true },
    },
    canBeCut: true,
  });
  authorizeApp(read.access);
  const isTooMany = read.isTooMany("opened");
  const opened = isTooMany ? [] : read.rowsOf("opened").toSorted((one, other) => other.count - one.count);
  const rows = new Map(opened.toReversed().map((row) => [row.linkId ?? 0, row]));
  const days = { from: Math.max(from, read.from), to };
  const ignored = rows.size === 0 ? [] : await findIgnored(ledger, [...rows.keys()], days);
  const found = ignored.flatMap((one): Found[] => {
    const row = rows.get(one.linkId);
    if (!row) return [];
    const partner = read.partners.get(row.partnerId ?? 0) ?? null;
    return [{ ...one, token: row.linkToken ?? "", names: (row.linkName ?? "").split("::"), partner }];
  });
  return { found, from: days.from, isTooMany };
}

const toLines = (found: Found[], keyOf: (one: Found) => string): Line[] =>
  [...Map.groupBy(found, keyOf).values()].map((alike) => ({
    first: alike[0] as Found,
    links: new Set(alike.map(({ linkId }) => linkId)).size,
    count: sumOf(alike, ({ count }) => count),
    last: Math.max(...alike.map(({ last }) => last)),
  }));
