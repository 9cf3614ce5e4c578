/** Apps and their members, as operators manage them. */
import { getTableColumns, sql } from "drizzle-orm";
import { auditChange, auditUpdate, givenFields, type Operator } from "../audit.ts";
import { type Change, insertValues, setGiven, toValues } from "../changes.ts";
import { names, query, type RowOf, returning } from "../query.ts";
import { apps, memberships, users } from "../schema.ts";
import { runBatch, runForRow } from "../statement.ts";
import { pagedList } from "./lists/paged.ts";
import { contains, searchedList } from "./lists/searched.ts";
import { isErased } from "./users/users.ts";

const fields = getTableColumns(apps);

/** An app. Its lists are JSON. */
export type AppRow = RowOf<typeof fields>;

export const listApps = pagedList(fields, { from: apps });

/** Takes `q`, and `archived`: `no` or `yes`. */
export const searchApps = searchedList(fields, {
  from: apps,
  sorts: {
    name: sql`${apps.name} COLLATE NOCASE`,
    "-created": sql`${apps.id} DESC`,
    "-links": sql`${apps.createdLinkCount} DESC`,
  },
  filters: {
    q: contains(apps.name, apps.token),
    archived: sql`(${apps.archivedAt} IS NOT NULL) = (${sql.placeholder("archived")} = 'yes')`,
  },
});

const namesOfAll = query(
  { id: apps.id, token: apps.token, name: apps.name },
  sql`FROM ${apps}
  WHERE ${apps.archivedAt} IS NULL ORDER BY ${apps.name} COLLATE NOCASE LIMIT 1000`,
);

/** The names of the apps that are not archived, for a choice: at most 1,000. */
export async function listAllApps(db: D1Database) {
  const [found] = await runBatch(db, namesOfAll(db, {}));
  return found;
}

const namesWithArchived = query(
  { token: apps.token, name: apps.name, archivedAt: apps.archivedAt },
  sql`FROM ${apps} ORDER BY ${apps.archivedAt} IS NOT NULL, ${apps.name} COLLATE NOCASE LIMIT 1000`,
);

/** The names of all apps, the archived ones last and marked: at most 1,000. */
export async function listAppsWithArchived(db: D1Database): Promise<{ token: string; name: string }[]> {
  const [found] = await runBatch(db, namesWithArchived(db, {}));
  return found.map(({ token, name, archivedAt }) => ({
    token,
    name: archivedAt === null ? name : `${name}, archived`,
  }));
}

const hasToken = sql`${apps.token} = ${sql.placeholder("token")}`;
const byToken = query(fields, sql`FROM ${apps} WHERE ${hasToken}`);

export function findApp(db: D1Database, token: string): Promise<AppRow | undefined> {
  return runForRow(db, byToken(db, { token }));
}

const settings = [
  "name",
  "defaultUrl",
  "iosUrl",
  "androidUrl",
  "redirectHosts",
  "redirectSchemes",
  "maxLinks",
  "maxNewSubLinks",
] as const;
/** An app that is archived already keeps the time. */
const archivedAt = sql`CASE ${sql.placeholder("archived")}
  WHEN 1 THEN coalesce(${apps.archivedAt}, ${sql.placeholder("now")}) WHEN 0 THEN NULL ELSE ${apps.archivedAt} END`;
const insert = returning(insertValues(apps, "token", ...settings, "createdAt"), fields);
const update = returning(
  sql`UPDATE ${apps} SET ${setGiven(apps, ...settings)}, ${names(apps.archivedAt)} = ${archivedAt} WHERE ${hasToken}`,
  fields,
);

type NewApp = Change<typeof apps, (typeof settings)[number]>;
export type AppChange = NewApp & { archived: boolean | undefined };

const audit = auditUpdate({
  action: "update app",
  subject: sql`'app ' || ${apps.token}`,
  row: sql`FROM ${apps} WHERE ${hasToken}`,
  fields: {
    ...givenFields(apps, ...settings),
    archived_at: { column: apps.archivedAt, from: apps.archivedAt, to: archivedAt },
  },
});

