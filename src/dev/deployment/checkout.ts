/** Runs wrangler for `npm run deploy`, with a configuration that has this account's IDs. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command.ts";
import type { Wrangler } from "../wrangler.ts";

/** What is deployed, and how. Tests replace both. */
export interface Checkout {
  /** Has wrangler.toml. */
  folder: string;
  wrangler: Wrangler;
}

export interface D1Configuration {
  binding: string;
  database_name: string;
  database_id?: string;
  migrations_dir?: string;
  migrations_pattern?: string;
}

export interface Configuration {
  name: string;
  d1_databases: D1Configuration[];
  kv_namespaces: { binding: string; id?: string }[];
  vars?: Record<string, unknown>;
}

export const settingsFile = ({ folder }: Checkout) => join(folder, "wrangler.toml");
/** Temporary, and next to wrangler.toml so that relative paths still resolve. */
const fileWithIds = ({ folder }: Checkout) => join(folder, ".wrangler.deploy.json");
const configFlags = (checkout: Checkout) => ["--config", fileWithIds(checkout)];

/** Saves the configuration for the commands that use bindings. */
export function saveConfiguration(checkout: Checkout, configuration: Configuration): void {
  writeFileSync(fileWithIds(checkout), JSON.stringify(configuration));
}

export function removeConfiguration(checkout: Checkout): void {
  rmSync(fileWithIds(checkout), { force: true });
}

/** Runs wrangler with the saved configuration in the caller's terminal. */
export function run(checkout: Checkout, args: string[], environment: Record<string, string> = {}): void {
  const { folder, wrangler } = checkout;
  const options = { folder, environment, inTerminal: true };
  const { status, error } = wrangler([...args, ...configFlags(checkout)], options);
  if (status !== 0) throw toError(args, error?.message);
}

/** Runs wrangler and parses its output. If it fails, throws an error that includes the output. */
export function read<T>(
  { folder, wrangler }: Checkout,
  args: string[],
  parse: (output: string) => T = JSON.parse,
): T {
  const { status, error, stdout, stderr } = wrangler(args, { folder });
  if (status !== 0) throw toError(args, error?.message ?? `${stdout}${stderr}`.trim());
  return parse(stdout);
}

/** Runs SQL on a deployed database of the saved configuration. Returns the rows. */
export function execute<Row>(checkout: Checkout, binding: string, sql: string): Row[] {
  const args = ["d1", "execute", binding, "--remote", "--yes", "--json", "--command", sql];
  const executed = read<{ results: Row[] }[]>(checkout, [...args, ...configFlags(checkout)]);
  return executed.flatMap(({ results }) => results);
}

/** Names with their IDs. */
export type Ids = Map<string, string>;

/** Creates the names that `found` lacks. Returns the ID of each name, or throws if one can be neither found nor created. */
export function findOrCreate(
  checkout: Checkout,
  kind: string,
  names: string[],
  create: (name: string) => string[],
  list: () => Ids,
  found: Ids = list(),
): Ids {
  for (const name of names) {
    if (!found.has(name)) read(checkout, create(name), (output) => output);
    console.log(`${kind} ${name}: ${found.has(name) ? "found" : "created"}.`);
  }
  const ids = names.every((name) => found.has(name)) ? found : list();
  const missing = names.filter((name) => !ids.has(name));
  if (missing.length > 0)
    throw new CommandError(
      `${kind} ${missing.join(", ")} was created but is not listed yet. Run the command again.`,
    );
  return ids;
}

function toError(args: string[], reason = ""): CommandError {
  const command = args.join(" ").replace(/ --config .*$/s, "");
  return new CommandError(
    `${reason}\n\nwrangler ${command} failed. Make sure that you are signed in to Cloudflare: run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if you have several accounts). Then run the command again; it continues where it stopped.`,
  );
}
