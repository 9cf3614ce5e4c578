/** Records engagements in the ledger. Triggers update the totals of the pending costs that they match. */

import { sql } from "drizzle-orm";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement } from "../../domain/costs.ts";
import { runIdempotent, statement } from "../statement.ts";
import { replicateCredentials } from "./credential-copies.ts";
import {
  fence,
  isAbortedBySql,
  type Ledger,
  type LedgerKey,
  onlyResult,
  runOnShards,
  type ShardResult,
} from "./shards.ts";

/** An engagement to record, under the partner in effect for its link. */
export interface NewEngagement extends Engagement {
  partnerId: number;
  costId: string;
  kind: Kind;
  appToken: string;
  linkId: number;
}

const insertion = statement<{ partner_id: number; cost_id: string; kind: Kind }>(sql`
  INSERT INTO engagements
    (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible, url_cost_type, url_currency, url_amount)
  SELECT j.value ->> 'partnerId', j.value ->> 'costId', j.value ->> 'kind', j.value ->> 'appToken', j.value ->> 'linkId',
    j.value ->> 'occurredAt', j.value ->> 'eligible', j.value ->> 'urlCostType', j.value ->> 'urlCurrency',
    j.value ->> 'urlAmount'
  FROM json_each(${sql.placeholder("engagements")}) j WHERE true
  ORDER BY j.value ->> 'occurredAt'
  ON CONFLICT DO NOTHING
  RETURNING partner_id, cost_id, kind
`);

/** For a shard: aborts the batch if a partner is not copied yet, because the triggers need the partner's integrated types. */
const hasPartners = statement(sql`
  SELECT json(iif(EXISTS (SELECT 1 FROM partners p WHERE p.id = j.value ->> 'partnerId'), 'true', 'no copy'))
  FROM json_each(${sql.placeholder("engagements")}) j
`);

/**
 * Records engagements with one insert per database. Only the first of a (partner, cost ID, kind) is kept, so a call can be
 * repeated. The results list the engagements that this call recorded.
 */
export function insertEngagements(
  ledger: Ledger,
  engagements: NewEngagement[],
): Promise<ShardResult<NewEngagement, LedgerKey[]>[]> {
  return runOnShards(ledger, engagements, async (db, some, size) => {
    const values = { engagements: JSON.stringify(some), size };
    const isShard = db !== ledger.control;
    const insert = () =>
      runIdempotent(
        db,
        fence(db, values),
        insertion(db, values),
        ...(isShard ? [hasPartners(db, values)] : []),
      );
    const [, rows] = await insert().catch(async (error) => {
      if (!isShard || !isAbortedBySql(error)) throw error;
      await replicateCredentials(ledger, [db]);
      return insert();
    });
    return rows.map((row) => ({ partnerId: row.partner_id, costId: row.cost_id }));
  });
}

/** Records one engagement. Returns whether it was the first. */
export async function insertEngagement(ledger: Ledger, engagement: NewEngagement): Promise<boolean> {
  return onlyResult(await insertEngagements(ledger, [engagement])).length > 0;
}
