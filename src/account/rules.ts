/** The rules and formatters of the account pages. No I/O, no clock. */
import { dayOf } from "../domain/time.ts";
import { describeDay } from "../pages/locale.ts";

/** The page to open after sign-in: `next` if it is a page for signed-in people on our origin, otherwise their start page. */
export function chooseNext(next: string | null | undefined, origin: string): string {
  const url = URL.parse(next ?? "", origin);
  const isOwn = url?.origin === origin && /^\/(?:account|apps|operator)(?:\/|$)/.test(url.pathname);
  return isOwn ? url.pathname + url.search : "/";
}

/** How long ago a session was last used. It is known to within five minutes. */
export function formatAgo(milliseconds: number, now: number): string {
  const minutes = Math.floor((now - milliseconds) / 60_000);
  if (minutes < 10) return "A few minutes ago";
  return minutes < 60 ? `${minutes} minutes ago` : "More than an hour ago";
}

/** `day` counts days since 1970 in UTC, `now` is in milliseconds. */
export function formatLastUse(day: number | null, now: number): string {
  if (day === null) return "Never";
  const ago = dayOf(now) - day;
  if (ago <= 0) return "Today";
  return ago === 1 ? "Yesterday" : describeDay(day);
}

/** The boxes of a form that can end tokens too. */
type EndingBoxes = { end_access_tokens?: "yes" | undefined; end_api_token?: "yes" | undefined };

/** Which tokens a form ends. */
export const toEnding = ({ end_access_tokens, end_api_token }: EndingBoxes) => ({
  endsAccessTokens: end_access_tokens === "yes",
  endsApiToken: end_api_token === "yes",
});

/** The boxes that were ticked, as they were sent. */
export const tickedOf = ({ end_access_tokens, end_api_token }: EndingBoxes) =>
  new URLSearchParams({
    ...(end_access_tokens && { end_access_tokens }),
    ...(end_api_token && { end_api_token }),
  });

/** How many recovery codes are left, as a sentence. */
export function countCodes(left: number): string {
  return left === 1 ? "1 recovery code is left." : `${left} recovery codes are left.`;
}
