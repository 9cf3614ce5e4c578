/** Integration rounds: stores submissions with a test credential, up to a limit and separate from the ledger's costs. */

import { type SQL, sql } from "drizzle-orm";
import { type CostType, toTypes } from "../../domain/cost-types.ts";
import type { Engagements } from "../../domain/costs.ts";
import type { RoundEngagement, RoundEntry, RoundRecord } from "../../domain/round-findings.ts";
import type { Range } from "../keyset.ts";
import { ENGAGEMENT_RETENTION_MS } from "../ledger/purge.ts";
import {
  type EngagementRow,
  engagementsOfIds,
  findOnShards,
  MAX_INCLUDED,
  readOnShards,
  roundReading,
  roundStatements,
} from "../ledger/round-engagements.ts";
import type { Ledger } from "../ledger/shards.ts";
import { chunk, runBatch, statement, type Value } from "../statement.ts";
import { type Actor, operator, operatorList, runAsOperator } from "./audit.ts";

/** A round stores at most this many entries and discards later ones. */
export const MAX_ROUND_ENTRIES = 1_000;

export interface RoundRow {
  id: number;
  partner_id: number;
  display_name: string;
  cost_types: number;
  state: "open" | "closed" | "approved";
  opened_at: number;
  ended_at: number | null;
  entry_count: number;
}

const roundColumns = sql`
  x.id, x.partner_id, x.cost_types, x.state, x.opened_at, x.ended_at, x.entry_count,
  (SELECT display_name FROM partners WHERE id = x.partner_id) AS display_name
`;

export const listRounds = operatorList<RoundRow>("rounds", { columns: roundColumns });
/** Takes `partnerId`. */
export const listRoundsOfPartner = operatorList<RoundRow>("rounds", {
  columns: roundColumns,
  where: sql`x.partner_id = ${sql.placeholder("partnerId")}`,
});

const tokenHash = sql.placeholder("tokenHash");
const id = sql.placeholder("id");

/** A FROM clause with a round `x`: the round of a test credential, or the round with an ID for an operator. */
const ofCredential = sql`credentials c CROSS JOIN rounds x ON x.id = c.round_id AND c.token_hash = ${tokenHash}`;
const ofOperator = sql`${operator} CROSS JOIN rounds x ON x.id = ${id}`;

interface EntryRow {
  number: number;
  received_at: number;
  cost_id: string | null;
  record: string;
}

export interface TestCredential {
  partnerId: number;
  /** The cost types of the credential. */
  costTypes: CostType[];
  revoked: boolean;
  /** Null for a credential without a round. */
  round: {
    id: number;
    partnerId: number;
    state: RoundRow["state"];
    costTypes: CostType[];
    entryCount: number;
  } | null;
}

interface TestCredentialRow {
  cost_types: number;
  revoked_at: number | null;
  round_id: number | null;
  partner_id: number;
  state: RoundRow["state"];
  round_types: number;
  entry_count: number;
}

const testCredential = statement<TestCredentialRow>(sql`
  SELECT c.cost_types, c.revoked_at, x.id AS round_id, c.partner_id, x.state, x.cost_types AS round_types, x.entry_count
  FROM credentials c LEFT JOIN rounds x ON x.id = c.round_id
  WHERE c.token_hash = ${tokenHash}
`);
const entriesOfIds = statement<EntryRow>(sql`
  SELECT n.number, n.received_at, n.cost_id, n.record
  FROM ${ofCredential} CROSS JOIN round_entries n ON n.round_id = x.id
  WHERE n.cost_id IN (SELECT value FROM json_each(${sql.placeholder("costIds")}))
  ORDER BY n.number
`);
const engagementsOfSent = engagementsOfIds(ofCredential);

