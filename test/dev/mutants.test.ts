/** The mutants fit the code: a moved line would otherwise be noticed with the next run of all of them, which is by hand. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileOf, mutants, ROOT } from "../mutants/all.ts";

it("each mutant changes a text that its file has once, and names tests that exist", () => {
  const wrong = mutants.flatMap((mutant) => {
    const path = join(ROOT, fileOf(mutant));
    const parts = existsSync(path) ? readFileSync(path, "utf8").split(mutant.search).length : 0;
    const missing = mutant.tests.filter((test) => !existsSync(join(ROOT, test)));
    return parts === 2 && missing.length === 0 ? [] : [[mutant.name, mutant.file, parts - 1, missing]];
  });
  expect(wrong).toEqual([]);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
