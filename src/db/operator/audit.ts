/** Reads the audit log. */
import { type SQL, sql } from "drizzle-orm";
import { sumOf } from "../../domain/figures/performance.ts";
import type { Range } from "../keyset.ts";
import { limitTo, optional, pick, query, type RowOf } from "../query.ts";
import { adjustments, apps, auditLog, credentials, links, partners, rounds, users } from "../schema.ts";
import { runBatch, type Value } from "../statement.ts";
import { pagedList } from "./lists/paged.ts";

const fields = {
  ...pick(auditLog, "id", "happenedAt", "userId"),
  ...optional({ email: users.email }),
  ...pick(auditLog, "action", "subject", "detail", "requestId"),
};

/** An entry. Its detail is JSON. */
export type AuditRow = RowOf<typeof fields>;

const join = sql`LEFT JOIN ${users} ON ${users.id} = ${auditLog.userId}`;

/** Times in milliseconds since 1970; `to` is exclusive. */
export interface AuditFilter {
  /** The ID of a user, or an email address. */
  user?: number | undefined;
  who?: string | undefined;
  /** Such as `partner 1`. `object` also takes names, and a partner then has what belongs to it. */
  subject?: string | undefined;
  object?: string | undefined;
  action?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
  request?: string | undefined;
}

const p = (name: string) => sql.placeholder(name);
/** The partners that the text names. */
const named = sql`SELECT ${partners.id} FROM ${partners}
  WHERE ${partners.displayName} = ${p("object")} COLLATE NOCASE OR 'partner ' || ${partners.id} = ${p("object")}`;
/** What belongs to a partner. D1 allows five terms in a compound SELECT. */
const ofPartner = sql`
  SELECT 'partner ' || id FROM (${named})
  UNION ALL SELECT 'round ' || ${rounds.id} FROM ${rounds} WHERE ${rounds.partnerId} IN (${named})
  UNION ALL SELECT 'credential ' || ${credentials.id} FROM ${credentials} WHERE ${credentials.partnerId} IN (${named})
  UNION ALL SELECT 'adjustment ' || ${adjustments.id} FROM ${adjustments} WHERE ${adjustments.partnerId} IN (${named})`;
/** The objects that the text names: a subject such as `round 1`, or a name, a token or an email address. */
const subjects = sql`
  SELECT ${p("object")}
  UNION ALL SELECT 'app ' || ${apps.token} FROM ${apps} WHERE ${apps.name} = ${p("object")} COLLATE NOCASE OR ${apps.token} = ${p("object")}
  UNION ALL SELECT 'user ' || ${users.id} FROM ${users} WHERE ${users.email} = ${p("object")} COLLATE NOCASE
  UNION ALL SELECT 'link ' || ${links.token} FROM ${links} WHERE ${links.token} = ${p("object")}`;
const conditions: Record<keyof AuditFilter, SQL> = {
  user: sql`${auditLog.userId} = ${p("user")}`,
  who: sql`${auditLog.userId} = (SELECT ${users.id} FROM ${users} WHERE ${users.email} = ${p("who")})`,
  subject: sql`${auditLog.subject} = ${p("subject")}`,
  object: sql`(${auditLog.subject} IN (${subjects}) OR ${auditLog.subject} IN (${ofPartner}))`,
  action: sql`${auditLog.action} = ${p("action")}`,
  // Entries are in the order of time. These read only entries that are newer than the day.
  from: sql`${auditLog.id} > coalesce((SELECT id FROM audit_log WHERE happened_at < ${p("from")} ORDER BY id DESC LIMIT 1), 0)`,
  to: sql`${auditLog.id} <= coalesce((SELECT id FROM audit_log WHERE happened_at < ${p("to")} ORDER BY id DESC LIMIT 1), 0)`,
  request: sql`${auditLog.requestId} = ${p("request")}`,
};
const keys = Object.keys(conditions) as (keyof AuditFilter)[];
const conditionsOf = (given: (keyof AuditFilter)[]) =>
  sql.join(given.map((name) => sql` AND ${conditions[name]}`));
