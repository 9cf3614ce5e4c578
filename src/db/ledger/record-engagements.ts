/** Records what opened links are: many in one call, or one. One call to D1; with shards one to DB and one to the shard of each ID. */
import { type OpenedLink, pathOf } from "../../domain/costs.ts";
import { likenessOf, merge } from "../../domain/engagements/alike.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { DAY_MS, RETENTION_MS } from "../../domain/time.ts";
import { foundPaths } from "../isolate-memory.ts";
import { creationStatements, depthOf } from "../links/sub-links/resolve.ts";
import { type Bound, joinWaiting, runGrouped, runGroupedIdempotent, runIdempotent } from "../statement.ts";
import {
  countDownTo,
  countUnrecorded,
  countWithMacrosDownTo,
  hasPriceMacro,
  insertEngagements,
  type NewEngagement,
  type RecordedRow,
  recordDownTo,
} from "./engagements.ts";
import { type Ledger, placeOf, runInPlace } from "./shards.ts";

/**
 * Records engagements whose links and partners it looks up. Creates the sub-links that they name, or with `onlyComplete` records
 * nothing for a link whose sub-links are not all found. Alike ones become one row. While one with a `likeness` waits for its call,
 * others can join it. `rows` has the results, `failed` the engagements of each shard that failed, and `tooOld` those that are dropped.
 * Throws if DB fails.
 */
export async function recordAll(
  ledger: Ledger,
  delivered: OpenedLink[],
  now: number,
  { onlyComplete = false, likeness }: { onlyComplete?: boolean; likeness?: string | undefined } = {},
): Promise<{
  rows: Pick<RecordedRow, "costDataOn" | "costId" | "partnerId" | "level" | "dropped" | "kept">[];
  failed: Failed[];
  tooOld: OpenedLink[];
}> {
  const isTooOld = ({ occurredAt }: OpenedLink) => occurredAt < now - RETENTION_MS;
  const tooOld = delivered.filter(isTooOld);
  const opened = merge(delivered.filter((one) => !isTooOld(one)));
  const db = ledger.control;
  const isSharded = ledger.shards.length > 0;
  const values = (links: OpenedLink[]) => ({
    opened: JSON.stringify(links),
    now,
    isSharded: Number(isSharded),
    onlyComplete: Number(onlyComplete),
    ...placeOf(ledger, db),
  });
  const depth = depthOf(opened);
  const parts = [...Map.groupBy(opened, statementsFor)];
  const unrecorded = { opened: JSON.stringify(tooOld), reason: "too_old", now, ...placeOf(ledger, db) };
  const drops = tooOld.length > 0 ? [countUnrecorded(db, unrecorded)] : [];
  const bind = () => [
    ...drops,
    ...(onlyComplete ? [] : creationStatements(db, depth, values(opened))),
    ...parts.map(([downTo, links]) => expectDefined(downTo[depth - 1])(db, values(links))),
  ];
  const batch = await runInPlace(ledger, db, bind(), runFor(delivered, likeness, bind));
  // Only the statements of the parts return rows.
  const rows = batch.flat() as RecordedRow[];
  if (!isSharded) return { rows, failed: [], tooOld };
  const onShards = rows.flatMap(({ elsewhere }) =>
    elsewhere ? [JSON.parse(elsewhere) as NewEngagement] : [],
  );
  const onEachShard = await insertEngagements(ledger, onShards, now);
  const onShard = new Map(
    onEachShard.flatMap((part) => ("rows" in part ? part.rows.map((row) => [row.costId, row]) : [])),
  );
  return {
    rows: rows.map((row) => ({ ...row, kept: null, ...onShard.get(row.costId) })),
    failed: onEachShard.flatMap((part) =>
      "error" in part ? [{ opened: openedOf(part.items, opened), error: part.error }] : [],
    ),
    tooOld,
  };
}

/** The statements, by depth, that record an engagement. */
const statementsFor = (one: OpenedLink) =>
  one.costId !== null ? recordDownTo : hasPriceMacro(one) ? countWithMacrosDownTo : countDownTo;

