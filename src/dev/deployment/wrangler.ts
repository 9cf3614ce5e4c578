/** Runs wrangler for `npm run deploy`, with a configuration that has this account's IDs. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../../..");
/** Temporary, and next to wrangler.toml so that relative paths still resolve. */
const WITH_IDS = join(ROOT, ".wrangler.deploy.json");
const CONFIG = ["--config", WITH_IDS];

export interface D1Configuration {
  binding: string;
  database_name: string;
  database_id?: string;
  migrations_dir?: string;
}

export interface Configuration {
  name: string;
  d1_databases: D1Configuration[];
  kv_namespaces: { binding: string; id?: string }[];
}

/** Saves the configuration for the commands that use bindings. */
export function saveConfiguration(configuration: Configuration): void {
  writeFileSync(WITH_IDS, JSON.stringify(configuration));
}

export function removeConfiguration(): void {
  rmSync(WITH_IDS, { force: true });
}

/** Runs wrangler with the saved configuration in the caller's terminal, so that it can prompt there. */
export function run(args: string[], environment: Record<string, string> = {}): void {
  const { status, error } = spawnSync("wrangler", [...args, ...CONFIG], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(describeFailure(args, error?.message));
}

/** Runs wrangler and parses its output. If it fails, throws an error that includes the output. */
export function read<T>(args: string[], parse: (output: string) => T = JSON.parse): T {
  const { status, error, stdout, stderr } = spawnSync("wrangler", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(describeFailure(args, error?.message ?? `${stdout}${stderr}`.trim()));
  return parse(stdout);
}

/** Runs SQL on a deployed database of the saved configuration. Returns the rows. */
export function execute<Row>(binding: string, sql: string): Row[] {
  const args = ["d1", "execute", binding, "--remote", "--yes", "--json", "--command", sql, ...CONFIG];
  return read<{ results: Row[] }[]>(args).flatMap(({ results }) => results);
}

/** Names with their IDs. */
export type Ids = Map<string, string>;

/** Creates the names that `found` lacks. Returns the ID of each name, or throws if one can be neither found nor created. */
export function findOrCreate(
  kind: string,
  names: string[],
  create: (name: string) => string[],
  list: () => Ids,
  found: Ids = list(),
): Ids {
  for (const name of names) {
    if (!found.has(name)) read(create(name), (output) => output);
    console.log(`${kind} ${name}: ${found.has(name) ? "found" : "created"}.`);
  }
  const ids = names.every((name) => found.has(name)) ? found : list();
  const missing = names.filter((name) => !ids.has(name));
  if (missing.length > 0)
    throw new Error(
      `${kind} ${missing.join(", ")} was created but is not listed yet. Run the command again.`,
    );
  return ids;
}

function describeFailure(args: string[], reason = ""): string {
  const command = args.filter((arg) => !CONFIG.includes(arg)).join(" ");
  return `${reason}\n\nwrangler ${command} failed. Make sure that you are signed in to Cloudflare: run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if you have several accounts). Then run the command again; it continues where it stopped.`;
}
