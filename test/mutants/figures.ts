import type { Mutant } from "./mutant.ts";

const REPORT = ["test/domain/performance.test.ts", "test/reports/performance.test.ts"];
const AUDIENCE = ["test/engagement/audience.test.ts"];

/** What Performance divides, and which country and platform an engagement counts for. */
export const figures: Mutant[] = [
  {
    name: "spend in one of two currencies is divided by all clicks",
    file: "src/domain/figures/performance.ts",
    search: "costType || otherCurrencies.length > 0 ? null",
    replace: "costType ? null",
    tests: REPORT,
  },
  {
    name: "coverage leaves out costs without an amount",
    file: "src/domain/figures/performance.ts",
    search: "row.matched + row.unpriced, 0)",
    replace: "row.matched, 0)",
    tests: REPORT,
  },
  {
    name: "the cost per click has the costs of installs",
    file: "src/domain/figures/performance.ts",
    search: 'divide(sumCosts(cpc), sum(cpc, "matched"))',
    replace: 'divide(sumCosts(own), sum(own, "matched"))',
    tests: REPORT,
  },
  {
    name: "the cost per click rises beside a handful of clicks in the days before",
    file: "src/domain/figures/performance.ts",
    search: "clicks >= MIN_CLICKS && (before.clicks ?? 0n) >= MIN_CLICKS",
    replace: "clicks >= MIN_CLICKS",
    tests: REPORT,
  },
  {
    name: "currencies of Performance are in the order of their codes only",
    file: "src/domain/figures/performance.ts",
    search: "second - first || (one < other",
    replace: "0 || (one < other",
    tests: REPORT,
  },
  {
    name: "a cursor of Performance has any days",
    file: "src/campaign/read-performance.ts",
    search: " && isWithinLimits(from, to)",
    replace: "",
    tests: REPORT,
  },
  {
    name: "members have any number of saved views",
    file: "src/db/workspace/views.ts",
    search: "< ${sql.raw(String(MAX_VIEWS))}",
    replace: "< 1000",
    tests: ["test/workspace/performance.test.ts", "test/workspace/views.test.ts"],
  },
  {
    name: "an engagement counts for a country that does not exist",
    file: "src/usecases/engagements/read.ts",
    search: "COUNTRY_CODES.has(country) ? country : UNKNOWN_COUNTRY",
    replace: "country",
    tests: AUDIENCE,
  },
  {
    name: "the countries of an app's day have no end",
    file: "migrations",
    search: "count >= 20000;",
    replace: "count >= 2000000;",
    tests: AUDIENCE,
  },
  {
    name: "the purge forgets the country of costs a month too early",
    file: "src/domain/time.ts",
    search: "export const AUDIENCE_MONTHS = 25",
    replace: "export const AUDIENCE_MONTHS = 24",
    tests: ["test/purge/expired.test.ts"],
  },
  {
    name: "counts of zero are in the line below the tiles",
    file: "src/pages/elements.ts",
    search: ".filter(([count]) => count > 0)",
    replace: "",
    tests: ["test/workspace/overview.test.ts"],
  },
  {
    name: "a link with a partner of its own counts as off if it inherits On",
    file: "src/db/ledger/attention.ts",
    search:
      "coalesce(${l.costSwitch}, ${l1.costSwitch}, ${l2.costSwitch}, ${l3.costSwitch}, 0) AS cost_switch",
    replace: "coalesce(${l.costSwitch}, 0) AS cost_switch",
    tests: ["test/workspace/partners.test.ts"],
  },
  {
    name: "a view replaces another one without a question",
    file: "src/db/workspace/views.ts",
    search: "saved.length > 0 || !isReplacing",
    replace: "saved.length > 0",
    tests: ["test/workspace/views.test.ts"],
  },
];