/** An engagement without an ID would be counted again if its call was repeated. The queue delivers messages again anyway. */
function runFor([first, second]: OpenedLink[], likeness: string | undefined, bind: () => Bound<unknown>[]) {
  if (second || !first) return runIdempotent;
  if (first.costId !== null) return runGroupedIdempotent();
  return runGrouped(0, likeness === undefined ? undefined : { key: likeness, item: first, bind });
}

/** The opened links of a database that failed. */
type Failed = { opened: OpenedLink[]; error: unknown };

/** The opened links that became these engagements. */
function openedOf(engagements: NewEngagement[], opened: OpenedLink[]): OpenedLink[] {
  const keyOf = ({ costId, kind }: OpenedLink | NewEngagement) => `${kind} ${costId}`;
  const keys = new Set(engagements.map(keyOf));
  return opened.filter((one) => keys.has(keyOf(one)));
}

/** What became of an engagement. */
export interface Recorded {
  /** The ID in the ledger; null if the engagement was only counted. */
  costId: string | null;
  partnerId: number | null;
  /** The ledger already had an engagement with this partner, ID and kind. */
  isDuplicate: boolean;
  /** The names of the parameters that were dropped. */
  dropped: string[];
  /** Whether cost data was on for the link. */
  hasCostData: boolean;
}

/**
 * Records the engagement of a person, for whom nobody waits. One without an ID is added to an alike one that waits for its call: in
 * that row, so never twice, and lost if that one is. Throws if it is lost, with those in its count.
 */
export async function recordInPassing(ledger: Ledger, opened: OpenedLink, now: number): Promise<void> {
  const likeness = likenessOf(opened);
  if (likeness === undefined || !joinWaiting(ledger.control, likeness))
    await recordOne(ledger, opened, now, likeness);
}

/** Bots are counted while there is room: what people and partners send comes first. */
const MAX_BEFORE_BOTS = 500;

/**
 * Counts that a bot opened a link, in one row with others that wait. Nothing else of its request is used. Throws TooManyWaitingError
 * if it is left out.
 */
export async function countBot(ledger: Ledger, linkToken: string, now: number): Promise<void> {
  const db = ledger.control;
  const key = JSON.stringify(["bot", linkToken, Math.floor(now / DAY_MS)]);
  if (joinWaiting(db, key)) return;
  const item = { linkToken, count: 1 };
  const values = () => ({ opened: JSON.stringify([item]), reason: "bot", now, ...placeOf(ledger, db) });
  const bind = () => [countUnrecorded(db, values())];
  await runInPlace(ledger, db, bind(), runGrouped(0, { key, item, bind, maxWaiting: MAX_BEFORE_BOTS }));
}

/** Records one engagement. Returns undefined if its link does not exist. `now` in milliseconds since 1970. */
export async function recordOne(
  ledger: Ledger,
  opened: OpenedLink,
  now: number,
  likeness?: string,
): Promise<Recorded | undefined> {
  const path = pathOf(opened);
  const isKnown = foundPaths.has(path, now);
  const { rows, failed } = await recordAll(ledger, [opened], now, { onlyComplete: isKnown, likeness });
  if (failed[0]) throw failed[0].error;
  const [row] = rows;
  if (!row && isKnown) {
    foundPaths.delete(path);
    return recordOne(ledger, opened, now, likeness);
  }
  if (!row) return undefined;
  const depth = depthOf([opened]);
  if (depth > 1 && row.level === depth) foundPaths.set(path, true, now);
  const [keptAt, isHeld] = JSON.parse(row.kept ?? "[]") as [number?, number?];
  const isDuplicate = row.costId !== null && keptAt !== opened.occurredAt;
  const dropped = (JSON.parse(row.dropped) as [string, string][]).map(([parameter]) => parameter);
  if (isDuplicate) dropped.push("cost_id");
  else if (isHeld) dropped.push("cost_amount");
  return {
    costId: row.costId,
    partnerId: row.partnerId,
    isDuplicate,
    hasCostData: row.costDataOn === 1,
    dropped,
  };
}
