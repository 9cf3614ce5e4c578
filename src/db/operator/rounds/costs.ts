/** Reads the submissions of a test credential's round as costs, with one call to DB. */
import { type SQL, sql } from "drizzle-orm";
import type { Kind } from "../../../domain/cost-types.ts";
import { type Engagements, paramsOf } from "../../../domain/costs.ts";
import { matchOf, preferred, type RejectionCode } from "../../../domain/matching.ts";
import { storedCostAfter } from "../../../domain/rounds/entries.ts";
import { listEngagements } from "../../../domain/rounds/findings.ts";
import { groupEngagements } from "../../../domain/rounds/report.ts";
import { dayOf } from "../../../domain/time.ts";
import { type CostRecord, withLinkTokens } from "../../ledger/costs.ts";
import { COLUMNS, entry as e, isRemembered } from "../../ledger/entries.ts";
import { compareIds } from "../../ledger/key-pages.ts";
import { positionOf, type RecentPage, type RecentRange, toPosition } from "../../ledger/recent-rejections.ts";
import type { RecentRejection } from "../../ledger/rejections-of-id.ts";
import { type Ledger, runGated } from "../../ledger/shards.ts";
import { alias, as, limitTo, query, type RowOf } from "../../query.ts";
import { credentials, links } from "../../schema.ts";
import { runBatch } from "../../statement.ts";
import {
  type EngagementRow,
  engagementFieldsOfRound,
  findOnShards,
  toRoundEngagements,
} from "./engagements.ts";
import { entryFields, roundEntry as n, toEntry, round as x } from "./lists.ts";
import { ofCredential, type TestCredential, testCredential, toCredential } from "./rounds.ts";

const c = alias(credentials, "c");
const l = alias(links, "l");
const { click, impression } = COLUMNS;

const tokenOf = (linkId: typeof click.linkId) =>
  sql<string | null>`(SELECT ${l.token} FROM ${as(l)} WHERE ${l.id} = ${linkId})`;
const linkTokens = { clickLink: tokenOf(click.linkId), impressionLink: tokenOf(impression.linkId) };
type Row = EngagementRow & Partial<RowOf<typeof linkTokens>>;

/** The entries of a round, and the engagements with their IDs. */
function reading(which: SQL) {
  const ofRound = sql`FROM ${ofCredential} CROSS JOIN ${as(n)} ON ${n.roundId} = ${x.id}`;
  const isWanted = sql`WHERE ${c.revokedAt} IS NULL AND ${which}`;
  return {
    entries: query(entryFields, sql`${ofRound} ${isWanted} ORDER BY ${n.number}`),
    engagements: query(
      { ...engagementFieldsOfRound, ...linkTokens },
      sql`${ofRound} CROSS JOIN ${as(e)} ON ${e.partnerId} = ${x.partnerId} AND ${e.costId} = ${n.costId}
        ${isWanted} AND ${isRemembered} GROUP BY ${e.costId}`,
    ),
  };
}
const ofOneId = reading(sql`${n.costId} = ${sql.placeholder("costId")}`);
// A round has at most MAX_ROUND_ENTRIES.
const ofLaterIds = reading(sql`${n.costId} > ${sql.placeholder("after")}`);

const rejectedEntries = query(
  entryFields,
  sql`FROM ${ofCredential} CROSS JOIN ${as(n)} ON ${n.roundId} = ${x.id}
    WHERE ${c.revokedAt} IS NULL AND ${n.record} ->> 'answer' <> 'ok' AND ${n.number} < coalesce(${sql.placeholder("before")}, ${n.number} + 1)
    ORDER BY ${n.number} DESC ${limitTo("limit")}`,
);

/** Lists what a test credential sent and its round rejected, the newest first. */
export async function listTestRejections(
  { control }: Ledger,
  hash: string,
  { after, limit, prefix = null, day = null }: RecentRange,
): Promise<{ credential: TestCredential | undefined } & RecentPage> {
  const values = {
    tokenHash: hash,
    before: after === null ? null : (toPosition(after)?.number ?? null),
    limit: limit + 1,
  };
  const [[row], entries] = await runBatch(
    control,
    testCredential(control, values),
    rejectedEntries(control, values),
  );
  const found = entries.map(toEntry).map(toRejection);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    credential: row && toCredential(row),
    items: items.filter(
      ({ costId, rejectedAt }) =>
        (prefix === null || costId?.startsWith(prefix)) && (day === null || dayOf(rejectedAt) === day),
    ),
    next: found.length > limit && last ? positionOf(last) : null,
  };
}

const toRejection = ({
  number,
  receivedAt,
  costId,
  sent,
  answer,
  errors,
}: ReturnType<typeof toEntry>): RecentRejection => ({
  code: answer as RejectionCode,
  number,
  rejectedAt: receivedAt,
  costId,
  tag: sent.tag ?? null,
  appToken: "",
  params: answer === "invalid_request" ? paramsOf(errors) : null,
});

/** The cost with one ID, or all costs with IDs after one. */
export type Wanted = { costId: string } | { after: string };

/**
 * Finds what a test credential sent as costs, sorted by ID, in the state that they would have in the ledger. `credential` is
 * undefined if it is unknown. `now` in milliseconds since 1970.
 */
export async function findTestCosts(ledger: Ledger, hash: string, wanted: Wanted, now: number) {
  const db = ledger.control;
  const values = { tokenHash: hash, now, ...wanted };
  const statements = "costId" in wanted ? ofOneId : ofLaterIds;
  const [[row], rows, inDb] = await runGated(ledger, db, [
    testCredential(db, values),
    statements.entries(db, values),
    statements.engagements(db, values),
  ]);
  const credential = row && toCredential(row);
  if (!row || !credential?.round) return { credential, costs: [], rejections: [] };
  const all = rows.map(toEntry);
  const rejections = all
    .filter(({ answer }) => answer !== "ok")
    .map(toRejection)
    .reverse();
  const byId = Map.groupBy(all, ({ costId }) => costId ?? "");
  const onShards = await findOnShards(ledger, row.partnerId, [...byId.keys()], now);
  const found: Map<string, Row> = new Map([...inDb, ...onShards].map((one) => [one.costId, one]));
  const { costTypes } = credential.round;
  const costs = [...byId].flatMap(([costId, entries]) => {
    const known = found.get(costId);
    // Current rows take precedence over the copies in the entries.
    const copies = entries.flatMap(({ engagements }) => listEngagements(costId, engagements));
    const current = known ? toRoundEngagements(known) : [];
    const engagements = groupEngagements([...copies, ...current], row).get(costId) ?? {};
    const cost = storedCostAfter(entries, engagements, costTypes);
    return cost ? [toRecord(cost, engagements, known)] : [];
  });
  const sorted = costs.sort((left, right) => compareIds(left.costId, right.costId));
  return { credential, costs: await withLinkTokens(ledger, sorted), rejections };
}

function toRecord(
  cost: NonNullable<ReturnType<typeof storedCostAfter>>,
  engagements: Engagements,
  known: Row | undefined,
): CostRecord & { costId: string } {
  const { match, amount } = matchOf(cost, engagements);
  const priced = (kind: Kind) => (engagements[kind]?.priceCounts ? engagements[kind] : undefined);
  return {
    ...cost,
    amount,
    state: match === null ? "pending" : amount === null ? "unpriced" : "matched",
    countingPrice: match === null ? preferred(priced("click"), priced("impression")) : null,
    kind: match,
    linkId: (match && known?.[`${match}LinkId`]) ?? null,
    linkToken: (match && known?.[`${match}Link`]) ?? null,
    engagements,
  };
}
