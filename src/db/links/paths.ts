/**
 * Finds and creates links by path: the names from a link down to a sub-link, or from level 1. A link that exists on a path is
 * used: the one with this name, or of several the oldest that is not archived. The transaction that creates the missing links
 * finds the existing ones, so requests that run at the same time create each link once.
 */
import { type SQL, sql } from "drizzle-orm";
import { expectDefined } from "../../domain/expect-defined.ts";
import { type AppAccess, type Gate, membership as m, perViewer } from "../accounts/viewers.ts";
import { alias, as, insertInto, jsonObject, optional, query, type RowOf, returning } from "../query.ts";
import { apps, links } from "../schema.ts";
import { chunk, runBatch } from "../statement.ts";
import { creationsStatement, type Recording } from "./changes.ts";
import { auditCreations, type Inserted, insertedFields } from "./creation.ts";
import { ancestors, inheritedFields } from "./links.ts";
import { type AppScope, link as l, linkFields, PATH_SETTINGS, type PathSettings } from "./lists.ts";
import { type Partners, runWithPartners } from "./partner-catalog.ts";

/** The link of a path: `names` below the link with the token `base`, or from level 1. Without names, the link `base` itself. */
export type LinkPath = { base: string | null; names: string[] };

/** A path with the tokens of the links that are missing, and the settings of its last link if that is created. */
export interface NewPath extends LinkPath, PathSettings {
  tokens: string[];
}

/** How many paths one statement takes. */
export const MAX_PATHS = 100;

const DEPTHS = [1, 2, 3, 4] as const;
type Depth = (typeof DEPTHS)[number];

const a = alias(apps, "a");
const s = alias(links, "s");
const c1 = alias(links, "c1");
const c2 = alias(links, "c2");
const c3 = alias(links, "c3");
const c4 = alias(links, "c4");
const linkAt = { 1: c1, 2: c2, 3: c3, 4: c4 };

const appToken = sql.placeholder("appToken");
const base = sql`j.value ->> 'base'`;
const depth = sql`json_array_length(j.value, '$.names')`;
const nameAt = (at: Depth) => sql.raw(`j.value ->> '$.names[${at - 1}]'`);
const tokenAt = (at: Depth) => sql.raw(`j.value ->> '$.tokens[${at - 1}]'`);

/** A link `s` below the one above this depth. */
const inPlaceOf = (at: Depth) =>
  sql`${s.appToken} = ${appToken} AND ${at === 1 ? sql`${s.parentId} IS ${l.id}` : sql`${s.parentId} = ${linkAt[(at - 1) as Depth].id}`}`;

/** The oldest link with the name. The name has two conditions, because the index compares without case. */
const oldest = (at: Depth, archived: 0 | 1) => sql`(
  SELECT min(${s.id}) FROM ${as(s)} INDEXED BY links_by_label
  WHERE ${inPlaceOf(at)} AND ${s.label} COLLATE NOCASE = ${nameAt(at)} AND ${s.label} = ${nameAt(at)} AND ${s.archived} = ${sql.raw(String(archived))}
)`;
/** Links that are not archived come first. With ORDER BY, SQLite would sort, which D1 counts as a row more for each link. */
const child = (at: Depth) => sql`coalesce(${oldest(at, 0)}, ${oldest(at, 1)})`;
/** Of a missing link, the name of another one in its place that differs only in the case of ASCII letters. */
const similarAt = (at: Depth) => sql<
  string | null
>`iif(${linkAt[at].id} IS NULL AND ${at === 1 ? isBaseKnown : sql`${linkAt[(at - 1) as Depth].id} IS NOT NULL`}, (
  SELECT ${s.label} FROM ${as(s)} INDEXED BY links_by_label
  WHERE ${inPlaceOf(at)} AND ${s.label} COLLATE NOCASE = ${nameAt(at)} LIMIT 1
), NULL)`;
const isBaseKnown = sql`(${base} IS NULL OR ${l.id} IS NOT NULL)`;

