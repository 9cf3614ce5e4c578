/** What the rules of operators look at beside activity and spend. */

import { sql } from "drizzle-orm";
import type { Figures } from "../../domain/alerts/rules.ts";
import { MAX_FROM_ENGAGEMENTS, NETWORKS_OF_NEW_SUB_LINKS } from "../../domain/engagements/sub-links.ts";
import { dayOf, RETENTION_MS } from "../../domain/time.ts";
import { databasesOf, type Ledger, nameOf, runGated } from "../ledger/shards.ts";
import { held } from "../operator/lists/partner-facts.ts";
import { storedRates } from "../operator/stored-rates.ts";
import { alias, as, query, type RowOf } from "../query.ts";
import { apps, links, partners } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { lastPurge } from "../upkeep/health.ts";
import { sizesOf } from "../upkeep/sizes.ts";

const partnerFields = {
  id: partners.id,
  name: partners.displayName,
  supportsCostData: partners.supportsCostData,
  stoppedAt: partners.stoppedAt,
};
export const allPartners = query(partnerFields, sql`FROM ${partners}`);
export type PartnerRow = RowOf<typeof partnerFields>;
export const allApps = query({ token: apps.token, name: apps.name }, sql`FROM ${apps}`);

const a = alias(apps, "a");
const l = alias(links, "l");
const today = sql.placeholder("today");
const isFull = sql`(${l.newSubLinkDay} = ${today} AND ${l.newSubLinkCount} >= ${a.maxNewSubLinks})
  OR ${l.fromEngagementCount} >= ${sql.raw(String(MAX_FROM_ENGAGEMENTS))}`;
/** So many networks of an app are read, the oldest first: no index has their counts. */
const MOST_NETWORKS = 500;
/** Apps in which engagements create links these days. */
const fullOfSubLinks = query(
  {
    appToken: sql<string>`a.token`,
    app: sql<string>`a.name`,
    linkToken: sql<string | null>`NULL`,
    link: sql<string | null>`NULL`,
  },
  sql`FROM ${as(a)} WHERE ${a.newSubLinkDay} = ${today}
      AND ${a.newSubLinkCount} >= ${a.maxNewSubLinks} * ${sql.raw(String(NETWORKS_OF_NEW_SUB_LINKS))}
    UNION ALL
    SELECT ${a.token}, ${a.name}, l.token, l.label FROM ${as(a)} CROSS JOIN ${as(l)} ON ${l.id} IN (
      SELECT ${links.id} FROM ${links} INDEXED BY links_by_parent
      WHERE ${links.appToken} = ${a.token} AND ${links.parentId} IS NULL LIMIT ${sql.raw(String(MOST_NETWORKS))}
    ) WHERE ${a.newSubLinkDay} >= ${today} - 1 AND (${isFull})`,
);

/** Throws if a database does not respond. Each says its size with its answer. */
export async function readFigures(
  ledger: Ledger,
  nameOfPartner: (id: number) => string,
  now: number,
): Promise<Omit<Figures, "activity" | "spend" | "nameOf">> {
  const { control } = ledger;
  const firstDay = dayOf(now - RETENTION_MS);
  const [rates, full] = await runBatch(
    control,
    storedRates(control, {}),
    fullOfSubLinks(control, { today: dayOf(now) }),
  );
  const parts = await Promise.all(
    databasesOf(ledger).map(async (db) => {
      const [[last], prices] = await runGated(ledger, db, [lastPurge(db, {}), held(db, { firstDay })]);
      return { database: nameOf(ledger, db), purgedAt: last?.purgedAt || null, prices };
    }),
  );
  const prices = Map.groupBy(
    parts.flatMap(({ prices }) => prices),
    ({ partnerId }) => partnerId,
  );
  const named = (partnerId: number) => ({ partnerId, partner: nameOfPartner(partnerId) });
  return {
    rates: rates.map(({ partnerId, costType, expected, agreeing }) => ({
      ...named(partnerId),
      costType,
      expected,
      agreeing,
    })),
    purges: parts.map(({ database, purgedAt }) => ({ database, purgedAt })),
    sizes: sizesOf(ledger).map(({ name, bytes }) => ({ database: name, bytes })),
    heldPrices: [...prices].map(([partnerId, rows]) => ({
      ...named(partnerId),
      count: rows.reduce((sum, { count }) => sum + count, 0),
    })),
    fullOfSubLinks: full,
  };
}
