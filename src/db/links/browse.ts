/**
 * Reads links by name for people: the branches of the tree, or links of all levels that a search or a filter finds. Each list
 * reads only what it shows, except where a filter has no index of its own.
 */
import { type SQL, sql } from "drizzle-orm";
import { expectDefined } from "../../domain/expect-defined.ts";
import { type AppAccess, type Gate, membership as m, perViewer, type Viewer } from "../accounts/viewers.ts";
import { alias, as, limitTo, optional, query, type RowOf } from "../query.ts";
import { links, partners } from "../schema.ts";
import { type Bound, runBatch } from "../statement.ts";
import { ancestors, dropped, inheritedFields, isTest, l1, l2, l3 } from "./links.ts";
import { link as l, linkFields } from "./lists.ts";
import { type Partners, runWithPartners } from "./partner-catalog.ts";

/** Where a list continues: after this link, in the order of level, name and ID. */
export type NamePosition = { level: number; label: string; id: number };

/** What is searched. An undefined value does not filter. */
export interface LinkSearch {
  level?: number | undefined;
  /** The link's own partner, not an inherited one. */
  partnerId?: number | undefined;
  /** Whether cost data is on. Finds links with a partner or a switch of their own: the others inherit theirs. */
  costDataOn?: boolean | undefined;
  /** Whether a sub-link has a cost switch of its own. */
  hasOwnSwitch?: true | undefined;
  archived?: boolean | undefined;
}

/** A list of links: what a search finds, or given ones of that; or the direct sub-links of one, or those of level 1. */
export type LinkList = {
  search: LinkSearch;
  after?: NamePosition | undefined;
  /** The IDs of links that the list leaves out. */
  except?: number[] | undefined;
} & (
  | { of: "search" }
  | { of: "given"; ids: number[] }
  // Only `archived` filters a branch.
  | { of: "branch"; parent: string | null }
);

const parent = alias(links, "parent");
const p = alias(partners, "p");
const fields = {
  ...linkFields,
  createdAt: l.createdAt,
  /** Of the link of level 1. */
  roundId: sql<number | null>`coalesce(${l.roundId}, ${l1.roundId}, ${l2.roundId}, ${l3.roundId})`,
  ...inheritedFields,
};
export type BrowsedLink = RowOf<typeof fields>;

const ifGiven = (name: string, holds: SQL) => sql`(${sql.placeholder(name)} IS NULL OR ${holds})`;
const name = sql`${l.label} COLLATE NOCASE`;
const start = sql.placeholder("start");
const startId = sql.placeholder("startId");
const startLevel = sql.placeholder("startLevel");

const isAfterInLevel = sql`${name} >= ${start} AND (${name} > ${start} OR ${l.id} > ${startId})`;
const isAfter = sql`(${l.level} > ${startLevel} OR ${l.level} = ${startLevel} AND ${isAfterInLevel})`;
const isShown = sql`${ifGiven("archived", sql`${l.archived} = ${sql.placeholder("archived")}`)}
  AND ${ifGiven("except", sql`${l.id} NOT IN (SELECT value FROM json_each(${sql.placeholder("except")}))`)}`;

const hasSettings = sql`(${l.partnerId} IS NOT NULL OR ${l.costSwitch} IS NOT NULL)`;
const costSwitch = sql`coalesce(${l.costSwitch}, ${l1.costSwitch}, ${l2.costSwitch}, ${l3.costSwitch}, 0)`;
const isFound = sql`${isShown}
  AND ${ifGiven("level", sql`${l.level} = ${sql.placeholder("level")}`)}
  AND ${ifGiven("partnerId", sql`${l.partnerId} = ${sql.placeholder("partnerId")}`)}
  AND ${ifGiven("hasOwnSwitch", sql`${l.costSwitch} IS NOT NULL AND ${l.level} > 1`)}
  AND ${ifGiven("costDataOn", sql`${hasSettings} AND (${costSwitch} AND coalesce(${p.supportsCostData}, 0)) = ${sql.placeholder("costDataOn")}`)}`;
const withPartner = sql`LEFT JOIN ${as(p)}
  ON ${p.id} = coalesce(${l.partnerId}, ${l1.partnerId}, ${l2.partnerId}, ${l3.partnerId})`;

