/** Judges submitted costs and stores those that are accepted, with one call to D1 and in one transaction per database. */
import { type AnyColumn, type SQL, sql } from "drizzle-orm";
import { COST_TYPE, type Kind } from "../../domain/cost-types.ts";
import type { Cost, CostValues, Credential } from "../../domain/costs.ts";
import { findUnusable, toOtherForm } from "../../domain/macros.ts";
import { type Mismatch, mismatchReason } from "../../domain/matching.ts";
import { COST_WINDOW_MS } from "../../domain/time.ts";
import { ANY_TIME, credentialIds } from "../isolate-memory.ts";
import {
  alias,
  as,
  cellValues,
  columnsOf,
  insertInto,
  jsonCells,
  jsonRows,
  list,
  pick,
  query,
  type RowOf,
  readCells,
  returning,
  type Sent,
  toCells,
} from "../query.ts";
import { partners, submissions } from "../schema.ts";
import type { Bound } from "../statement.ts";
import { isMacroOf } from "../url-prices.ts";
import { credentialInPlace } from "./costs.ts";
import { credential as c, entry as e, isCredential, isRemembered } from "./entries.ts";
import { byDatabase, findPartnerId, isInPlace, type Ledger, placeOf, runForCredential } from "./shards.ts";

const now = sql.placeholder("now");
const window = sql.raw(String(COST_WINDOW_MS));
const p = alias(partners, "p");

/** A submitted cost, with what its type is: the bit in sets of types, and the kinds of engagements that it fits. */
const sentFields = cellValues(
  "costId",
  "costType",
  "currency",
  "amount",
  "tag",
  "typeBit",
  "fitsClick",
  "fitsImpression",
  "isUnusable",
  "otherForm",
);
const toSent = ({ costId, costType, currency, amount, tag }: Cost): Sent<typeof sentFields> => {
  const { bit, fits } = COST_TYPE[costType];
  const judged = {
    isUnusable: Number(findUnusable(costId, "cost_id") !== undefined),
    otherForm: toOtherForm(costId),
    fitsClick: Number(fits.includes("click")),
    fitsImpression: Number(fits.includes("impression")),
  };
  return { costId, costType, currency, amount, tag, typeBit: bit, ...judged };
};

/** A submitted cost, with its credential, its partner and the row of its ID. */
const fields = {
  ...sentFields,
  partnerId: c.partnerId,
  revokedAt: c.revokedAt,
  costTypes: c.costTypes,
  ...pick(p, "supportsCostData", "stoppedAt", "macros"),
  isKnown: sql`${e.partnerId} IS NOT NULL`,
  state: e.state,
  voidState: e.voidState,
  knownType: e.costType,
  knownCurrency: e.currency,
  knownAmount: e.amount,
  receivedAt: e.receivedAt,
  matchedAt: e.matchedAt,
  clickAt: e.clickAt,
  clickCostDataOn: e.clickCostDataOn,
  clickAppToken: e.clickAppToken,
  impressionAt: e.impressionAt,
  impressionCostDataOn: e.impressionCostDataOn,
  impressionAppToken: e.impressionAppToken,
};
const s = columnsOf("seen", fields);
/** Materialized, so that SQLite compiles each computed column once. */
const withSeen = sql`WITH ${jsonRows("costs")}, seen AS MATERIALIZED (
  SELECT ${list(fields)} FROM ${as(c)} CROSS JOIN ${as(p)} CROSS JOIN j
  LEFT JOIN ${as(e)} ON ${e.partnerId} = ${c.partnerId} AND ${e.costId} = ${sentFields.costId} AND ${isRemembered}
  WHERE ${isCredential} AND ${c.mode} = 'live' AND ${p.id} = ${c.partnerId} AND ${isInPlace}
)`;

const anyKind = (condition: (kind: Kind) => SQL) =>
  sql`coalesce(${condition("click")}, 0) OR coalesce(${condition("impression")}, 0)`;
const typeFits = (kind: Kind) => (kind === "click" ? s.fitsClick : s.fitsImpression);
const isFitting = (kind: Kind) => sql`(${typeFits(kind)} AND ${s[`${kind}At`]} IS NOT NULL)`;
const isInWindow = (kind: Kind) => sql`(${typeFits(kind)} AND abs(${now} - ${s[`${kind}At`]}) <= ${window})`;
const isUsable = (kind: Kind) => sql`(${isInWindow(kind)} AND ${s[`${kind}CostDataOn`]})`;
/** A cost that meets impressions with cost data off waits for its click, which may be on its way. */
const mayNotMatchClick = sql`(NOT (${typeFits("click")}) OR coalesce(${isInWindow("click")}, 0))`;