/** Whether an index finds the entries. Their IDs have no gaps, so others are read from the newest one on, up to MAX_READ. */
const isIndexed = (given: (keyof AuditFilter)[]) => given.includes("object") || given.includes("subject");
export const MAX_READ = 100_000;
const mostRead = sql.raw(String(MAX_READ));

/** Builds a statement for each set of filters, on first use. */
function perFilter<S>(build: (given: (keyof AuditFilter)[]) => S): (filter: AuditFilter) => S {
  const built = new Map<string, S>();
  return (filter) => {
    const given = keys.filter((name) => filter[name] !== undefined);
    const key = given.join();
    const statement = built.get(key) ?? build(given);
    built.set(key, statement);
    return statement;
  };
}
const isBounded = (filter: AuditFilter) => !isIndexed(keys.filter((name) => filter[name] !== undefined));

const pages = perFilter((given) => {
  // The last entry before `to`, or the last one of all.
  const last = given.includes("to")
    ? sql`(SELECT id FROM audit_log WHERE happened_at < ${p("to")} ORDER BY id DESC LIMIT 1)`
    : sql`(SELECT max(id) FROM audit_log)`;
  return pagedList(fields, {
    from: auditLog,
    join,
    order: "DESC",
    ...(given.length > 0 && {
      where: sql`true ${isIndexed(given) ? sql`` : sql`AND ${auditLog.id} > ${last} - ${mostRead}`} ${conditionsOf(given)}`,
    }),
  });
});

/** Reads one page of the log, the newest entry first. Without an object or a subject, of the last MAX_READ entries before `to`. */
export function listAudit(db: D1Database, range: Range, filter: AuditFilter) {
  return pages(filter)(db, range, filter as Record<string, Value>);
}

const floor = sql`coalesce(min(${p("before")}, (SELECT max(id) FROM audit_log)), 0) - ${mostRead}`;
/** The entries of a page, or those from which its lines are made. */
const entriesIn = (given: (keyof AuditFilter)[], limit: SQL) => sql`FROM ${auditLog}
  WHERE ${auditLog.id} < ${p("before")} ${isIndexed(given) ? sql`` : sql`AND ${auditLog.id} >= ${floor}`} ${conditionsOf(given)}
  ORDER BY ${auditLog.id} DESC ${limit}`;

const newest = query({ id: sql<number>`coalesce(max(${auditLog.id}), 0)` }, sql`FROM ${auditLog}`);
const entries = perFilter((given) =>
  query(
    fields,
    sql`FROM (SELECT * ${entriesIn(given, limitTo("limit"))}) audit_log ${join} ORDER BY ${auditLog.id} DESC`,
  ),
);

/** The most entries that are read for the lines of a page: an import has one for each link. */
const MAX_GROUPED = 2_000;
const grouped = {
  ...fields,
  count: sql<number>`audit_log.count`,
  /** The oldest entry that was read for the lines. */
  readTo: sql<number>`audit_log.read_to`,
};
const lines = perFilter((given) =>
  query(
    grouped,
    // The other columns are those of the row with the highest ID.
    sql`FROM (
      SELECT *, max(id) AS last_id, count(*) AS count
      FROM (SELECT *, min(id) OVER () AS read_to FROM (SELECT * ${entriesIn(given, sql.raw(`LIMIT ${MAX_GROUPED}`))}))
      GROUP BY coalesce(request_id || action, id)
    ) audit_log ${join} ORDER BY ${auditLog.id} DESC ${limitTo("limit")}`,
  ),
);
type Position = { before: number; limit: number };

/** The entries before an ID, newest first, and the ID before which the list continues; null at its end. */
export async function searchAudit(
  db: D1Database,
  filter: AuditFilter,
  { before, limit }: Position,
): Promise<{ rows: AuditRow[]; next: number | null }> {
  const values = { ...filter, before, limit: limit + 1 } as Record<string, Value>;
  const [found, [last]] = await runBatch(db, entries(filter)(db, values), newest(db, {}));
  const rows = found.slice(0, limit);
  const next = found.length > limit ? (rows.at(-1)?.id ?? null) : floorOf(filter, before, last);
  return { rows, next };
}

