/** Reports that cover too much. Separate from the reports, because their statements are built with the first one only. */

/** The most rows of totals that a call reads for a report, unless one day has more: more would keep everybody else waiting. */
export const MAX_COVERED = 200_000;
/** The most calls of a report to a database. */
export const MAX_CALLS = 10;
/** The text of the error with which a batch is aborted whose report covers more rows. */
export const TOO_LARGE = "report_too_large";

/** A report covers more than MAX_CALLS calls read. */
export class TooLargeError extends Error {
  /** How many days, up to the last one, fit; undefined if that was not looked at. */
  readonly days: number | undefined;
  constructor(days?: number) {
    super(TOO_LARGE);
    this.days = days;
  }
}

/** The result of a batch with a judgement; undefined if the judgement aborted it. */
export async function unlessTooLarge<T>(batch: Promise<T>): Promise<T | undefined> {
  try {
    return await batch;
  } catch (error) {
    if (String(error).includes(TOO_LARGE)) return undefined;
    throw error;
  }
}
