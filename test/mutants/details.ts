/** Mutants of what a page shows beside its main figure, of the log, and of the order in a group of calls. */
import type { Mutant } from "./mutant.ts";

export const details: Mutant[] = [
  {
    name: "the overview compares impressions with the clicks of the days before",
    file: "src/workspace/overview.ts",
    search: 'countOf(engagementsBefore, "impression")',
    replace: 'countOf(engagementsBefore, "click")',
    tests: ["test/workspace/overview.test.ts"],
  },
  {
    name: "a day of the overview's chart leads to a period and a day",
    file: "src/workspace/overview.ts",
    search: '.replace(/period=\\w+&/, "")',
    replace: "",
    tests: ["test/workspace/overview.test.ts", "test/workspace/chart.test.ts"],
  },
  {
    name: "the spend of a partner in the second currency leads to the first",
    file: "src/workspace/partners/list.ts",
    search: "{ partner_id: String(line.id), currency }",
    replace: "{ partner_id: String(line.id) }",
    tests: ["test/workspace/partners.test.ts"],
  },
  {
    name: "a tile of exactly a million is not short",
    file: "src/workspace/performance/cells.ts",
    search: "value >= MILLION",
    replace: "value > MILLION",
    tests: ["test/workspace/performance.test.ts"],
  },
  {
    name: "a form that is sent twice with other settings says only that the link exists",
    file: "src/workspace/create/new.ts",
    search: '(isTwice ? "twice" : "differs")',
    replace: '"differs"',
    tests: ["test/workspace/create.test.ts"],
  },
  {
    name: "the form of an existing link with the same settings says that it was created twice",
    file: "src/workspace/create/new.ts",
    search: "const isOther = result.differences.length > 0;",
    replace: "const isOther = true;",
    tests: ["test/workspace/create.test.ts"],
  },
  ...(["api", "read", "write", "live", "test"] as const).map((kind) => ({
    name: `an error in the log quotes a token that begins with ll_${kind}_`,
    file: "src/log.ts",
    search: "(api|read|write|live|test)",
    replace: `(${["api", "read", "write", "live", "test"].filter((one) => one !== kind).join("|")})`,
    tests: ["test/site/log.test.ts"],
  })),
  {
    name: "small statements overtake a heavy one that waits longest",
    file: "src/db/group-commit.ts",
    search: "if (weight + entry.weight > MAX_CALL) break;",
    replace: "if (weight + entry.weight > MAX_CALL) continue;",
    tests: ["test/db/groups/group-commit.test.ts"],
  },
];
