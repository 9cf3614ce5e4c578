/**
 * Reads and stores the ledger's costs. Only this file, engagements.ts and purge.ts write the ledger's tables, each ID in the
 * database that shards.ts selects. The SQL of a write checks the credential and the rules of src/domain/matching.ts.
 */
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { COST_TYPE_BITS, toTypes } from "../../domain/cost-types.ts";
import type {
  Cost,
  CostContext,
  Credential,
  Engagement,
  Engagements,
  StoredCost,
} from "../../domain/costs.ts";
import { as, excluded, names, optional, query, type RowOf, returning } from "../query.ts";
import { costStates, costs, credentials, engagements, links, partners } from "../schema.ts";
import { runBatch } from "../statement.ts";
import { findPartnerId } from "./credential-copies.ts";
import { fence, onlyResult, runOnShards } from "./run.ts";
import type { Ledger } from "./shards.ts";

const tokenHash = sql.placeholder("tokenHash");
const now = sql.placeholder("now");
const window = sql.placeholder("window");

const c = alias(credentials, "c");
const p = alias(partners, "p");
const s = alias(costStates, "s");
const l = alias(links, "l");
/** The click and the impression with the ID of a cost, the existing cost with it, and a submitted cost that meets that one. */
const k = alias(engagements, "k");
const i = alias(engagements, "i");
const o = alias(costs, "o");
const sent = alias(costs, "excluded");
/** The columns of a cost that a submission sets. */
const VALUES = [costs.costType, costs.currency, costs.amount, costs.tag, costs.source, costs.receivedAt];

const credentialFields = {
  partnerId: c.partnerId,
  mode: c.mode,
  costTypes: c.costTypes,
  revokedAt: c.revokedAt,
  supportsCostData: p.supportsCostData,
};
const credential = query(
  credentialFields,
  sql`FROM ${as(c)} JOIN ${as(p)} ON ${p.id} = ${c.partnerId} WHERE ${c.tokenHash} = ${tokenHash}`,
);

/** Returns undefined for an unknown credential. */
export async function findCredential({ control }: Ledger, hash: string): Promise<Credential | undefined> {
  const [[row]] = await runBatch(control, credential(control, { tokenHash: hash }));
  return row && toCredential(row);
}

function toCredential(row: RowOf<typeof credentialFields>): Credential {
  return {
    partnerId: row.partnerId,
    mode: row.mode,
    costTypes: toTypes(row.costTypes),
    revoked: row.revokedAt !== null,
    supportsCostData: row.supportsCostData === 1,
  };
}

// A missing row is one NULL instead of a NULL in each of many columns.
const engagementAs = (e: typeof k | typeof i) => sql<string | null>`iif(${e.kind} IS NULL, NULL, json_object(
  'occurredAt', ${e.occurredAt}, 'eligible', json(iif(${e.eligible}, 'true', 'false')),
  'urlCostType', ${e.urlCostType}, 'urlCurrency', ${e.urlCurrency}, 'urlAmount', ${e.urlAmount}
))`;
const engagementFields = { click: engagementAs(k), impression: engagementAs(i) };

function toEngagements(row: RowOf<typeof engagementFields>): Engagements {
  const [click, impression] = [row.click, row.impression].map((text) => parse<Engagement>(text));
  return { ...(click && { click }), ...(impression && { impression }) };
}

function parse<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

const costFields = {
  costType: s.costType,
  currency: s.currency,
  amount: s.amount,
  tag: s.tag,
  source: s.source,
  receivedAt: s.receivedAt,
  kind: s.kind,
  occurredAt: s.occurredAt,
  linkId: s.linkId,
  ...optional({ linkToken: l.token }),
};
const costRecord = query(
  { ...costFields, ...engagementFields },
  sql`FROM ${as(c)} CROSS JOIN ${as(s)} LEFT JOIN ${as(l)} ON ${l.id} = ${s.linkId}
    LEFT JOIN ${as(k)} ON ${s.kind} IS NULL
      AND ${k.partnerId} = ${s.partnerId} AND ${k.costId} = ${s.costId} AND ${k.kind} = 'click'
    LEFT JOIN ${as(i)} ON ${s.kind} IS NULL
      AND ${i.partnerId} = ${s.partnerId} AND ${i.costId} = ${s.costId} AND ${i.kind} = 'impression'
    WHERE ${c.tokenHash} = ${tokenHash} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live'
      AND ${s.partnerId} = ${c.partnerId} AND ${s.costId} = ${sql.placeholder("costId")}`,
);

