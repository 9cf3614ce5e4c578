/**
 * The SQL of reports and their links, over the daily totals: a report's reads do not grow with the number of costs and engagements,
 * and a purge does not change it. SQL sums the totals of each link, and add-up.ts adds up links: joining links to totals in SQL would
 * read several rows more for each total.
 */
import { type SQL, sql } from "drizzle-orm";
import { ancestors, l1, l2, l3 } from "../../links/links.ts";
import { link as l } from "../../links/lists.ts";
import { alias, as, type Fields, limitTo, list, optional, query, type RowOf } from "../../query.ts";
import { links } from "../../schema.ts";
import { statement } from "../../statement.ts";
import { type AnyRow, equals, type Part, type ReportName, SOURCES, type Source } from "./sources.ts";

/** Which totals a statement sums: those of some apps, of all links or of some. Each is what follows the column in SQL. */
export interface Selection {
  apps: SQL;
  links?: SQL | undefined;
  /** A CTE with the links, so that a statement with several tables reads them once. */
  cte?: SQL | undefined;
  /** The totals by country and platform instead of those of all. */
  audience?: AudienceMode | undefined;
  /** Whether each sum also has its days, as in `DaySeries`. */
  hasSeries?: boolean | undefined;
}

/** `grouped`: a report by country or platform. `filtered`: of some of them, which adjustments do not have. */
export type AudienceMode = "grouped" | "filtered";

const NULL = sql`NULL`;
const ZERO = sql`0`;
const NOTHING = sql``;
const comma = sql`, `;
const unionAll = sql` UNION ALL `;

export const IDS = sql`SELECT value AS id FROM json_each(${sql.placeholder("ids")})`;
const c = alias(links, "c");
/** A CTE with the link of the filter and, unless only `direct` is asked for, everything below it. */
export const BELOW = sql`WITH RECURSIVE below(id) AS (
    SELECT ${c.id} FROM ${as(c)} WHERE ${c.token} = ${sql.placeholder("link")} AND ${c.appToken} = ${sql.placeholder("appToken")}
    UNION ALL SELECT ${c.id} FROM below CROSS JOIN ${as(c)} INDEXED BY links_by_parent
      ON ${c.appToken} = ${sql.placeholder("appToken")} AND ${c.parentId} = below.id AND ${sql.placeholder("direct")} IS NULL
  )`;
export const IDS_BELOW = sql`SELECT id FROM below`;
/** The links of that filter. */
export const findSubtree = statement<{ id: number }>(sql`${BELOW} ${IDS_BELOW}`);

/** The tables that a report sums. */
function partsOf(source: Source, audience?: AudienceMode): Part[] {
  const own = audience ? { ...source.audience, of: source } : source;
  return source.added && audience !== "filtered" ? [own, source.added] : [own];
}

/**
 * The rows that a statement reads. The keys of most tables begin with app and day, so of all filters only days make them fewer.
 * Those of the audience begin with app and link: of all links, only those that have totals in these days have an audience.
 */
function isCovered({ keys, of }: Part, selection: Selection, days = IN_DAYS): SQL {
  const { apps, links } = selection;
  const active =
    of && sql`IN (SELECT ${of.keys.linkId} FROM ${as(of.table)} WHERE ${isCovered(of, selection, days)})`;
  const ofLinks = of ? sql`AND ${keys.linkId} ${links ?? active}` : NOTHING;
  return sql`${keys.appToken} ${apps} ${ofLinks}
  AND ${keys.day} ${days}`;
}
/** Which of them it sums. */
const isSelected = ({ keys, filter, of }: Part, { links }: Selection) =>
  sql`${equals(keys.partnerId, "partnerId")} AND ${filter} ${links && !of ? sql`AND ${keys.linkId} ${links}` : NOTHING}`;

/** The most rows of totals. */
const most = sql.placeholder("most");
const IN_DAYS = sql`BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}`;

