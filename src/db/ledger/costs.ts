/**
 * Reads and stores the ledger's costs. Only this file, engagements.ts and purge.ts write the ledger's tables, each ID in the
 * database that shards.ts selects. The SQL of a write checks the credential and the rules of src/domain/matching.ts.
 */
import { sql } from "drizzle-orm";
import { COST_TYPE_BITS, type CostType, type Kind, toTypes } from "../../domain/cost-types.ts";
import type {
  Cost,
  CostContext,
  Credential,
  Engagement,
  Engagements,
  StoredCost,
} from "../../domain/costs.ts";
import { runBatch, runIdempotent, statement } from "../statement.ts";
import { findPartnerId, replicateCredentials } from "./credential-copies.ts";
import {
  fence,
  isSharded,
  type Ledger,
  type LedgerKey,
  onlyResult,
  runOnShards,
  type ShardResult,
} from "./shards.ts";

const tokenHash = sql.placeholder("tokenHash");
const now = sql.placeholder("now");

interface CredentialRow {
  partner_id: number;
  mode: Credential["mode"];
  cost_types: number;
  revoked_at: number | null;
  supports_cost_data: number;
}

const credential = statement<CredentialRow>(sql`
  SELECT c.partner_id, c.mode, c.cost_types, c.revoked_at, p.supports_cost_data
  FROM credentials c JOIN partners p ON p.id = c.partner_id
  WHERE c.token_hash = ${tokenHash}
`);

/** Returns undefined for an unknown credential. */
export async function findCredential({ control }: Ledger, hash: string): Promise<Credential | undefined> {
  const [[row]] = await runBatch(control, credential(control, { tokenHash: hash }));
  return row && toCredential(row);
}

// The keys are those of Engagement and StoredCost. A missing row is one NULL instead of a NULL in each of many columns.
const engagementAs = (table: "k" | "i") => {
  const column = (name: string) => sql.raw(`${table}.${name}`);
  return sql`iif(${column("kind")} IS NULL, NULL, json_object(
    'occurredAt', ${column("occurred_at")}, 'eligible', json(iif(${column("eligible")}, 'true', 'false')),
    'urlCostType', ${column("url_cost_type")}, 'urlCurrency', ${column("url_currency")}, 'urlAmount', ${column("url_amount")}
  ))`;
};

/**
 * A stored cost. `kind`, `occurredAt` and `linkToken` belong to its engagement and are null while the cost is pending;
 * `unusable` then holds the engagements with its ID that do not match.
 */
export interface CostRecord extends StoredCost {
  tag: string | null;
  kind: Kind | null;
  occurredAt: number | null;
  linkToken: string | null;
  unusable: Engagements;
}

const costRecord = statement<{
  cost_type: CostType;
  currency: string;
  amount: number | null;
  tag: string | null;
  source: StoredCost["source"];
  received_at: number;
  kind: Kind | null;
  occurred_at: number | null;
  link_id: number;
  link_token: string | null;
  click: string | null;
  impression: string | null;
}>(sql`
  SELECT s.cost_type, s.currency, s.amount, s.tag, s.source, s.received_at, s.kind, s.occurred_at, s.link_id,
    l.token AS link_token, ${engagementAs("k")} AS click, ${engagementAs("i")} AS impression
  FROM credentials c CROSS JOIN cost_states s LEFT JOIN links l ON l.id = s.link_id
  LEFT JOIN engagements k ON s.kind IS NULL
    AND k.partner_id = s.partner_id AND k.cost_id = s.cost_id AND k.kind = 'click'
  LEFT JOIN engagements i ON s.kind IS NULL
    AND i.partner_id = s.partner_id AND i.cost_id = s.cost_id AND i.kind = 'impression'
  WHERE c.token_hash = ${tokenHash} AND c.revoked_at IS NULL AND c.mode = 'live'
    AND s.partner_id = c.partner_id AND s.cost_id = ${sql.placeholder("costId")}
`);

const linkToken = statement<{ token: string }>(
  sql`SELECT token FROM links WHERE id = ${sql.placeholder("linkId")}`,
);

