/**
 * The SQL of reports, over the daily totals: a report's reads do not grow with the number of costs and engagements, and a purge
 * does not change it. SQL sums the totals of each link, and reports.ts adds up links: joining links to totals in SQL would read
 * several rows more for each total.
 */
import { type AnyColumn, type SQL, sql, type Table } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { moneyOf } from "../../cost-types.ts";
import { as, type Fields, limitTo, list, type RowOf } from "../../query.ts";
import { adjustments, dailyEngagements, dailyTotals } from "../../schema.ts";
import { statement } from "../../statement.ts";
import { MAX_COVERED, TOO_LARGE } from "./too-large.ts";

const d = alias(dailyTotals, "d");
const a = alias(adjustments, "a");
const e = alias(dailyEngagements, "e");

const equals = (column: AnyColumn, value: string) =>
  sql`(${sql.placeholder(value)} IS NULL OR ${column} = ${sql.placeholder(value)})`;

/** A table that a report sums. */
interface Part {
  table: Table;
  /** The keys of a row, in the order in which rows are sorted. */
  keys: Fields & Record<"appToken" | "day" | "linkId" | "partnerId", AnyColumn>;
  /** The filters in addition to the app, the days, the partner and the link. */
  filter: SQL;
  /** Those of the report's sums that the table has. The others are 0. */
  money: Fields;
  counts: Fields;
  /** The sums that a report shows. */
  having: SQL;
}

/** The totals of a report. */
interface Source extends Part {
  /** The key of each group. A report has NULL for those it does not group by. */
  groups: Record<string, string>;
  /** Sums that may exceed 2^53, so a row has them as text. Those that only `added` has are 0 here. */
  money: Fields;
  /** A table with the same keys whose rows the report adds to the totals. */
  added?: Part;
}

const isMatched = sql`${d.state} = 'matched'`;
const spent = moneyOf(d.costType, d.amount);

export const SOURCES = {
  spend: {
    table: d,
    keys: {
      appToken: d.appToken,
      /** Days since 1970 in UTC. */
      day: d.day,
      linkId: d.linkId,
      partnerId: d.partnerId,
      costType: d.costType,
      currency: d.currency,
    },
    groups: { day: "day", link: "linkId", partner: "partnerId", cost_type: "costType" } as const,
    filter: sql`${equals(d.costType, "costType")} AND ${equals(d.currency, "currency")}`,
    // In two parts, because the sum of many large amounts in one would not fit into an integer of SQLite.
    money: {
      costsWhole: sql<number>`sum(iif(${isMatched}, ${spent.whole}, 0))`,
      costsRest: sql<number>`sum(iif(${isMatched}, ${spent.rest}, 0))`,
      adjustedWhole: sql<number>`0`,
      adjustedRest: sql<number>`0`,
    },
    // Numbers of costs with an engagement: those with an amount, and those without.
    counts: {
      matched: sql<number>`sum(iif(${isMatched}, ${d.count}, 0))`,
      unpriced: sql<number>`sum(iif(${d.state} = 'unpriced', ${d.count}, 0))`,
    },
    having: sql`matched > 0 OR unpriced > 0`,
    added: {
      table: a,
      keys: {
        appToken: a.appToken,
        day: a.day,
        linkId: a.linkId,
        partnerId: a.partnerId,
        costType: a.costType,
        currency: a.currency,
      },
      filter: sql`${equals(a.costType, "costType")} AND ${equals(a.currency, "currency")}`,
      money: {
        adjustedWhole: sql<number>`sum(${a.amount} / 100000000)`,
        adjustedRest: sql<number>`sum(${a.amount} % 100000000)`,
      },
      counts: {},
      having: sql`true`,
    },
  },
  engagements: {
    table: e,
    keys: { appToken: e.appToken, day: e.day, linkId: e.linkId, partnerId: e.partnerId, kind: e.kind },
    groups: { day: "day", link: "linkId", partner: "partnerId", kind: "kind" } as const,
    filter: equals(e.kind, "kind"),
    money: {},
    counts: { count: sql<number>`sum(${e.count})`, recorded: sql<number>`sum(${e.recorded})` },
    having: sql`true`,
  },
} satisfies Record<string, Source>;

export type ReportName = keyof typeof SOURCES;
export const BOTH_REPORTS = ["spend", "engagements"] as const;
export type Group<R extends ReportName> = keyof (typeof SOURCES)[R]["groups"] & string;

type Keys<R extends ReportName> = RowOf<(typeof SOURCES)[R]["keys"]>;
type Grouped<R extends ReportName> = (typeof SOURCES)[R]["groups"][Group<R>] & keyof Keys<R>;

/** A row of a report. The keys that it does not group by are null, and so are the names that belong to them. */
export type ReportRow<R extends ReportName> = Omit<Keys<R>, Grouped<R>> & {
  [K in Grouped<R>]: Keys<R>[K] | null;
} & Record<keyof (typeof SOURCES)[R]["money"], string> &
  Record<keyof (typeof SOURCES)[R]["counts"], number> &
  Names;

interface Names {
  linkToken?: string | null;
  /** The link's own name. */
  linkLabel?: string | null;
  /** With the names of the links above it. */
  linkName?: string | null;
  partnerName?: string | null;
}

/** What the rows of all reports have, and a row's other keys and sums by name. */
export interface AnyRow extends Names {
  appToken: string;
  day: number | null;
  linkId: number | null;
  partnerId: number | null;
  [name: string]: string | number | null | undefined;
}