/** Reads the entries and engagements of cost IDs sent with a test credential; `credential` is undefined if it is unknown. */
export async function findTestContext(
  ledger: Ledger,
  hash: string,
  ids: string[],
): Promise<{
  credential: TestCredential | undefined;
  entries: RoundEntry[];
  engagements: RoundEngagement[];
}> {
  const db = ledger.control;
  const values = { tokenHash: hash, costIds: JSON.stringify(ids) };
  const [[row], entries, engagements] = await runBatch(
    db,
    testCredential(db, values),
    entriesOfIds(db, values),
    engagementsOfSent(db, values),
  );
  if (!row) return { credential: undefined, entries: [], engagements: [] };
  const round = row.round_id !== null && {
    id: row.round_id,
    partnerId: row.partner_id,
    state: row.state,
    costTypes: toTypes(row.round_types),
    entryCount: row.entry_count,
  };
  return {
    credential: {
      partnerId: row.partner_id,
      costTypes: toTypes(row.cost_types),
      revoked: row.revoked_at !== null,
      round: round || null,
    },
    entries: entries.map(toEntry),
    engagements: [...engagements, ...(await findOnShards(ledger, row.partner_id, ids))].map(toEngagement),
  };
}

// An entry travels as a JSON array [cost_id, record].
const entryInserts = statement<{ number: number }>(sql`
  INSERT INTO round_entries (round_id, number, received_at, cost_id, record)
  SELECT x.id, x.entry_count + j.key + 1, ${sql.placeholder("now")}, j.value ->> 0, j.value ->> 1
  FROM ${ofCredential} CROSS JOIN json_each(${sql.placeholder("entries")}) j
  WHERE c.revoked_at IS NULL AND x.state = 'open' AND x.entry_count + j.key < ${sql.raw(String(MAX_ROUND_ENTRIES))}
  RETURNING number
`);

/** An entry may have 10 KB, and one parameter holds 2 MB. */
const ENTRIES_PER_STATEMENT = 100;

/** Stores submissions in their order, up to the limit of the round. Returns how many were stored. */
export async function insertEntries(
  db: D1Database,
  hash: string,
  entries: Omit<RoundEntry, "number" | "receivedAt">[],
  now: number,
): Promise<number> {
  const rows = entries.map(({ costId, ...record }) => [costId, JSON.stringify(record)]);
  const inserts = chunk(rows, ENTRIES_PER_STATEMENT).map((part) =>
    entryInserts(db, { tokenHash: hash, entries: JSON.stringify(part), now }),
  );
  return (await runBatch(db, ...inserts)).flat().length;
}

function toEntry(row: EntryRow): RoundEntry {
  const record: Omit<RoundEntry, "number" | "receivedAt" | "costId"> = JSON.parse(row.record);
  // The stored number is authoritative: concurrent submissions are numbered when they are inserted.
  return { ...record, number: row.number, receivedAt: row.received_at, costId: row.cost_id };
}

function toEngagement(row: EngagementRow): RoundEngagement {
  return { ...row, eligible: row.eligible === 1 };
}

/** Selects the engagements with a cost ID. A round ignores whether cost data was on for the link. */
export function engagementsOf(costId: string, engagements: RoundEngagement[]): Engagements {
  return Object.fromEntries(
    engagements
      .filter((engagement) => engagement.costId === costId)
      .map(({ costId: _, kind, ...engagement }) => [kind, { ...engagement, eligible: true }]),
  );
}

/** The data of a report. `final` is the report stored at the end of the round. */
export interface FoundRound {
  row: RoundRow;
  final: string | null;
  record: RoundRecord;
}

const entryNames = sql`round_entries n ON n.round_id = x.id`;

