/**
 * Reads from KV, which serves as a cache only: after a change, a location may return the old value for another minute. A value
 * that is missing or late is read from the database instead.
 */
import { withDeadline } from "../deadline.ts";

/** Longer than a read from a distant location takes, and short enough for a person who opened a link. */
const DEADLINE_MS = 1_000;

/** Throws if KV fails or takes longer than a second. */
export const readCache = <T>(reading: Promise<T>): Promise<T> => withDeadline(reading, DEADLINE_MS, "KV");