/** Whether the call before this one still counts or waits, so that only a missing amount can be added to it. */
const isBinding = sql`(${s.state} IN ('matched', 'unpriced')
  OR (${s.state} = 'pending' AND ${s.receivedAt} >= ${now} - ${window}))`;
const isSameCost = sql`(${s.knownType} = ${s.costType} AND ${s.knownCurrency} = ${s.currency})`;

type Verdict = (typeof submissions.verdict)["_"]["data"];

/**
 * In this order: the credential, then the call before this one, then the engagements. A cost ID that nothing has yet is not
 * a macro or a placeholder.
 */
const verdict = sql<Verdict>`CASE
  WHEN ${s.revokedAt} IS NOT NULL THEN 'credential_revoked'
  WHEN NOT (${s.supportsCostData} AND ${s.costTypes} & ${s.typeBit}) THEN 'cost_type_not_integrated'
  WHEN ${s.stoppedAt} IS NOT NULL THEN 'partner_stopped'
  WHEN NOT ${s.isKnown} AND (${s.isUnusable} OR ${isMacroOf(s.macros, sql`coalesce(${s.otherForm}, ${s.costId})`)}) THEN 'invalid_request'
  WHEN ${isBinding} AND NOT ${isSameCost} THEN 'cost_id_conflict'
  WHEN (${isBinding} OR ${s.state} = 'voided') AND ${isSameCost}
    AND (${s.amount} IS NULL OR ${s.amount} = ${s.knownAmount}) THEN 'duplicate'
  WHEN ${isBinding} AND ${s.knownAmount} IS NOT NULL THEN 'cost_id_conflict'
  WHEN ${now} - ${s.matchedAt} > ${window} THEN 'window_closed'
  WHEN (${anyKind(isFitting)}) AND NOT (${anyKind(isInWindow)}) THEN 'window_closed'
  WHEN (${anyKind(isInWindow)}) AND NOT (${anyKind(isUsable)}) AND ${mayNotMatchClick} THEN 'cost_data_disabled'
  ELSE 'store'
END`;

/** The state of the ID. */
const entryFields = {
  state: e.state,
  costType: e.costType,
  currency: e.currency,
  sentAmount: e.amount,
  matchedKind: e.matchedKind,
  amount: e.amountInEffect,
  receivedAt: e.receivedAt,
  clickAt: e.clickAt,
  impressionAt: e.impressionAt,
};

// A call that only adds the amount keeps the time of the first one. After a void, prices on URLs no longer count.
const submission = {
  ...pick(s, "partnerId", "costId", "costType", "currency", "amount", "tag"),
  receivedAt: sql`iif(${isBinding}, ${s.receivedAt}, ${now})`,
  voidState: sql`iif(${s.voidState} IS NULL, NULL, 'lifted')`,
  verdict,
  submittedAt: now,
  appToken: sql`coalesce(iif(${typeFits("click")}, ${s.clickAppToken}, NULL),
    iif(${typeFits("impression")}, ${s.impressionAppToken}, NULL), '')`,
};

/** What was decided about a cost. */
const decided = {
  ...pick(submissions, "partnerId", "costId", "verdict"),
  /** Read only for the verdict with two causes: whether the partner supports cost data, so that its credential lacks the type. */
  supportsCostData: sql<number | null>`iif(${submissions.verdict} = 'cost_type_not_integrated',
    (SELECT ${p.supportsCostData} FROM ${as(p)} WHERE ${p.id} = ${submissions.partnerId}), NULL)`,
};
const result = { ...decided, ...entryFields };
type Row = RowOf<typeof result>;
/** Decisions, each with the state of its ID, if the ledger has a row of that ID for which the condition holds. */
const withEntry = (decision: Record<keyof typeof decided, SQL | AnyColumn>, condition: SQL) => ({
  row: sql<string>`(SELECT ${jsonCells({ ...result, ...decision })} FROM (SELECT 1)
    LEFT JOIN ${as(e)} ON ${e.partnerId} = ${decision.partnerId} AND ${e.costId} = ${decision.costId} AND ${condition})`,
});

/**
 * The trigger of `submissions` stores the costs whose verdict is `store`, before RETURNING reads their entries. A row that was just
 * stored is remembered.
 */
const submit = returning(
  sql`${withSeen} ${insertInto(submissions, submission)} FROM seen`,
  withEntry(decided, sql`(${submissions.verdict} = 'store' OR ${isRemembered})`),
);
const { partnerId, costId, supportsCostData } = s;
const check = query(
  withEntry({ partnerId, costId, verdict, supportsCostData }, isRemembered),
  sql`FROM seen`,
  withSeen,
);

