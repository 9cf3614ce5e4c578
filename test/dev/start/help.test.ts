/** Tests that each script of package.json that is a program of ours explains itself, and rejects flags that it does not have. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ROOT, run } from "../run.ts";

const PROGRAMS = Object.entries<string>(
  JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts,
).flatMap(([name, script]) => {
  const [, file] = /^node ((?:src|test)\/\S+)$/.exec(script) ?? [];
  return file ? [{ name, file }] : [];
});

/** These pass on to wrangler and to vitest the flags that they do not know. */
const PASSES_ON = ["start", "test:browser"];

const folder = mkdtempSync(join(tmpdir(), "linkledger-help-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** With a folder for temporary files, which a program must not begin with. */
const runProgram = (file: string, ...args: string[]) =>
  run(process.execPath, [file, ...args], { env: { ...process.env, TMPDIR: folder } });

test("the programs are those of the scripts that take arguments", () => {
  const names = PROGRAMS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["test", "deploy", "soak", "check:readme", ...PASSES_ON]));
});

test.each(PROGRAMS)(
  "npm run $name -- --help prints its usage, and --unknown is a plain error",
  ({ name, file }) => {
    const command = ["start", "test"].includes(name) ? `npm ${name}` : `npm run ${name}`;
    const help = runProgram(file, name === "test" ? "-h" : "--help");
    expect([help.status, help.stderr]).toEqual([0, ""]);
    const [first = "", ...others] = help.stdout.trim().split("\n");
    expect(first).toMatch(new RegExp(`^Usage: ${command}( |$)`));
    // After the usage, a sentence, and then nothing but the flags.
    expect(others.filter((line) => /^\S/.test(line) && /[.:]$/.test(line))).not.toEqual([]);
    expect(help.stdout).not.toContain("Ready on");
    if (PASSES_ON.includes(name)) return;
    const { status, stdout, stderr } = runProgram(file, "--unknown");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^--unknown is not a flag\.\n(?:.*\n)*Nothing was done\.\n\nUsage: /);
    expect(stderr.endsWith(`\n\n${help.stdout}`), name).toBe(true);
  },
);
