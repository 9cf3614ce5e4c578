/** Finds where the links of an app lead, for its members. Apart from what clicks need, which is loaded first. */

import { sql } from "drizzle-orm";
import type { Destination } from "../../domain/engagements/click-target.ts";
import { membership as m, perViewer } from "../accounts/viewers.ts";
import { alias, as, query } from "../query.ts";
import { apps } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { appFields, destinationFields, toDestination } from "./destinations.ts";
import type { AppScope } from "./lists.ts";

const a = alias(apps, "a");

const ofMember = perViewer(({ from, isMember, isViewer }) => {
  const app = sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} CROSS JOIN ${as(a)} ON ${a.token} = ${m.appToken} WHERE ${isViewer}`;
  return { all: query(destinationFields, app), urls: query(appFields, app) };
});

/** Where the links of an app lead; undefined without access to the app. */
export async function findDestinationOfApp(
  db: D1Database,
  scope: AppScope,
): Promise<Destination | undefined> {
  const [[row]] = await runBatch(db, ofMember(scope).all(db, scope));
  return row && toDestination(row);
}

/** The statement that reads where the links of an app lead, without their own targets. */
export const appUrlsStatement = (db: D1Database, scope: AppScope) => ofMember(scope).urls(db, scope);
