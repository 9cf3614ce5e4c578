/**
 * The newest rejected costs of a partner, one by one, the newest first. Each database of the ledger has those of its IDs, and DB those
 * that were invalid, so a list asks all of them. They have no index by time: a database has at most 200 for each code.
 */
import { sql } from "drizzle-orm";
import type { Credential, Engagements } from "../../domain/costs.ts";
import { DAY_MS } from "../../domain/time.ts";
import { as, limitTo, optional, query } from "../query.ts";
import { partners } from "../schema.ts";
import { runGroupedIdempotent } from "../statement.ts";
import { credentialInPlace, toCredential } from "./costs.ts";
import {
  credential as c,
  entry as e,
  engagementFields,
  isCredential,
  isRemembered,
  toEngagements,
} from "./entries.ts";
import {
  isKept,
  MOST_OF_ID,
  type RecentRejection,
  rejection as r,
  rejectionFields,
  rejectionsOfId,
  withInvalid,
} from "./rejections-of-id.ts";
import {
  databasesOf,
  findPartnerId,
  type Ledger,
  type LedgerKey,
  placeOf,
  runForCredential,
  runGated,
  shardFor,
} from "./shards.ts";

const p = (name: string) => sql`${sql.placeholder(name)}`;

/** `place` is the number of the database, because two of them can reject costs in the same millisecond. */
const isAfter = sql`(${p("afterTime")} IS NULL OR (- ${r.rejectedAt}, ${r.code}, - ${r.number}, ${p("place")})
  > (- ${p("afterTime")}, ${p("afterCode")}, - ${p("afterNumber")}, ${p("afterPlace")}))`;
const hasPrefix = sql`(${p("prefix")} IS NULL OR substr(${r.costId}, 1, length(${p("prefix")})) = ${p("prefix")})`;
const isOfDay = sql`(${p("day")} IS NULL OR ${r.rejectedAt} / ${sql.raw(String(DAY_MS))} = ${p("day")})`;
const inOrder = sql`ORDER BY ${r.rejectedAt} DESC, ${r.code}, ${r.number} DESC ${limitTo("limit")}`;

const ofCredential = query(
  rejectionFields,
  sql`FROM ${as(c)} CROSS JOIN ${as(r)} ON ${r.partnerId} = ${c.partnerId}
    WHERE ${isCredential} AND ${c.revokedAt} IS NULL AND ${c.mode} = 'live' AND ${isKept} AND ${hasPrefix} AND ${isOfDay} AND ${isAfter}
    ${inOrder}`,
);
const ofPartner = query(
  rejectionFields,
  sql`FROM ${as(r)} WHERE ${r.partnerId} = ${p("partnerId")} AND ${r.appToken} = coalesce(${p("appToken")}, ${r.appToken})
    AND ${isKept} AND ${hasPrefix} AND ${isAfter} ${inOrder}`,
);

/** Where a list continues. */
type Position = { rejectedAt: number; code: string; number: number; place: number };

const POSITION = /^(\d{1,15}) ([a-z_]{1,40}) (\d{1,15}) (\d{1,3})$/;

/** Undefined if the text is no position. */
export function toPosition(text: string): Position | undefined {
  const [, rejectedAt, code = "", number, place] = POSITION.exec(text) ?? [];
  if (rejectedAt === undefined) return undefined;
  return { rejectedAt: Number(rejectedAt), code, number: Number(number), place: Number(place) };
}

/** The part of a list after a position, which is a text that `next` had. With a prefix, of the IDs that begin with it; of one's own, those of a day since 1970. */
export interface RecentRange {
  after: string | null;
  limit: number;
  prefix?: string | null;
  day?: number | null;
}
export type RecentPage = { items: RecentRejection[]; next: string | null };

/** The values of a statement for a database, whose number is `place`. An unknown position is before everything. */
const valuesOf = ({ after, limit, prefix = null, day = null }: RecentRange, now: number, place: number) => {
  const position = after === null ? undefined : toPosition(after);
  return {
    now,
    place,
    limit: limit + 1,
    prefix,
    day,
    afterTime: position?.rejectedAt ?? null,
    afterCode: position?.code ?? null,
    afterNumber: position?.number ?? null,
    afterPlace: position?.place ?? null,
  };
};

