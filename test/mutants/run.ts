/**
 * Breaks the code in one place at a time, and checks that the tests named beside it fail. A mutant that survives is a missing test.
 * Each runs in a copy of the tree, so the working tree never changes.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { readOnly, runCommand } from "../../src/dev/command.ts";
import { fileOf, mutants, ROOT } from "./all.ts";
import type { Mutant } from "./mutant.ts";

const USAGE = `Usage: npm run mutants [-- TEXT]

Breaks the code in one place at a time, and checks that the tests notice it. With a text, only in those places that have it in their name or file.`;

/** What the tests read. */
const COPIED = ["src", "test", "migrations", "package.json", "tsconfig.json", "wrangler.toml", "README.md"];

/** A mutant with an endless loop is stopped. */
const MAX_MS = 10 * 60 * 1000;

function makeCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), "linkledger-mutants-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

interface Report {
  success: boolean;
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

/** Runs test files in a copy up to the first failure. Returns undefined if no test ran, for example because none loads. */
async function runTests(
  copy: string,
  { project, tests }: Pick<Mutant, "project" | "tests">,
  timeout?: number,
): Promise<{ failed: string | undefined } | undefined> {
  const output = join(copy, "report.json");
  rmSync(output, { force: true });
  const isOnNode = project === "built" || project === "commands";
  const config = isOnNode ? "test/dev/vitest.config.ts" : "test/vitest.config.ts";
  const which = ["--config", config, "--project", project ?? "one database", ...tests];
  // It fails whenever SQL changes, and says nothing about a rule.
  const how = [
    "--bail=1",
    "--exclude=test/db/statements.test.ts",
    `--fsModuleCachePath=${join(copy, "cache")}`,
  ];
  const child = spawn(
    join(ROOT, "node_modules/.bin/vitest"),
    ["run", ...which, ...how, "--reporter=json", `--outputFile=${output}`],
    { cwd: copy, stdio: "ignore", timeout },
  );
  await new Promise((resolve) => child.once("exit", resolve));
  try {
    return findFailure(JSON.parse(readFileSync(output, "utf8")));
  } catch {
    return undefined;
  }
}

function findFailure({ success, testResults }: Report): { failed: string | undefined } | undefined {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (!results.some(({ status }) => status === "passed" || status === "failed")) return undefined;
  if (success) return { failed: undefined };
  const test = results.find(({ status }) => status === "failed");
  return { failed: test?.fullName ?? "after the last test of a file" };
}

type Result = "killed" | "survived" | "invalid";

async function runMutant(copy: string, mutant: Mutant): Promise<[Result, why: string]> {
  const path = join(copy, fileOf(mutant));
  const original = existsSync(path) ? readFileSync(path, "utf8") : "";
  const [before, after, ...more] = original.split(mutant.search);
  if (before === undefined || after === undefined || more.length > 0)
    return ["invalid", "its text is not in the file once"];
  writeFileSync(path, before + mutant.replace + after);
  const run = await runTests(copy, mutant, MAX_MS);
  writeFileSync(path, original);
  if (!run) return ["invalid", "its tests do not run"];
  return run.failed === undefined ? ["survived", mutant.tests.join(", ")] : ["killed", run.failed];
}

/** Without a mutant, the tests must pass, however long all of them take. */
async function checkTests(copy: string, chosen: Mutant[]): Promise<void> {
  for (const [project, some] of Map.groupBy(chosen, (mutant) => mutant.project)) {
    const tests = [...new Set(some.flatMap((mutant) => mutant.tests))];
    const run = await runTests(copy, { project, tests });
    if (!run || run.failed !== undefined)
      throw new Error(`A test fails without a mutant: ${run?.failed ?? "they do not run"}`);
  }
}

await runCommand(USAGE, async (args) => {
  const [text = ""] = readOnly(USAGE, args, {}, ([, ...others]) =>
    others.map((word) => `${word} is not expected.`),
  ).words;
  const chosen = mutants.filter(({ name, file }) => name.includes(text) || file.includes(text));
  const copies = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, makeCopy);
  process.once("exit", () => {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  });
  process.once("SIGINT", () => process.exit(130));

  if (copies[0]) await checkTests(copies[0], chosen);
  const counts: Record<Result, number> = { killed: 0, survived: 0, invalid: 0 };
  const waiting = [...chosen];
  const work = async (copy: string) => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const [result, why] = await runMutant(copy, mutant);
      counts[result]++;
      console.log(`${result}: ${mutant.name} (${why})`);
    }
  };
  await Promise.all(copies.map(work));
  const { killed, survived, invalid } = counts;
  console.log(`${killed} killed, ${survived} survived, ${invalid} invalid`);
  process.exitCode = killed > 0 && killed === chosen.length ? 0 : 1;
});
