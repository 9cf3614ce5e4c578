/** Partners, as operators manage them: names, parameter templates, and the integration of each cost type. */
import { getTableColumns, sql } from "drizzle-orm";
import { type Change, insertInto, setGiven, toValues } from "../changes.ts";
import { query, type RowOf, returning } from "../query.ts";
import { credentials, partners, rounds } from "../schema.ts";
import { runForRow } from "../statement.ts";
import { auditChange, type Operator } from "./audit.ts";
import { pagedList } from "./paged-list.ts";

const isOpen = sql`${rounds.partnerId} = ${partners.id} AND ${rounds.state} = 'open'`;
const isLive = sql`${credentials.partnerId} = ${partners.id} AND ${credentials.mode} = 'live' AND ${credentials.revokedAt} IS NULL`;
const fields = {
  ...getTableColumns(partners),
  /** A bit mask. The open rounds of a partner have no cost type in common, so the sum of their masks has the types of all. */
  typesInRound: sql<number>`(SELECT coalesce(sum(${rounds.costTypes}), 0) FROM ${rounds} WHERE ${isOpen})`,
  /** IDs as a JSON array. */
  openRounds: sql<string>`(SELECT json_group_array(${rounds.id}) FROM ${rounds} WHERE ${isOpen})`,
  hasLiveCredential: sql<number>`EXISTS (SELECT 1 FROM ${credentials} WHERE ${isLive})`,
};

/** A partner. Its cost types are bit masks, and its flags are 0 or 1. */
export type PartnerRow = RowOf<typeof fields>;

export const listPartners = pagedList(fields, { from: partners });

const id = sql.placeholder("id");
const byId = query(fields, sql`FROM ${partners} WHERE ${partners.id} = ${id}`);

export function findPartner(db: D1Database, partnerId: number): Promise<PartnerRow | undefined> {
  return runForRow(db, byId(db, { id: partnerId }));
}

const settings = [
  "displayName",
  "serverToServer",
  "clickParameters",
  "impressionParameters",
  "costParameters",
  "maxUrlAmount",
] as const;
const insert = returning(insertInto(partners, ...settings, "supportsCostData", "createdAt"), fields);
const update = returning(
  sql`UPDATE ${partners} SET ${setGiven(partners, ...settings, "stoppedAt")} WHERE ${partners.id} = ${id}`,
  fields,
);

export type NewPartner = Change<typeof partners, (typeof settings)[number]>;
export type PartnerChange = NewPartner & Change<typeof partners, "stoppedAt">;

export function insertPartner(db: D1Database, operator: Operator, partner: NewPartner) {
  const values = { ...toValues({ ...partner, supportsCostData: false }), createdAt: operator.now };
  const entry = auditChange(db, operator, "create partner", "partner", null, partner);
  return runForRow(db, insert(db, values), entry);
}

/** Returns undefined if there is no such partner. */
export function updatePartner(db: D1Database, operator: Operator, partnerId: number, change: PartnerChange) {
  const values = { ...toValues(change), id: partnerId };
  const entry = auditChange(db, operator, "update partner", "partner", partnerId, change);
  return runForRow(db, update(db, values), entry);
}