export type AuditLine = RowOf<typeof grouped>;

/**
 * Like `searchAudit`, with one line for the entries of a request that have the same action, and their number. Where requests overlap, a line
 * can be there twice.
 */
export async function searchLines(
  db: D1Database,
  filter: AuditFilter,
  { before, limit }: Position,
): Promise<{ rows: AuditLine[]; next: number | null }> {
  const values = { ...filter, before, limit: limit + 1 } as Record<string, Value>;
  const [found, [last]] = await runBatch(db, lines(filter)(db, values), newest(db, {}));
  const rows = found.slice(0, limit);
  const following = found[limit];
  if (following) return { rows, next: following.id + 1 };
  const isFull = sumOf(found, ({ count }) => count) >= MAX_GROUPED;
  return { rows, next: isFull ? (found[0]?.readTo ?? null) : floorOf(filter, before, last) };
}

/** Where the part of the log that a page without an index reads begins; null if it is the first part. */
function floorOf(filter: AuditFilter, before: number, last: { id: number } | undefined): number | null {
  const lowest = Math.min(before, last?.id ?? 0) - MAX_READ;
  return isBounded(filter) && filter.from === undefined && lowest > 1 ? lowest : null;
}

const key = sql`CAST(k.key AS INTEGER)`;
const partnerOf = (id: SQL) =>
  sql`(SELECT ${partners.displayName} FROM ${partners} WHERE ${partners.id} = ${id})`;
const objectFields = {
  subject: sql<string>`k.subject`,
  name: sql<string | null>`CASE k.noun
      WHEN 'partner' THEN ${partnerOf(key)}
      WHEN 'app' THEN (SELECT ${apps.name} FROM ${apps} WHERE ${apps.token} = k.key)
      WHEN 'user' THEN (SELECT ${users.email} FROM ${users} WHERE ${users.id} = ${key})
      WHEN 'link' THEN (SELECT ${links.label} FROM ${links} WHERE ${links.token} = k.key)
      WHEN 'credential' THEN (SELECT ${credentials.hint} FROM ${credentials} WHERE ${credentials.id} = ${key}) END`,
  /** The app of a link. */
  app: sql<
    string | null
  >`CASE k.noun WHEN 'link' THEN (SELECT ${links.appToken} FROM ${links} WHERE ${links.token} = k.key) END`,
  appName: sql<string | null>`CASE k.noun WHEN 'link' THEN (
      SELECT ${apps.name} FROM ${links} CROSS JOIN ${apps} ON ${apps.token} = ${links.appToken} WHERE ${links.token} = k.key) END`,
  /** The partner of a credential or a round. */
  partnerId: sql<number | null>`CASE k.noun
      WHEN 'credential' THEN (SELECT ${credentials.partnerId} FROM ${credentials} WHERE ${credentials.id} = ${key})
      WHEN 'round' THEN (SELECT ${rounds.partnerId} FROM ${rounds} WHERE ${rounds.id} = ${key}) END`,
  partner: sql<string | null>`CASE k.noun
      WHEN 'credential' THEN ${partnerOf(sql`(SELECT ${credentials.partnerId} FROM ${credentials} WHERE ${credentials.id} = ${key})`)}
      WHEN 'round' THEN ${partnerOf(sql`(SELECT ${rounds.partnerId} FROM ${rounds} WHERE ${rounds.id} = ${key})`)} END`,
};
const objects = query(
  objectFields,
  sql`FROM (
    SELECT value AS subject, substr(value, 1, instr(value, ' ') - 1) AS noun, substr(value, instr(value, ' ') + 1) AS key
    FROM json_each(${p("subjects")})
  ) k`,
);

/** An object of the log with its current name. */
export type AuditObject = RowOf<typeof objectFields>;

/** The objects with these subjects, such as `partner 1`, by subject. */
export async function findAuditObjects(
  db: D1Database,
  subjects: string[],
): Promise<Map<string, AuditObject>> {
  const [found] = await runBatch(db, objects(db, { subjects: JSON.stringify([...new Set(subjects)]) }));
  return new Map(found.map((object) => [object.subject, object]));
}
