/** The mutants fit the code. A moved line, or a rule that a later migration replaced, would be noticed only by the next run by hand. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileOf, mutants, ROOT } from "../mutants/all.ts";

const rules = readFileSync(join(ROOT, "migrations/rules.sql"), "utf8");

it("each mutant changes a text that its file has once, and names tests that exist", () => {
  const wrong = mutants.flatMap((mutant) => {
    const path = join(ROOT, fileOf(mutant));
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const parts = text.split(mutant.search).length;
    const statements = text.split("--> statement-breakpoint").map((one) => one.trim());
    // Views and triggers are as the last migration made them, and rules.sql has all of them.
    const isRule = /^(--.*\s+)*CREATE (VIEW|TRIGGER)/.test(
      statements.find((one) => one.includes(mutant.search)) ?? "",
    );
    const isPast = mutant.file === "migrations" && isRule && !rules.includes(mutant.search);
    const missing = mutant.tests.filter((test) => !existsSync(join(ROOT, test)));
    return parts === 2 && !isPast && missing.length === 0
      ? []
      : [[mutant.name, mutant.file, parts - 1, missing]];
  });
  expect(wrong).toEqual([]);
  expect(readFileSync(join(ROOT, "test/README.md"), "utf8")).toContain(`each of ${mutants.length} changes`);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