/** The statements that read the round `x` of a FROM clause. An ended round has its final report, so they read nothing else. */
function reading(from: SQL) {
  const open = sql`x.state = 'open'`;
  return {
    round: statement<FoundRow>(sql`
      SELECT ${roundColumns}, x.final_report,
        (SELECT integrated_types FROM partners WHERE id = x.partner_id) AS integrated_types
      FROM ${from}
    `),
    entries: statement<EntryRow>(sql`
      SELECT n.number, n.received_at, n.cost_id, n.record
      FROM ${from} CROSS JOIN round_entries n ON n.round_id = x.id WHERE ${open} ORDER BY n.number
    `),
    dismissals: statement<{ finding: string }>(sql`
      SELECT d.finding FROM ${from} CROSS JOIN round_dismissals d ON d.round_id = x.id WHERE ${open}
    `),
    engagements: roundReading(from, entryNames),
  };
}

type FoundRow = RoundRow & { final_report: string | null; integrated_types: number };

function statementsOf(read: ReturnType<typeof reading>, db: D1Database, values: Record<string, Value>) {
  return [
    read.round(db, values),
    read.entries(db, values),
    read.dismissals(db, values),
    ...roundStatements(read.engagements, db, values),
  ] as const;
}

async function toFound(
  ledger: Ledger,
  now: number,
  [row]: FoundRow[],
  entries: EntryRow[],
  dismissals: { finding: string }[],
  [scan]: { overrun: number }[],
  named: EngagementRow[],
  recent: EngagementRow[],
): Promise<FoundRound | undefined> {
  if (!row) return undefined;
  const { final_report, integrated_types, ...round } = row;
  const costIds = [...new Set(entries.flatMap(({ cost_id }) => cost_id ?? []))];
  const more =
    round.state === "open"
      ? await readOnShards(ledger, { partnerId: round.partner_id, openedAt: round.opened_at, costIds })
      : { named: [], recent: [], overrun: false };
  const included = [...recent, ...more.recent];
  const overrun = included.length > MAX_INCLUDED || scan?.overrun === 1 || more.overrun;
  return {
    row: round,
    final: final_report,
    record: {
      costTypes: toTypes(round.cost_types),
      liveTypes: toTypes(integrated_types),
      entries: entries.map(toEntry),
      engagements: [...named, ...more.named, ...included.slice(0, MAX_INCLUDED)].map(toEngagement),
      dismissed: new Set(dismissals.map((dismissal) => dismissal.finding)),
      openedAt: round.opened_at,
      complete: !overrun && now - round.opened_at <= ENGAGEMENT_RETENTION_MS,
    },
  };
}

const forPartner = reading(ofCredential);
const forOperator = reading(ofOperator);

/** Finds the round of a credential. `credential` is undefined if it is unknown, `found` if it has no round. */
export async function findRoundOfCredential(ledger: Ledger, hash: string, now: number) {
  const db = ledger.control;
  const values = { tokenHash: hash, costIds: "[]" };
  const [[credential], ...read] = await runBatch(
    db,
    testCredential(db, values),
    ...statementsOf(forPartner, db, values),
  );
  return {
    credential: credential && {
      partnerId: credential.partner_id,
      revoked: credential.revoked_at !== null,
    },
    found: await toFound(ledger, now, ...read),
  };
}

export async function findRound(ledger: Ledger, actor: Actor, roundId: number) {
  const values = { ...actor, id: roundId };
  const statements = statementsOf(forOperator, ledger.control, values);
  const { access, rows } = await runAsOperator(ledger.control, actor, ...statements);
  return { access, found: await toFound(ledger, actor.now, ...rows) };
}

const listEntryRows = operatorList<EntryRow & { id: number }>(
  "(SELECT number AS id, number, round_id, received_at, cost_id, record FROM round_entries)",
  {
    columns: sql`x.*`,
    where: sql`x.round_id = ${sql.placeholder("roundId")}`,
    within: sql`EXISTS (SELECT 1 FROM rounds WHERE id = ${sql.placeholder("roundId")})`,
  },
);

/** Reads one page of a round's entries. */
export async function listEntries(db: D1Database, actor: Actor, range: Range, roundId: number) {
  const { rows, ...found } = await listEntryRows(db, actor, range, { roundId });
  return { ...found, rows: rows.map((row) => ({ id: row.id, ...toEntry(row) })) };
}
