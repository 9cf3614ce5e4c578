/** Days and instants in UTC. A day counts days since 1970-01-01; an instant counts milliseconds since then. */

export const HOUR_MS = 3600 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** How far apart a cost and its engagement may be, whichever comes first (spec §8). Exactly that far is inside. */
export const COST_WINDOW_MS = 7 * DAY_MS;

/**
 * How long an ID is remembered after its newest engagement and after the arrival of a call that matches none. Twice the window, so
 * that a late cost is rejected as late.
 */
export const RETENTION_MS = 2 * COST_WINDOW_MS;

/** How long the counts of dropped parameters are kept. */
export const DROPPED_MS = 400 * DAY_MS;

/** The day that an instant falls on. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MS);
}

/** `2026-03-14`. */
export function formatDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** `2026-03-14T15:09:26.535Z`. */
export function toIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** `14 March 2026`, for people. */
export function describeDay(day: number): string {
  return describeDays({ from: day, to: day });
}

/** `9 – 15 March 2026`. */
export function describeDays({ from, to }: { from: number; to: number }): string {
  // Created on first use, because a click does not need it.
  written ??= new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return written.formatRange(from * DAY_MS, to * DAY_MS).replaceAll("\u2009", " ");
}

let written: Intl.DateTimeFormat | undefined;

/** `14 March 2026, 15:09 UTC`, for people. With `seconds`: `14 March 2026, 15:09:26 UTC`. `instant` can be in ISO 8601. */
export function describeTime(instant: number | string, seconds?: "seconds"): string {
  const at = new Date(instant);
  return `${describeDay(dayOf(at.getTime()))}, ${at.toISOString().slice(11, seconds ? 19 : 16)} UTC`;
}

/** Hours since 1970. */
export function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / HOUR_MS);
}
