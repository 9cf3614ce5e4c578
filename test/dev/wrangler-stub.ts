/**
 * Replaces `wrangler` on the PATH: stores a minimal Cloudflare account in a file for src/dev/deploy.ts, with each database in a
 * SQLite file next to it, and records every call. Its output is that of wrangler 4.155.
 */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface Account {
  databases: { name: string; uuid: string; jurisdiction?: string }[];
  namespaces: { title: string; id: string }[];
  /** The targets that a deployment reports. */
  targets: string[];
  version: string;
  /** The beginning of the command that fails. */
  failing?: string;
  calls: { command: string; configuration?: Configuration }[];
}

interface Configuration {
  d1_databases: { binding: string; database_id: string }[];
}

const file = process.env.STUB_ACCOUNT ?? "";
const args = process.argv.slice(2);

/** Opens the database with this ID. */
export function openDatabase(accountFile: string, uuid: string): DatabaseSync {
  return new DatabaseSync(join(dirname(accountFile), `${uuid}.sqlite`));
}

if (file) {
  const account: Account = JSON.parse(readFileSync(file, "utf8"));
  execute(account);
  writeFileSync(file, JSON.stringify(account));
}

function execute(account: Account): void {
  const at = args.indexOf("--config");
  const words = at < 0 ? args : args.toSpliced(at, 2);
  const command = words.join(" ");
  const path = args[at + 1];
  const configuration: Configuration | undefined =
    at >= 0 && path ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  account.calls.push({ command, ...(configuration && { configuration }) });
  if (account.failing && command.startsWith(account.failing)) {
    console.error("✘ [ERROR] A request to the Cloudflare API failed.");
    process.exitCode = 1;
    return;
  }
  const [, second = "", third = "", fourth = ""] = words;
  const id = (name: string) => `id-of-${name}`;
  const open = (binding: string) => {
    const found = configuration?.d1_databases.find((database) => database.binding === binding);
    if (!found?.database_id) throw new Error(`${binding} has no ID.`);
    return openDatabase(file, found.database_id);
  };
  if (command === "d1 list --json") console.log(JSON.stringify(account.databases));
  else if (command === "kv namespace list") console.log(JSON.stringify(account.namespaces, null, "  "));
  else if (command.startsWith("d1 create")) {
    const { [words.indexOf("--jurisdiction") + 1]: jurisdiction } = words;
    const place = jurisdiction && words.includes("--jurisdiction") ? { jurisdiction } : {};
    account.databases.push({ name: third, uuid: id(third), ...place });
  } else if (command.startsWith("kv namespace create")) {
    account.namespaces.push({ title: fourth, id: id(fourth) });
  } else if (command === "deploy") report(account);
  else if (command === `d1 migrations apply ${fourth} --remote`) migrate(open(fourth));
  else if (second === "execute" && command.includes("--remote --yes --json --command")) {
    const results = open(third)
      .prepare(words.at(-1) ?? "")
      .all();
    console.log(JSON.stringify([{ results, success: true }]));
  } else throw new Error(`The stub does not support ${command}.`);
}

function migrate(database: DatabaseSync): void {
  if (database.prepare("SELECT 1 FROM sqlite_master").get()) return;
  const migrations = readdirSync("migrations").filter((name) => name.endsWith(".sql"));
  for (const name of migrations.sort()) database.exec(readFileSync(join("migrations", name), "utf8"));
}

function report({ targets, version }: Account): void {
  const lines = [{ type: "wrangler-session" }, { type: "deploy", version_id: version, targets }];
  for (const line of lines) {
    appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH ?? "", `${JSON.stringify(line)}\n`);
  }
}