/** Finds a partner's own cost with a live credential. `amount` is the amount in effect. */
export async function findCost(
  ledger: Ledger,
  hash: string,
  costId: string,
): Promise<{ credential: Credential | undefined; cost: CostRecord | undefined }> {
  const partnerId = await findPartnerForShard(ledger, hash);
  if (partnerId === undefined) return { credential: undefined, cost: undefined };
  const parts = await runOnShards(ledger, [{ partnerId, costId }], (db) =>
    withReplicatedCredentials(
      ledger,
      db,
      ([known]) => known.length > 0,
      () => runBatch(db, credential(db, { tokenHash: hash }), costRecord(db, { tokenHash: hash, costId })),
    ),
  );
  const [[known], [row]] = onlyResult(parts);
  const cost = row && {
    costType: row.cost_type,
    currency: row.currency,
    amount: row.amount,
    source: row.source,
    receivedAt: row.received_at,
    tag: row.tag,
    kind: row.kind,
    occurredAt: row.occurred_at,
    linkToken: row.link_token,
    unusable: toEngagements(row),
  };
  // A shard stores no links.
  if (cost?.kind && cost.linkToken === null) {
    const { control } = ledger;
    const [[link]] = await runBatch(control, linkToken(control, { linkId: row?.link_id ?? null }));
    cost.linkToken = link?.token ?? null;
  }
  return { credential: known && toCredential(known), cost };
}

/** Finds the partner that selects the shard, 0 when the ledger is not sharded. Returns undefined for an unknown credential. */
async function findPartnerForShard(ledger: Ledger, hash: string): Promise<number | undefined> {
  return isSharded(ledger) ? findPartnerId(ledger, hash) : 0;
}

/** Runs `query`. If a shard does not know the credential, copies all credentials to it and runs `query` again. */
async function withReplicatedCredentials<Result>(
  ledger: Ledger,
  db: D1Database,
  isKnown: (result: Result) => boolean,
  query: () => Promise<Result>,
): Promise<Result> {
  const result = await query();
  if (db === ledger.control || isKnown(result)) return result;
  await replicateCredentials(ledger, [db]);
  return query();
}

/** The state before one submitted cost is stored, as JSON; null for each part that does not exist. */
interface CostContextRow extends CredentialRow {
  click: string | null;
  impression: string | null;
  existing: string | null;
}

// A submitted cost travels as a JSON array [cost_id, cost_type, currency, amount, tag, bit of the cost type].
const submitted = sql`
  FROM credentials c
  CROSS JOIN partners p
  CROSS JOIN json_each(${sql.placeholder("costs")}) j
  LEFT JOIN engagements k ON k.partner_id = c.partner_id AND k.cost_id = j.value ->> 0 AND k.kind = 'click'
`;

const costContexts = statement<CostContextRow>(sql`
  SELECT c.partner_id, c.mode, c.cost_types, c.revoked_at, p.supports_cost_data,
    ${engagementAs("k")} AS click, ${engagementAs("i")} AS impression,
    iif(o.source IS NULL, NULL, json_object(
      'costType', o.cost_type, 'currency', o.currency, 'amount', o.amount, 'source', o.source, 'receivedAt', o.received_at
    )) AS existing
  ${submitted}
  LEFT JOIN engagements i ON i.partner_id = c.partner_id AND i.cost_id = j.value ->> 0 AND i.kind = 'impression'
  LEFT JOIN costs o ON o.partner_id = c.partner_id AND o.cost_id = j.value ->> 0
  WHERE c.token_hash = ${tokenHash} AND p.id = c.partner_id
  ORDER BY j.rowid
`);

const isClickUsable = sql`
  (j.value ->> 1 <> 'cpm' AND k.eligible AND abs(${now} - k.occurred_at) <= ${sql.placeholder("window")})
`;

const isPastWindow = sql`costs.received_at < excluded.received_at - ${sql.placeholder("window")}`;