/** The paths as rows `j`, each with its base `l` and the links that exist on it down to a depth. */
const paths = (down: Depth) => sql`
  json_each(${sql.placeholder("paths")}) j
  LEFT JOIN ${as(l)} ON ${l.token} = ${base} AND ${l.appToken} = ${appToken}
  ${sql.join(
    DEPTHS.filter((at) => at <= down).map(
      (at) =>
        sql`LEFT JOIN ${as(linkAt[at])} ON ${at === 1 ? isBaseKnown : sql`true`} AND ${linkAt[at].id} = ${child(at)}`,
    ),
    sql` `,
  )}`;
const member = ({ from, isMember }: Gate) => sql`${from} CROSS JOIN ${as(m)} ON ${isMember}`;

const NODE = ["token", "archived", "createdAt", ...PATH_SETTINGS] as const;
/** A link on a path, with its own settings. */
export type PathNode = RowOf<Pick<typeof links, (typeof NODE)[number]>>;
/** A `PathNode` as JSON. */
const nodeAt = (at: Depth) => {
  const link = linkAt[at];
  const fields = Object.fromEntries(NODE.map((key) => [key, link[key]]));
  return sql<string | null>`iif(${link.id} IS NULL, NULL, ${jsonObject(fields)})`;
};
const { id: baseId, ...baseFields } = optional({ ...linkFields, createdAt: l.createdAt });
const foundFields = {
  baseId,
  ...baseFields,
  ...inheritedFields,
  node1: nodeAt(1),
  node2: nodeAt(2),
  node3: nodeAt(3),
  node4: nodeAt(4),
  similar: sql<string | null>`coalesce(${sql.join(DEPTHS.map(similarAt), sql`, `)})`,
};
const find = perViewer((gate) =>
  query(
    foundFields,
    sql`FROM ${member(gate)} CROSS JOIN ${paths(4)} ${ancestors} WHERE ${gate.isViewer} ORDER BY j.key`,
  ),
);

/** What exists of a path. The base is undefined if the path has none, and null if the app does not have it. */
export interface FoundPath {
  base: (BaseLink & PathNode) | null | undefined;
  /** From the base down, until the first link that is missing. */
  nodes: PathNode[];
  /** In the place of the first missing link, the name of one that differs from it only in the case of ASCII letters. */
  similar: string | null;
}
type BaseLink = Omit<RowOf<typeof linkFields>, "id"> & { createdAt: number } & RowOf<typeof inheritedFields>;

type FoundRow = RowOf<typeof foundFields>;

function toFound({ node1, node2, node3, node4, similar, ...row }: FoundRow, path: LinkPath): FoundPath {
  const nodes = [node1, node2, node3, node4].flatMap((node): PathNode[] => (node ? [JSON.parse(node)] : []));
  const found = row.baseId === null ? null : (row as unknown as BaseLink);
  return { base: path.base === null ? undefined : found, nodes, similar };
}

