/** Checks the commands of a document that cannot run on demo data: `npm` scripts, and subcommands of wrangler. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** test/dev/built/client.test.ts runs these. */
const TESTED_ELSEWHERE = /^(npx openapi-typescript@7 |npm install openapi-fetch$)/;

/** A description of each command in an `sh` block or in a sentence that does not exist, or that must be in a `console` block. */
export function findWrongCommands(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
  const text = markdown.replace(/^```\w*\n[\s\S]*?^```$/gm, "");
  const inSentences = [...text.matchAll(/`((?:npm|npx|curl) [^`]+)`/g)].map(([, command = ""]) => command);
  return [...blocks, ...inSentences].flatMap((command) => {
    const problem = describeProblem(command.trim());
    return problem ? [`${command}: ${problem}`] : [];
  });
}

function describeProblem(command: string): string | undefined {
  const isVariable = /^[A-Z_]+=\S+$/.test(command);
  if (command === "" || isVariable || TESTED_ELSEWHERE.test(command)) return undefined;
  const [program, first = "", second = "", ...rest] = command.split(/\s+/);
  if (program === "npm") {
    const script = first === "run" ? second : first;
    return script === "install" || script === "ci" || scripts[script]
      ? undefined
      : "package.json has no such script";
  }
  if (program === "npx" && first === "wrangler") return checkWrangler([second, ...rest]);
  return "a command that is not in a console block is never run";
}

/** Whether wrangler knows the subcommand and its flags. */
function checkWrangler(args: string[]): string | undefined {
  // Before the flags, because their values look the same.
  const first = args.findIndex((arg) => arg.startsWith("-"));
  const names = args.slice(0, first < 0 ? undefined : first).filter((arg) => /^[a-z][a-z0-9-]*$/.test(arg));
  const flags = args.filter((arg) => arg.startsWith("--")).map((arg) => arg.split("=")[0] ?? "");
  const { stdout } = spawnSync("wrangler", [...names, "--help"], { encoding: "utf8" });
  // For an unknown subcommand, wrangler shows the help of the command above it.
  if (!stdout.includes(`wrangler ${names.join(" ")}`)) return "wrangler has no such command";
  const unknown = flags.filter((flag) => !stdout.includes(flag));
  return unknown.length > 0 ? `wrangler has no ${unknown.join(" or ")} for it` : undefined;
}
