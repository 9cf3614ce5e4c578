/** IDs of prices on URLs without a cost ID: UUIDs of version 7 (RFC 9562, section 5.7), so those of a day are a range of keys. */
import { DAY_MS } from "../time.ts";

const PREFIX = "url-";

/** The first 48 bits of the UUID are the time. */
function startOf(at: number): string {
  const hex = at.toString(16).padStart(12, "0");
  return `${PREFIX}${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** A new ID of an engagement at this time. `random` is a UUID of version 4. */
export const generateId = (at: number, random: string): string => `${startOf(at)}-7${random.slice(15)}`;

/** The keys of a day: from the first, up to the second without it. */
export const generatedIdsOf = (day: number) => ({
  from: startOf(day * DAY_MS),
  until: startOf((day + 1) * DAY_MS),
});
