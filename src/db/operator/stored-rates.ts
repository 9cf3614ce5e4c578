/** Stores the rates of every partner once a day, in all apps and in each, because a page cannot read the ledger for all of them. */
import { sql } from "drizzle-orm";
import { type CostType, toTypes } from "../../domain/cost-types.ts";
import type { RateCounts } from "../../domain/figures/rates.ts";
import { HOUR_MS } from "../../domain/time.ts";
import { findAppRates, storeAppRates } from "../alerts/app-rates.ts";
import { databasesOf, type Ledger } from "../ledger/shards.ts";
import { alias, as, insertInto, jsonValues, limitTo, query, type RowOf, type Sent } from "../query.ts";
import { partnerRates, partners } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";
import { findRates } from "./rates.ts";

/** A little less than a day, so that every partner has its turn at about the same hour. */
const LIFE_MS = 23 * HOUR_MS;
/** The calls to D1 of one run. */
const MAX_CALLS = 72;

const p = alias(partners, "p");
const computed = sql`coalesce((SELECT min(${partnerRates.computedAt}) FROM ${partnerRates} WHERE ${partnerRates.partnerId} = ${p.id}), 0)`;
const due = query(
  {
    id: p.id,
    integratedTypes: p.integratedTypes,
  },
  sql`FROM ${as(p)} WHERE ${p.integratedTypes} <> 0 AND ${computed} <= ${sql.placeholder("before")}
    ORDER BY ${computed} ${limitTo("limit")}`,
);

const sent = jsonValues("costType", "matched", "recorded", "expected", "agreeing");
const partnerId = sql.placeholder("partnerId");
const remove = statement(sql`DELETE FROM ${partnerRates} WHERE ${partnerRates.partnerId} = ${partnerId}`);
const add = statement(sql`
  ${insertInto(partnerRates, { ...sent, partnerId, computedAt: sql.placeholder("now") })}
  FROM json_each(${sql.placeholder("rates")}) j
`);

/** For the cron, which runs every hour. Each run counts some of the partners whose rates are a day old, the oldest first. */
export async function storeRates(ledger: Ledger, now: number): Promise<void> {
  const { control } = ledger;
  const limit = Math.max(1, Math.floor(MAX_CALLS / (2 * databasesOf(ledger).length + 1)));
  const [partnersDue] = await runBatch(control, due(control, { before: now - LIFE_MS, limit }));
  for (const { id, integratedTypes } of partnersDue) {
    const { counts } = await findRates(ledger, id, now);
    const rates: Sent<typeof sent>[] = toStored({ id, integratedTypes }, counts, now);
    const ofApps = await findAppRates(ledger, id, now);
    const types = toTypes(integratedTypes);
    const values = { partnerId: id, now, rates: JSON.stringify(rates) };
    await runBatch(
      control,
      remove(control, values),
      add(control, values),
      ...storeAppRates(
        control,
        id,
        ofApps.filter(({ costType }) => types.includes(costType)),
      ),
    );
  }
}

const fields = {
  partnerId: partnerRates.partnerId,
  costType: partnerRates.costType,
  computedAt: partnerRates.computedAt,
  matched: partnerRates.matched,
  recorded: partnerRates.recorded,
  expected: partnerRates.expected,
  agreeing: partnerRates.agreeing,
};
export type StoredRate = RowOf<typeof fields> & { costType: CostType };
/** Those of at most 1,000 partners. */
export const storedRates = query(fields, sql`FROM ${partnerRates} LIMIT 4000`);

/** The rates of the live types of a partner, as they are stored. */
export function toStored(
  { id, integratedTypes }: { id: number; integratedTypes: number },
  counts: RateCounts[],
  now: number,
): StoredRate[] {
  const types = toTypes(integratedTypes);
  return counts
    .filter(({ costType }) => types.includes(costType))
    .map(({ costType, matched, recorded, discrepancy }) => ({
      ...{ partnerId: id, computedAt: now, costType, matched, recorded },
      expected: discrepancy?.expected ?? null,
      agreeing: discrepancy?.agreeing ?? null,
    }));
}
