/**
 * Pages and totals of link lists, with or without a filter. A filtered list uses the narrowest index for its filter, so the
 * number of rows read grows with the matching links, not with the app.
 */
import { sql } from "drizzle-orm";
import { type Gate, perViewer, type Viewer } from "../accounts/viewers.ts";
import { keysetQuery, type Range } from "../keyset.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import { links } from "../schema.ts";
import type { Bound } from "../statement.ts";

export const link = alias(links, "l");
const parent = alias(links, "parent");

/** A link's own columns. `costSwitch`, `partnerId` and `target` are null when the link inherits them. */
export const linkFields = {
  id: link.id,
  token: link.token,
  level: link.level,
  label: link.label,
  archived: link.archived,
  partnerId: link.partnerId,
  costSwitch: link.costSwitch,
  target: link.target,
  childCount: link.childCount,
};
export type LinkRow = RowOf<typeof linkFields>;

/** What users set on a link, with the names that the API and the audit log have for it. */
export const LINK_SETTINGS = {
  label: "name",
  archived: "archived",
  partnerId: "partner_id",
  costSwitch: "cost_data_enabled",
  target: "target",
} as const satisfies Partial<Record<keyof LinkRow, string>>;
export type LinkSetting = (typeof LINK_SETTINGS)[keyof typeof LINK_SETTINGS];

/** What the last link of a path gets at its creation. Null: not given, so it inherits. */
export type PathSettings = { partnerId: number | null; costSwitch: boolean | null; target: string | null };
const NO_SETTINGS: PathSettings = { partnerId: null, costSwitch: null, target: null };
export const PATH_SETTINGS = Object.keys(NO_SETTINGS) as (keyof PathSettings)[];

/** An undefined value does not filter. */
export interface LinkFilter {
  archived?: boolean | undefined;
  /** The link's own partner, not an inherited one. */
  partner_id?: number | undefined;
  /** A prefix of the link's own name; the case of ASCII letters does not matter. */
  name?: string | undefined;
}

export type AppScope = Viewer & { appToken: string };
export type LinkScope = AppScope & { linkToken: string };
/** The children of a link, or the app's level-1 links when `linkToken` is null. */
type ListScope = AppScope & { linkToken: string | null };

type Parent = "app" | "link";
type Source = keyof typeof SOURCES;

const SOURCES = {
  all: sql`links_by_parent WHERE true`,
  archived: sql`archived_links WHERE ${link.archived} = 1`,
  partner: sql`links_by_partner WHERE ${link.partnerId} = ${sql.placeholder("partnerId")}`,
  // Texts with a prefix sort between the prefix and the prefix followed by FF, a byte that UTF-8 text never contains.
  name: sql`links_by_label WHERE ${link.label} COLLATE NOCASE >= ${sql.placeholder("name")}
    AND ${link.label} COLLATE NOCASE < ${sql.placeholder("name")} || CAST(x'FF' AS TEXT)`,
};

// CROSS JOIN fixes the join order, so with an unknown token a statement reads no links.
const from = (gate: Gate, of: Parent, source: Source) => sql`
  FROM ${gate.from} ${of === "link" ? sql`CROSS JOIN ${as(parent)}` : sql``} CROSS JOIN ${as(link)} INDEXED BY ${SOURCES[source]}
    AND ${gate.isViewer} AND ${link.appToken} = ${sql.placeholder("appToken")}
    AND ${
      of === "link"
        ? sql`${parent.token} = ${sql.placeholder("linkToken")} AND ${parent.appToken} = ${link.appToken}
            AND ${link.parentId} = ${parent.id}`
        : sql`${link.parentId} IS NULL`
    }
    AND (${sql.placeholder("archived")} IS NULL OR ${link.archived} = ${sql.placeholder("archived")})
    AND (${sql.placeholder("partnerId")} IS NULL OR ${link.partnerId} = ${sql.placeholder("partnerId")})
`;
type Counted = { counted: number };
const listOf = (of: Parent, source: Source) =>
  perViewer((gate) => ({
    page: keysetQuery(linkFields, from(gate, of, source)),
    count: query({ counted: sql<number>`count(*)` }, from(gate, of, source)),
  }));
const listsOf = (of: Parent) => ({
  all: listOf(of, "all"),
  archived: listOf(of, "archived"),
  partner: listOf(of, "partner"),
  name: listOf(of, "name"),
});
const lists = { app: listsOf("app"), link: listsOf("link") };

function listFor(scope: ListScope, filter: LinkFilter) {
  return lists[scope.linkToken === null ? "app" : "link"][sourceFor(filter)](scope);
}

function sourceFor(filter: LinkFilter): Source {
  if (filter.name !== undefined) return "name";
  if (filter.partner_id !== undefined) return "partner";
  return filter.archived ? "archived" : "all";
}

function toValues(scope: ListScope, filter: LinkFilter) {
  return {
    ...scope,
    archived: filter.archived === undefined ? null : Number(filter.archived),
    partnerId: filter.partner_id ?? null,
    name: filter.name ?? null,
  };
}

/**
 * The statements that read a page and, if the filter needs it, count what the stored counters (`link_count`, `child_count`) do not
 * include. `toTotal` combines the two.
 */
export function listStatements(
  db: D1Database,
  scope: ListScope,
  filter: LinkFilter,
  range: Range,
): [page: Bound<LinkRow>, ...counts: Bound<Counted>[]] {
  const counted = countedBy(filter);
  return [
    listFor(scope, filter).page(db, range, toValues(scope, filter)),
    ...(counted ? [listFor(scope, counted).count(db, toValues(scope, counted))] : []),
  ];
}

/**
 * What is counted for a filter: nothing for the whole list, and the archived links, which have an index, for those that are not
 * archived.
 */
function countedBy(filter: LinkFilter): LinkFilter | undefined {
  if (filter.partner_id !== undefined || filter.name !== undefined) return filter;
  return filter.archived === undefined ? undefined : { archived: true };
}

/** Computes the total from the stored counter of the whole list and the counted links. */
export function toTotal(filter: LinkFilter, all: number, [count]: Counted[] = []): number {
  if (!count) return all;
  const isCounted = countedBy(filter)?.archived === filter.archived;
  return isCounted ? count.counted : all - count.counted;
}
