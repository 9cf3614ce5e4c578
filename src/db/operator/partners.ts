/** Partners, as operators manage them: names, parameter templates, and the integration of each cost type. */
import { getTableColumns, sql } from "drizzle-orm";
import { query, type RowOf, returning } from "../query.ts";
import { credentials, partners, rounds } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { auditChange, auditNewRow, type Operator } from "./audit.ts";
import { insertInto, setGiven, toValues } from "./changes.ts";
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

export async function findPartner(db: D1Database, partnerId: number): Promise<PartnerRow | undefined> {
  const [[partner]] = await runBatch(db, byId(db, { id: partnerId }));
  return partner;
}

/** The values that an operator sets on a partner. An undefined value is not changed. Templates are stored byte for byte. */
export interface PartnerChange {
  displayName: string | undefined;
  serverToServer: boolean | undefined;
  clickParameters: string | undefined;
  impressionParameters: string | undefined;
  costParameters: string | undefined;
  /** Whether costs are accepted. Can be true only for a partner that has integrated a cost type. */
  supportsCostData: boolean | undefined;
}

const settings = [
  "displayName",
  "serverToServer",
  "clickParameters",
  "impressionParameters",
  "costParameters",
  "supportsCostData",
] as const;
const insert = returning(insertInto(partners, ...settings, "createdAt"), fields);
const update = returning(
  sql`UPDATE ${partners} SET ${setGiven(partners, ...settings)} WHERE ${partners.id} = ${id}
    AND (${sql.placeholder("supportsCostData")} IS NOT 1 OR ${partners.integratedTypes} <> 0)`,
  fields,
);

export async function insertPartner(db: D1Database, operator: Operator, partner: PartnerChange) {
  const [[inserted]] = await runBatch(
    db,
    insert(db, { ...toValues({ ...partner, supportsCostData: false }), createdAt: operator.now }),
    auditNewRow(db, operator, "create partner", "partner", partner),
  );
  return inserted;
}

/** Returns undefined if there is no such partner, or if it has no integrated cost type that the change could enable. */
export async function updatePartner(
  db: D1Database,
  operator: Operator,
  partnerId: number,
  change: PartnerChange,
) {
  const [[updated]] = await runBatch(
    db,
    update(db, { ...toValues(change), id: partnerId }),
    auditChange(db, operator, "update partner", `partner ${partnerId}`, change),
  );
  return updated;
}
