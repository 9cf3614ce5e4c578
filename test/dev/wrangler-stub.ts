/**
 * Replaces wrangler: stores a minimal Cloudflare account in a file, with each database in a SQLite file next to it, and records
 * every call. Its output is that of wrangler 4.155. Tests call `runStub`; as a program, it is the `wrangler` of a PATH.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
  vars?: Record<string, string>;
}

interface Output {
  status: number;
  stdout: string;
  stderr: string;
}

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

/** Runs a command on the account in the file. `environment` holds the variables that wrangler would read. */
export function runStub(accountFile: string, args: string[], environment: NodeJS.ProcessEnv): Output {
  const account: Account = JSON.parse(readFileSync(accountFile, "utf8"));
  const at = args.indexOf("--config");
  const words = at < 0 ? args : args.toSpliced(at, 2);
  const command = words.join(" ");
  const path = args[at + 1];
  const configuration: Configuration | undefined =
    at >= 0 && path ? JSON.parse(readFileSync(path, "utf8")) : undefined;
  account.calls.push({ command, ...(configuration && { configuration }) });
  try {
    if (account.failing && command.startsWith(account.failing))
      return { status: 1, stdout: "", stderr: "✘ [ERROR] A request to the Cloudflare API failed.\n" };
    const idOf = (binding: string) => {
      const found = configuration?.d1_databases.find((database) => database.binding === binding);
      if (!found?.database_id) throw new Error(`${binding} has no ID.`);
      return found.database_id;
    };
    const databases: Databases = {
      use: (binding, use) => useDatabase(accountFile, idOf(binding), use),
      migrate: (binding) => migrateFile(fileOf(accountFile, idOf(binding))),
    };
    return { status: 0, stdout: execute(account, words, environment, databases), stderr: "" };
  } finally {
    writeFileSync(accountFile, JSON.stringify(account));
  }
}

const fileOf = (accountFile: string, uuid: string) => join(dirname(accountFile), `${uuid}.sqlite`);

/** Opens the database with this ID. */
export function useDatabase<T>(accountFile: string, uuid: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(fileOf(accountFile, uuid));
  try {
    // Tests need no database that survives a power failure.
    database.exec("PRAGMA synchronous = OFF");
    return use(database);
  } finally {
    database.close();
  }
}

/** The databases by their bindings. */
interface Databases {
  use: <T>(binding: string, use: (database: DatabaseSync) => T) => T;
  migrate: (binding: string) => void;
}

/** Returns what wrangler prints. */
function execute(
  account: Account,
  words: string[],
  environment: NodeJS.ProcessEnv,
  databases: Databases,
): string {
  const command = words.join(" ");
  const [, second = "", third = "", fourth = ""] = words;
  const id = (name: string) => `id-of-${name}`;
  if (command === "d1 list --json") return JSON.stringify(account.databases);
  if (command === "kv namespace list") return JSON.stringify(account.namespaces, null, "  ");
  if (command.startsWith("d1 create")) {
    const { [words.indexOf("--jurisdiction") + 1]: jurisdiction } = words;
    const place = jurisdiction && words.includes("--jurisdiction") ? { jurisdiction } : {};
    account.databases.push({ name: third, uuid: id(third), ...place });
  } else if (command.startsWith("kv namespace create")) {
    account.namespaces.push({ title: fourth, id: id(fourth) });
  } else if (command === "deploy") report(account, environment);
  else if (command === `d1 migrations apply ${fourth} --remote`) databases.migrate(fourth);
  else if (second === "execute" && command.includes("--remote --yes --json --command")) {
    const results = databases.use(third, (database) => database.prepare(words.at(-1) ?? "").all());
    return JSON.stringify([{ results, success: true }]);
  } else throw new Error(`The stub does not support ${command}.`);
  return "";
}

export function migrate(database: DatabaseSync): void {
  const migrations = readdirSync(MIGRATIONS).filter((name) => /^\d.*\.sql$/.test(name));
  for (const name of migrations.sort()) database.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
}

/** The first database that this process migrated. The others are copies, which take a fraction of the time. */
let migrated: Buffer | undefined;

/** Does nothing to a database that has tables. */
function migrateFile(file: string): void {
  if (existsSync(file) && statSync(file).size > 0) return;
  if (migrated) writeFileSync(file, migrated);
  else {
    const database = new DatabaseSync(file);
    migrate(database);
    database.close();
    migrated = readFileSync(file);
  }
}

function report({ targets, version }: Account, environment: NodeJS.ProcessEnv): void {
  const lines = [{ type: "wrangler-session" }, { type: "deploy", version_id: version, targets }];
  for (const line of lines) {
    appendFileSync(environment.WRANGLER_OUTPUT_FILE_PATH ?? "", `${JSON.stringify(line)}\n`);
  }
}

if (process.env.STUB_ACCOUNT) {
  const { status, stdout, stderr } = runStub(process.env.STUB_ACCOUNT, process.argv.slice(2), process.env);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status;
}
