/**
 * Pages and totals of link lists, with or without a filter. A filtered list uses the narrowest index for its filter, so the
 * number of rows read grows with the matching links, not with the app.
 */
import { sql } from "drizzle-orm";
import { isBackward, type Range, toBounds } from "../keyset.ts";
import { type Bound, statement } from "../statement.ts";

/** A link's own columns. `cost_switch` and `partner_id` are null when the link inherits them. */
export interface LinkRow {
  id: number;
  token: string;
  level: number;
  label: string;
  archived: number;
  partner_id: number | null;
  cost_switch: number | null;
  child_count: number;
}

export const linkColumns = sql.raw(
  ["id", "token", "level", "label", "archived", "partner_id", "cost_switch", "child_count"]
    .map((column) => `l.${column}`)
    .join(", "),
);

/** An undefined value does not filter. */
export interface LinkFilter {
  archived?: boolean | undefined;
  /** The link's own partner, not an inherited one. */
  partner_id?: number | undefined;
  /** A prefix of the link's own name; the case of ASCII letters does not matter. */
  name?: string | undefined;
}

/** The children of a link, or the app's level-1 links when `linkToken` is null. */
interface ListScope {
  tokenHash: string;
  appToken: string;
  linkToken: string | null;
}

type Parent = "app" | "link";
type Source = keyof typeof SOURCES;

const SOURCES = {
  all: sql`links_by_parent WHERE true`,
  archived: sql`archived_links WHERE l.archived = 1`,
  partner: sql`links_by_partner WHERE l.partner_id = ${sql.placeholder("partnerId")}`,
  // Texts with a prefix sort between the prefix and the prefix followed by FF, a byte that UTF-8 text never contains.
  name: sql`links_by_label WHERE l.label COLLATE NOCASE >= ${sql.placeholder("name")}
    AND l.label COLLATE NOCASE < ${sql.placeholder("name")} || CAST(x'FF' AS TEXT)`,
};

// CROSS JOIN fixes the join order, so with an unknown token a statement reads no links.
const from = (parent: Parent, source: Source) => sql`
  FROM api_tokens t ${parent === "link" ? sql`CROSS JOIN links p` : sql``} CROSS JOIN links l INDEXED BY ${SOURCES[source]}
    AND t.token_hash = ${sql.placeholder("tokenHash")} AND l.app_token = ${sql.placeholder("appToken")}
    AND ${
      parent === "link"
        ? sql`p.token = ${sql.placeholder("linkToken")} AND p.app_token = l.app_token AND l.parent_id = p.id`
        : sql`l.parent_id IS NULL`
    }
    AND (${sql.placeholder("archived")} IS NULL OR l.archived = ${sql.placeholder("archived")})
    AND (${sql.placeholder("partnerId")} IS NULL OR l.partner_id = ${sql.placeholder("partnerId")})
`;
const pageOf = (parent: Parent, source: Source, direction: "ASC" | "DESC") =>
  statement<LinkRow>(sql`
    SELECT ${linkColumns} ${from(parent, source)}
      AND l.id > ${sql.placeholder("after")} AND l.id < ${sql.placeholder("before")}
    ORDER BY l.id ${sql.raw(direction)} LIMIT ${sql.placeholder("limit")}
  `);
const countOf = (parent: Parent, source: Source) =>
  statement<{ counted: number }>(sql`SELECT count(*) AS counted ${from(parent, source)}`);

const listOf = (parent: Parent, source: Source) => ({
  forward: pageOf(parent, source, "ASC"),
  backward: pageOf(parent, source, "DESC"),
  count: countOf(parent, source),
});
const listsOf = (parent: Parent) => ({
  all: listOf(parent, "all"),
  archived: listOf(parent, "archived"),
  partner: listOf(parent, "partner"),
  name: listOf(parent, "name"),
});
const lists = { app: listsOf("app"), link: listsOf("link") };

function listFor(scope: ListScope, filter: LinkFilter) {
  const bySource = lists[scope.linkToken === null ? "app" : "link"];
  if (filter.name !== undefined) return bySource.name;
  if (filter.partner_id !== undefined) return bySource.partner;
  return filter.archived ? bySource.archived : bySource.all;
}

function toValues(scope: ListScope, filter: LinkFilter) {
  return {
    ...scope,
    archived: filter.archived === undefined ? null : Number(filter.archived),
    partnerId: filter.partner_id ?? null,
    name: filter.name ?? null,
  };
}

export function pageStatement(
  db: D1Database,
  scope: ListScope,
  filter: LinkFilter,
  range: Range,
): Bound<LinkRow> {
  const { forward, backward } = listFor(scope, filter);
  return (isBackward(range) ? backward : forward)(db, { ...toValues(scope, filter), ...toBounds(range) });
}

const countNone = statement<{ counted: number }>(sql`SELECT 0 AS counted WHERE false`);

/** Counts what the stored counters (`link_count`, `child_count`) do not include. `toTotal` combines the two. */
export function countStatement(
  db: D1Database,
  scope: ListScope,
  filter: LinkFilter,
): Bound<{ counted: number }> {
  const { archived, partner_id, name } = filter;
  if (archived === undefined && partner_id === undefined && name === undefined) return countNone(db, {});
  // The unarchived links are all links minus the archived ones, which have an index.
  const counted = isUnarchivedOnly(filter) ? { archived: true } : filter;
  return listFor(scope, counted).count(db, toValues(scope, counted));
}

/** Computes the total from the stored counter of the whole list and the result of `countStatement`. */
export function toTotal(filter: LinkFilter, all: number, counted: { counted: number } | undefined): number {
  if (!counted) return all;
  return isUnarchivedOnly(filter) ? all - counted.counted : counted.counted;
}

function isUnarchivedOnly({ archived, partner_id, name }: LinkFilter): boolean {
  return archived === false && partner_id === undefined && name === undefined;
}
