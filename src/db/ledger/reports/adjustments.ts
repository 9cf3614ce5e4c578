/** Reads the adjustments that the reports of an app include, newest day first. */
import { type SQL, sql } from "drizzle-orm";
import type { DayRange } from "../../../domain/time.ts";
import { membership as m, perViewer, type Viewer } from "../../accounts/viewers.ts";
import { link as l } from "../../links/lists.ts";
import { alias, as, pick, query, type RowOf } from "../../query.ts";
import { adjustments } from "../../schema.ts";
import type { Bound } from "../../statement.ts";
import { equals } from "./sources.ts";
import { type Filters, toValues } from "./statements.ts";
import { BELOW, IDS_BELOW } from "./totals.ts";

const a = alias(adjustments, "a");
const fields = {
  day: a.day,
  token: l.token,
  label: l.label,
  ...pick(a, "partnerId", "costType", "currency"),
  /** In units of 0.00000001. As text, because it may exceed 2^53. */
  amount: sql<string>`CAST(${a.amount} AS TEXT)`,
  reason: a.reason,
};

export type Adjustment = RowOf<typeof fields>;

/** So many are read. */
export const MOST_ADJUSTMENTS = 100;

const statementFor = (isOfLink: SQL) =>
  perViewer(({ from, isMember, isViewer }) =>
    query(
      fields,
      sql`FROM ${from} CROSS JOIN ${as(m)} ON ${isMember}
      CROSS JOIN ${as(a)} ON ${a.appToken} = ${m.appToken} AND ${a.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")}
        AND ${equals(a.partnerId, "partnerId")} AND ${equals(a.costType, "costType")}${isOfLink}
      CROSS JOIN ${as(l)} ON ${l.id} = ${a.linkId}
      WHERE ${isViewer} ORDER BY ${a.day} DESC, ${a.id} DESC LIMIT ${sql.raw(String(MOST_ADJUSTMENTS))}`,
    ),
  );
const ofApp = statementFor(sql``);
const belowLink = statementFor(sql` AND ${a.linkId} IN (${BELOW} ${IDS_BELOW})`);

/** For a batch of the viewer. */
export function findAdjustments(
  db: D1Database,
  viewer: Viewer,
  appToken: string,
  { from, to, link, direct, partnerId, costType }: DayRange & Filters,
): Bound<Adjustment> {
  const values = { ...toValues({ link, direct, partnerId, costType }), from, to };
  return (link === undefined ? ofApp : belowLink)(viewer)(db, { ...values, ...viewer, appToken });
}
