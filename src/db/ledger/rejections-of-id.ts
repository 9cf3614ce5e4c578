/** The newest rejected costs of a partner with one ID: in the database of the ID those that were judged, in DB those that were invalid. */
import { type SQL, sql } from "drizzle-orm";
import { KEPT_REJECTIONS_MS } from "../../domain/time.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import { recentRejections } from "../schema.ts";
import { runGroupedIdempotent } from "../statement.ts";
import { credential as c, isCredential } from "./entries.ts";
import { type Ledger, runGated } from "./shards.ts";

export const rejection = alias(recentRejections, "r");

export const rejectionFields = {
  code: rejection.code,
  number: rejection.number,
  rejectedAt: rejection.rejectedAt,
  costId: rejection.costId,
  tag: rejection.tag,
  appToken: rejection.appToken,
  params: rejection.params,
};
/** A rejected cost. */
export type RecentRejection = RowOf<typeof rejectionFields>;

const p = (name: string) => sql`${sql.placeholder(name)}`;
export const isKept = sql`${rejection.rejectedAt} >= ${p("now")} - ${sql.raw(String(KEPT_REJECTIONS_MS))}`;

/** The most that are read. */
export const MOST_OF_ID = 5;

const ofId = (from: SQL, partnerId: SQL) =>
  query(
    rejectionFields,
    sql`${from} WHERE ${rejection.partnerId} = ${partnerId} AND ${rejection.costId} = ${p("costId")} AND ${isKept}
    ORDER BY ${rejection.rejectedAt} DESC, ${rejection.number} DESC LIMIT ${sql.raw(String(MOST_OF_ID))}`,
  );
/** Reads those of one database. It has no index by ID: a partner has at most 200 rows for each code. */
export const rejectionsOfId = ofId(sql`FROM ${as(rejection)}`, p("partnerId"));
/** The same, for a live credential. */
export const ownRejectionsOfId = ofId(
  sql`FROM ${as(c)} CROSS JOIN ${as(rejection)} ON ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'`,
  sql`${c.partnerId}`,
);

/** Adds those in DB to those that the database of the ID had, the newest first. `now` in milliseconds since 1970. */
export async function withInvalid(
  ledger: Ledger,
  db: D1Database,
  values: { partnerId: number; costId: string; now: number },
  judged: RecentRejection[],
): Promise<RecentRejection[]> {
  const { control } = ledger;
  if (db === control) return judged;
  const run = runGroupedIdempotent(MOST_OF_ID);
  const [invalid] = await runGated(ledger, control, [rejectionsOfId(control, values)], run);
  return [...judged, ...invalid].sort((one, other) => other.rejectedAt - one.rejectedAt).slice(0, MOST_OF_ID);
}
