/** Sub-links that engagements name, why a parameter of a URL is dropped, and how many links there can be. */

import { inEnglish, RETENTION } from "../texts.ts";
import { MAX_LOCATION } from "./placeholders.ts";

/** The parameters that name a sub-link, for levels 2 to 4. */
export const LEVEL_PARAMETERS = ["campaign", "adgroup", "creative"] as const;

/** The links that users can create in an app, at all levels. Operators can change it for each app. */
export const DEFAULT_MAX_LINKS = 100_000;

/** How many links engagements can create below one level-1 link, all levels together. Archived ones do not count. */
export const MAX_FROM_ENGAGEMENTS = 10_000;

/** The same for the links of one day. Operators can change it for each app. */
export const DEFAULT_MAX_NEW_SUB_LINKS = 1_000;

/** All networks of an app together can get so many times the new links of one of them on a day. */
export const NETWORKS_OF_NEW_SUB_LINKS = 5;

/** So much of a limit that somebody should do something before it is reached: 80%. The same in SQL. */
export const isNearlyFull = (count: number | bigint, most: number | bigint) =>
  most > 0 && 5n * BigInt(count) >= 4n * BigInt(most);

/** Why a parameter of a URL was not used; `too_old` and `bot` are about the engagement as a whole. */
export const DROP_REASONS = {
  invalid: "The value is not valid.",
  repeated: "The parameter is given twice with different values.",
  escaped: 'Its name begins with "amp;": the URL was copied from the source of a page. Copy it as text.',
  repeated_id:
    "An earlier click or impression of this app has the same cost ID, so this one was counted, but cannot match a cost.",
  other_app:
    "An earlier click or impression of another app has the same cost ID, so this one was counted, but cannot match a cost.",
  unfilled_macro: "The network did not replace its macro.",
  placeholder: "The value means nothing, such as null or an advertising ID of zeros.",
  missing_level: "The name of the level above is missing.",
  cost_id_dropped: "The cost ID of the URL was not used, so its price was not used either.",
  daily_limit:
    "The prices on URLs of this day are above the limit of the partner, so this one is held until an operator decides.",
  not_agreed: "The price is not in the currency that the partner's cost parameters name.",
  too_high: "The price is above the highest price that a URL of this partner can have.",
  not_integrated: "The partner cannot send costs of this type yet.",
  not_allowed: `The app does not allow the scheme or the host of this target, or it has more than ${inEnglish(MAX_LOCATION)} characters.`,
  other_partner: "The sub-link belongs to another partner.",
  bot: "A bot opened the link, so nothing was recorded.",
  too_old: `A click or an impression was delivered more than ${RETENTION} after it happened, so it was not recorded.`,
  too_many_links:
    "Clicks and impressions created so many links below this network, or so many in a short time, that no more were created.",
} as const;
export type DropReason = keyof typeof DROP_REASONS;