const quotaFields = optional({ maxLinks: a.maxLinks, createdLinkCount: a.createdLinkCount });
const quota = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    { ...appAccess, ...quotaFields },
    sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} LEFT JOIN ${as(a)} ON ${a.token} = ${m.appToken}
      WHERE ${isViewer}`,
  ),
);

export interface FoundPaths {
  access: AppAccess | undefined;
  /** In the order of the paths. Empty without access. */
  found: FoundPath[];
  /** How many links the app can still store. */
  room: number;
  /** How many links users can create in the app. */
  maxLinks: number;
  partners: Partners;
}

/** Finds what exists of the paths, in one call. */
export async function findPaths(db: D1Database, scope: AppScope, asked: LinkPath[]): Promise<FoundPaths> {
  const statements = chunk(asked, MAX_PATHS).map((part) =>
    find(scope)(db, { ...scope, paths: JSON.stringify(part) }),
  );
  const [partners, [access], ...parts] = await runWithPartners(
    runBatch,
    db,
    scope,
    quota(scope)(db, scope),
    ...statements,
  );
  return toFoundPaths(access, partners, parts.flat(), asked);
}

function toFoundPaths(
  access: (AppAccess & RowOf<typeof quotaFields>) | undefined,
  partners: Partners,
  rows: FoundRow[],
  asked: LinkPath[],
): FoundPaths {
  return {
    access,
    found: rows.map((row, index) => toFound(row, expectDefined(asked[index]))),
    room: (access?.maxLinks ?? 0) - (access?.createdLinkCount ?? 0),
    maxLinks: access?.maxLinks ?? 0,
    partners,
  };
}

/**
 * Whether the app has room for the links that were missing from a depth on when the paths were found. If there is room at one
 * depth, there is at those below it, so a path is created to its end or not at all.
 */
const hasRoom = (first: Depth) => sql`(
  SELECT ${a.createdLinkCount} + ${sql.placeholder(`missing${first}`)} <= ${a.maxLinks}
  FROM ${as(a)} WHERE ${a.token} = ${appToken}
)`;

/** Creates the links that are missing at a depth. Those above them exist or were created before. */
function insertionAt(at: Depth) {
  const above: SQL = at === 1 ? sql`${l.id}` : sql`${linkAt[(at - 1) as Depth].id}`;
  const ofLast = (setting: SQL) => sql`max(iif(${depth} = ${sql.raw(String(at))}, ${setting}, NULL))`;
  const settings = PATH_SETTINGS.map((key) => [key, ofLast(sql.raw(`j.value ->> '${key}'`))]);
  const values = {
    token: tokenAt(at),
    appToken,
    parentId: above,
    level: sql`coalesce(${l.level}, 0) + ${sql.raw(String(at))}`,
    label: nameAt(at),
    createdAt: sql.placeholder("now"),
    ...Object.fromEntries(settings),
  };
  return perViewer((gate) =>
    returning(
      sql`${insertInto(links, values)}
        FROM ${member(gate)} CROSS JOIN ${paths(at)}
        WHERE ${gate.isViewer} AND ${nameAt(at)} IS NOT NULL AND ${linkAt[at].id} IS NULL
          AND ${at === 1 ? isBaseKnown : sql`${above} IS NOT NULL`}
          AND coalesce(${l.level}, 0) + ${depth} <= 4 AND ${hasRoom(at)}
        GROUP BY ${above}, ${nameAt(at)} ORDER BY min(j.key)`,
      insertedFields,
    ),
  );
}
const parent = alias(links, "parent");
/** The tokens of the request are new, so the links that exist are those that this request inserted. */
const audit = perViewer((gate) =>
  auditCreations(
    gate.userId,
    sql`${parent.token}`,
    sql`FROM ${member(gate)} CROSS JOIN json_each(${sql.placeholder("tokens")}) t
      CROSS JOIN ${as(l)} ON ${l.token} = t.value LEFT JOIN ${as(parent)} ON ${parent.id} = ${l.parentId}
      WHERE ${gate.isViewer}`,
  ),
);
const insertions = { 1: insertionAt(1), 2: insertionAt(2), 3: insertionAt(3), 4: insertionAt(4) };

/**
 * Creates the links of up to `MAX_PATHS` paths whose first link was missing when they were found, in one transaction. Returns the
 * new links by their tokens. Paths with the same beginning have the same tokens there. With a `record`, it can be undone.
 */
export async function insertPaths(
  db: D1Database,
  scope: AppScope,
  added: NewPath[],
  { now, record }: { now: number; record?: Recording | undefined },
): Promise<{ access: AppAccess | undefined; created: Map<string, Inserted> }> {
  const missing = (first: Depth) => new Set(added.flatMap(({ tokens }) => tokens.slice(first - 1))).size;
  const counts = Object.fromEntries(DEPTHS.map((at) => [`missing${at}`, missing(at)]));
  const tokens = JSON.stringify([...new Set(added.flatMap((path) => path.tokens))]);
  const values = { ...scope, ...counts, paths: JSON.stringify(added), tokens, now };
  const deepest = Math.max(...added.map(({ names }) => names.length));
  const inserts = DEPTHS.filter((at) => at <= deepest).map((at) => insertions[at](scope)(db, values));
  const { appToken } = scope;
  const recorded = record ? [creationsStatement(db, { appToken, now, ...record }, tokens)] : [];
  const results = await runBatch(
    db,
    quota(scope)(db, scope),
    ...inserts,
    audit(scope)(db, values),
    ...recorded,
  );
  const [[access], ...inserted] = results as [AppAccess[], ...Inserted[][]];
  return {
    access,
    created: new Map(
      inserted.slice(0, inserts.length).flatMap((rows) => rows.map((link) => [link.token, link])),
    ),
  };
}
