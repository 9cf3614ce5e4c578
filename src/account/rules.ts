/** What the account pages decide and how they say it. No I/O, no clock. */
import { DAY_MS } from "../domain/time.ts";
import type { InputError } from "../errors.ts";

/** Where a sign-in leads: only to a page that needs one, on our own origin; anything else is the account page. */
export function chooseNext(next: string | null | undefined, origin: string): string {
  const url = URL.parse(next ?? "", origin);
  const isOwn = url?.origin === origin && /^\/(?:account|operator)(?:\/|$)/.test(url.pathname);
  return isOwn ? url.pathname + url.search : "/account";
}

/** `19 March 2026`, in UTC. */
export function formatDay(milliseconds: number): string {
  return new Date(milliseconds).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}

/** `day` counts days since 1970 in UTC, `now` is in milliseconds. */
export function formatLastUse(day: number | null, now: number): string {
  if (day === null) return "Not yet";
  const ago = Math.floor(now / DAY_MS) - day;
  if (ago <= 0) return "Today";
  return ago === 1 ? "Yesterday" : formatDay(day * DAY_MS);
}

/** The first fault of a field, as a sentence. */
export function describeError(errors: InputError[], label: string, param: string): string | undefined {
  const fault = errors.find((one) => one.param === param);
  return fault && `${label} ${fault.message}.`;
}