/** The text of the error of such a batch. */
const TOO_LARGE = "report_too_large";

/** The value if the report covers few enough rows; otherwise the batch is aborted, so the sums after it read nothing. */
const orAbort = (json: SQL) =>
  sql`json_extract(${json}, iif(covered.size > ${most}, '${sql.raw(TOO_LARGE)}', '$'))`;

/**
 * The row `covered` with the number of rows that reports cover, and more about them. It reads each of them once. For the audience, it
 * also counts the totals whose links it is about, and before it, so that there are never many of them.
 */
const coveredBy = (
  reports: readonly ReportName[],
  selection: Selection,
  of: (part: Part) => SQL,
  more = NOTHING,
) => {
  return sql`(
    SELECT count(*) AS size ${more} FROM (${coveredRows(reports, selection, of)} LIMIT ${most} + 1)
  ) covered`;
};

const coveredRows = (
  reports: readonly ReportName[],
  selection: Selection,
  of: (part: Part) => SQL,
  days = IN_DAYS,
) => {
  const rows = reports.flatMap((report) =>
    partsOf(SOURCES[report], selection.audience).flatMap((part) => [
      ...(part.of && !selection.links
        ? [sql`SELECT NULL AS id FROM ${as(part.of.table)} WHERE ${isCovered(part.of, selection, days)}`]
        : []),
      sql`SELECT ${of(part)} FROM ${as(part.table)} WHERE ${isCovered(part, selection, days)}`,
    ]),
  );
  return sql.join(rows, unionAll);
};

/** Aborts the batch if the reports together cover too many rows. */
export function judgementOf(reports: readonly ReportName[], selection: Selection) {
  return statement<never>(
    sql`${selection.cte ?? NOTHING} SELECT ${orAbort(sql`'{}'`)} FROM ${coveredBy(reports, selection, () => NULL)}`,
  );
}

/**
 * The first of the newest days that together have few enough rows; the day after the last one if that has more by itself. Counts the
 * rows of one day after the other, so it reads at most as many, and those of one day more.
 */
export const newestDaysOf = (reports: readonly ReportName[], selection: Selection) =>
  query(
    { first: sql<number>`min(day)` },
    sql`FROM days WHERE size <= ${most}`,
    sql`${selection.cte ? sql`${selection.cte},` : sql`WITH RECURSIVE`} days(day, size) AS (
      SELECT ${sql.placeholder("to")} + 1, 0
      UNION ALL
      SELECT days.day - 1, size + (SELECT count(*) FROM (
        ${coveredRows(reports, selection, () => NULL, sql`= days.day - 1`)} LIMIT ${most} + 1
      )) FROM days WHERE size <= ${most} AND days.day > ${sql.placeholder("from")}
    )`,
  );

/**
 * The sums of the totals by the keys of the groups, without names. Each table has its own rows, in any order. They are summed in
 * the order in which the table has them, and only these sums are sorted, if the groups need another order.
 */
