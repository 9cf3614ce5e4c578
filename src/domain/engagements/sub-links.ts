/** Sub-links that engagements name, why a parameter of a URL is dropped, and how many links there can be. */

import { inEnglish, RETENTION } from "../texts.ts";

/** The parameters that name a sub-link, for levels 2 to 4. */
export const LEVEL_PARAMETERS = ["campaign", "adgroup", "creative"] as const;

/** The links that users can create in an app, at all levels. Operators can change it for each app. */
export const DEFAULT_MAX_LINKS = 100_000;

/** How many links engagements can create below one level-1 link, all levels together. */
export const MAX_FROM_ENGAGEMENTS = 10_000;

/** Why a parameter of a URL was not used; `too_old` is about the engagement as a whole. */
export const DROP_REASONS = {
  invalid: "The value is not valid.",
  repeated: "The parameter is given twice with different values.",
  unfilled_macro: "The network did not replace its macro.",
  missing_level: "The name of the level above is missing.",
  cost_id_dropped: "The cost ID of the URL was not used, so its price was not either.",
  not_agreed: "The price is in another currency than the partner's cost parameters say.",
  other_partner: "The sub-link belongs to another partner.",
  too_old: `A click or an impression was delivered more than ${RETENTION} after it happened, so it was not recorded.`,
  too_many_links: `Clicks and impressions created ${inEnglish(MAX_FROM_ENGAGEMENTS)} links below this network.`,
} as const;
export type DropReason = keyof typeof DROP_REASONS;