const linkToken = query({ token: l.token }, sql`FROM ${as(l)} WHERE ${l.id} = ${sql.placeholder("linkId")}`);

/**
 * A stored cost; `amount` is the amount in effect. `kind`, `occurredAt` and `linkToken` belong to its engagement and are null
 * while the cost is pending. `unusable` then holds the engagements with its ID that do not match.
 */
export type CostRecord = RowOf<typeof costFields> & { unusable: Engagements };

/** Finds a partner's own cost with a live credential. */
export async function findCost(
  ledger: Ledger,
  hash: string,
  costId: string,
): Promise<{ credential: Credential | undefined; cost: CostRecord | undefined }> {
  const partnerId = await findPartnerId(ledger, hash);
  if (partnerId === undefined) return { credential: undefined, cost: undefined };
  const parts = await runOnShards(
    ledger,
    [{ partnerId, costId }],
    (db) => [credential(db, { tokenHash: hash }), costRecord(db, { tokenHash: hash, costId })],
    ([known]) => known.length > 0,
  );
  const [[known], [row]] = onlyResult(parts);
  const cost = row && { ...row, unusable: toEngagements(row) };
  // A shard stores no links.
  if (cost?.kind && cost.linkToken === null) {
    const { control } = ledger;
    const [[link]] = await runBatch(control, linkToken(control, { linkId: cost.linkId }));
    cost.linkToken = link?.token ?? null;
  }
  return { credential: known && toCredential(known), cost };
}

// A submitted cost travels as a JSON array [cost_id, cost_type, currency, amount, tag, bit of the cost type].
const [sentId, sentType] = [sql`j.value ->> 0`, sql`j.value ->> 1`];
const submitted = sql`
  FROM ${as(c)}
  CROSS JOIN ${as(p)}
  CROSS JOIN json_each(${sql.placeholder("costs")}) j
  LEFT JOIN ${as(k)} ON ${k.partnerId} = ${c.partnerId} AND ${k.costId} = ${sentId} AND ${k.kind} = 'click'
`;

/** The state before one submitted cost is stored. */
const contextFields = {
  ...credentialFields,
  ...engagementFields,
  existing: sql<string | null>`iif(${o.source} IS NULL, NULL, json_object(
    'costType', ${o.costType}, 'currency', ${o.currency}, 'amount', ${o.amount}, 'source', ${o.source},
    'receivedAt', ${o.receivedAt}
  ))`,
};
const costContexts = query(
  contextFields,
  sql`${submitted}
    LEFT JOIN ${as(i)} ON ${i.partnerId} = ${c.partnerId} AND ${i.costId} = ${sentId} AND ${i.kind} = 'impression'
    LEFT JOIN ${as(o)} ON ${o.partnerId} = ${c.partnerId} AND ${o.costId} = ${sentId}
    WHERE ${c.tokenHash} = ${tokenHash} AND ${p.id} = ${c.partnerId}
    ORDER BY j.rowid`,
);

function toCostContext(cost: Cost, row: RowOf<typeof contextFields>): CostContext {
  return {
    cost,
    credential: toCredential(row),
    engagements: toEngagements(row),
    existing: parse<StoredCost>(row.existing),
  };
}

const isClickUsable = sql`(${sentType} <> 'cpm' AND ${k.eligible} AND abs(${now} - ${k.occurredAt}) <= ${window})`;
const isPastWindow = sql`${costs.receivedAt} < ${sent.receivedAt} - ${window}`;