export function sumsOf(report: ReportName, groups: readonly string[], selection: Selection) {
  const { hasSeries } = selection;
  const source: Source = SOURCES[report];
  const grouped = groups.map((group) => source.groups[group]);
  const isShown = (key: string) => grouped.includes(key) || !Object.values(source.groups).includes(key);
  const sumNames = [...Object.keys(source.money), ...Object.keys(source.counts)];
  const keyNames = [...Object.keys(source.keys), ...(selection.audience ? ["country", "platform"] : [])];
  const sums = partsOf(source, selection.audience).map((part) => {
    const keys = Object.keys(part.keys);
    const shown = keys.filter(isShown);
    // The rows of some links are in no order.
    const ordered = part.of
      ? keys.filter((key) => isShown(key) || (hasSeries && key === "day"))
      : keys.slice(0, keys.findLastIndex(isShown) + 1);
    const isSummed = hasSeries || shown.length < ordered.length;
    const columns = (names: string[]) => sql.raw(names.join(", "));
    const inOrder = sql`SELECT ${list({
      ...pickKeys(part.keys, ordered),
      ...Object.fromEntries(sumNames.map((name) => [name, part.money[name] ?? part.counts[name] ?? ZERO])),
    })}
      FROM ${as(part.table)} WHERE ${isCovered(part, selection)} AND ${isSelected(part, selection)}
      GROUP BY ${sql.join(Object.values(pickKeys(part.keys, ordered)), comma)}`;
    const summed = [
      ...sumNames.map((name) => `sum(${name}) AS ${name}`),
      ...(hasSeries ? [`group_concat(${["day", ...sumNames].join(" || ' ' || ")}) AS series`] : []),
    ];
    const rows = isSummed
      ? sql`SELECT ${columns([...shown, ...summed])} FROM (${inOrder}) GROUP BY ${columns(shown)}`
      : inOrder;
    const fields = {
      ...Object.fromEntries(
        keyNames.map((key) => [key, key in part.keys && isShown(key) ? sql.raw(key) : NULL]),
      ),
      ...Object.fromEntries(
        sumNames.map((name) => [
          name,
          name in source.money ? sql.raw(`CAST(${name} AS TEXT)`) : sql.raw(name),
        ]),
      ),
      ...(hasSeries && { series: sql.raw("series") }),
    };
    return sql`SELECT ${list(fields)} FROM (${rows}) WHERE ${part.having}`;
  });
  return statement<AnyRow>(sql`${selection.cte ?? NOTHING} ${sql.join(sums, unionAll)} ${limitTo("limit")}`);
}

const pickKeys = (keys: Fields, names: string[]): Fields =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => names.includes(name)));

/** The IDs of the links of the totals; aborts the batch if the reports cover too many rows. */
const idsOf = (reports: readonly ReportName[], selection: Selection) => {
  const covered = coveredBy(
    reports,
    selection,
    // As the value of a column, IN would read another row for each NULL that it could be.
    (part) => sql`iif(${isSelected(part, selection)}, ${part.keys.linkId}, NULL) AS id`,
    sql`, json_group_array(DISTINCT id) FILTER (WHERE id IS NOT NULL) AS ids`,
  );
  return sql`${selection.cte ?? NOTHING}
    SELECT j.value AS id FROM ${covered} CROSS JOIN json_each(${orAbort(sql`covered.ids`)}) j`;
};

/** A link with the links above it, the nearest first. */
const chainFields = {
  linkId: l.id,
  level: l.level,
  token: l.token,
  label: l.label,
  costSwitch: l.costSwitch,
  round: l.roundId,
  ...optional({ id1: l1.id, token1: l1.token, label1: l1.label, switch1: l1.costSwitch, round1: l1.roundId }),
  ...optional({ id2: l2.id, token2: l2.token, label2: l2.label, switch2: l2.costSwitch, round2: l2.roundId }),
  ...optional({ id3: l3.id, token3: l3.token, label3: l3.label, switch3: l3.costSwitch, round3: l3.roundId }),
};
export type LinkChain = RowOf<typeof chainFields>;
const chainsOf = (ids: SQL) =>
  query(chainFields, sql`FROM (${ids}) ids CROSS JOIN ${as(l)} ON ${l.id} = ids.id ${ancestors}`);
/** The links with these IDs. */
export const findChains = chainsOf(IDS);
/** The links of the totals of reports; aborts the batch if the reports cover too many rows. */
export const linkChainsOf = (reports: readonly ReportName[], selection: Selection) =>
  chainsOf(idsOf(reports, selection));

/** The rows of a batch with a judgement; undefined if the judgement aborted it. */
export async function unlessTooLarge<T>(batch: Promise<T>): Promise<T | undefined> {
  try {
    return await batch;
  } catch (error) {
    if (String(error).includes(TOO_LARGE)) return undefined;
    throw error;
  }
}
