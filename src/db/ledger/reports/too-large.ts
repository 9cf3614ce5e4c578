/** A report that covers too many rows. Separate from the reports, because their statements are built with the first one only. */

/** The most rows of totals that a report may cover in one database: more would keep everybody else waiting. */
export const MAX_COVERED = 200_000;
/** The text of the error with which a batch is aborted whose report covers more rows. */
export const TOO_LARGE = "report_too_large";

/** A report covers more than MAX_COVERED rows in a database. */
export class TooLargeError extends Error {}

/** The result of a batch with judgements. Throws TooLargeError if it was aborted by one of them. */
export async function unlessTooLarge<T>(batch: Promise<T>): Promise<T> {
  try {
    return await batch;
  } catch (error) {
    throw String(error).includes(TOO_LARGE) ? new TooLargeError() : error;
  }
}

/** The result of a report; undefined if it covers too many rows. */
export async function ifNotTooLarge<T>(report: Promise<T>): Promise<T | undefined> {
  try {
    return await report;
  } catch (error) {
    if (error instanceof TooLargeError) return undefined;
    throw error;
  }
}
