/** The parameters of URLs that were not used, of many links: by link, parameter and reason. */
import { sql } from "drizzle-orm";
import type { DayRange } from "../../../domain/time.ts";
import { alias, as, pick, query, type RowOf } from "../../query.ts";
import { droppedParameters } from "../../schema.ts";
import { databasesOf, type Ledger, runGated } from "../shards.ts";
import { IDS } from "./totals.ts";

const d = alias(droppedParameters, "d");
const fields = {
  ...pick(d, "linkId", "param", "reason"),
  count: sql<number>`sum(${d.count})`,
  /** The last of the days. */
  last: sql<number>`max(${d.day})`,
};
/** A parameter of a link that was ignored for a reason. */
export type Ignored = RowOf<typeof fields>;

/** What bots open is nobody's error. */
const ofLinks = query(
  fields,
  sql`FROM (${IDS}) ids CROSS JOIN ${as(d)} ON ${d.linkId} = ids.id AND ${d.reason} <> 'bot'
    AND ${d.day} BETWEEN ${sql.placeholder("from")} AND ${sql.placeholder("to")} GROUP BY 1, 2, 3`,
);

/** One call to each database. The rows of different databases are not added up. */
export async function findIgnored(
  ledger: Ledger,
  linkIds: number[],
  { from, to }: DayRange,
): Promise<Ignored[]> {
  const ids = JSON.stringify(linkIds);
  const found = await Promise.all(
    databasesOf(ledger).map((db) => runGated(ledger, db, [ofLinks(db, { ids, from, to })])),
  );
  return found.flat(2);
}