const store = statement<{ cost_id: string }>(sql`
  INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, tag, source, received_at)
  SELECT c.partner_id, j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, 'call', ${now}
  ${submitted}
  LEFT JOIN engagements i ON i.partner_id = c.partner_id AND i.cost_id = j.value ->> 0
    AND i.kind = iif(${isClickUsable}, NULL, 'impression')
  WHERE c.token_hash = ${tokenHash} AND p.id = c.partner_id
    AND c.revoked_at IS NULL AND c.mode = 'live' AND p.supports_cost_data
    AND c.cost_types & (j.value ->> 5)
    AND (
      (k.kind IS NULL AND i.kind IS NULL)
      OR ${isClickUsable}
      OR (j.value ->> 1 <> 'cpc' AND i.eligible AND abs(${now} - i.occurred_at) <= ${sql.placeholder("window")})
    )
  ORDER BY j.rowid
  ON CONFLICT (partner_id, cost_id) DO UPDATE SET
    cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount, tag = excluded.tag,
    source = excluded.source, received_at = excluded.received_at
  WHERE (costs.source = 'url' OR costs.amount IS NULL OR ${isPastWindow}) AND EXISTS (
    SELECT 1 FROM cost_states s
    WHERE s.partner_id = excluded.partner_id AND s.cost_id = excluded.cost_id
      AND (s.kind IS NULL OR abs(excluded.received_at - s.occurred_at) <= ${sql.placeholder("window")})
      AND (
        costs.source = 'url' OR (s.kind IS NULL AND ${isPastWindow})
        OR (s.amount IS NULL AND excluded.amount IS NOT NULL
          AND costs.cost_type = excluded.cost_type AND costs.currency = excluded.currency)
      )
  )
  RETURNING cost_id
`);

/** The submitted costs of one database: their positions in the request, the state before, and the IDs that were stored. */
export type Submitted = ShardResult<
  LedgerKey & { position: number },
  { costContexts: CostContext[]; stored: string[] }
>;

/**
 * Stores the costs that the rules accept, in their order, in one transaction per database. Returns the state of each before any
 * was stored. For an unknown credential, stores nothing and returns an empty array.
 */
export async function submitCosts(
  ledger: Ledger,
  submission: { tokenHash: string; costs: Cost[]; now: number; windowMs: number },
): Promise<Submitted[]> {
  const { tokenHash: hash, costs, now: at, windowMs } = submission;
  const partnerId = await findPartnerForShard(ledger, hash);
  if (partnerId === undefined) return [];
  const items = costs.map((cost, position) => ({ partnerId, costId: cost.costId, cost, position }));
  return runOnShards(ledger, items, async (db, some, size) => {
    const rows = some.map(({ cost }) => [
      cost.costId,
      cost.costType,
      cost.currency,
      cost.amount,
      cost.tag,
      COST_TYPE_BITS[cost.costType],
    ]);
    const values = { tokenHash: hash, costs: JSON.stringify(rows), now: at, window: windowMs, size };
    const [, before, stored] = await withReplicatedCredentials(
      ledger,
      db,
      ([, known]) => known.length > 0,
      () => runIdempotent(db, fence(db, values), costContexts(db, values), store(db, values)),
    );
    return {
      costContexts: some.flatMap(({ cost }, index) => {
        const row = before[index];
        return row ? [toCostContext(cost, row)] : [];
      }),
      stored: stored.map((row) => row.cost_id),
    };
  });
}

function toCredential(row: CredentialRow): Credential {
  return {
    partnerId: row.partner_id,
    mode: row.mode,
    costTypes: toTypes(row.cost_types),
    revoked: row.revoked_at !== null,
    supportsCostData: row.supports_cost_data === 1,
  };
}

function toCostContext(cost: Cost, row: CostContextRow): CostContext {
  return {
    cost,
    credential: toCredential(row),
    engagements: toEngagements(row),
    existing: parse<StoredCost>(row.existing),
  };
}

function toEngagements(row: Record<Kind, string | null>): Engagements {
  const [click, impression] = [row.click, row.impression].map((text) => parse<Engagement>(text));
  return { ...(click && { click }), ...(impression && { impression }) };
}

function parse<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}
