/** Reads wrangler.toml for a deployment, and adds the bindings of shards to it. */
import { appendFileSync } from "node:fs";
import { experimental_readRawConfig } from "wrangler";
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

type Vars = Record<string, unknown>;
interface RawSettings extends Settings {
  vars?: Vars;
  env?: Record<string, unknown>;
  routes?: unknown;
  route?: unknown;
  queues?: unknown;
  r2_buckets?: unknown;
}

/** The name that wrangler gives to a resource whose binding names none, so that both find the same ones. */
export const resourceName = ({ name }: Settings, binding: string) =>
  `${name}-${binding.toLowerCase().replaceAll("_", "-")}`;

/** Another environment is another Worker, with resources that are named after it. Throws CommandError if the file does not fit. */
export function readSettings(file: string, environment: string | undefined): Settings {
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const settings = rawConfig as unknown as RawSettings;
  rejectLocalSettings(settings);
  if (environment !== undefined) {
    rejectShared(settings, environment);
    settings.name += `-${environment}`;
  }
  for (const database of settings.d1_databases)
    database.database_name ??= resourceName(settings, database.binding);
  return settings;
}

/** Throws for what is only for tests on this machine, and for a secret. */
function rejectLocalSettings({ vars }: RawSettings): void {
  if (vars?.LOCAL_INSECURE !== undefined)
    throw new CommandError(
      "wrangler.toml sets LOCAL_INSECURE, which is only for tests. Nothing was changed.",
    );
  if (vars?.OIDC_CLIENT_SECRET !== undefined)
    throw new CommandError(
      "wrangler.toml sets OIDC_CLIENT_SECRET, which is a secret. Remove it, and run npx wrangler secret put OIDC_CLIENT_SECRET. Nothing was changed.",
    );
  for (const [name, value] of Object.entries({ ORIGIN: vars?.ORIGIN, OIDC_ISSUER: vars?.OIDC_ISSUER }))
    if (value !== undefined && !String(value).startsWith("https://"))
      throw new CommandError(`${name} in wrangler.toml must begin with https://. Nothing was changed.`);
}

/** Throws for what the file names, and what two deployments would therefore share: a second one would write into the first. */
function rejectShared(settings: RawSettings, environment: string): void {
  const { d1_databases: databases, kv_namespaces: namespaces, vars = {}, env = {} } = settings;
  const named = { ...settings, ...vars } as Vars;
  const shared = [
    ...["routes", "route", "queues", "r2_buckets", "ORIGIN", "CLICK_URL", "IMPRESSION_URL"].filter(
      (name) => named[name] !== undefined,
    ),
    ...databases
      .filter((one) => one.database_name ?? one.database_id)
      .map((one) => `the database of ${one.binding}`),
    ...namespaces.filter(({ id }) => id).map(({ binding }) => `the namespace of ${binding}`),
    ...(env[environment] === undefined ? [] : [`[env.${environment}]`]),
  ];
  if (shared.length > 0)
    throw new CommandError(
      `wrangler.toml has ${shared.join(", ")}. The environment ${environment} takes the settings of the whole file, so it would share what they name with the first deployment. Deploy it from a second copy of this folder, in which wrangler.toml has another name at the top and its own values. Nothing was changed.`,
    );
}

/** As text, because wrangler would not keep the comments. Without names and IDs, as the rest of the file. */
export function addShards(file: string, shards: Database[]): void {
  if (shards.length === 0) return;
  const sections = shards.map(({ binding, migrations_dir, migrations_pattern }) =>
    [
      "[[d1_databases]]",
      ...Object.entries({ binding, migrations_dir, migrations_pattern }).map(
        ([name, value]) => `${name} = ${JSON.stringify(value)}`,
      ),
    ].join("\n"),
  );
  const intro = "# The shards of the deployed ledger. Keep all of them, in this order.";
  appendFileSync(file, `\n${intro}\n${sections.join("\n\n")}\n`);
  console.log(`wrangler.toml: bindings of ${shards.length} shards added. Commit the file.`);
}
