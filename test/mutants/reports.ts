import type { Mutant } from "./mutant.ts";

const RANGES = ["test/reports/ranges.test.ts"];
const PERFORMANCE = ["test/reports/performance.test.ts"];

/** What reports sum, of which apps and days, and how the sums of databases, ranges of days and links are added up. */
export const reports: Mutant[] = [
  {
    name: "a report of a partner has the costs of all",
    file: "src/db/ledger/reports/totals.ts",
    search: '${equals(keys.partnerId, "partnerId")} AND ${filter}',
    replace: "${filter}",
    tests: ["test/reports/read-spend.test.ts"],
  },
  {
    name: "adjustments count for a country",
    file: "src/db/ledger/reports/totals.ts",
    search: 'source.added && audience !== "filtered"',
    replace: "source.added",
    tests: ["test/reports/audience.test.ts"],
  },
  {
    name: "a report of a link has everything",
    file: "src/db/ledger/reports/totals.ts",
    search: "links && !of ? sql`AND ${keys.linkId} ${links}` : NOTHING",
    replace: "NOTHING",
    tests: ["test/reports/read-spend.test.ts"],
  },
  {
    name: "each day of a range fits by itself",
    file: "src/db/ledger/reports/totals.ts",
    search: "SELECT days.day - 1, size + (",
    replace: "SELECT days.day - 1, (",
    tests: RANGES,
  },
  {
    name: "a report sums an app whose member the viewer is not",
    file: "src/db/ledger/reports/statements.ts",
    search:
      "sql: sql`= (SELECT ${m.appToken} FROM ${from} CROSS JOIN ${as(m)} ON ${isMember} WHERE ${isViewer})`",
    replace: 'sql: sql`= ${sql.placeholder("appToken")}`',
    tests: ["test/reports"],
  },
  {
    name: "a shard sums all links of a report of one",
    file: "src/db/ledger/reports/statements.ts",
    search: 'filters.link === undefined ? "all" : "known"',
    replace: '"all"',
    project: "four shards",
    tests: ["test/reports/audience.test.ts", "test/reports/reports-model.test.ts"],
  },
  {
    name: "a day is in two ranges",
    file: "src/db/ledger/reports/ranges.ts",
    search: "to = range.from - 1;\n    start",
    replace: "to = range.from - Number(range.from === days.from);\n    start",
    tests: RANGES,
  },
  {
    name: "ranges have any number of rows together",
    file: "src/db/ledger/reports/add-up.ts",
    search: "isRange && rows.length > MAX_ROWS ? undefined : rows",
    replace: "rows",
    tests: RANGES,
  },
  {
    name: "a chart leaves out sums of a single day",
    file: "src/db/ledger/reports/add-up.ts",
    search: "row.series ??= seriesOf(report, row, Math.max(from, days.from));",
    replace: 'row.series ??= "";',
    tests: ["test/workspace/performance.test.ts"],
  },
  {
    name: "the days before are in rows of their own",
    file: "src/usecases/performance/rows.ts",
    search: "sums.map((sum) => ({ ...sum, day: (sum.day ?? 0) + shift }))",
    replace: "sums.map((sum) => ({ ...sum, day: sum.day ?? 0 }))",
    tests: PERFORMANCE,
  },
  {
    name: "a week begins on Sunday",
    file: "src/domain/figures/groups.ts",
    search: "day - ((day + 3) % 7)",
    replace: "day - ((day + 4) % 7)",
    tests: PERFORMANCE,
  },
  {
    name: "a partner that is stopped has cost data",
    file: "src/domain/figures/groups.ts",
    search: "partner.supportsCostData && partner.stoppedAt === null",
    replace: "partner.supportsCostData",
    tests: ["test/domain/groups.test.ts"],
  },
];