/** Merges the first rows of all databases. */
function toPage(parts: RecentRejection[][], limit: number): RecentPage {
  const all = parts
    .flatMap((rows, place) => rows.map((row) => ({ row, place })))
    .sort(
      (one, other) =>
        other.row.rejectedAt - one.row.rejectedAt ||
        (one.row.code === other.row.code ? 0 : one.row.code < other.row.code ? -1 : 1) ||
        other.row.number - one.row.number ||
        one.place - other.place,
    );
  const last = all.length > limit ? all[limit - 1] : undefined;
  return {
    items: all.slice(0, limit).map(({ row }) => row),
    next: last ? positionOf(last.row, last.place) : null,
  };
}

/** The position after a rejection. */
export const positionOf = ({ rejectedAt, code, number }: Omit<Position, "place">, place = 0): string =>
  [rejectedAt, code, number, place].join(" ");

/** Lists those of the partner of a live credential, with one call to each database. `now` in milliseconds since 1970. */
export async function listOwnRejections(
  ledger: Ledger,
  tokenHash: string,
  range: RecentRange,
  now: number,
): Promise<{ credential: Credential | undefined } & RecentPage> {
  if ((await findPartnerId(ledger, tokenHash)) === undefined)
    return { credential: undefined, items: [], next: null };
  const results = await Promise.all(
    databasesOf(ledger).map((db, place) => {
      const known = credentialInPlace(db, { tokenHash, ...placeOf(ledger, db) });
      const rows = ofCredential(db, { tokenHash, ...valuesOf(range, now, place) });
      return runForCredential(ledger, db, [known, rows], range.limit);
    }),
  );
  const credentials = results.map(([[row]]) => row && toCredential(row));
  return {
    // While a revocation spreads, only some databases know it.
    credential: credentials.find((one) => one?.revoked) ?? credentials[0],
    ...toPage(
      results.map(([, rows]) => rows),
      range.limit,
    ),
  };
}

/** Lists those of a partner. `appToken` null: in all apps and outside of any. */
export async function listRecentRejections(
  ledger: Ledger,
  partnerId: number,
  appToken: string | null,
  range: RecentRange,
  now: number,
): Promise<RecentPage> {
  const run = runGroupedIdempotent(range.limit);
  const parts = await Promise.all(
    databasesOf(ledger).map(async (db, place) => {
      const rows = ofPartner(db, { partnerId, appToken, ...valuesOf(range, now, place) });
      const [found] = await runGated(ledger, db, [rows], run);
      return found;
    }),
  );
  return toPage(parts, range.limit);
}

const state = query(
  {
    supportsCostData: partners.supportsCostData,
    stoppedAt: partners.stoppedAt,
    ...optional(engagementFields),
  },
  sql`FROM ${partners} LEFT JOIN ${as(e)} ON ${e.partnerId} = ${partners.id} AND ${e.costId} = ${p("costId")} AND ${isRemembered}
    WHERE ${partners.id} = ${p("partnerId")}`,
);

/** What is known of an ID beside an accepted cost. */
export interface KnownOfId {
  /** The newest first. */
  rejections: RecentRejection[];
  engagements: Engagements;
  /** Whether the partner can send no costs now. */
  isStopped: boolean;
}

/**
 * Finds what is known of an ID, with one call to its database, and with shards one to DB, which has what was invalid. `now` in
 * milliseconds since 1970.
 */
export async function findKnownOfId(ledger: Ledger, key: LedgerKey, now: number): Promise<KnownOfId> {
  const db = shardFor(ledger, key);
  const values = { ...key, now };
  const [judged, [partner]] = await runGated(
    ledger,
    db,
    [rejectionsOfId(db, values), state(db, values)],
    runGroupedIdempotent(MOST_OF_ID),
  );
  return {
    rejections: await withInvalid(ledger, db, values, judged),
    engagements: partner ? toEngagements(partner) : {},
    isStopped: partner?.stoppedAt != null,
  };
}
