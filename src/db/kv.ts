/** Reads of KV. It is a cache: what it does not say within a moment is asked of the database, as if it did not know. */
import { withDeadline } from "../deadline.ts";

/** Longer than a read from far away takes, and short enough for whoever opened a link. */
const DEADLINE_MS = 1_000;

/** Throws where KV fails or takes longer than a second. */
export function readCache<T>(reading: Promise<T>): Promise<T> {
  return withDeadline(reading, DEADLINE_MS, "KV");
}
