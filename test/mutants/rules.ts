/** Mutants of triggers of migrations/rules.sql, and of copies of what decides about costs. */
import type { Mutant } from "./mutant.ts";

export const rules: Mutant[] = [
  {
    name: "a price keeps counting beside the call that takes its place",
    file: "migrations",
    search: "WHEN OLD.counting_price IS NOT NEW.counting_price BEGIN",
    replace: "WHEN OLD.counting_price IS NOT NEW.counting_price AND NEW.counting_price IS NOT NULL BEGIN",
    tests: ["test/cost/url-cost.test.ts"],
  },
  {
    name: "what a call without a match replaces keeps counting",
    file: "migrations",
    search: "INSTEAD OF INSERT ON call_counts WHEN NEW.state <> 'voided' BEGIN",
    replace:
      "INSTEAD OF INSERT ON call_counts WHEN NEW.state <> 'voided' AND NOT (NEW.sign < 0 AND NEW.state = 'pending') BEGIN",
    tests: ["test/cost/matching.test.ts", "test/cost/void.test.ts"],
  },
  {
    name: "prices on URLs count in a fourth currency of the day",
    file: "migrations",
    search: "iif(count(*) < 3, 0,",
    replace: "iif(count(*) <= 3, 0,",
    tests: ["test/engagement/held-prices.test.ts"],
  },
  {
    name: "the price of a repeated ID is added to the prices of the day",
    file: "migrations",
    search: "WHERE NEW.price_counts > 0 AND NEW.is_first",
    replace: "WHERE NEW.price_counts > 0",
    tests: ["test/engagement/held-prices.test.ts", "test/engagement/repeated-ids.test.ts"],
  },
  {
    name: "alike clicks count their dropped parameters once",
    file: "migrations",
    search: "NEW.dropped, NEW.count);",
    replace: "NEW.dropped, 1);",
    tests: ["test/engagement/queue.test.ts", "test/engagement/open-link.test.ts"],
  },
  {
    name: "a voided call that is replaced is not archived",
    file: "migrations",
    search:
      "(OLD.received_at IS NOT NEW.received_at OR (OLD.void_state IS 'voided' AND NEW.void_state IS 'lifted'))",
    replace: "OLD.received_at IS NOT NEW.received_at",
    tests: ["test/purge/archive.test.ts", "test/purge/archive-model.test.ts"],
  },
  {
    name: "a link of an earlier day begins the count of new sub-links again",
    file: "migrations",
    search: "new_sub_link_day = max(new_sub_link_day, NEW.day)",
    replace: "new_sub_link_day = NEW.day",
    tests: ["test/engagement/sub-link-places.test.ts", "test/engagement/new-sub-links.test.ts"],
  },
  {
    name: "an expired response makes no room for others",
    file: "migrations",
    search: "stored_length = stored_length - length(OLD.answer)",
    replace: "stored_length = stored_length",
    tests: ["test/campaign/quotas.test.ts"],
  },
  {
    name: "rows by country count only with a known platform",
    file: "migrations",
    search: "WHEN (NEW.country, NEW.platform) <> ('XX', 'other')",
    replace: "WHEN NEW.country <> 'XX' AND NEW.platform <> 'other'",
    tests: ["test/engagement/audience.test.ts"],
  },
  {
    name: "a cost of a revoked credential is kept as a rejected one",
    file: "migrations",
    search: "WHEN NEW.verdict NOT IN ('store', 'duplicate', 'credential_revoked')",
    replace: "WHEN NEW.verdict NOT IN ('store', 'duplicate')",
    tests: ["test/cost/rejections.test.ts", "test/cost/rejected-list.test.ts"],
  },
  {
    name: "201 rejected costs of a code are kept",
    file: "migrations",
    search: "code = NEW.code) - 199;",
    replace: "code = NEW.code) - 200;",
    tests: ["test/cost/rejected-list.test.ts", "test/cost/rejections.test.ts"],
  },
  {
    name: "the shard of a cost does not depend on its partner",
    file: "src/db/ledger/databases.ts",
    search: "const text = `${partnerId}:${costId}`;",
    replace: "const text = `${partnerId && costId}`;",
    project: "four shards",
    tests: ["test/shards/identity.test.ts"],
  },
  {
    name: "a late click joins a row that was forgotten before it was recorded",
    file: "migrations",
    search: "remembered_until < NEW.recorded_at AND NOT NEW.is_elsewhere",
    replace: "remembered_until < NEW.occurred_at AND NOT NEW.is_elsewhere",
    tests: ["test/purge/forgotten.test.ts"],
  },
];