const LIMIT = limitTo("limit");
const IN_LEVEL = sql`ORDER BY ${name}, ${l.id} ${LIMIT}`;
const BY_LEVEL = sql`ORDER BY ${l.level}, ${name}, ${l.id} ${LIMIT}`;

/** Every statement joins the membership first, so that it finds nothing for a viewer without access. */
const own = ({ from, isMember }: Gate) => sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}`;
const ofApp = sql`${l.appToken} = ${m.appToken}`;

const searchWith = (index: string, condition: SQL) =>
  perViewer((gate) =>
    query(
      fields,
      sql`${own(gate)} CROSS JOIN ${as(l)} INDEXED BY ${sql.raw(index)} ON ${ofApp} AND ${condition} ${ancestors} ${withPartner}
        WHERE ${gate.isViewer} AND ${isAfter} AND ${isFound} ${BY_LEVEL}`,
    ),
  );
const searches = {
  settings: searchWith("links_with_settings", hasSettings),
  archived: searchWith("archived_links", sql`${l.archived} = 1`),
};

/** One level after a position in it. Each level is a statement of its own, so that all are read in the order of their index. */
const LEVELS = [1, 2, 3, 4] as const;
const levels = LEVELS.map((level) =>
  perViewer((gate) => {
    const source =
      level === 1
        ? sql`INDEXED BY links_by_label ON ${ofApp} AND ${l.parentId} IS NULL`
        : sql`INDEXED BY links_by_level ON ${ofApp} AND ${l.parentId} IS NOT NULL AND ${l.level} = ${sql.raw(String(level))}`;
    return query(
      fields,
      sql`${own(gate)} CROSS JOIN ${as(l)} ${source} ${ancestors}
        WHERE ${gate.isViewer} AND ${isAfterInLevel} AND ${isShown} ${IN_LEVEL}`,
    );
  }),
);

const branch = perViewer((gate) =>
  query(
    fields,
    sql`${own(gate)} CROSS JOIN ${as(parent)} ON ${parent.token} = ${sql.placeholder("parent")} AND ${parent.appToken} = ${m.appToken}
      CROSS JOIN ${as(l)} INDEXED BY links_by_label ON ${ofApp} AND ${l.parentId} = ${parent.id} ${ancestors}
      WHERE ${gate.isViewer} AND ${isAfterInLevel} AND ${isShown} ${IN_LEVEL}`,
  ),
);

const givenLinks = perViewer((gate) =>
  query(
    fields,
    sql`${own(gate)} CROSS JOIN json_each(${sql.placeholder("ids")}) j CROSS JOIN ${as(l)} ON ${l.id} = j.value AND ${ofApp}
      ${ancestors} ${withPartner} WHERE ${gate.isViewer} AND ${isFound} ${LIMIT}`,
  ),
);

const access = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(appAccess, sql`FROM ${from} LEFT JOIN ${as(m)} ON ${isMember} WHERE ${isViewer}`),
);

const isAboutSettings = ({ partnerId, costDataOn, hasOwnSwitch }: LinkSearch) =>
  [partnerId, costDataOn, hasOwnSwitch].some((value) => value !== undefined);

/** Whether a search has an index for all levels. */
export const isInOneIndex = (search: LinkSearch) => isAboutSettings(search) || search.archived === true;

const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value));

/** The statements of a list; their rows together, in this order, are its links. */
function statementsOf(db: D1Database, viewer: Viewer, appToken: string, list: LinkList, limit: number) {
  const { search, after } = list;
  const values = {
    ...viewer,
    appToken,
    limit,
    level: search.level ?? null,
    partnerId: search.partnerId ?? null,
    costDataOn: flag(search.costDataOn),
    hasOwnSwitch: flag(search.hasOwnSwitch),
    archived: flag(search.archived),
    except: list.except ? JSON.stringify(list.except) : null,
    start: after?.label ?? "",
    startId: after?.id ?? 0,
    startLevel: after?.level ?? 0,
  };
  if (list.of === "given") return [givenLinks(viewer)(db, { ...values, ids: JSON.stringify(list.ids) })];
  if (list.of === "branch" && list.parent !== null)
    return [branch(viewer)(db, { ...values, parent: list.parent })];
  if (isAboutSettings(search)) return [searches.settings(viewer)(db, values)];
  if (search.archived) return [searches.archived(viewer)(db, values)];
  const last = list.of === "branch" ? 1 : (search.level ?? 4);
  const first = Math.max(list.of === "branch" ? 1 : (search.level ?? 1), after?.level ?? 1);
  return LEVELS.filter((level) => level >= first && level <= last).map((level) => {
    const isStart = level === after?.level;
    const from = isStart ? {} : { start: "", startId: 0 };
    return expectDefined(levels[level - 1])(viewer)(db, { ...values, ...from });
  });
}

/**
 * Reads several lists of links in one call, each with up to `limit` links and one more that shows that it continues. Given links
 * are returned in the order of their IDs in the list. `access` is undefined if the viewer's session or token has ended.
 */
export async function browseLinks(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  lists: LinkList[],
  limit: number,
): Promise<{ access: AppAccess | undefined; lists: BrowsedLink[][]; partners: Partners }> {
  const parts = lists.map((list) => statementsOf(db, viewer, appToken, list, limit + 1));
  const statements: Bound<BrowsedLink>[] = parts.flat();
  const [catalog, [found], ...results] = await runWithPartners(
    runBatch,
    db,
    viewer,
    access(viewer)(db, { ...viewer, appToken }),
    ...statements,
  );
  let next = 0;
  const rows = parts.map((part) => {
    const own = results.slice(next, next + part.length).flat() as BrowsedLink[];
    next += part.length;
    return own.slice(0, limit + 1);
  });
  return { access: found, lists: rows, partners: catalog };
}

const attached = perViewer((gate) =>
  query(
    fields,
    sql`${own(gate)} CROSS JOIN ${as(l)} INDEXED BY links_by_partner ON ${ofApp} AND ${l.partnerId} IS NOT NULL ${ancestors}
      WHERE ${gate.isViewer} AND ${l.archived} = 0 AND NOT ${isTest} ORDER BY ${l.parentId}, ${l.partnerId}, ${l.id} LIMIT 1`,
  ),
);
const named = perViewer((gate) =>
  query(
    fields,
    sql`${own(gate)} CROSS JOIN ${as(l)} INDEXED BY links_by_label ON ${ofApp} AND ${l.parentId} IS NULL ${ancestors}
      WHERE ${gate.isViewer} AND ${l.archived} = 0 AND NOT ${isTest} ORDER BY ${name}, ${l.id} LIMIT 1`,
  ),
);

/**
 * Two statements for a batch of the viewer: the first link with a partner of its own, those of level 1 first, and the first of level 1
 * by name. Links that only test a partner are left out.
 */
export function firstLinks(db: D1Database, viewer: Viewer, appToken: string) {
  const values = { ...viewer, appToken };
  return [attached(viewer)(db, values), named(viewer)(db, values)] as const;
}

const pageFields = {
  ...fields,
  // The tokens, the own partners and the own targets of the links above it, the nearest first.
  ...optional({ token1: l1.token, token2: l2.token, token3: l3.token }),
  ...optional({ partner1: l1.partnerId, partner2: l2.partnerId, partner3: l3.partnerId }),
  ...optional({ target1: l1.target, target2: l2.target, target3: l3.target }),
};
export type PageLink = RowOf<typeof pageFields>;
const pageLink = perViewer((gate) =>
  query(
    pageFields,
    sql`${own(gate)} CROSS JOIN ${as(l)} ON ${l.token} = ${sql.placeholder("linkToken")} AND ${ofApp} ${ancestors}
      WHERE ${gate.isViewer}`,
  ),
);

export function pageLinkStatement(db: D1Database, scope: Viewer & { appToken: string; linkToken: string }) {
  return pageLink(scope)(db, scope);
}

/**
 * The statements that read a link, the parameters that were dropped from its URLs since a day, and its first sub-links by name, with
 * one more than `limit` if there are more.
 */
export function linkPageStatements(
  db: D1Database,
  viewer: Viewer,
  {
    appToken,
    linkToken,
    firstDay,
    limit,
  }: { appToken: string; linkToken: string; firstDay: number; limit: number },
) {
  const scope = { ...viewer, appToken, linkToken };
  const list: LinkList = { of: "branch", parent: linkToken, search: {} };
  const children = statementsOf(db, viewer, appToken, list, limit + 1);
  return [
    pageLink(viewer)(db, scope),
    dropped(viewer)(db, { ...scope, firstDay }),
    expectDefined(children[0]),
  ] as const;
}