export function insertApp(db: D1Database, operator: Operator, token: string, app: NewApp) {
  const values = { ...toValues(app), token, createdAt: operator.now };
  return runForRow(db, insert(db, values), auditChange(db, operator, "create app", "app", token, app));
}

/** Returns undefined if there is no app with this token. */
export async function updateApp(
  db: D1Database,
  operator: Operator,
  token: string,
  change: AppChange,
): Promise<AppRow | undefined> {
  const values = { ...toValues(change), ...operator, token };
  const [, [updated]] = await runBatch(db, audit(db, values), update(db, values));
  return updated;
}

const ofApp = sql`${memberships.appToken} = ${sql.placeholder("appToken")}`;

/** Takes `appToken`. The total is undefined if there is no such app. */
export const listMembers = pagedList(
  { id: users.id, email: users.email, role: users.role },
  {
    from: users,
    where: sql`${users.id} IN (SELECT ${memberships.userId} FROM ${memberships} WHERE ${ofApp})`,
    within: sql`EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.token} = ${sql.placeholder("appToken")})`,
  },
);

const membership = query(
  { userId: memberships.userId },
  sql`FROM ${memberships} WHERE ${memberships.userId} = ${sql.placeholder("userId")} AND ${ofApp}`,
);

export async function isMember(db: D1Database, appToken: string, userId: number): Promise<boolean> {
  return (await runForRow(db, membership(db, { appToken, userId }))) !== undefined;
}

const appsOf = query(
  { id: apps.id, token: apps.token, name: apps.name, archivedAt: apps.archivedAt },
  sql`FROM ${memberships} CROSS JOIN ${apps} ON ${apps.token} = ${memberships.appToken}
    WHERE ${memberships.userId} = ${sql.placeholder("userId")} ORDER BY ${apps.name} COLLATE NOCASE LIMIT 1000`,
);

/** The apps of a user: at most 1,000. */
export async function listAppsOfUser(db: D1Database, userId: number) {
  const [found] = await runBatch(db, appsOf(db, { userId }));
  return found;
}

const schemesOf = query(
  { scheme: sql<string>`scheme` },
  sql`FROM (SELECT DISTINCT j.value AS scheme FROM ${apps} CROSS JOIN json_each(${apps.redirectSchemes}) j
    WHERE j.value IN (SELECT value FROM json_each(${sql.placeholder("schemes")})))`,
);

/** Which of these schemes an app has. */
export async function findSchemes(db: D1Database, schemes: string[]): Promise<string[]> {
  const [found] = await runBatch(db, schemesOf(db, { schemes: JSON.stringify(schemes) }));
  return found.map(({ scheme }) => scheme);
}

const tokens = query({ token: apps.token }, sql`FROM ${apps}`);

/** The tokens of all apps. */
export async function listAppTokens(db: D1Database): Promise<string[]> {
  const [found] = await runBatch(db, tokens(db, {}));
  return found.map(({ token }) => token);
}

const { userId } = memberships;
const changes = {
  "add member": returning(
    sql`INSERT INTO ${memberships} (${names(userId, memberships.appToken)})
      SELECT ${users.id}, ${apps.token} FROM ${users} CROSS JOIN ${apps}
      WHERE ${users.id} = ${sql.placeholder("userId")} AND NOT ${isErased} AND ${apps.token} = ${sql.placeholder("appToken")}
      ON CONFLICT DO NOTHING`,
    { userId },
  ),
  "remove member": returning(
    sql`DELETE FROM ${memberships} WHERE ${userId} = ${sql.placeholder("userId")} AND ${ofApp}`,
    { userId },
  ),
};

/**
 * Adds or removes a member. Returns undefined if nothing changed: there is no such app or user, or the user was erased, was a
 * member already, or was none.
 */
export function changeMembership(
  db: D1Database,
  operator: Operator,
  action: keyof typeof changes,
  { appToken, userId }: { appToken: string; userId: number },
) {
  const change = changes[action](db, { appToken, userId });
  return runForRow(db, change, auditChange(db, operator, action, "app", appToken, { userId }));
}
