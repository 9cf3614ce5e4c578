import type { Mutant } from "./mutant.ts";

const cache = ["test/engagement/link-cache.test.ts"];
const tokens = ["test/auth/api-token.test.ts", "test/security/warm-isolate.test.ts"];
const shared = { file: "src/db/group-commit.ts", tests: ["test/db/groups/shared.test.ts"] };
const alike = { file: "src/domain/engagements/alike.ts", tests: ["test/engagement/queue.test.ts"] };

/** What an isolate remembers, and engagements that share a row. */
export const memory: Mutant[] = [
  {
    name: "a read that was under way puts an old destination back",
    file: "src/domain/memory.ts",
    search: "this.#changes === before",
    replace: "this.#changes >= before",
    tests: cache,
  },
  {
    name: "a destination is remembered without an end",
    file: "src/domain/memory.ts",
    search: "known && known.until > now ?",
    replace: "known ?",
    tests: cache,
  },
  {
    name: "a change of an app waits for KV in its isolate",
    file: "src/db/links/destination-cache.ts",
    search: "  destinations.set(appToken, destination, now);\n",
    replace: "",
    tests: cache,
  },
  {
    name: "any number of destinations are remembered",
    file: "src/domain/memory.ts",
    search: "this.#values.size >= this.#most",
    replace: "this.#values.size >= 10 * this.#most",
    tests: cache,
  },
  {
    name: "KV is not asked about a report",
    file: "src/auth/guards.ts",
    search: "isReport || !acceptedTokens",
    replace: "!acceptedTokens",
    tests: [...tokens, "test/security/reports.test.ts"],
  },
  {
    name: "a rejected token is remembered as accepted",
    file: "src/auth/rate-limits.ts",
    search: "  acceptedTokens.delete(readToken(context).hash);\n",
    replace: "",
    tests: tokens,
  },
  {
    name: "a revoked credential is remembered as accepted",
    file: "src/auth/guards.ts",
    search: "        acceptedTokens.delete(tokenHash);\n",
    replace: "",
    tests: tokens,
  },
  {
    ...shared,
    name: "a request joins statements that were sent",
    search:
      "      if (entry.shared && this.#shared.get(entry.shared.key) === entry) this.#shared.delete(entry.shared.key);\n",
    replace: "      void entry;\n",
  },
  {
    ...shared,
    name: "statements are sent without those that joined",
    search: "      if (entry.shared?.item.count) entry.statements = entry.shared.bind();\n",
    replace: "",
  },
  {
    ...shared,
    name: "a request joins statements that will soon be given up",
    search: ">= JOIN_MS",
    replace: ">= 2 * JOIN_MS",
  },
  {
    ...shared,
    name: "after an error of another, statements are sent without those that joined",
    search: "return this.#send(entry.statements, until - now);",
    replace:
      'return this.#send(entry.shared ? entry.statements.map((one) => String(one).replace(/\\d+/, "1") as never) : entry.statements, until - now);',
  },
  {
    ...shared,
    name: "statements of ended requests wait without an end",
    search: "      this.#take(entry);\n      if (entry.shared &&",
    replace: "      if (entry.shared &&",
  },
  {
    ...shared,
    name: "the log does not say what is lost with ended requests",
    search: "if (lost > 0) logFigures",
    replace: "if (lost < 0) logFigures",
  },
  {
    ...alike,
    name: "engagements of two days are alike",
    search: "dayOf(occurredAt)",
    replace: "0",
  },
  {
    ...alike,
    name: "engagements with other names are alike",
    search: "others, dayOf(occurredAt), names]",
    replace: "others, dayOf(occurredAt)]",
  },
  {
    ...alike,
    name: "engagements with an ID are alike",
    search: "if (others.costId !== null) return undefined;",
    replace: "",
  },
  {
    ...alike,
    name: "alike engagements are one",
    search: "same.length === 1 ? first : { ...first, count: countOf(same) }",
    replace: "first",
  },
  {
    name: "what alike engagements have dropped is counted once",
    file: "migrations",
    search: "value ->> 1, NEW.count FROM",
    replace: "value ->> 1, 1 FROM",
    tests: ["test/engagement/queue.test.ts"],
  },
];
