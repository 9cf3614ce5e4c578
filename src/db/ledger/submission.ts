/** Judges submitted costs and stores those that are accepted, with one call to D1 and in one transaction per database. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { COST_TYPE_BITS, KINDS_THAT_FIT, type Kind } from "../../domain/cost-types.ts";
import type { Cost, Credential } from "../../domain/costs.ts";
import { type Mismatch, mismatchReason, type Rejection } from "../../domain/rounds/matching.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { as, excluded, names, query, type RowOf, returning } from "../query.ts";
import { ledgerEntries, partners } from "../schema.ts";
import type { Bound, Value } from "../statement.ts";
import { c, credentialFields, isCredential, toCredential } from "./costs.ts";
import { findPartnerId } from "./credential-copies.ts";
import { COLUMNS, e, engagementFields, isRemembered, toEngagements } from "./entries.ts";
import { runOnShards } from "./run.ts";
import type { Ledger } from "./shards.ts";

const now = sql.placeholder("now");
const costs = sql.placeholder("costs");
const window = sql.raw(String(COST_WINDOW_MS));
const p = alias(partners, "p");

// A submitted cost travels as a JSON array.
const sent = {
  costId: sql`j.value ->> 0`,
  costType: sql`j.value ->> 1`,
  currency: sql`j.value ->> 2`,
  amount: sql`j.value ->> 3`,
  tag: sql`j.value ->> 4`,
  bit: sql`(j.value ->> 5)`,
  /** Whether the cost type fits each kind of engagement. */
  fits: { click: sql`(j.value ->> 6)`, impression: sql`(j.value ->> 7)` },
};
const toSent = ({ costId, costType, currency, amount, tag }: Cost) => {
  const fits = (kind: Kind) => Number(KINDS_THAT_FIT[costType].includes(kind));
  return [
    costId,
    costType,
    currency,
    amount,
    tag,
    COST_TYPE_BITS[costType],
    fits("click"),
    fits("impression"),
  ];
};

/** Each submitted cost, with the row of its ID, if there is one. */
const submitted = sql`
  FROM ${as(c)} CROSS JOIN ${as(p)} CROSS JOIN json_each(${costs}) j
  LEFT JOIN ${as(e)} ON ${e.partnerId} = ${c.partnerId} AND ${e.costId} = ${sent.costId} AND ${isRemembered}
  WHERE ${isCredential} AND ${p.id} = ${c.partnerId}
`;

const anyKind = (condition: (kind: Kind) => SQL) =>
  sql`coalesce(${condition("click")}, 0) OR coalesce(${condition("impression")}, 0)`;
const fits = (kind: Kind) => sql`(${sent.fits[kind]} AND ${COLUMNS[kind].occurredAt} IS NOT NULL)`;
const isInWindow = (kind: Kind) =>
  sql`(${sent.fits[kind]} AND abs(${now} - ${COLUMNS[kind].occurredAt}) <= ${window})`;
const isUsable = (kind: Kind) => sql`(${isInWindow(kind)} AND ${COLUMNS[kind].costDataOn})`;

/** Whether the call before this one still counts or waits, so that only a missing amount can be added to it. */
const isBinding = sql`(${e.state} IN ('matched', 'unpriced')
  OR (${e.state} = 'pending' AND ${e.receivedAt} >= ${now} - ${window}))`;
const isSameCost = sql`(${e.costType} = ${sent.costType} AND ${e.currency} = ${sent.currency})`;

/** The design's order: the credential, then the call before this one, then the engagements. */
const verdict = sql<"store" | "duplicate" | "partner_stopped" | Rejection>`CASE
  WHEN NOT (${p.supportsCostData} AND ${c.costTypes} & ${sent.bit}) THEN 'cost_type_not_integrated'
  WHEN ${p.stoppedAt} IS NOT NULL THEN 'partner_stopped'
  WHEN ${isBinding} AND NOT ${isSameCost} THEN 'cost_id_conflict'
  WHEN (${isBinding} OR ${e.state} = 'voided') AND ${isSameCost}
    AND (${sent.amount} IS NULL OR ${sent.amount} = ${e.amount}) THEN 'duplicate'
  WHEN ${isBinding} AND ${e.amount} IS NOT NULL THEN 'cost_id_conflict'
  WHEN ${now} - ${e.matchedAt} > ${window} THEN 'window_closed'
  WHEN (${anyKind(fits)}) AND NOT (${anyKind(isUsable)})
    THEN iif(${anyKind(isInWindow)}, 'cost_data_disabled', 'window_closed')
  ELSE 'store'
END`;

const stateFields = (table: typeof e | typeof ledgerEntries) => ({
  state: table.state,
  matchedKind: table.matchedKind,
  amount: table.amountInEffect,
});
const judgedFields = {
  ...credentialFields,
  ...stateFields(e),
  ...engagementFields,
  receivedAt: e.receivedAt,
  verdict,
};
const judge = query(judgedFields, sql`${submitted} ORDER BY j.rowid`);

