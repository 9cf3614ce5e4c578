import type { Mutant } from "./mutant.ts";

/** The rules of the ledger: matching, prices on URLs, voids, totals. */
export const ledger: Mutant[] = [
  {
    name: "a late click counts on the day of its delivery",
    file: "migrations",
    search: "NEW.occurred_at, NEW.occurred_at / 86400000, NEW.cost_id",
    replace: "NEW.occurred_at, CAST(NEW.recorded_at AS INTEGER) / 86400000, NEW.cost_id",
    tests: ["test/engagement/queue.test.ts"],
  },
  {
    name: "the second change after a void forgets it",
    file: "src/db/ledger/submission.ts",
    search: "iif(${s.voidState} IS NULL, NULL, 'lifted')",
    replace: "iif(${s.voidState} = 'voided', 'lifted', NULL)",
    tests: ["test/cost/void.test.ts"],
  },
  {
    name: "a void is too late at the end of its window",
    file: "src/db/ledger/voids.ts",
    search: "${now} - ${windowStart} > ${window}",
    replace: "${now} - ${windowStart} >= ${window}",
    tests: ["test/cost/void.test.ts"],
  },
  {
    name: "a name of JSON with an escape is another name",
    file: "src/http/input/json.ts",
    search: 'if (level.at.includes("\\\\"))',
    replace: "if (level.names.size < 0)",
    tests: ["test/cost/json-body.test.ts"],
  },
  {
    name: "an ID that is repeated in a batch is judged once",
    file: "src/db/ledger/submission.ts",
    search: "seen.set(item.costId, number + 1)",
    replace: "seen.set(item.costId, number)",
    tests: ["test/cost/batch.test.ts"],
  },
  {
    name: "a call is a duplicate if the one before it had no amount",
    file: "src/db/ledger/submission.ts",
    search: "${s.amount} = ${s.knownAmount}) THEN 'duplicate'",
    replace: "${s.amount} = coalesce(${s.knownAmount}, ${s.amount})) THEN 'duplicate'",
    tests: ["test/cost/url-cost.test.ts"],
  },
  {
    name: "spend counts on the day of the call instead of its click",
    file: "migrations",
    search: "THEN NEW.click_at WHEN 'impression' THEN NEW.impression_at ELSE NEW.received_at END / 86400000",
    replace:
      "THEN NEW.received_at WHEN 'impression' THEN NEW.received_at ELSE NEW.received_at END / 86400000",
    tests: ["test/cost/matching.test.ts"],
  },
  {
    name: "a price on a URL counts again once a void is lifted",
    file: "migrations",
    search: "CASE WHEN matched_kind IS NOT NULL OR void_state IS NOT NULL THEN NULL",
    replace: "CASE WHEN matched_kind IS NOT NULL OR coalesce(void_state = 'voided', 0) THEN NULL",
    tests: ["test/cost/void.test.ts"],
  },
  {
    name: "a second click with the same ID is not counted",
    file: "migrations",
    search: "WHERE kept_at IS NOT NEW.occurred_at",
    replace: "WHERE kept_at IS NULL",
    tests: ["test/reports/read-engagements.test.ts"],
  },
  {
    name: "a click goes to the ledger under a generated ID although its price does not count",
    file: "src/db/ledger/engagements.ts",
    search: '(${message("isGenerated")} AND NOT ${priceCounts})',
    replace: "false",
    tests: ["test/cost/url-cost.test.ts"],
  },
  {
    name: "a rejection counts under the app of the impression, although the click is in another one",
    file: "src/db/ledger/submission.ts",
    search: 'coalesce(iif(${typeFits("click")}, ${s.clickAppToken}, NULL),',
    replace:
      'coalesce(iif(${typeFits("impression")}, ${s.impressionAppToken}, NULL), iif(${typeFits("click")}, ${s.clickAppToken}, NULL),',
    tests: ["test/cost/rejections.test.ts"],
  },
  {
    name: "the clicks with one ID in one millisecond are one click",
    file: "src/usecases/engagements/read.ts",
    search: "return now + 1;",
    replace: "return now;",
    tests: ["test/engagement/repeated-ids.test.ts"],
  },
];
