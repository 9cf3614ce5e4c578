/** Runs the browser tests. */
import { spawnSync } from "node:child_process";
import { runCommand } from "../../src/dev/command.ts";

const USAGE = `Usage: npm run test:browser [-- FLAGS]

Runs the tests of the pages in Chromium. The other flags and the files are those of vitest.

  --all  checks every page in all widths, and not only in one`;

await runCommand(USAGE, (given) => {
  const { status } = spawnSync(
    "vitest",
    ["run", "--config", "test/browser/vitest.config.ts", ...given.filter((argument) => argument !== "--all")],
    { stdio: "inherit", env: { ...process.env, ...(given.includes("--all") && { ALL_WIDTHS: "1" }) } },
  );
  process.exitCode = status ?? 1;
});
