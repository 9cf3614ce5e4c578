/** Runs the browser tests. `--all` checks every page in all widths, without it only in one. Other arguments are vitest's. */
import { spawnSync } from "node:child_process";

const given = process.argv.slice(2);
const { status } = spawnSync(
  "vitest",
  ["run", "--config", "test/browser/vitest.config.ts", ...given.filter((argument) => argument !== "--all")],
  { stdio: "inherit", env: { ...process.env, ...(given.includes("--all") && { ALL_WIDTHS: "1" }) } },
);
process.exitCode = status ?? 1;
