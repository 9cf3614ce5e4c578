/**
 * Runs the commands in the `console` blocks of the READMEs and of the pages under /docs, and compares their output with the output in
 * the document. Each document gets a new server with fresh demo data and one shell: `npm start`
 * for the README and the archive's page, the built Worker for the others. Also checks the commands of the pages that cannot run here,
 * and runs the samples of the API reference.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildWorker } from "../built-worker.ts";
import { startBuiltService, startService } from "../live-service.ts";
import { checkSamples } from "./check-samples.ts";
import { findWrongCommands } from "./commands.ts";
import { DOCUMENTS, PAGES, ROOT } from "./documents.ts";

/** A partner in a round has a test credential and a test link. */
const VARIABLES: Record<string, Record<string, string>> = {
  [`${PAGES}/partners.md`]: { COST_TOKEN: "TEST_COST_TOKEN", LINK_TOKEN: "TEST_LINK_TOKEN" },
};

/** The page of the archive needs the bucket that its first step uncomments in wrangler.toml. */
const WITH_ARCHIVE = join(ROOT, ".wrangler.archive.toml");
const ARCHIVE_SECTION = /^# (\[\[r2_buckets\]\]\n)# (binding = "ARCHIVE"\n)# (bucket_name = .*)$/m;
function flagsFor(name: string): string[] {
  if (name !== `${PAGES}/archive.md`) return [];
  const configuration = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  if (!ARCHIVE_SECTION.test(configuration))
    throw new Error("wrangler.toml has no commented ARCHIVE section.");
  writeFileSync(WITH_ARCHIVE, configuration.replace(ARCHIVE_SECTION, "$1$2$3"));
  return ["--config", WITH_ARCHIVE];
}

/** The origin in the documents. A served page shows its own in the place of the second one. */
const shownUrl = (name: string) =>
  name.startsWith(PAGES) ? "https://links.example.com" : "http://localhost:8787";
const END = "__end_of_command__";
/** A command with an open quote, for example, never ends. */
const COMMAND_MS = 30_000;

/** Values that differ between two runs. */
const VARYING: [RegExp, string][] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>"],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d\b/g, "<date>"],
  [/\bll_(api|live|test)_\w+/g, "<secret>"],
  [/("temporary_password":)"[^"]*"/g, '$1"<password>"'],
  [/("(?:app_)?token":)"[0-9a-z]{12}"/g, '$1"<app token>"'],
  [/\b[0-9bcdfghjkmnpqrstvwxyz]{10}\b/g, "<link token>"],
  [/(cursor|after|before)(=|":")[\w-]{8,}/g, "$1$2<cursor>"],
];

const mask = (text: string) =>
  VARYING.reduce((masked, [pattern, name]) => masked.replaceAll(pattern, name), text.trimEnd());

/** One shell for all commands of a document, so that a variable or function of one block is known in the next. */
function openShell(names: Record<string, string>) {
  const shell = spawn("bash", ["--norc"], {
    env: { ...process.env, ...names },
    stdio: ["pipe", "pipe", "inherit"],
    // A separate process group, so that a command that does not end is stopped with its shell.
    detached: true,
  });
  const close = () => {
    if (shell.pid && shell.exitCode === null && shell.signalCode === null) process.kill(-shell.pid);
  };
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  return {
    async run(command: string): Promise<string> {
      shell.stdin.write(`{ ${command}\n} 2>&1; echo; echo ${END}\n`);
      const output: string[] = [];
      const timer = setTimeout(close, COMMAND_MS);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`The command did not end within ${COMMAND_MS} ms:\n  ${command}`);
        if (value === END) {
          clearTimeout(timer);
          return output.join("\n").trimEnd();
        }
        output.push(value);
      }
    },
    close,
  };
}

/** The commands of a block with the output below each. A line that ends with a backslash continues on the next line. */
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

/** A cron run by hand and a bucket need `wrangler dev`. */
const ON_NPM_START = ["README.md", `${PAGES}/archive.md`];

/** Runs a document, and with `write` puts the output into it; undefined if it has no commands. */
async function check(
  name: string,
  script: string,
  write: boolean,
): Promise<{ commands: number; failures: number } | undefined> {
  const path = join(ROOT, name);
  const document = readFileSync(path, "utf8");
  const blocks = [...document.matchAll(/^```console\n([\s\S]*?)^```$/gm)];
  if (blocks.length === 0) return undefined;
  const stateFolder = mkdtempSync(join(tmpdir(), "linkledger-readme-"));
  const service = ON_NPM_START.includes(name)
    ? await startService(stateFolder, undefined, flagsFor(name))
    : await startBuiltService(script);
  const held = Object.entries(VARIABLES[name] ?? {}).map(([to, from]) => [to, service.names[from] ?? ""]);
  const shell = openShell({ ...service.names, ...Object.fromEntries(held) });
  let written = document;
  let commands = 0;
  let failures = 0;
  try {
    for (const [whole, block = ""] of blocks) {
      let filled = "";
      for (const { command, shown } of readBlock(block)) {
        commands++;
        const output = (await shell.run(command)).replaceAll(service.names.BASE_URL ?? "", shownUrl(name));
        filled += `$ ${command}\n${output}${output && "\n"}`;
        if (!write && mask(output) !== mask(shown)) {
          failures++;
          console.error(
            `${name} shows for\n  ${command}\n\n${mask(shown)}\n\nbut the output is\n\n${mask(output)}\n`,
          );
        }
      }
      written = written.replace(whole, () => `\`\`\`console\n${filled}\`\`\``);
    }
  } finally {
    shell.close();
    await service.stop();
    rmSync(WITH_ARCHIVE, { force: true });
    rmSync(stateFolder, { recursive: true, force: true });
  }
  if (write) writeFileSync(path, written);
  return { commands, failures };
}

/**
 * Runs the chosen documents, or all of them and the samples of the API reference. With `write`, puts the output into the documents.
 * Returns whether all of it is as it should be.
 */
export async function checkDocuments(chosen: string[], write: boolean): Promise<boolean> {
  const { script } = buildWorker();
  let failed = false;
  for (const name of DOCUMENTS.filter((one) => chosen.length === 0 || chosen.includes(one))) {
    const result = await check(name, script, write);
    const wrong = name.startsWith(PAGES) ? findWrongCommands(readFileSync(join(ROOT, name), "utf8")) : [];
    for (const problem of wrong) console.error(`${name}: ${problem}`);
    failed ||= wrong.length > 0 || (result?.failures ?? 0) > 0;
    if (result) console.log(`${name}: ${result.commands} commands, ${result.failures} with other output.`);
  }
  if (write) console.log("Now run npm run docs:render.");
  else if (chosen.length === 0) {
    const { samples, failures } = await checkSamples(script);
    for (const failure of failures) console.error(`${failure}\n`);
    failed ||= failures.length > 0;
    console.log(`The API reference: ${samples} samples, ${failures.length} failed.`);
  }
  return !failed;
}
