/** The links that a partner tests with: those of level 1 to which it is attached, and new ones. */
import { sql } from "drizzle-orm";
import { auditChange, type Operator } from "../audit.ts";
import { type LinkRow, link as l, linkFields } from "../links/lists.ts";
import { alias, as, names, query, returning } from "../query.ts";
import { apps, links, rounds } from "../schema.ts";
import { runBatch } from "../statement.ts";

const appToken = sql.placeholder("appToken");
const x = alias(rounds, "x");

/** The newest ones that the console offers. */
export const MAX_TEST_LINKS = 20;

const isOfPartner = sql`${l.appToken} = ${appToken} AND ${l.parentId} IS NULL
  AND ${l.partnerId} = ${sql.placeholder("partnerId")} AND ${l.archived} = 0`;
const ofPartner = query(
  linkFields,
  sql`FROM ${as(l)} INDEXED BY links_by_partner WHERE ${isOfPartner} ORDER BY ${l.id} DESC LIMIT ${sql.raw(String(MAX_TEST_LINKS))}`,
);
const byToken = query(
  linkFields,
  sql`FROM ${as(l)} WHERE ${l.token} = ${sql.placeholder("token")} AND ${isOfPartner}`,
);

export async function listTestLinks(db: D1Database, appToken: string, partnerId: number): Promise<LinkRow[]> {
  const [found] = await runBatch(db, ofPartner(db, { appToken, partnerId }));
  return found;
}

/** The newest link of level 1 to which the partner is attached, in any app. */
export const newestTestLink = query(
  { ...linkFields, appToken: l.appToken },
  sql`FROM ${apps} CROSS JOIN ${as(l)} INDEXED BY links_by_partner
    WHERE ${apps.archivedAt} IS NULL AND ${l.appToken} = ${apps.token} AND ${l.parentId} IS NULL
      AND ${l.partnerId} = ${sql.placeholder("partnerId")} AND ${l.archived} = 0
    ORDER BY ${l.id} DESC LIMIT 1`,
);

export async function findNewestTestLink(db: D1Database, partnerId: number) {
  const [[found]] = await runBatch(db, newestTestLink(db, { partnerId }));
  return found;
}

/** The link with this token, however many newer ones there are. */
export async function findTestLink(
  db: D1Database,
  values: { token: string; appToken: string; partnerId: number },
): Promise<LinkRow | undefined> {
  const [[found]] = await runBatch(db, byToken(db, values));
  return found;
}

/** The link of the app that was created in the round with this name. */
const sameLink = sql`FROM ${as(x)} CROSS JOIN ${as(l)} INDEXED BY links_by_partner
  WHERE ${x.id} = ${sql.placeholder("id")} AND ${l.appToken} = ${appToken} AND ${l.parentId} IS NULL
  AND ${l.partnerId} = ${x.partnerId}
    AND ${l.archived} = 0 AND ${l.label} = ${sql.placeholder("label")} AND ${l.createdAt} >= ${x.openedAt}`;
const bySameName = query({ token: l.token, id: l.id }, sql`${sameLink} AND ${x.state} = 'open' LIMIT 1`);
const insert = returning(
  sql`INSERT INTO ${links} (${names(links.token, links.appToken, links.level, links.label, links.partnerId, links.createdAt, links.roundId)})
    SELECT ${sql.placeholder("token")}, ${apps.token}, 1, ${sql.placeholder("label")}, ${x.partnerId}, ${sql.placeholder("now")}, ${x.id}
    FROM ${apps} CROSS JOIN ${as(x)}
    WHERE ${apps.token} = ${appToken} AND ${x.id} = ${sql.placeholder("id")} AND ${x.state} = 'open'
      AND ${apps.createdLinkCount} < ${apps.maxLinks} AND ${apps.archivedAt} IS NULL AND NOT EXISTS (SELECT 1 ${sameLink})`,
  { partnerId: links.partnerId },
);

/**
 * Returns the link, which exists already if the same form was sent twice. Returns undefined if there is no such app or
 * open round, or if the app is archived or has its maximum of links.
 */
export async function insertTestLink(
  db: D1Database,
  operator: Operator,
  roundId: number,
  link: { token: string; appToken: string; label: string },
): Promise<{ token: string; id: number } | undefined> {
  const { token, appToken, label } = link;
  const entry = auditChange(db, operator, "create test link", "link", token, {
    app: appToken,
    name: label,
    roundId,
  });
  const values = { ...link, id: roundId, now: operator.now };
  const [, , [found]] = await runBatch(db, insert(db, values), entry, bySameName(db, values));
  return found;
}
