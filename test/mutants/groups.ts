import type { Mutant } from "./mutant.ts";

const file = "src/db/group-commit.ts";
const tests = ["test/db/groups/group-commit.test.ts"];
const runners = { file: "src/db/statement.ts", tests: ["test/db/groups/runners.test.ts"] };

/** How requests share calls to D1. */
export const groups: Mutant[] = [
  {
    name: "in a group, each request gets the results of the first one",
    file,
    search: "results.slice(at, at + entry.statements.length)",
    replace: "results.slice(0, entry.statements.length)",
    tests,
  },
  {
    name: "in a group, the results are cut by weight",
    file,
    search: "at += entry.statements.length;",
    replace: "at += entry.weight;",
    tests,
  },
  {
    name: "in a group, a wrong statement fails all requests",
    file,
    search: "group.length > 1 && this.#isSqlError(error)",
    replace: "group.length > 2 ** 20 && this.#isSqlError(error)",
    tests,
  },
  {
    name: "a group that may have committed is sent again",
    file,
    search: "group.length > 1 && this.#isSqlError(error)",
    replace: "group.length > 1",
    tests,
  },
  {
    name: "any number of statements wait",
    file,
    search: "?? MAX_PENDING)",
    replace: "?? 10 * MAX_PENDING)",
    tests,
  },
  {
    name: "statements in flight do not count as pending",
    file,
    search: "countOf(this.#waiting) + countOf([...this.#calls]) + statements.length",
    replace: "countOf(this.#waiting) + statements.length",
    tests,
  },
  {
    name: "a list that waits counts as more than its statements",
    file,
    search: "countOf(this.#waiting) + countOf([...this.#calls]) + statements.length",
    replace: "weightOf(this.#waiting) + weight",
    tests,
  },
  {
    name: "a call carries any number of statements",
    file,
    search: "weight + entry.weight > MAX_CALL",
    replace: "weight > MAX_CALL",
    tests,
  },
  {
    name: "a full group waits for a call in flight",
    file,
    search: "    if (weightOf(this.#waiting) >= MAX_CALL) return true;\n",
    replace: "",
    tests,
  },
  {
    name: "a second call starts immediately",
    file,
    search: "now - startedAt >= SPACING_MS",
    replace: "now - startedAt >= 0",
    tests,
  },
  {
    name: "one call more is in flight",
    file,
    search: "this.#calls.size < this.maxCalls",
    replace: "this.#calls.size <= this.maxCalls",
    tests,
  },
  {
    name: "a lost call keeps its place",
    file,
    search: "now - call.startedAt >= DEADLINE_MS",
    replace: "now - call.startedAt >= 100 * DEADLINE_MS",
    tests,
  },
  {
    name: "statements wait although their request gave up",
    file,
    search: "        this.#take(entry);\n",
    replace: "",
    tests,
  },
  {
    name: "statements are sent by another request after their deadline",
    file,
    search: "if (entry === own || entry.until <= now) continue;",
    replace: "if (entry === own) continue;",
    tests,
  },
  {
    name: "a request without time left sends the statements of others",
    file,
    search: "own.until - now >= DEADLINE_MS / 2",
    replace: "own.until >= now",
    tests,
  },
  {
    name: "a group with another number of results is answered",
    file,
    search: "results.length !== statements.length",
    replace: "results.length > statements.length",
    tests,
  },
  {
    name: "a request that is sent by itself has no deadline",
    file,
    search: "own.until - now);\n      let at",
    replace: "10 * DEADLINE_MS);\n      let at",
    tests,
  },
  {
    ...runners,
    name: "a long list weighs as much as one statement",
    search: "Math.max(statements.length, Math.ceil((rows ?? 0) / ROWS_OF_STATEMENT))",
    replace: "statements.length",
  },
  {
    ...runners,
    name: "a list above 100 rows shares a call",
    search: " || rows > MAX_GROUPED_ROWS",
    replace: "",
  },
  {
    ...runners,
    name: "requests share calls although GROUP_CALLS is 0",
    search: "if (maxCalls === 0) groups.delete(db);",
    replace: "if (maxCalls < 0) groups.delete(db);",
  },
  {
    ...runners,
    name: "a write without an ID is sent again after a lost connection",
    search: "runner({ attempts: 1, rows, shared });",
    replace: "runner({ attempts: MAX_ATTEMPTS, rows, shared });",
  },
  {
    ...runners,
    name: "on a database without tables, each request sends its statements again",
    search: ' && !text.includes("no such table");',
    replace: ";",
  },
  {
    ...runners,
    name: "on a locked database, each request sends its statements again",
    search: '.includes("SQLITE_") && !isTransient(error)',
    replace: '.includes("SQLITE_")',
  },
  {
    name: "a plain click is sent again after a lost connection",
    file: "src/db/ledger/record-engagements.ts",
    search: "if (first.costId !== null) return runGroupedIdempotent();",
    replace: "return runGroupedIdempotent();",
    tests: ["test/faults/clicks.test.ts"],
  },
  {
    name: "waiting requests are woken by promises",
    file,
    search: "await new Promise<void>((resolve) => setTimeout(resolve, pause));",
    // The end of the next call resolves the promises of all.
    replace: `await new Promise<void>((resolve) => {
          const end = this.#calls.delete;
          this.#calls.delete = (call) => {
            this.#calls.delete = end;
            resolve();
            return end.call(this.#calls, call);
          };
        });`,
    project: "built",
    tests: ["test/dev/built/chaos.test.ts"],
  },
  {
    name: "a client that disconnects takes the call of others with it",
    file: "src/index.ts",
    search: "    execution.waitUntil(answer);\n",
    replace: "",
    project: "built",
    tests: ["test/dev/built/groups.test.ts"],
  },
];
