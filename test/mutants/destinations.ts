/** Mutants of where a click leads: own targets, placeholders and their encoding, macros; and of the test of a link. */
import type { Mutant } from "./mutant.ts";

export const destinations: Mutant[] = [
  {
    name: "values of a click can remove a segment of a path",
    file: "src/domain/engagements/placeholders.ts",
    search: " && lengthOf(one) === lengthOf(other)",
    replace: "",
    tests: ["test/domain/placeholders.test.ts"],
  },
  {
    name: "a value that is one dot empties the values beside it",
    file: "src/domain/engagements/placeholders.ts",
    search: 'value !== "." && value !== ".."',
    replace: 'value !== ".."',
    tests: ["test/domain/placeholders.test.ts"],
  },
  {
    name: "a value inside a value is percent-encoded once",
    file: "src/domain/engagements/placeholders.ts",
    search: "twice === undefined ? value : encodeURIComponent(value)",
    replace: "value",
    tests: ["test/domain/placeholders.test.ts"],
  },
  {
    name: "a link that leads to the app's URLs follows the target above it",
    file: "src/domain/engagements/click-target.ts",
    search: "ids.find((id) => targets[id] !== undefined)",
    replace: "ids.find((id) => targets[id])",
    tests: ["test/engagement/own-targets.test.ts", "test/domain/choose-target.test.ts"],
  },
  {
    name: "a target cannot be changed in an app with the most targets",
    file: "src/usecases/links/updates.ts",
    search: "{ isMore: before.target === null }",
    replace: "{ isMore: true }",
    tests: ["test/workspace/targets.test.ts", "test/engagement/own-targets.test.ts"],
  },
  {
    name: "a macro that is percent-encoded three times is a value",
    file: "src/domain/macros.ts",
    search: "forms.length <= MAX_DECODINGS",
    replace: "forms.length < MAX_DECODINGS",
    tests: ["test/domain/macros.test.ts"],
  },
  {
    name: "braces around nothing are a placeholder and not a macro",
    file: "src/domain/macros.ts",
    search: " && !/[{}%]/.test(rest)",
    replace: "",
    tests: ["test/domain/macros.test.ts"],
  },
  {
    name: "the test of a link ignores the target above it",
    file: "src/workspace/links/link-test.ts",
    search: 'row.target ?? row.inheritedTarget ?? ""',
    replace: 'row.target ?? ""',
    tests: ["test/workspace/link-test.test.ts"],
  },
  {
    name: "the test of a link says that a cost of a type with two kinds matches its first kind only",
    file: "src/workspace/links/link-test.ts",
    search: "COST_TYPE[type].fits.includes(kind)",
    replace: "COST_TYPE[type].fits[0] === kind",
    tests: ["test/workspace/link-test.test.ts"],
  },
];
