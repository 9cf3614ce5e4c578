/** Judges submitted costs and stores those that are accepted, with one call to D1 and in one transaction per database. */
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core/alias";
import { COST_TYPE_BITS, KINDS_THAT_FIT, type Kind } from "../../domain/cost-types.ts";
import type { Cost, Credential } from "../../domain/costs.ts";
import { type Mismatch, mismatchReason, type Rejection } from "../../domain/rounds/matching.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { as, excluded, names, optional, query, type RowOf, returning } from "../query.ts";
import { ledgerEntries, partners } from "../schema.ts";
import { type Bound, statement, type Value } from "../statement.ts";
import { c, isCredential } from "./costs.ts";
import { findPartnerId } from "./credential-copies.ts";
import { COLUMNS, e, isRemembered } from "./entries.ts";
import { runOnShards } from "./run.ts";
import { isInPlace, type Ledger } from "./shards.ts";

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

/** Whether the statement before this one has stored none or only some of the costs. */
const isAnyNotStored = sql`changes() < ${sql.placeholder("count")}`;

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
  clickAt: table.clickAt,
  impressionAt: table.impressionAt,
});

const VALUES = [
  ledgerEntries.costType,
  ledgerEntries.currency,
  ledgerEntries.amount,
  ledgerEntries.tag,
  ledgerEntries.receivedAt,
  ledgerEntries.voidState,
];
const storedFields = {
  partnerId: ledgerEntries.partnerId,
  costId: ledgerEntries.costId,
  ...stateFields(ledgerEntries),
};
// A call that only adds the amount keeps the time of the first one. After a void, prices on URLs no longer count.
const store = returning(
  sql`INSERT INTO ${ledgerEntries} (${names(ledgerEntries.partnerId, ledgerEntries.costId, ...VALUES)})
    SELECT ${c.partnerId}, ${sent.costId}, ${sent.costType}, ${sent.currency}, ${sent.amount}, ${sent.tag},
      iif(${isBinding}, ${e.receivedAt}, ${now}), iif(${e.voidState} IS NULL, NULL, 'lifted')
    ${submitted} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live' AND ${verdict} = 'store' AND ${isInPlace}
    ORDER BY j.rowid
    ON CONFLICT (${names(ledgerEntries.partnerId, ledgerEntries.costId)}) DO UPDATE SET ${excluded(...VALUES)}`,
  storedFields,
);

const judgedFields = {
  partnerId: c.partnerId,
  revokedAt: c.revokedAt,
  ...optional(stateFields(e)),
  receivedAt: e.receivedAt,
  verdict,
};
const judge = query(judgedFields, sql`${submitted} AND ${isInPlace} ORDER BY j.rowid`);
/**
 * After `store`: the costs as they are then, unless all were stored. The rows that were not stored are as they were, and judging only
 * them halves the work of a request whose costs are all new.
 */
const judgeRest = query(judgedFields, sql`${submitted} AND ${isAnyNotStored} ORDER BY j.rowid`);

/** In the place of `store`, where nothing is stored. */
const noneStored = statement<StoredRow>(sql`SELECT NULL WHERE false`);

type JudgedRow = RowOf<typeof judgedFields>;
type StoredRow = RowOf<typeof storedFields>;

/** What the database decided about a cost, and the state of its ID after that. */
export interface Judgement {
  credential: Pick<Credential, "partnerId" | "revoked">;
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
  return judgeCosts(ledger, submission, (db, values) => [store(db, values), judgeRest(db, values)]);
}

/** Judges costs with different IDs like `submitCosts`, and stores nothing. The state of an ID is then the one before. */
export function checkCosts(ledger: Ledger, submission: Submission): Promise<Judged> {
  return judgeCosts(ledger, submission, (db, values) => [noneStored(db, {}), judge(db, values)]);
}

async function judgeCosts(
  ledger: Ledger,
  submission: Submission,
  statementsOf: (db: D1Database, values: Record<string, Value>) => [Bound<StoredRow>, Bound<JudgedRow>],
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
  const { tokenHash, now } = submission;
  const parts = await runOnShards(
    ledger,
    items,
    (db, all, place) =>
      partsOf(all).flatMap((some) => {
        const costs = JSON.stringify(some.map(({ cost }) => toSent(cost)));
        return statementsOf(db, { tokenHash, now, costs, count: some.length, ...place });
      }),
    (rows) => rows.some((found) => found.length > 0),
  );
  for (const part of parts) {
    if ("error" in part) {
      errors.push(part.error);
      continue;
    }
    for (const [number, some] of partsOf(part.items).entries()) {
      const stored = new Map(
        (part.rows[number * 2] as StoredRow[]).map((row) => [row.costId, toStored(row, now)]),
      );
      const judged = part.rows[number * 2 + 1] as JudgedRow[];
      for (const [index, { cost, position }] of some.entries()) {
        const row = stored.get(cost.costId) ?? judged[index];
        if (row) judgements[position] = toJudgement(cost, row, now);
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

/** As its judgement before it was stored, with the state after that. */
const toStored = (row: StoredRow, now: number): JudgedRow => ({
  ...row,
  receivedAt: now,
  revokedAt: null,
  verdict: "store",
});

function toJudgement(cost: Cost, row: JudgedRow, now: number): Judgement {
  const { partnerId, revokedAt, verdict, state, matchedKind, amount, clickAt, impressionAt } = row;
  const engagements = {
    ...(clickAt !== null && { click: { occurredAt: clickAt } }),
    ...(impressionAt !== null && { impression: { occurredAt: impressionAt } }),
  };
  const mismatch = () => mismatchReason(cost.costType, engagements, row.receivedAt ?? now);
  return {
    credential: { partnerId, revoked: revokedAt !== null },
    verdict,
    state,
    matchedKind,
    amount,
    mismatch: state === "pending" ? mismatch() : undefined,
  };
}
