/** What the pages name in braces, such as `{cost window}`, as HTML. Read in the repository, a page has the name of the fact. */
import { TEMPORARY } from "../auth/passwords.ts";
import {
  COST_TYPE,
  COST_TYPES,
  type CostType,
  TYPES_PER_MILLE,
  TYPES_WITH_DISCREPANCY,
} from "../domain/cost-types.ts";
import { MAX_AUDIENCE_KEYS } from "../domain/engagements/audience.ts";
import { RATE_DAYS } from "../domain/figures/rates.ts";
import {
  COST_WINDOW,
  describeFits,
  inDays,
  inEnglish,
  listOf,
  RETENTION,
  TYPES_OF_IMPRESSIONS,
} from "../domain/texts.ts";
import { AUDIENCE_MONTHS, DAY_MS, KEPT_COUNTS_MS } from "../domain/time.ts";

const mark = (type: CostType) => `<code>${type}</code>`;
const listed = (types: CostType[], last: "and" | "or") => listOf(types.map(mark), last);

export const FACTS = {
  "cost window": COST_WINDOW,
  "retention time": RETENTION,
  "days of rates": inDays(RATE_DAYS * DAY_MS),
  "count time": inDays(KEPT_COUNTS_MS),
  "audience time": `${AUDIENCE_MONTHS} months`,
  "audience rows": inEnglish(MAX_AUDIENCE_KEYS),
  "password days": TEMPORARY,
  "cost types": listOf(
    COST_TYPES.map((type) => `${mark(type)} (${COST_TYPE[type].name})`),
    "or",
  ),
  "what fits": describeFits(mark),
  "types with two kinds": listed(
    COST_TYPES.filter((type) => COST_TYPE[type].fits.length > 1),
    "or",
  ),
  "types of impressions": listed(TYPES_OF_IMPRESSIONS, "and"),
  "types per mille": listed(TYPES_PER_MILLE, "and"),
  "types with discrepancy": listed(TYPES_WITH_DISCREPANCY, "and"),
};
