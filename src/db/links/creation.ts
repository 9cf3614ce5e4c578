/**
 * Creates one or many links in one round trip. With an idempotency key, the transaction that inserts the links also stores the
 * response, so one never exists without the other.
 */
import { type SQL, sql } from "drizzle-orm";
import { membership as m, perViewer } from "../accounts/viewers.ts";
import { insertEntry, toJsonValue } from "../audit.ts";
import { type KeyedRequest, keyStatements, type StoredResponse } from "../idempotency.ts";
import { alias, as, insertInto, jsonValues, optional, pick, query, type RowOf, returning } from "../query.ts";
import { apps, links } from "../schema.ts";
import { runGrouped, statement } from "../statement.ts";
import { idsOfInserted } from "./destinations.ts";
import { ancestors, type Inherited, inheritedFields } from "./links.ts";
import { type AppScope, LINK_SETTINGS, type LinkRow, link as l, linkFields } from "./lists.ts";
import { runWithPartners } from "./partner-catalog.ts";

export type NewLink = { token: string; label: string; parentToken: string | null; target: string | null };

export type Parent = LinkRow & Inherited;

const parent = alias(links, "parent");
const a = alias(apps, "a");
const now = sql.placeholder("now");
const newLinks = sql`json_each(${sql.placeholder("links")}) j`;
const sent = jsonValues("token", "label", "parentToken", "target") satisfies Record<keyof NewLink, SQL>;
const { parentToken, ...ownValues } = sent;

/** One row per new link, with its parent. There is also a row when the app, the membership or every link is missing. */
const creationContext = perViewer(({ appAccess, from, isMember, isViewer }) =>
  query(
    {
      ...appAccess,
      ...optional(pick(a, "maxLinks", "createdLinkCount", "storedLength")),
      newToken: sql<string | null>`${sent.token}`,
      ...optional(linkFields),
      ...inheritedFields,
    },
    sql`FROM ${from}
      LEFT JOIN ${as(m)} ON ${isMember}
      LEFT JOIN ${as(a)} ON ${a.token} = ${m.appToken}
      LEFT JOIN ${newLinks}
      LEFT JOIN ${as(l)} ON ${l.token} = ${parentToken} AND ${l.appToken} = ${m.appToken}
      ${ancestors}
      WHERE ${isViewer}`,
  ),
);

/** Separates the access to the app, and what it may still store, from the parents by the token of the new link. */
function splitCreationContext<Row extends { id: number | null } & Quota>(rows: Row[]) {
  const found = rows.filter((row) => row.id !== null) as unknown as (Parent & { newToken: string })[];
  const { maxLinks, createdLinkCount, storedLength } = rows[0] ?? {};
  return {
    access: rows[0],
    room: (maxLinks ?? 0) - (createdLinkCount ?? 0),
    storedLength: storedLength ?? 0,
    parents: new Map<string, Parent>(found.map((row) => [row.newToken, row])),
  };
}

/** Null without access. */
type Quota = { maxLinks: number | null; createdLinkCount: number | null; storedLength: number | null };

/** The links of a request count in their order, also one whose parent is not valid. A request with a key was judged before. */
const hasRoom = sql`(
  SELECT ${a.createdLinkCount} + j.key < ${a.maxLinks} FROM ${as(a)} WHERE ${a.token} = ${m.appToken}
)`;

/** Builds the statement that adds an entry for each new link `l` of the rows `from`, by a user. Takes the value `now`. */
export function auditCreations(by: SQL, parent: SQL, from: SQL) {
  const { archived: _, ...initial } = LINK_SETTINGS;
  const keys = Object.keys(initial) as (keyof typeof initial)[];
  const settings = keys.map((key) => sql`${sql.raw(`'${initial[key]}'`)}, ${toJsonValue(l[key], l[key])}`);
  const entry = {
    userId: by,
    subject: sql`'link ' || ${l.token}`,
    detail: sql`json_patch('{}', json_object('app_token', ${l.appToken}, 'parent_token', ${parent}, ${sql.join(settings, sql`, `)}))`,
  };
  return statement<unknown>(sql`${insertEntry("create link", entry)} ${from}`);
}