const store = returning(
  sql`INSERT INTO ${costs} (${names(costs.partnerId, costs.costId, ...VALUES)})
    SELECT ${c.partnerId}, ${sentId}, ${sentType}, j.value ->> 2, j.value ->> 3, j.value ->> 4, 'call', ${now}
    ${submitted}
    LEFT JOIN ${as(i)} ON ${i.partnerId} = ${c.partnerId} AND ${i.costId} = ${sentId}
      AND ${i.kind} = iif(${isClickUsable}, NULL, 'impression')
    WHERE ${c.tokenHash} = ${tokenHash} AND ${p.id} = ${c.partnerId}
      AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live' AND ${p.supportsCostData}
      AND ${c.costTypes} & (j.value ->> 5)
      AND (
        (${k.kind} IS NULL AND ${i.kind} IS NULL)
        OR ${isClickUsable}
        OR (${sentType} <> 'cpc' AND ${i.eligible} AND abs(${now} - ${i.occurredAt}) <= ${window})
      )
    ORDER BY j.rowid
    ON CONFLICT (${names(costs.partnerId, costs.costId)}) DO UPDATE SET ${excluded(...VALUES)}
    WHERE (${costs.source} = 'url' OR ${costs.amount} IS NULL OR ${isPastWindow}) AND EXISTS (
      SELECT 1 FROM ${as(s)}
      WHERE ${s.partnerId} = ${sent.partnerId} AND ${s.costId} = ${sent.costId}
        AND (${s.kind} IS NULL OR abs(${sent.receivedAt} - ${s.occurredAt}) <= ${window})
        AND (
          ${costs.source} = 'url' OR (${s.kind} IS NULL AND ${isPastWindow})
          OR (${s.amount} IS NULL AND ${sent.amount} IS NOT NULL
            AND ${costs.costType} = ${sent.costType} AND ${costs.currency} = ${sent.currency})
        )
    )`,
  { costId: costs.costId },
);

/**
 * The costs of a submission. `contexts` has the state of each before any was stored, in the order of the costs; undefined if its
 * database failed or does not know the credential. `stored` has the IDs that were stored, `errors` one for each failed database.
 */
export interface Submitted {
  contexts: (CostContext | undefined)[];
  stored: string[];
  errors: unknown[];
}

/**
 * Stores the costs that the rules accept, in their order, in one transaction per database. Stores nothing for an unknown
 * credential.
 */
export async function submitCosts(
  ledger: Ledger,
  submission: { tokenHash: string; costs: Cost[]; now: number; windowMs: number },
): Promise<Submitted> {
  const { tokenHash: hash, costs, now: at, windowMs } = submission;
  const submitted: Submitted = { contexts: costs.map(() => undefined), stored: [], errors: [] };
  const partnerId = await findPartnerId(ledger, hash);
  if (partnerId === undefined) return submitted;
  const items = costs.map((cost, position) => ({ partnerId, costId: cost.costId, cost, position }));
  const parts = await runOnShards(
    ledger,
    items,
    (db, some, size) => {
      const rows = some.map(({ cost }) => [
        cost.costId,
        cost.costType,
        cost.currency,
        cost.amount,
        cost.tag,
        COST_TYPE_BITS[cost.costType],
      ]);
      const values = { tokenHash: hash, costs: JSON.stringify(rows), now: at, window: windowMs, size };
      return [fence(db, values), costContexts(db, values), store(db, values)];
    },
    ([, before]) => before.length > 0,
  );
  for (const part of parts) {
    if ("error" in part) {
      submitted.errors.push(part.error);
      continue;
    }
    const [, before, stored] = part.rows;
    for (const [index, { cost, position }] of part.items.entries()) {
      const row = before[index];
      if (row) submitted.contexts[position] = toCostContext(cost, row);
    }
    submitted.stored.push(...stored.map(({ costId }) => costId));
  }
  return submitted;
}
