/** Apps and their members, as operators manage them. */
import { getTableColumns, sql } from "drizzle-orm";
import { names, query, type RowOf, returning } from "../query.ts";
import { apps, memberships, users } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { auditChange, type Operator } from "./audit.ts";
import { insertInto, setGiven, toValues } from "./changes.ts";
import { pagedList } from "./paged-list.ts";

const fields = getTableColumns(apps);

/** An app. Its lists are JSON. */
export type AppRow = RowOf<typeof fields>;

/** The values that an operator sets on an app. An undefined value is not changed. */
export interface AppChange {
  name: string | undefined;
  defaultUrl: string | undefined;
  iosUrl: string | null | undefined;
  androidUrl: string | null | undefined;
  redirectHosts: string[] | undefined;
  redirectSchemes: string[] | undefined;
}

export const listApps = pagedList(fields, { from: apps });

const byToken = query(fields, sql`FROM ${apps} WHERE ${apps.token} = ${sql.placeholder("token")}`);

export async function findApp(db: D1Database, token: string): Promise<AppRow | undefined> {
  const [[app]] = await runBatch(db, byToken(db, { token }));
  return app;
}

const insert = returning(
  insertInto(
    apps,
    "token",
    "name",
    "defaultUrl",
    "iosUrl",
    "androidUrl",
    "redirectHosts",
    "redirectSchemes",
    "createdAt",
  ),
  fields,
);

export async function insertApp(db: D1Database, operator: Operator, token: string, app: AppChange) {
  const [[inserted]] = await runBatch(
    db,
    insert(db, { ...toValues(app), token, createdAt: operator.now }),
    auditChange(db, operator, "create app", `app ${token}`, app),
  );
  return inserted;
}

const setUrl = (column: typeof apps.iosUrl | typeof apps.androidUrl, key: string, given: string) =>
  sql`${names(column)} = iif(${sql.placeholder(given)}, ${sql.placeholder(key)}, ${names(column)})`;
const update = returning(
  sql`UPDATE ${apps} SET ${setGiven(apps, "name", "defaultUrl", "redirectHosts", "redirectSchemes")},
      ${setUrl(apps.iosUrl, "iosUrl", "setIosUrl")}, ${setUrl(apps.androidUrl, "androidUrl", "setAndroidUrl")}
    WHERE ${apps.token} = ${sql.placeholder("token")}`,
  fields,
);

/** Returns undefined if there is no app with this token. */
export async function updateApp(db: D1Database, operator: Operator, token: string, change: AppChange) {
  const given = {
    setIosUrl: Number(change.iosUrl !== undefined),
    setAndroidUrl: Number(change.androidUrl !== undefined),
  };
  const [[updated]] = await runBatch(
    db,
    update(db, { ...toValues(change), ...given, token }),
    auditChange(db, operator, "update app", `app ${token}`, change),
  );
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

export interface Membership {
  appToken: string;
  userId: number;
}

const { userId } = memberships;
const add = returning(
  sql`INSERT INTO ${memberships} (${names(userId, memberships.appToken)})
    SELECT ${users.id}, ${apps.token} FROM ${users} CROSS JOIN ${apps}
    WHERE ${users.id} = ${sql.placeholder("userId")} AND ${apps.token} = ${sql.placeholder("appToken")}
    ON CONFLICT DO NOTHING`,
  { userId },
);
const remove = returning(
  sql`DELETE FROM ${memberships} WHERE ${userId} = ${sql.placeholder("userId")} AND ${ofApp}`,
  { userId },
);
const changes = {
  "add member": add,
  "remove member": remove,
};

/**
 * Adds or removes a member. Returns false if nothing changed: there is no such app or user, or the user was a member already, or was
 * none.
 */
export async function changeMembership(
  db: D1Database,
  operator: Operator,
  action: keyof typeof changes,
  membership: Membership,
): Promise<boolean> {
  const [changed] = await runBatch(
    db,
    changes[action](db, { ...membership }),
    auditChange(db, operator, action, `app ${membership.appToken}`, { userId: membership.userId }),
  );
  return changed.length > 0;
}