/** Which totals a statement sums: those of some apps, of all links or of some. Each is what follows the column in SQL. */
export interface Selection {
  apps: SQL;
  links?: SQL | undefined;
  /** A CTE with the links, so that a statement with several tables reads them once. */
  cte?: SQL | undefined;
}

const NULL = sql`NULL`;
const ZERO = sql`0`;
const NOTHING = sql``;
const comma = sql`, `;
const unionAll = sql` UNION ALL `;

/** The tables that a report sums. */
const partsOf = (source: Source): Part[] => [source, ...(source.added ? [source.added] : [])];

/** The rows that a statement reads. The keys of the tables begin with app and day, so of all filters only days make them fewer. */
const isCovered = ({ keys }: Part, { apps }: Selection) => sql`${keys.appToken} ${apps}
  AND ${keys.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}`;
/** Which of them it sums. */
const isSelected = ({ keys, filter }: Part, { links }: Selection) =>
  sql`${equals(keys.partnerId, "partnerId")} AND ${filter} ${links ? sql`AND ${keys.linkId} ${links}` : sql``}`;

const maxCovered = sql.raw(String(MAX_COVERED));

/** The value if the report covers few enough rows; otherwise the batch is aborted, so the sums after it read nothing. */
const unlessTooLarge = (json: SQL) =>
  sql`json_extract(${json}, iif(covered.size > ${maxCovered}, '${sql.raw(TOO_LARGE)}', '$'))`;

/** The row `covered` with the number of rows that reports cover, and more about them. It reads each of them once. */
const coveredBy = (
  reports: readonly ReportName[],
  selection: Selection,
  of: (part: Part) => SQL,
  more = NOTHING,
) => {
  const rows = reports
    .flatMap((report) => partsOf(SOURCES[report]))
    .map((part) => sql`SELECT ${of(part)} FROM ${as(part.table)} WHERE ${isCovered(part, selection)}`);
  return sql`(
    SELECT count(*) AS size ${more} FROM (${sql.join(rows, unionAll)} LIMIT ${maxCovered} + 1)
  ) covered`;
};

/** Aborts the batch if the reports together cover too many rows. */
export const judgementOf = (reports: readonly ReportName[], selection: Selection) =>
  statement<never>(
    sql`SELECT ${unlessTooLarge(sql`'{}'`)} FROM ${coveredBy(reports, selection, () => NULL)}`,
  );

/**
 * The sums of the totals by the keys of the groups, without names. Each table has its own rows, in any order. They are summed in
 * the order in which the table has them, and only these sums are sorted, if the groups need another order.
 */
export function sumsOf(report: ReportName, groups: readonly string[], selection: Selection) {
  const source: Source = SOURCES[report];
  const grouped = groups.map((group) => source.groups[group]);
  const isShown = (key: string) => grouped.includes(key) || !Object.values(source.groups).includes(key);
  const sumNames = [...Object.keys(source.money), ...Object.keys(source.counts)];
  const sums = partsOf(source).map((part) => {
    const keys = Object.keys(part.keys);
    const shown = keys.filter(isShown);
    const ordered = keys.slice(0, keys.findLastIndex(isShown) + 1);
    const own = sumNames.map((name) => [name, part.money[name] ?? part.counts[name] ?? ZERO]);
    const columns = (names: string[]) => sql.raw(names.join(", "));
    const inOrder = sql`SELECT ${list({ ...pickKeys(part.keys, ordered), ...Object.fromEntries(own) })}
      FROM ${as(part.table)} WHERE ${isCovered(part, selection)} AND ${isSelected(part, selection)}
      GROUP BY ${sql.join(Object.values(pickKeys(part.keys, ordered)), comma)}`;
    const summed = sumNames.map((name) => sql.raw(`sum(${name}) AS ${name}`));
    const rows =
      shown.length === ordered.length
        ? inOrder
        : sql`SELECT ${columns(shown)}, ${sql.join(summed, comma)} FROM (${inOrder}) GROUP BY ${columns(shown)}`;
    const fields = {
      ...Object.fromEntries(keys.map((key) => [key, isShown(key) ? sql.raw(key) : NULL])),
      ...Object.fromEntries(
        sumNames.map((name) => [
          name,
          name in source.money ? sql.raw(`CAST(${name} AS TEXT)`) : sql.raw(name),
        ]),
      ),
    };
    return sql`SELECT ${list(fields)} FROM (${rows}) WHERE ${part.having}`;
  });
  return statement<AnyRow>(sql`${selection.cte ?? NOTHING} ${sql.join(sums, unionAll)} ${limitTo("limit")}`);
}

const pickKeys = (keys: Fields, names: string[]): Fields =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => names.includes(name)));

/** The IDs of the links of the totals; aborts the batch if the reports cover too many rows. */
export const idsOf = (reports: readonly ReportName[], selection: Selection) => {
  const covered = coveredBy(
    reports,
    selection,
    // As the value of a column, IN would read another row for each NULL that it could be.
    (part) => sql`iif(${isSelected(part, selection)}, ${part.keys.linkId}, NULL) AS id`,
    sql`, json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids`,
  );
  return sql`${selection.cte ?? NOTHING}
    SELECT j.value AS id FROM ${covered} CROSS JOIN json_each(${unlessTooLarge(sql`covered.ids`)}) j`;
};
