/** Apps and their members, as operators manage them. */

import { sql } from "drizzle-orm";
import type { Destination } from "../../domain/click-target.ts";
import { statement } from "../statement.ts";
import { type Actor, auditStatement, operator, operatorList, runAsOperator } from "./audit.ts";

export interface App extends Destination {
  id: number;
  token: string;
  name: string;
  linkCount: number;
  createdAt: number;
}

interface AppRow {
  id: number;
  token: string;
  name: string;
  default_url: string;
  ios_url: string | null;
  android_url: string | null;
  redirect_hosts: string;
  redirect_schemes: string;
  link_count: number;
  created_at: number;
}

function toApp(row: AppRow): App {
  return {
    id: row.id,
    token: row.token,
    name: row.name,
    defaultUrl: row.default_url,
    iosUrl: row.ios_url,
    androidUrl: row.android_url,
    redirectHosts: JSON.parse(row.redirect_hosts),
    redirectSchemes: JSON.parse(row.redirect_schemes),
    linkCount: row.link_count,
    createdAt: row.created_at,
  };
}

const listRows = operatorList<AppRow>("apps", { columns: sql`x.*` });

export async function listApps(db: D1Database, actor: Actor, ...range: [Parameters<typeof listRows>[2]]) {
  const found = await listRows(db, actor, ...range);
  return { ...found, rows: found.rows.map(toApp) };
}

const token = sql.placeholder("token");

const one = statement<AppRow>(sql`SELECT a.* FROM ${operator} CROSS JOIN apps a WHERE a.token = ${token}`);

export async function findApp(db: D1Database, actor: Actor, appToken: string) {
  const { access, rows } = await runAsOperator(db, actor, one(db, { ...actor, token: appToken }));
  const [[row]] = rows;
  return { access, app: row && toApp(row) };
}

/** The values that an operator sets on an app. An undefined value is not changed. */
export interface AppChange {
  name?: string | undefined;
  defaultUrl?: string | undefined;
  iosUrl?: string | null | undefined;
  androidUrl?: string | null | undefined;
  redirectHosts?: string[] | undefined;
  redirectSchemes?: string[] | undefined;
}

const insert = statement<AppRow>(sql`
  INSERT INTO apps (token, name, default_url, ios_url, android_url, redirect_hosts, redirect_schemes, created_at)
  SELECT ${token}, ${sql.placeholder("name")}, ${sql.placeholder("defaultUrl")}, ${sql.placeholder("iosUrl")},
    ${sql.placeholder("androidUrl")}, ${sql.placeholder("redirectHosts")}, ${sql.placeholder("redirectSchemes")},
    ${sql.placeholder("now")}
  FROM ${operator}
  RETURNING *
`);
const auditInsert = auditStatement("create app", sql`'app ' || ${token}`, sql`true`);

export async function insertApp(
  db: D1Database,
  actor: Actor,
  app: Required<{ [Key in keyof AppChange]: Exclude<AppChange[Key], undefined> }> & { token: string },
) {
  const { token, ...detail } = app;
  const values = { ...actor, ...toValues(app), token };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    auditInsert(db, values, detail),
    insert(db, values),
  );
  const [row] = rows[1];
  return { access, app: row && toApp(row) };
}

const update = statement<AppRow>(sql`
  UPDATE apps SET
    name = coalesce(${sql.placeholder("name")}, name),
    default_url = coalesce(${sql.placeholder("defaultUrl")}, default_url),
    ios_url = iif(${sql.placeholder("setIos")}, ${sql.placeholder("iosUrl")}, ios_url),
    android_url = iif(${sql.placeholder("setAndroid")}, ${sql.placeholder("androidUrl")}, android_url),
    redirect_hosts = coalesce(${sql.placeholder("redirectHosts")}, redirect_hosts),
    redirect_schemes = coalesce(${sql.placeholder("redirectSchemes")}, redirect_schemes)
  WHERE token = ${token} AND EXISTS (SELECT 1 FROM ${operator})
  RETURNING *
`);
const auditUpdate = auditStatement(
  "update app",
  sql`'app ' || ${token}`,
  sql`EXISTS (SELECT 1 FROM apps WHERE token = ${token})`,
);

/** `app` is undefined if there is none with this token. */
export async function updateApp(db: D1Database, actor: Actor, appToken: string, change: AppChange) {
  const values = { ...actor, ...toValues(change), token: appToken };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    auditUpdate(db, values, change),
    update(db, values),
  );
  const [row] = rows[1];
  return { access, app: row && toApp(row) };
}

function toValues(change: AppChange) {
  const list = (items: string[] | undefined) => (items ? JSON.stringify(items) : null);
  return {
    name: change.name ?? null,
    defaultUrl: change.defaultUrl ?? null,
    setIos: Number(change.iosUrl !== undefined),
    iosUrl: change.iosUrl ?? null,
    setAndroid: Number(change.androidUrl !== undefined),
    androidUrl: change.androidUrl ?? null,
    redirectHosts: list(change.redirectHosts),
    redirectSchemes: list(change.redirectSchemes),
  };
}

export interface MemberRow {
  id: number;
  email: string;
  role: "member" | "operator";
}

const userId = sql.placeholder("userId");

export const listMembers = operatorList<MemberRow>("users", {
  columns: sql`x.id, x.email, x.role`,
  where: sql`x.id IN (SELECT user_id FROM memberships WHERE app_token = ${token})`,
  within: sql`EXISTS (SELECT 1 FROM apps WHERE token = ${token})`,
});

const subject = statement<{ app: number; user: number; member: number }>(sql`
  SELECT EXISTS (SELECT 1 FROM apps WHERE token = ${token}) AS app,
    EXISTS (SELECT 1 FROM users WHERE id = ${userId}) AS user,
    EXISTS (SELECT 1 FROM memberships WHERE user_id = ${userId} AND app_token = ${token}) AS member
  FROM ${operator}
`);
const addable = sql`
  EXISTS (SELECT 1 FROM apps WHERE token = ${token}) AND EXISTS (SELECT 1 FROM users WHERE id = ${userId})
  AND NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = ${userId} AND app_token = ${token})
`;
const add = statement(sql`
  INSERT INTO memberships (user_id, app_token) SELECT ${userId}, ${token} FROM ${operator} WHERE ${addable}
`);
const auditAdd = auditStatement("add member", sql`'app ' || ${token}`, addable);
const remove = statement(sql`
  DELETE FROM memberships WHERE user_id = ${userId} AND app_token = ${token} AND EXISTS (SELECT 1 FROM ${operator})
`);
const auditRemove = auditStatement(
  "remove member",
  sql`'app ' || ${token}`,
  sql`EXISTS (SELECT 1 FROM memberships WHERE user_id = ${userId} AND app_token = ${token})`,
);

/** Changes a membership if possible. `before` shows which of the app, the user and the membership existed. */
async function changeMembership(
  db: D1Database,
  actor: Actor,
  membership: { appToken: string; userId: number },
  statements: { audit: typeof auditAdd; change: typeof add },
) {
  const values = { ...actor, token: membership.appToken, userId: membership.userId };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    subject(db, values),
    statements.audit(db, values, { user_id: membership.userId }),
    statements.change(db, values),
  );
  return { access, before: rows[0][0] };
}

export function addMember(db: D1Database, actor: Actor, membership: { appToken: string; userId: number }) {
  return changeMembership(db, actor, membership, { audit: auditAdd, change: add });
}

export function removeMember(db: D1Database, actor: Actor, membership: { appToken: string; userId: number }) {
  return changeMembership(db, actor, membership, { audit: auditRemove, change: remove });
}
