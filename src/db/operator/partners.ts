/** Partners, as operators manage them: names, parameter templates, and the integration of each cost type. */
import { getTableColumns, sql } from "drizzle-orm";
import { auditChange, auditUpdate, givenFields, type Operator } from "../audit.ts";
import { type Change, insertValues, setGiven, toValues } from "../changes.ts";
import { query, type RowOf, returning } from "../query.ts";
import { credentials, partners, rounds } from "../schema.ts";
import { runBatch, runForRow } from "../statement.ts";
import { agreedCurrency, highestUrlAmount } from "../url-prices.ts";
import { addAuditedEvent, type Event } from "../webhooks/outbox.ts";
import { pagedList } from "./lists/paged.ts";
import { activityOf } from "./partner-activity.ts";

const isOpen = sql`${rounds.partnerId} = ${partners.id} AND ${rounds.state} = 'open'`;
const isLive = sql`${credentials.partnerId} = ${partners.id} AND ${credentials.mode} = 'live' AND ${credentials.revokedAt} IS NULL`;
/** Whether prices on URLs count without a limit for the day. */
export const isUnlimited = sql<number>`(${partners.maxUrlSpend} IS NULL AND ${highestUrlAmount(partners)} >= 0)`;
const fields = {
  ...getTableColumns(partners),
  /** A bit mask. The open rounds of a partner have no cost type in common, so the sum of their masks has the types of all. */
  typesInRound: sql<number>`(SELECT coalesce(sum(${rounds.costTypes}), 0) FROM ${rounds} WHERE ${isOpen})`,
  /** IDs as a JSON array. */
  openRounds: sql<string>`(SELECT json_group_array(${rounds.id}) FROM ${rounds} WHERE ${isOpen})`,
  hasLiveCredential: sql<number>`EXISTS (SELECT 1 FROM ${credentials} WHERE ${isLive})`,
  ...activityOf,
  /** The only currency of prices on URLs; null if the cost parameters fix none. */
  urlCurrency: agreedCurrency(partners),
  isUnlimited,
};

/** A partner. Its cost types are bit masks, and its flags are 0 or 1. */
export type PartnerRow = RowOf<typeof fields>;

export const listPartners = pagedList(fields, { from: partners });

const namesOfAll = query(
  {
    id: partners.id,
    name: partners.displayName,
    stoppedAt: partners.stoppedAt,
    supportsCostData: partners.supportsCostData,
    lastCostAt: activityOf.lastCostAt,
    lastClickAt: activityOf.lastClickAt,
  },
  sql`FROM ${partners} ORDER BY ${partners.displayName} COLLATE NOCASE LIMIT 1000`,
);

/** The names of partners, for a choice, with what their state follows from: at most 1,000. */
export async function listPartnerNames(db: D1Database) {
  const [found] = await runBatch(db, namesOfAll(db, {}));
  return found;
}

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
  "maxUrlSpend",
] as const;
/** What follows from the settings. No audit entry has it. */
const derived = ["macros"] as const;
const insert = returning(
  insertValues(partners, ...settings, ...derived, "supportsCostData", "createdAt"),
  fields,
);
const update = returning(
  sql`UPDATE ${partners} SET ${setGiven(partners, ...settings, ...derived, "stoppedAt")} WHERE ${partners.id} = ${id}`,
  fields,
);

export type NewPartner = Change<typeof partners, (typeof settings)[number] | (typeof derived)[number]>;
export type PartnerChange = NewPartner & Change<typeof partners, "stoppedAt">;

export function insertPartner(db: D1Database, operator: Operator, partner: NewPartner) {
  const values = { ...toValues({ ...partner, supportsCostData: false }), createdAt: operator.now };
  const { macros: _, ...audited } = partner;
  const entry = auditChange(db, operator, "create partner", "partner", null, audited);
  return runForRow(db, insert(db, values), entry);
}

const audit = auditUpdate({
  action: "update partner",
  subject: sql`'partner ' || ${partners.id}`,
  row: sql`FROM ${partners} WHERE ${partners.id} = ${id}`,
  fields: givenFields(partners, ...settings, "stoppedAt"),
});

/** Returns undefined if there is no such partner. `stopped`: the event if it was not stopped before. */
export async function updatePartner(
  db: D1Database,
  operator: Operator,
  partnerId: number,
  change: PartnerChange,
  stopped?: Event,
): Promise<PartnerRow | undefined> {
  const values = { ...toValues(change), ...operator, id: partnerId };
  const event = stopped && addAuditedEvent(db, stopped, operator.now, "update partner", "stopped_at");
  const [, [updated]] = await runBatch(db, audit(db, values), update(db, values), ...(event ? [event] : []));
  return updated;
}
