/** Days and instants in UTC. A day counts days since 1970-01-01; an instant counts milliseconds since then. */

/** Days since 1970 in UTC, both inclusive. */
export type DayRange = { from: number; to: number };

export const HOUR_MS = 3600 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** How far apart a cost and its engagement may be, whichever comes first (spec §8). Exactly that far is inside. */
export const COST_WINDOW_MS = 7 * DAY_MS;

/** The first day whose costs can still change: a cost arrives at most one window after its engagement. */
export const firstOpenDay = (today: number): number => today - COST_WINDOW_MS / DAY_MS;

/**
 * How long an ID is remembered after its newest engagement and after the arrival of a call that matches none. Twice the window, so
 * that a late cost is rejected as late.
 */
export const RETENTION_MS = 2 * COST_WINDOW_MS;

/** A cost can still arrive for an engagement of this many days before, or wait as long in the queue. */
export const COUNTED_DAYS = (COST_WINDOW_MS + RETENTION_MS) / DAY_MS + 1;
/** After a longer pause, the next run of the cron has nothing to compare with. */
export const MAX_PAUSE_DAYS = 2 * COUNTED_DAYS;

/** The purge runs every hour. After so long without one, somebody should look; nothing is lost yet. */
export const PURGE_OVERDUE_MS = 3 * HOUR_MS;

/** How long the counts of dropped parameters, of rejected costs and of prices on URLs are kept. */
export const KEPT_COUNTS_MS = 400 * DAY_MS;

/** How long rejected costs are kept with their IDs. */
export const KEPT_REJECTIONS_MS = 7 * DAY_MS;

/** How long clicks, impressions and costs are counted by country and platform. */
export const AUDIENCE_MONTHS = 25;

/** The beginning of the day of the calendar, so many months before an instant. */
export function monthsBefore(milliseconds: number, months: number): number {
  const date = new Date(milliseconds);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, date.getUTCDate());
}

/** The day that an instant falls on. */
export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / DAY_MS);

/** `2026-03-14`. */
export const formatDate = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** `2026-03-14T15:09:26.535Z`. */
export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Hours since 1970. */
export const hourOf = (milliseconds: number): number => Math.floor(milliseconds / HOUR_MS);
