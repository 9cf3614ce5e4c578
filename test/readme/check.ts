/**
 * `npm run check:readme`: starts the app as the README says, types every command of its ```console blocks, and compares what
 * comes out with what the README shows. With --write it puts what came out into the README instead.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const README = join(import.meta.dirname, "../../README.md");
const SHOWN_URL = "http://localhost:8787";
const END = "__end_of_command__";
/** A command that is not closed, by a quote for instance, never ends. */
const COMMAND_MS = 30_000;

/** What differs from run to run, and by nothing else. */
const VARYING: [RegExp, string][] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>"],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d\b/g, "<date>"],
  [/\bll_(api|live|test)_\w+/g, "<secret>"],
  [/\b[0-9bcdfghjkmnpqrstvwxyz]{10}\b/g, "<link token>"],
  [/(cursor|after|before)(=|":")[\w-]{8,}/g, "$1$2<cursor>"],
];

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

const mask = (text: string) =>
  VARYING.reduce((masked, [pattern, name]) => masked.replaceAll(pattern, name), text.trimEnd());

/** Starts the app and gives the NAME=value block that it prints. */
async function start(stateFolder: string): Promise<{ server: ChildProcess; names: Record<string, string> }> {
  const port = await freePort();
  const server = spawn("npm", ["start", "--", "--port", String(port), "--persist-to", stateFolder], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const names: Record<string, string> = {};
  for await (const line of createInterface({ input: server.stdout })) {
    const [, name, value] = /^([A-Z_]+)=(\S+)$/.exec(line) ?? [];
    if (name && value) names[name] = value;
    else if (names.TEST_COST_TOKEN) break;
  }
  // Read on, or the pipe fills and the server stops.
  server.stdout.resume();
  return { server, names };
}

/** One shell for all commands, so that a name set in one block is known in the next. */
function openShell(names: Record<string, string>) {
  const shell = spawn("bash", ["--norc"], {
    env: { ...process.env, ...names },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  return {
    async run(command: string): Promise<string> {
      shell.stdin.write(`{ ${command}\n} 2>&1; echo; echo ${END}\n`);
      const output: string[] = [];
      const impatience = setTimeout(() => {
        console.error(`No end after ${COMMAND_MS} ms:\n  ${command}`);
        process.exit(1);
      }, COMMAND_MS);
      for (;;) {
        const { value, done } = await lines.next();
        if (done || value === END) {
          clearTimeout(impatience);
          return output.join("\n").trimEnd();
        }
        output.push(value);
      }
    },
    close: () => shell.kill(),
  };
}

/** The commands of a block with what is shown below each; a command goes on after a line that ends with a backslash. */
function readBlock(block: string): { command: string; shown: string }[] {
  const steps: { command: string; shown: string }[] = [];
  let inCommand = false;
  for (const line of block.split("\n")) {
    const step = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: "" });
    else if (inCommand && step) step.command += `\n${line}`;
    else if (step) step.shown += `${line}\n`;
    inCommand = line.endsWith("\\") && (line.startsWith("$ ") || inCommand);
  }
  return steps;
}

const write = process.argv.includes("--write");
const stateFolder = mkdtempSync(join(tmpdir(), "linkledger-readme-"));
const { server, names } = await start(stateFolder);
const shell = openShell(names);
const readme = readFileSync(README, "utf8");
let written = readme;
let commands = 0;
let failures = 0;

for (const [whole, block = ""] of readme.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
  let filled = "";
  for (const { command, shown } of readBlock(block)) {
    commands++;
    const output = (await shell.run(command)).replaceAll(names.BASE_URL ?? "", SHOWN_URL);
    filled += `$ ${command}\n${output}${output && "\n"}`;
    if (!write && mask(output) !== mask(shown)) {
      failures++;
      console.error(
        `The README shows for\n  ${command}\n\n${mask(shown)}\n\nbut it answers\n\n${mask(output)}\n`,
      );
    }
  }
  written = written.replace(whole, () => `\`\`\`console\n${filled}\`\`\``);
}

shell.close();
if (server.pid) process.kill(-server.pid, "SIGTERM");
rmSync(stateFolder, { recursive: true, force: true });
if (write) writeFileSync(README, written);
console.log(`${commands} commands of the README run, ${failures} answer otherwise than shown.`);
process.exit(failures > 0 || commands === 0 ? 1 : 0);