const VALUES = [
  ledgerEntries.costType,
  ledgerEntries.currency,
  ledgerEntries.amount,
  ledgerEntries.tag,
  ledgerEntries.receivedAt,
  ledgerEntries.voidState,
];
const storedFields = { costId: ledgerEntries.costId, ...stateFields(ledgerEntries) };
// A call that only adds the amount keeps the time of the first one. After a void, prices on URLs no longer count.
const store = returning(
  sql`INSERT INTO ${ledgerEntries} (${names(ledgerEntries.partnerId, ledgerEntries.costId, ...VALUES)})
    SELECT ${c.partnerId}, ${sent.costId}, ${sent.costType}, ${sent.currency}, ${sent.amount}, ${sent.tag},
      iif(${isBinding}, ${e.receivedAt}, ${now}), iif(${e.voidState} IS NULL, NULL, 'lifted')
    ${submitted} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live' AND ${verdict} = 'store'
    ORDER BY j.rowid
    ON CONFLICT (${names(ledgerEntries.partnerId, ledgerEntries.costId)}) DO UPDATE SET ${excluded(...VALUES)}`,
  storedFields,
);

type JudgedRow = RowOf<typeof judgedFields>;
type StoredRow = RowOf<typeof storedFields>;

/** What the database decided about a cost, and the state of its ID after that. */
export interface Judgement {
  credential: Credential;
  verdict: JudgedRow["verdict"];
  state: StoredRow["state"];
  matchedKind: Kind | null;
  /** In units of 0.00001 of the currency. Null: unpriced. */
  amount: number | null;
  /** Why a pending cost does not match the engagements that have its ID. */
  mismatch: Mismatch | undefined;
}

interface Submission {
  tokenHash: string;
  costs: Cost[];
  now: number;
}
interface Judged {
  judgements: (Judgement | undefined)[];
  errors: unknown[];
}

/**
 * Stores the costs as if each were sent separately, in order. Returns a judgement for each, in order: undefined if its database
 * failed or does not know the credential; `errors` has one error for each failed database. Stores nothing for an unknown
 * credential.
 */
export function submitCosts(ledger: Ledger, submission: Submission): Promise<Judged> {
  return judgeCosts(ledger, submission, (db, values) => [judge(db, values), store(db, values)]);
}

/** Judges costs with different IDs like `submitCosts`, and stores nothing. The state of an ID is then the one before. */
export function checkCosts(ledger: Ledger, submission: Submission): Promise<Judged> {
  return judgeCosts(ledger, submission, (db, values) => [judge(db, values)]);
}

async function judgeCosts(
  ledger: Ledger,
  submission: Submission,
  statementsOf: (db: D1Database, values: Record<string, Value>) => Bound<JudgedRow | StoredRow>[],
): Promise<Judged> {
  const judgements: (Judgement | undefined)[] = submission.costs.map(() => undefined);
  const errors: unknown[] = [];
  const partnerId = await findPartnerId(ledger, submission.tokenHash);
  if (partnerId === undefined) return { judgements, errors };
  const items = submission.costs.map((cost, position) => ({
    partnerId,
    costId: cost.costId,
    cost,
    position,
  }));
  const shared = { tokenHash: submission.tokenHash, now: submission.now };
  const parts = await runOnShards(
    ledger,
    items,
    (db, all) =>
      partsOf(all).flatMap((some) =>
        statementsOf(db, { ...shared, costs: JSON.stringify(some.map(({ cost }) => toSent(cost))) }),
      ),
    (rows) => (rows[0]?.length ?? 0) > 0,
  );
  for (const part of parts) {
    if ("error" in part) {
      errors.push(part.error);
      continue;
    }
    const pieces = partsOf(part.items);
    const size = part.rows.length / pieces.length;
    for (const [number, some] of pieces.entries()) {
      const judged = part.rows[size * number] as JudgedRow[];
      const storedRows = size === 2 ? (part.rows[size * number + 1] as StoredRow[]) : [];
      const stored = new Map(storedRows.map((row) => [row.costId, row]));
      for (const [index, { cost, position }] of some.entries()) {
        const row = judged[index];
        if (row) judgements[position] = toJudgement(cost, row, stored.get(cost.costId), submission.now);
      }
    }
  }
  return { judgements, errors };
}

/** Splits costs so that no part has an ID twice: a repeated ID is judged after its earlier costs were stored. */
function partsOf<Item extends { costId: string }>(items: Item[]): Item[][] {
  const parts: Item[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const number = seen.get(item.costId) ?? 0;
    seen.set(item.costId, number + 1);
    parts[number] ??= [];
    parts[number].push(item);
  }
  return parts;
}

function toJudgement(cost: Cost, judged: JudgedRow, stored: StoredRow | undefined, at: number): Judgement {
  const { state, matchedKind, amount } = stored ?? judged;
  const receivedAt = stored ? at : (judged.receivedAt ?? at);
  return {
    credential: toCredential(judged),
    verdict: judged.verdict,
    state,
    matchedKind,
    amount,
    mismatch:
      state === "pending" ? mismatchReason(cost.costType, toEngagements(judged), receivedAt) : undefined,
  };
}