export const insertedFields = { token: links.token, ids: idsOfInserted };
const level = sql`coalesce(${parent.level}, 0) + 1`;
const insertion = perViewer(({ from, userId, isMember, isViewer }) => {
  const member = sql`${from} CROSS JOIN ${as(m)} ON ${isMember}`;
  const keys = keyStatements({ from: member, where: isViewer, user: userId, app: sql`${m.appToken}` });
  return {
    keys,
    insert: returning(
      sql`${insertInto(links, { ...ownValues, appToken: m.appToken, parentId: parent.id, level, createdAt: now })}
        FROM ${member} CROSS JOIN ${newLinks}
        LEFT JOIN ${as(parent)} ON ${parent.token} = ${parentToken} AND ${parent.appToken} = ${m.appToken}
        WHERE ${isViewer} AND iif(${parentToken} IS NULL, true, ${parent.level} < 4)
          AND iif(${sql.placeholder("key")} IS NULL, ${hasRoom}, ${keys.isStored})`,
      insertedFields,
    ),
    /** The tokens of the request are new, so the links that exist are those that this request inserted. */
    audit: auditCreations(
      userId,
      parentToken,
      sql`FROM ${member} CROSS JOIN ${newLinks} CROSS JOIN ${as(l)} ON ${l.token} = ${sent.token} WHERE ${isViewer}`,
    ),
    /** Removes a stored response that promises other links than those that exist: a retry must not confirm them. */
    deleteWrongResponse: keys.deleteOwn(sql`
      ${sql.placeholder("promised")} <> (SELECT count(*) FROM ${newLinks} CROSS JOIN ${as(l)} ON ${l.token} = ${sent.token})
    `),
  };
});

/** A link that was inserted, as clicks know it. */
export type Inserted = RowOf<typeof insertedFields>;

const toJson = (links: NewLink[]) => JSON.stringify(links);

/**
 * Inserts links at level 1 or below their parents. Without access, none is inserted. A link is skipped when its parent is missing
 * or at level 4, or the app has its maximum of links. `parents` is read before the insertion, by the token of the new link.
 */
export async function insertLinks(db: D1Database, scope: AppScope, links: NewLink[], at: number) {
  const values = { ...scope, links: toJson(links), now: at, operation: null, key: null, requestId: null };
  const [partners, rows, inserted] = await runWithPartners(
    runGrouped(links.length),
    db,
    scope,
    creationContext(scope)(db, values),
    insertion(scope).insert(db, values),
    insertion(scope).audit(db, values),
  );
  return { ...splitCreationContext(rows), inserted, partners };
}

/** Reads the context of new links before they are inserted with a key, and the response stored for an earlier use of the key. */
export async function prepareLinks(
  db: D1Database,
  scope: AppScope,
  links: NewLink[],
  { operation, key, now }: KeyedRequest,
) {
  const [partners, rows, [earlier]] = await runWithPartners(
    runGrouped(links.length),
    db,
    scope,
    creationContext(scope)(db, { ...scope, links: toJson(links) }),
    insertion(scope).keys.find(db, { ...scope, operation, key, now }),
  );
  return { ...splitCreationContext(rows), earlier, partners };
}

/**
 * Inserts links and stores the response, which promises so many links. Writes nothing and returns undefined if access was
 * lost or the key is in use. Stores no response if fewer or more links were inserted.
 */
export async function insertKeyedLinks(
  db: D1Database,
  scope: AppScope,
  links: NewLink[],
  request: KeyedRequest,
  response: StoredResponse,
): Promise<Inserted[] | undefined> {
  const values = { ...scope, ...request, ...response, links: toJson(links), promised: links.length };
  const { keys, insert, audit, deleteWrongResponse } = insertion(scope);
  const [, [stored], inserted] = await runGrouped(links.length)(
    db,
    keys.deleteExpired(db, values),
    keys.store(db, values),
    insert(db, values),
    audit(db, values),
    deleteWrongResponse(db, values),
  );
  return stored && inserted;
}
