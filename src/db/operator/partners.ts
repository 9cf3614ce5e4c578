/** Partners, as operators manage them: names, parameter templates, and the integration of each cost type. */
import { sql } from "drizzle-orm";
import { type CostType, toTypes } from "../../domain/cost-types.ts";
import type { Range } from "../keyset.ts";
import { statement } from "../statement.ts";
import { type Actor, auditStatement, operator, operatorList, runAsOperator, subjectOf } from "./audit.ts";

export interface PartnerRecord {
  id: number;
  displayName: string;
  supportsCostData: boolean;
  serverToServer: boolean;
  clickParameters: string;
  impressionParameters: string;
  costParameters: string;
  integratedTypes: CostType[];
  /** The cost types of its open rounds. */
  typesInRound: CostType[];
  openRounds: number[];
  hasLiveCredential: boolean;
  createdAt: number;
}

interface RecordRow {
  id: number;
  display_name: string;
  supports_cost_data: number;
  server_to_server: number;
  click_parameters: string;
  impression_parameters: string;
  cost_parameters: string;
  integrated_types: number;
  types_in_round: number;
  open_rounds: string | null;
  has_live_credential: number;
  created_at: number;
}

// The open rounds of a partner have no cost type in common, so the sum of their bit masks is the mask of all their types.
const columns = sql`
  x.*,
  (SELECT coalesce(sum(cost_types), 0) FROM rounds WHERE partner_id = x.id AND state = 'open') AS types_in_round,
  (SELECT group_concat(id) FROM rounds WHERE partner_id = x.id AND state = 'open') AS open_rounds,
  EXISTS (SELECT 1 FROM credentials WHERE partner_id = x.id AND mode = 'live' AND revoked_at IS NULL) AS has_live_credential
`;

function toRecord(row: RecordRow): PartnerRecord {
  return {
    id: row.id,
    displayName: row.display_name,
    supportsCostData: row.supports_cost_data === 1,
    serverToServer: row.server_to_server === 1,
    clickParameters: row.click_parameters,
    impressionParameters: row.impression_parameters,
    costParameters: row.cost_parameters,
    integratedTypes: toTypes(row.integrated_types),
    typesInRound: toTypes(row.types_in_round),
    openRounds: row.open_rounds?.split(",").map(Number) ?? [],
    hasLiveCredential: row.has_live_credential === 1,
    createdAt: row.created_at,
  };
}

const listRows = operatorList<RecordRow>("partners", { columns });

export async function listPartnerRecords(db: D1Database, actor: Actor, range: Range) {
  const found = await listRows(db, actor, range);
  return { ...found, rows: found.rows.map(toRecord) };
}

const id = sql.placeholder("id");
const one = statement<RecordRow>(
  sql`SELECT ${columns} FROM ${operator} CROSS JOIN partners x WHERE x.id = ${id}`,
);

export async function findPartnerRecord(db: D1Database, actor: Actor, partnerId: number) {
  const { access, rows } = await runAsOperator(db, actor, one(db, { ...actor, id: partnerId }));
  const [[row]] = rows;
  return { access, partner: row && toRecord(row) };
}

/** The values that an operator sets on a partner. An undefined value is not changed. Templates are stored byte for byte. */
export interface PartnerChange {
  displayName?: string | undefined;
  serverToServer?: boolean | undefined;
  clickParameters?: string | undefined;
  impressionParameters?: string | undefined;
  costParameters?: string | undefined;
  /** Whether costs are accepted. Can be true only for a partner that has integrated a cost type. */
  supportsCostData?: boolean | undefined;
}

const nextId = sql`(SELECT coalesce(max(id), 0) + 1 FROM partners)`;
const insert = statement<{ id: number }>(sql`
  INSERT INTO partners
    (id, display_name, supports_cost_data, server_to_server, click_parameters, impression_parameters, cost_parameters, created_at)
  SELECT ${nextId}, ${sql.placeholder("displayName")}, 0, ${sql.placeholder("serverToServer")},
    ${sql.placeholder("clickParameters")}, ${sql.placeholder("impressionParameters")},
    ${sql.placeholder("costParameters")}, ${sql.placeholder("now")}
  FROM ${operator}
  RETURNING id
`);
const auditInsert = auditStatement("create partner", subjectOf("partner", nextId), sql`true`);
const newest = statement<RecordRow>(sql`
  SELECT ${columns} FROM ${operator} CROSS JOIN partners x WHERE x.id = (SELECT max(id) FROM partners)
`);

export async function insertPartner(db: D1Database, actor: Actor, partner: PartnerChange) {
  const values = { ...actor, ...toValues(partner) };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    auditInsert(db, values, partner),
    insert(db, values),
    newest(db, values),
  );
  const [row] = rows[2];
  return { access, partner: row && toRecord(row) };
}

const supports = sql.placeholder("supportsCostData");
const update = statement(sql`
  UPDATE partners SET
    supports_cost_data = coalesce(${supports}, supports_cost_data),
    display_name = coalesce(${sql.placeholder("displayName")}, display_name),
    server_to_server = coalesce(${sql.placeholder("serverToServer")}, server_to_server),
    click_parameters = coalesce(${sql.placeholder("clickParameters")}, click_parameters),
    impression_parameters = coalesce(${sql.placeholder("impressionParameters")}, impression_parameters),
    cost_parameters = coalesce(${sql.placeholder("costParameters")}, cost_parameters)
  WHERE id = ${id} AND EXISTS (SELECT 1 FROM ${operator}) AND (${supports} IS NOT 1 OR integrated_types <> 0)
`);
const auditUpdate = auditStatement(
  "update partner",
  subjectOf("partner", id),
  sql`EXISTS (SELECT 1 FROM partners WHERE id = ${id} AND (${supports} IS NOT 1 OR integrated_types <> 0))`,
);

/** `partner` is undefined if there is none with this ID. Enabling cost data without an integrated cost type changes nothing. */
export async function updatePartner(db: D1Database, actor: Actor, partnerId: number, change: PartnerChange) {
  const values = { ...actor, ...toValues(change), id: partnerId };
  const { access, rows } = await runAsOperator(
    db,
    actor,
    auditUpdate(db, values, change),
    update(db, values),
    one(db, values),
  );
  const [row] = rows[2];
  return { access, partner: row && toRecord(row) };
}

function toValues(change: PartnerChange) {
  return {
    displayName: change.displayName ?? null,
    serverToServer: change.serverToServer === undefined ? null : Number(change.serverToServer),
    clickParameters: change.clickParameters ?? null,
    impressionParameters: change.impressionParameters ?? null,
    costParameters: change.costParameters ?? null,
    supportsCostData: change.supportsCostData === undefined ? null : Number(change.supportsCostData),
  };
}
