/** Apps and their members, as operators manage them. */
import { getTableColumns, sql } from "drizzle-orm";
import { type Change, insertInto, setGiven, toValues } from "../changes.ts";
import { names, query, type RowOf, returning } from "../query.ts";
import { apps, memberships, users } from "../schema.ts";
import { runForRow } from "../statement.ts";
import { auditChange, type Operator } from "./audit.ts";
import { pagedList } from "./paged-list.ts";

const fields = getTableColumns(apps);

/** An app. Its lists are JSON. */
export type AppRow = RowOf<typeof fields>;

export const listApps = pagedList(fields, { from: apps });

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
] as const;
const insert = returning(insertInto(apps, "token", ...settings, "createdAt"), fields);
const update = returning(sql`UPDATE ${apps} SET ${setGiven(apps, ...settings)} WHERE ${hasToken}`, fields);

export type AppChange = Change<typeof apps, (typeof settings)[number]>;

export function insertApp(db: D1Database, operator: Operator, token: string, app: AppChange) {
  const values = { ...toValues(app), token, createdAt: operator.now };
  return runForRow(db, insert(db, values), auditChange(db, operator, "create app", "app", token, app));
}

/** Returns undefined if there is no app with this token. */
export function updateApp(db: D1Database, operator: Operator, token: string, change: AppChange) {
  const values = { ...toValues(change), token };
  return runForRow(db, update(db, values), auditChange(db, operator, "update app", "app", token, change));
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

const { userId } = memberships;
const changes = {
  "add member": returning(
    sql`INSERT INTO ${memberships} (${names(userId, memberships.appToken)})
      SELECT ${users.id}, ${apps.token} FROM ${users} CROSS JOIN ${apps}
      WHERE ${users.id} = ${sql.placeholder("userId")} AND ${apps.token} = ${sql.placeholder("appToken")}
      ON CONFLICT DO NOTHING`,
    { userId },
  ),
  "remove member": returning(
    sql`DELETE FROM ${memberships} WHERE ${userId} = ${sql.placeholder("userId")} AND ${ofApp}`,
    { userId },
  ),
};

/**
 * Adds or removes a member. Returns undefined if nothing changed: there is no such app or user, or the user was a member already,
 * or was none.
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
