/** Reads wrangler.toml for a deployment, and adds the bindings of shards to it. */
import { appendFileSync } from "node:fs";
import { CommandError } from "../command.ts";

export interface Database {
  binding: string;
  database_name: string;
  database_id?: string;
  migrations_dir?: string;
  migrations_pattern?: string;
}

export interface Settings {
  /** That of the Worker. */
  name: string;
  d1_databases: Database[];
  kv_namespaces: { binding: string; id?: string }[];
}

/** Also what wrangler.toml can have and this one does not. */
type AllSettings = Settings & { vars?: Record<string, unknown>; env?: Record<string, unknown> };

/** The name that wrangler gives to a resource whose binding names none, so that both find the same ones. */
export const resourceName = ({ name }: Settings, binding: string) =>
  `${name}-${binding.toLowerCase().replaceAll("_", "-")}`;

/** Another environment is another Worker, with resources that are named after it. Throws CommandError if the file does not fit. */
export async function readSettings(file: string, environment: string | undefined): Promise<Settings> {
  // It takes a second to load, after the flags were read.
  const { experimental_readRawConfig } = await import("wrangler");
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const settings = rawConfig as unknown as AllSettings;
  const problems = [
    ...findLocal(settings),
    ...(environment === undefined ? [] : findShared(settings, environment)),
  ];
  if (problems.length > 0) throw new CommandError(`${problems.join("\n")} Nothing was changed.`);
  if (environment !== undefined) settings.name += `-${environment}`;
  for (const database of settings.d1_databases)
    database.database_name ??= resourceName(settings, database.binding);
  return settings;
}

/** What is only for tests on this machine, and what is a secret. */
function findLocal({ vars = {} }: AllSettings): string[] {
  const isSet = (name: string) => vars[name] !== undefined;
  const isLocal = (name: string) => isSet(name) && !String(vars[name]).startsWith("https://");
  const secrets = ["OIDC_CLIENT_SECRET", "WEBHOOK_KEY"].filter(isSet);
  return [
    ...(isSet("LOCAL_INSECURE") ? ["wrangler.toml sets LOCAL_INSECURE, which is only for tests."] : []),
    ...secrets.map(
      (name) =>
        `wrangler.toml sets ${name}, which is a secret. Remove it, and run npx wrangler secret put ${name}.`,
    ),
    ...["ORIGIN", "OIDC_ISSUER"]
      .filter(isLocal)
      .map((name) => `${name} in wrangler.toml must begin with https://.`),
  ];
}

/** What the file names, and what two deployments would therefore share: a second one would write into the first. */
function findShared(settings: AllSettings, environment: string): string[] {
  const { d1_databases: databases, kv_namespaces: namespaces, vars, env = {} } = settings;
  const set: Record<string, unknown> = { ...settings, ...vars };
  const shared = [
    ...["routes", "route", "queues", "r2_buckets", "ORIGIN", "CLICK_URL", "IMPRESSION_URL"].filter(
      (name) => set[name] !== undefined,
    ),
    ...databases
      .filter((one) => one.database_name ?? one.database_id)
      .map(({ binding }) => `the database of ${binding}`),
    ...namespaces.filter(({ id }) => id).map(({ binding }) => `the namespace of ${binding}`),
    ...(env[environment] === undefined ? [] : [`[env.${environment}]`]),
  ];
  if (shared.length === 0) return [];
  return [
    `wrangler.toml has ${shared.join(", ")}. The environment ${environment} takes the settings of the whole file, so it would share what they name with the first deployment. Deploy it from a second copy of this folder, in which wrangler.toml has another name at the top and its own values.`,
  ];
}

/** As text, because wrangler would not keep the comments. Without names and IDs, as the rest of the file. */
export function addShards(file: string, shards: Database[]): void {
  if (shards.length === 0) return;
  const sections = shards.map(({ binding, migrations_dir, migrations_pattern }) => {
    const values = Object.entries({ binding, migrations_dir, migrations_pattern });
    return `\n[[d1_databases]]\n${values.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join("")}`;
  });
  appendFileSync(
    file,
    `\n# The shards of the deployed ledger. Keep all of them, in this order.${sections.join("")}`,
  );
  console.log(`wrangler.toml: bindings of ${shards.length} shards added. Commit the file.`);
}
