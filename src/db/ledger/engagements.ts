/** Records engagements in the ledger. Triggers update the totals of the pending costs that they match. */

import { sql } from "drizzle-orm";
import type { Kind } from "../../domain/cost-types.ts";
import type { Engagement } from "../../domain/costs.ts";
import { names, returning } from "../query.ts";
import { engagements, partners } from "../schema.ts";
import { type Bound, statement } from "../statement.ts";
import { fence, onlyResult, runOnShards } from "./run.ts";
import type { Ledger } from "./shards.ts";

/** An engagement to record, under the partner in effect for its link. */
export interface NewEngagement extends Engagement {
  partnerId: number;
  costId: string;
  kind: Kind;
  appToken: string;
  linkId: number;
}

const e = engagements;
const insertion = returning(
  sql`INSERT INTO ${e} (${names(e.partnerId, e.costId, e.kind, e.appToken, e.linkId, e.occurredAt, e.eligible)},
      ${names(e.urlCostType, e.urlCurrency, e.urlAmount)})
    SELECT j.value ->> 'partnerId', j.value ->> 'costId', j.value ->> 'kind', j.value ->> 'appToken', j.value ->> 'linkId',
      j.value ->> 'occurredAt', j.value ->> 'eligible', j.value ->> 'urlCostType', j.value ->> 'urlCurrency',
      j.value ->> 'urlAmount'
    FROM json_each(${sql.placeholder("engagements")}) j WHERE true
    ORDER BY j.value ->> 'occurredAt'
    ON CONFLICT DO NOTHING`,
  { costId: e.costId },
);

/** For a shard: aborts the batch if a partner is not copied yet, because the triggers need the partner's integrated types. */
const hasPartners = statement(sql`
  SELECT json(iif(EXISTS (SELECT 1 FROM ${partners} WHERE ${partners.id} = j.value ->> 'partnerId'), 'true', 'no copy'))
  FROM json_each(${sql.placeholder("engagements")}) j
`);

/**
 * Records engagements with one insert per database. Only the first of a (partner, cost ID, kind) is kept, so a call can be
 * repeated. The rows of the second statement are the engagements that this call recorded.
 */
export function insertEngagements(ledger: Ledger, added: NewEngagement[]) {
  return runOnShards(ledger, added, (db, some, size) => {
    const values = { engagements: JSON.stringify(some), size };
    const onShard: Bound<unknown>[] = db === ledger.control ? [] : [hasPartners(db, values)];
    return [fence(db, values), insertion(db, values), ...onShard];
  });
}

/** Records one engagement. Returns whether it was the first. */
export async function insertEngagement(ledger: Ledger, engagement: NewEngagement): Promise<boolean> {
  const [, recorded] = onlyResult(await insertEngagements(ledger, [engagement]));
  return recorded.length > 0;
}
