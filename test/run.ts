/**
 * `npm test`: the tests on Node beside those in the Workers runtime. Many on Node wait for a server or for a deadline, and the others
 * use the cores meanwhile. Prints the output of the tests on Node when all have ended.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { readOnly, runCommand } from "../src/dev/command.ts";

const USAGE = `Usage: npm test

Runs the suite. Parts of it: npm run test:only -- FILE, and what test/README.md lists.`;

const endOf = (child: ChildProcess) =>
  new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));

await runCommand(USAGE, async (args) => {
  readOnly(USAGE, args, {});
  const projects = ["commands", "built"].flatMap((name) => ["--project", name]);
  const node = spawn("vitest", ["run", "--config", "test/dev/vitest.config.ts", ...projects], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const worker = spawn("vitest", ["run", "--config", "test/vitest.config.ts"], { stdio: "inherit" });
  const [output, ...codes] = await Promise.all([text(node.stdout), endOf(node), endOf(worker)]);
  console.log(output);
  process.exitCode = Math.max(...codes);
});
