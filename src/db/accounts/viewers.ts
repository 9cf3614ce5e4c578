/**
 * The user whom a statement serves: the one behind an API token or a session. Every statement on a user's behalf joins this row
 * first, so a token that was reset and a session that has ended find nothing, also if that happened after an earlier check.
 */
import { type SQL, sql, type Table } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { as, optional } from "../query.ts";
import { memberships } from "../schema.ts";
import { isCaller, t } from "./api-tokens.ts";
import { isCurrent, s } from "./sessions.ts";

/** Part of the values of its statements. `now` is in milliseconds since 1970. */
export type Viewer = { by: "token"; tokenHash: string } | { by: "session"; idHash: string; now: number };

/** The membership of the viewer in the app of the request, for statements that join it. */
export const m = alias(memberships, "m");

const gateOf = (name: Viewer["by"], source: Table, userId: SQL<number>, isViewer: SQL) => ({
  name,
  /** The row of the token or the session, for FROM, and the condition that selects it. */
  from: as(source),
  isViewer,
  userId,
  isMember: sql`${m.userId} = ${userId} AND ${m.appToken} = ${sql.placeholder("appToken")}`,
  /** `appToken` is null when the app does not exist or the user is not a member of it. */
  appAccess: { userId, ...optional({ appToken: m.appToken }) },
});
export type Gate = ReturnType<typeof gateOf>;

const GATES = {
  token: gateOf("token", t, sql<number>`${t.userId}`, isCaller),
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
}