const RUN = { store: submit, check };

/** What the database decided about a cost, and the state of its ID after that. */
export interface Judgement {
  credential: Pick<Credential, "credentialId" | "partnerId" | "revoked">;
  verdict: Verdict;
  /** Of a cost type that is not integrated: what is missing. */
  missing: "partner" | "credential" | undefined;
  state: Row["state"];
  matchedKind: Kind | null;
  /** The values of the call that is stored now, null without one. */
  stored: CostValues;
  /** In units of 0.00001 of the currency. Null: unpriced. */
  amount: number | null;
  /** Why a pending cost does not match the engagements that have its ID. */
  mismatch: Mismatch | undefined;
}

type Submission = { tokenHash: string; costs: Cost[]; now: number };

/**
 * Judges the costs as if each were sent separately, in order. `store` stores those with the verdict `store`; `check` is for costs
 * with different IDs and stores nothing, so the state of an ID is the one before. Returns a judgement for each, in order: undefined if
 * its database failed or does not know the credential as a live one; `errors` has one error for each failed database.
 */
export async function judgeCosts(
  ledger: Ledger,
  { tokenHash, costs, now }: Submission,
  how: "store" | "check",
): Promise<{ judgements: (Judgement | undefined)[]; errors: unknown[] }> {
  const judgements: (Judgement | undefined)[] = costs.map(() => undefined);
  const partnerId = await findPartnerId(ledger, tokenHash);
  if (partnerId === undefined) return { judgements, errors: [] };
  const items = costs.map((cost, position) => ({ partnerId, costId: cost.costId, cost, position }));
  const databases = byDatabase(ledger, items).map(async ([db, own]) => {
    const place = placeOf(ledger, db);
    const parts = splitRepeated(own);
    const batch = parts.map((part) => {
      const sent = JSON.stringify(part.map(({ cost }) => toCells(sentFields, toSent(cost))));
      return RUN[how](db, { tokenHash, now, costs: sent, ...place });
    });
    const { id, results } = await runWithId(ledger, db, tokenHash, batch, own.length);
    if (id === undefined) return;
    for (const [number, part] of parts.entries()) {
      const found = results[number]?.map(({ row }) => readCells(result, row));
      const rows = new Map(found?.map((row) => [row.costId, row]));
      for (const { cost, position } of part) {
        const row = rows.get(cost.costId);
        if (row) judgements[position] = toJudgement(cost, id, row, now);
      }
    }
  });
  const settled = await Promise.allSettled(databases);
  return { judgements, errors: settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])) };
}

/** Adds the ID of the credential to the call if the isolate does not know it. There is none, and no row, of an unknown credential. */
async function runWithId<Result>(
  ledger: Ledger,
  db: D1Database,
  tokenHash: string,
  batch: Bound<Result>[],
  items: number,
): Promise<{ id: number | undefined; results: Result[][] }> {
  const id = credentialIds.get(tokenHash, ANY_TIME);
  if (id !== undefined) return { id, results: await runForCredential(ledger, db, batch, items) };
  const known = credentialInPlace(db, { tokenHash, ...placeOf(ledger, db) });
  const [[row], ...results] = await runForCredential(ledger, db, [known, ...batch], items);
  if (row) credentialIds.set(tokenHash, row.credentialId, ANY_TIME);
  return { id: row?.credentialId, results };
}

/** Splits costs so that no part has an ID twice: a repeated ID is judged after its earlier costs were stored. */
function splitRepeated<Item extends { costId: string }>(items: Item[]): Item[][] {
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

function toJudgement(cost: Cost, credentialId: number, row: Row, now: number): Judgement {
  const { partnerId, verdict, state, matchedKind, amount, receivedAt, clickAt, impressionAt } = row;
  const engagements = {
    ...(clickAt !== null && { click: { occurredAt: clickAt } }),
    ...(impressionAt !== null && { impression: { occurredAt: impressionAt } }),
  };
  const mismatch = () => mismatchReason(cost.costType, engagements, receivedAt ?? now);
  return {
    credential: { credentialId, partnerId, revoked: verdict === "credential_revoked" },
    verdict,
    missing:
      verdict === "cost_type_not_integrated"
        ? row.supportsCostData === 0
          ? "partner"
          : "credential"
        : undefined,
    state,
    matchedKind,
    stored: { costType: row.costType, currency: row.currency, amount: row.sentAmount },
    amount,
    mismatch: state === "pending" ? mismatch() : undefined,
  };
}
