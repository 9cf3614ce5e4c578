/** Runs every command of wrangler in the documents with the real wrangler, on a deployment of the stub or on this machine. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Deployment, openDeployment } from "../deploy/deployment.ts";
import { ROOT } from "../run.ts";

let deployment: Deployment;
beforeAll(async () => {
  deployment = await openDeployment();
});
afterAll(() => deployment.remove());

/** Each command once, with its first document. */
function commands(): Map<string, string> {
  const files = execFileSync("git", ["ls-files", "*.md"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  const found = new Map<string, string>();
  for (const file of files) {
    const markdown = readFileSync(join(ROOT, file), "utf8");
    const blocks = [...markdown.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = ""]) =>
      block.split("\n"),
    );
    const inline = [...markdown.matchAll(/`(npx wrangler [^`]+)`/g)].map(([, command = ""]) => command);
    for (const line of [...blocks, ...inline]) {
      const [, command] = /^\s*npx wrangler (.*?)\s*(?: # .*)?$/.exec(line) ?? [];
      if (command && !found.has(command)) found.set(command, file);
    }
  }
  return found;
}

/** Those that start a server, wait for an event, ask for a secret or a browser, or act on this machine. */
const NOT_RUN = /^(?:dev\b|tail\b|login$|secret put )|--local|--dry-run/;
/** What a command asks for, that a person would enter. */
const MORE: [RegExp, string][] = [
  [/^rollback/, "--yes"],
  [/ lifecycle add /, "--force"],
];

/** The words of a command, as a shell splits them. D1 restores the last 30 days. */
const wordsOf = (command: string) =>
  [...command.replace(/(?<=--timestamp=)\S+/, YESTERDAY).matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? "",
  );
const YESTERDAY = new Date(Date.now() - 24 * 3600 * 1000).toISOString();

test("every command of wrangler in the documents succeeds, and reaches the account", async () => {
  const all = [...commands()].filter(([command]) => !NOT_RUN.test(command));
  expect(all.map(([command]) => command)).toContain("d1 info DB");
  const { stub } = deployment;
  // What the commands name: a shard, an environment, and a version before the last one.
  for (const flags of [[], [], ["--env", "peak"]])
    expect(await deployment.deploy("--shards", "1", ...flags)).toMatchObject({ code: 0, error: "" });
  const [databases, workers] = [[...stub.databases], [...stub.workers]];
  const failed: unknown[] = [];
  for (const [command, file] of all) {
    const isImport = command.includes("--file linkledger.sql");
    // Each finds the same account, except that an import goes into the database that was created for it.
    if (isImport)
      execFileSync(process.execPath, [join(ROOT, "src/dev/order-export.ts"), "linkledger.sql"], {
        cwd: deployment.folder,
      });
    else stub.databases = command.startsWith("d1 create") ? [] : [...databases];
    stub.workers = new Map(workers);
    stub.calls = [];
    const [, more] = MORE.find(([pattern]) => pattern.test(command)) ?? [];
    const words = [...wordsOf(command), ...(more ? [more] : [])];
    const { code, out, error } = await deployment.wrangler(words[0] ?? "", ...words.slice(1));
    if (code !== 0 || stub.calls.length === 0)
      failed.push({ file, command, code, calls: stub.calls.length, said: `${out}${error}`.slice(-800) });
  }
  expect(failed).toEqual([]);
  stub.databases = databases;
});

test("every other command of wrangler in the documents exists, with its flags", async () => {
  const others = new Map<string, { flags: Set<string>; files: Set<string> }>();
  for (const [command, file] of commands()) {
    if (!NOT_RUN.test(command)) continue;
    const words = wordsOf(command);
    const first = words.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word));
    const subcommand = words.slice(0, first < 0 ? undefined : first).join(" ");
    const { flags, files } = others.get(subcommand) ?? { flags: new Set(), files: new Set() };
    for (const word of words) if (word.startsWith("--")) flags.add(word.split("=")[0] ?? "");
    others.set(subcommand, { flags, files: files.add(file) });
  }
  expect([...others.keys()]).toContain("tail");
  const missing: unknown[] = [];
  for (const [subcommand, { flags, files }] of others) {
    const { out } = await deployment.wrangler(subcommand, "--help");
    // For an unknown subcommand, wrangler shows the help of the command above it.
    const expected = [`wrangler ${subcommand}`, ...flags].filter((text) => !out.includes(text));
    if (expected.length > 0) missing.push({ subcommand, expected, files: [...files] });
  }
  expect(missing).toEqual([]);
});
