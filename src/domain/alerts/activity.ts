/** Costs and engagements of partners from one hourly run to the next: which are new, and since when engagements wait for a cost. */

/** Counts of a partner: since the first day that is counted now, and since that of the run before, which is the same or earlier. */
export type Counts = { partnerId: number; accepted: Pair; rejected: Pair; recorded: Pair };
export type Pair = [now: number, since: number];

/** What a run stores of a partner. Hours are since 1970. */
export interface Activity {
  partnerId: number;
  hour: number;
  firstDay: number;
  accepted: number;
  rejected: number;
  recorded: number;
  newAccepted: number;
  newRejected: number;
  hours: number;
  lastCostAt: number | null;
  waitingSince: number | null;
}

const NONE: Pair = [0, 0];
/** The partner of the row that says when the last run was, also if there is no partner yet. */
export const NOBODY = 0;

/**
 * What a run stores, and what its rules look at. A run in the same hour as the one before changes nothing. `before` is empty in the
 * first run, which finds nothing new. A void can hide one cost of the same hour.
 */
export function nextActivity(
  before: Activity[],
  counts: Counts[],
  { hour, firstDay }: { hour: number; firstDay: number },
): Activity[] {
  const last = before[0];
  if (last && last.hour >= hour) return before;
  const known = new Map(before.map((row) => [row.partnerId, row]));
  const counted = new Map(counts.map((row) => [row.partnerId, row]));
  return [...new Set([NOBODY, ...counted.keys(), ...known.keys()])].map((partnerId): Activity => {
    const { accepted = NONE, rejected = NONE, recorded = NONE } = counted.get(partnerId) ?? {};
    const earlier = known.get(partnerId);
    const added = ([, since]: Pair, sum: number | undefined) => (last ? Math.max(0, since - (sum ?? 0)) : 0);
    const newAccepted = added(accepted, earlier?.accepted);
    const newRejected = added(rejected, earlier?.rejected);
    const isActive = newAccepted + newRejected > 0;
    const isWaiting = added(recorded, earlier?.recorded) > 0;
    return {
      ...{ partnerId, hour, firstDay, newAccepted, newRejected, hours: last ? hour - last.hour : 0 },
      ...{ accepted: accepted[0], rejected: rejected[0], recorded: recorded[0] },
      lastCostAt: isActive ? hour : (earlier?.lastCostAt ?? null),
      waitingSince: isActive ? null : (earlier?.waitingSince ?? (isWaiting ? hour : null)),
    };
  });
}

/** Nobody waits for the costs of a partner without cost data. */
export const withoutWaiting = (row: Activity, isExpected: boolean): Activity =>
  isExpected ? row : { ...row, waitingSince: null };
