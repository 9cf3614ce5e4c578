/** Checks the commands of a document that cannot run on demo data. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** test/dev/built/client.test.ts runs the first two, and test/dev/start/documents.test.ts those of wrangler. */
const TESTED_ELSEWHERE = /^(npx openapi-typescript@7 |npm install openapi-fetch$|npx wrangler )/;

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
  const [program, first = "", second = ""] = command.split(/\s+/);
  if (program === "npm") {
    const script = first === "run" ? second : first;
    return script === "install" || script === "ci" || scripts[script]
      ? undefined
      : "package.json has no such script";
  }
  return "a command that is not in a console block is never run";
}
