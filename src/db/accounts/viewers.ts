/**
 * The user whom a statement serves: the one behind an API token, an access token or a session. Every statement on a user's behalf
 * joins this row first, so a token that was reset or has ended and a session that has ended find nothing, also if that happened
 * after an earlier check.
 */
import { type SQL, sql, type Table } from "drizzle-orm";
import { alias, as, optional } from "../query.ts";
import { memberships } from "../schema.ts";
import { isCaller, type TokenViewer, apiToken as t, accessToken as x } from "./api-tokens.ts";
import { isCurrent, session as s } from "./sessions.ts";

/** Part of the values of its statements. `now` is in milliseconds since 1970. */
export type Viewer = TokenViewer | { by: "session"; idHash: string; now: number };

/** The membership of the viewer in the app of the request, for statements that join it. */
export const membership = alias(memberships, "m");
const appToken = sql.placeholder("appToken");
const other = alias(memberships, "o");

/** `isAllowed` restricts the apps of a viewer who is not allowed all of the user's apps, and `isForOtherApp` is true for another one. */
const gateOf = (
  name: Viewer["by"],
  source: Table,
  userId: SQL<number>,
  isViewer: SQL,
  { isAllowed = sql``, isForOtherApp = sql<number>`0` } = {},
) => {
  const isOwn = sql`${membership.userId} = ${userId}${isAllowed}`;
  return {
    name,
    /** The row of the token or the session, for FROM, and the condition that selects it. */
    from: as(source),
    isViewer,
    userId,
    /** The membership `m` is one of the viewer's. */
    isOwn,
    /** It is that of the app of the request. */
    isMember: sql`${isOwn} AND ${membership.appToken} = ${appToken}`,
    /** `appToken` is null if the app does not exist, the user is not a member of it, or the viewer is not allowed to use it. */
    appAccess: { userId, ...optional({ appToken: membership.appToken }), isForOtherApp },
  };
};
export type Gate = ReturnType<typeof gateOf>;

const GATES = {
  token: gateOf("token", t, sql<number>`${t.userId}`, isCaller.token),
  access: gateOf("access", x, sql<number>`${x.userId}`, isCaller.access, {
    isAllowed: sql` AND ${membership.appToken} = coalesce(${x.appToken}, ${membership.appToken})`,
    // Reads the membership only for another app than that of the token.
    isForOtherApp: sql<number>`iif(${x.appToken} <> ${appToken}, EXISTS (
      SELECT 1 FROM ${as(other)} WHERE ${other.userId} = ${x.userId} AND ${other.appToken} = ${appToken}
    ), 0)`,
  }),
  session: gateOf("session", s, sql<number>`${s.userId}`, isCurrent),
};

/** Builds a statement, or several, once for each kind of viewer that uses it. */
export function perViewer<S>(build: (gate: Gate) => S): (viewer: Viewer) => S {
  const built: Partial<Record<Viewer["by"], S>> = {};
  return ({ by }) => {
    built[by] ??= build(GATES[by]);
    return built[by];
  };
}

export interface AppAccess {
  userId: number;
  appToken: string | null;
  /** 1 if the user is a member of the app, but the token is for another one. */
  isForOtherApp: number;
}
