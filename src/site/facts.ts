/** What the pages name in braces, such as `{cost window}`, as HTML. Read in the repository, a page has the name of the fact. */
import { TEMPORARY } from "../auth/passwords.ts";
import { MAX_ENTRIES_AN_HOUR } from "../db/accounts/failures.ts";
import { ATTEMPT_MS, MAX_ATTEMPTS } from "../db/accounts/identities.ts";
import { BYTES_OF_ROW } from "../db/upkeep/sizes.ts";
import {
  COST_TYPE,
  COST_TYPES,
  type CostType,
  TYPES_PER_MILLE,
  TYPES_WITH_DISCREPANCY,
} from "../domain/cost-types.ts";
import { MAX_COST_ID } from "../domain/costs.ts";
import { MAX_AUDIENCE_KEYS, type Platform } from "../domain/engagements/audience.ts";
import { TARGET_PARAMETERS, TARGETS } from "../domain/engagements/click-target.ts";
import {
  DEFAULT_MAX_NEW_SUB_LINKS,
  DROP_REASONS,
  LEVEL_PARAMETERS,
  MAX_FROM_ENGAGEMENTS,
  NETWORKS_OF_NEW_SUB_LINKS,
} from "../domain/engagements/sub-links.ts";
import { MIN_EXPECTED, RATE_DAYS } from "../domain/figures/rates.ts";
import { CURRENCY_CODES } from "../domain/money.ts";
import {
  COST_WINDOW,
  describeFits,
  inDays,
  inEnglish,
  listOf,
  RETENTION,
  TYPES_OF_IMPRESSIONS,
} from "../domain/texts.ts";
import { AUDIENCE_MONTHS, DAY_MS, KEPT_COUNTS_MS, KEPT_REJECTIONS_MS } from "../domain/time.ts";

const mark = (type: CostType) => `<code>${type}</code>`;
const listed = (types: CostType[], last: "and" | "or") => listOf(types.map(mark), last);

const DEVICES: Partial<Record<Platform, string>> = {
  ios: "iPhone and iPad",
  android: "Android",
  macos: "Mac",
  windows: "Windows",
};
const SOURCES = {
  url: "parameter of the URL, if the app allows its scheme and host",
  link: "setting of the link, or of the nearest one above it that has one, if the app allows its scheme and host",
  app: "setting of the app",
};

const tableOf = (label: string, headings: string[], rows: string[][]) => {
  const toRow = (tag: "th" | "td", cells: string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<div class="table" tabindex="0" role="region" aria-label="${label}"><table>
<thead>${toRow("th", headings)}</thead>
<tbody>${rows.map((cells) => toRow("td", cells)).join("\n")}</tbody></table></div>`;
};

/** The order in which a click takes its target, from the list that decides it. */
const targetTable = () => {
  const rows = TARGETS.map(({ name, from, ...rest }, index) => {
    const devices = "platform" in rest ? DEVICES[rest.platform] : "all";
    return [String(index + 1), `<code>${name}</code>`, SOURCES[from], devices ?? ""];
  });
  return tableOf("Targets of a click, in order", ["Order", "Target", "What it is", "Devices"], rows);
};

/** Why a parameter is dropped, from the list of the API and of the pages. */
const reasonTable = () =>
  tableOf(
    "Why a parameter is dropped",
    ["Reason", "What it means"],
    Object.entries(DROP_REASONS).map(([reason, text]) => [`<code>${reason}</code>`, text]),
  );

/** What `dropped_parameters` can have as a parameter. */
export const DROPPED_NAMES = [
  ...["cost_id", "cost_type", "cost_currency", "cost_amount", ...LEVEL_PARAMETERS],
  ...["country", "platform", "os_name", "user_agent", ...TARGET_PARAMETERS, "engagement"],
];

/** A fact that is a paragraph by itself is not put into one. */
export const FACTS = {
  "table of targets": targetTable(),
  "table of drop reasons": reasonTable(),
  "cost window": COST_WINDOW,
  "retention time": RETENTION,
  "days of rates": inDays(RATE_DAYS * DAY_MS),
  "least expected": String(MIN_EXPECTED),
  "bytes of row": inEnglish(BYTES_OF_ROW),
  "rejection time": inDays(KEPT_REJECTIONS_MS),
  "count time": inDays(KEPT_COUNTS_MS),
  "audience time": `${AUDIENCE_MONTHS} months`,
  "audience rows": inEnglish(MAX_AUDIENCE_KEYS),
  "links below network": inEnglish(MAX_FROM_ENGAGEMENTS),
  "new links": inEnglish(DEFAULT_MAX_NEW_SUB_LINKS),
  "new links of app": inEnglish(NETWORKS_OF_NEW_SUB_LINKS * DEFAULT_MAX_NEW_SUB_LINKS),
  "links of year": inEnglish(365 * DEFAULT_MAX_NEW_SUB_LINKS),
  "dropped names": inEnglish(DROPPED_NAMES.length),
  "drop reasons": inEnglish(Object.keys(DROP_REASONS).length),
  "longest id": inEnglish(MAX_COST_ID),
  "known currencies": inEnglish(CURRENCY_CODES.size),
  "failed entries": inEnglish(MAX_ENTRIES_AN_HOUR),
  "kept attempts": inEnglish(MAX_ATTEMPTS),
  "attempt time": inDays(ATTEMPT_MS),
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
