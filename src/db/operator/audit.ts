/** Reads the audit log. */
import { type SQL, sql } from "drizzle-orm";
import { limitTo, optional, query, type RowOf } from "../query.ts";
import { apps, auditLog, credentials, links, partners, rounds, users } from "../schema.ts";
import { runBatch, type Value } from "../statement.ts";
import { pagedList } from "./paged-list.ts";

const fields = {
  id: auditLog.id,
  happenedAt: auditLog.happenedAt,
  userId: auditLog.userId,
  ...optional({ email: users.email }),
  action: auditLog.action,
  subject: auditLog.subject,
  detail: auditLog.detail,
};

/** An entry. Its detail is JSON. */
export type AuditRow = RowOf<typeof fields>;

const join = sql`LEFT JOIN ${users} ON ${users.id} = ${auditLog.userId}`;

/** Reads one page of the log, oldest entry first. */
export const listAudit = pagedList(fields, { from: auditLog, join });

/** Takes `subject`, such as `partner 1`. */
export const listAuditOfSubject = pagedList(fields, {
  from: auditLog,
  join,
  where: sql`${auditLog.subject} = ${sql.placeholder("subject")}`,
});

/** What the console filters by. Times in milliseconds since 1970; `to` is exclusive. */
export interface AuditFilter {
  who?: string;
  object?: string;
  action?: string;
  from?: number;
  to?: number;
}

const p = (name: string) => sql.placeholder(name);
/** The objects that the text names: a subject such as `partner 1`, or a name, a token or an email address. */
const subjects = sql`(
  SELECT ${p("object")} UNION ALL SELECT 'partner ' || ${partners.id} FROM ${partners} WHERE ${partners.displayName} = ${p("object")} COLLATE NOCASE
  UNION ALL SELECT 'app ' || ${apps.token} FROM ${apps} WHERE ${apps.name} = ${p("object")} COLLATE NOCASE OR ${apps.token} = ${p("object")}
  UNION ALL SELECT 'user ' || ${users.id} FROM ${users} WHERE ${users.email} = ${p("object")} COLLATE NOCASE
  UNION ALL SELECT 'link ' || ${links.token} FROM ${links} WHERE ${links.token} = ${p("object")}
)`;
const conditions: Record<keyof AuditFilter, SQL> = {
  who: sql`${auditLog.userId} = (SELECT ${users.id} FROM ${users} WHERE ${users.email} = ${p("who")})`,
  object: sql`${auditLog.subject} IN ${subjects}`,
  action: sql`${auditLog.action} = ${p("action")}`,
  // Entries are in the order of time. These read only entries that are newer than the day.
  from: sql`${auditLog.id} > coalesce((SELECT id FROM audit_log WHERE happened_at < ${p("from")} ORDER BY id DESC LIMIT 1), 0)`,
  to: sql`${auditLog.id} <= coalesce((SELECT id FROM audit_log WHERE happened_at < ${p("to")} ORDER BY id DESC LIMIT 1), 0)`,
};
const names = Object.keys(conditions) as (keyof AuditFilter)[];

/** A page without an index for its filter reads at most so many entries. Their IDs have no gaps. */
const MAX_READ = 100_000;

const newest = query({ id: sql<number>`coalesce(max(${auditLog.id}), 0)` }, sql`FROM ${auditLog}`);
const built = new Map<string, ReturnType<typeof build>>();

function build(given: (keyof AuditFilter)[]) {
  const filter = given.map((name) => sql` AND ${conditions[name]}`);
  const isBounded = !given.includes("object");
  const floor = sql`coalesce(min(${p("before")}, (SELECT max(id) FROM audit_log)), 0) - ${sql.raw(String(MAX_READ))}`;
  return query(
    fields,
    sql`FROM ${auditLog} ${join}
      WHERE ${auditLog.id} < ${p("before")} ${isBounded ? sql`AND ${auditLog.id} >= ${floor}` : sql``} ${sql.join(filter)}
      ORDER BY ${auditLog.id} DESC ${limitTo("limit")}`,
  );
}

/** The entries before an ID, newest first, and the ID before which the list continues; null at its end. */
export async function searchAudit(
  db: D1Database,
  filter: AuditFilter,
  { before, limit }: { before: number; limit: number },
): Promise<{ rows: AuditRow[]; next: number | null }> {
  const given = names.filter((name) => filter[name] !== undefined);
  const key = given.join();
  const statement = built.get(key) ?? build(given);
  built.set(key, statement);
  const values = { ...filter, before, limit: limit + 1 } as Record<string, Value>;
  const [found, [last]] = await runBatch(db, statement(db, values), newest(db, {}));
  const rows = found.slice(0, limit);
  if (found.length > limit) return { rows, next: rows.at(-1)?.id ?? null };
  const isBounded = !given.includes("object");
  const floor = Math.min(before, last?.id ?? 0) - MAX_READ;
  return { rows, next: isBounded && filter.from === undefined && floor > 1 ? floor : null };
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
