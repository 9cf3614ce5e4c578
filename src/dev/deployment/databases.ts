/** Which databases a deployment has, and where: decided before anything is changed. */
import { CommandError } from "../command.ts";
import type { Cloudflare, Ids } from "./cloudflare.ts";
import type { DeployOptions } from "./options.ts";
import { type Database, resourceName, type Settings } from "./settings.ts";

export interface Plan {
  shards: number;
  /** The shards that wrangler.toml does not have yet. */
  added: Database[];
  /** Whether the databases know the number of shards. */
  isStored: boolean;
  /** The databases that exist. */
  found: Ids;
  create: (name: string) => Promise<unknown>;
}

/** A database as wrangler lists it. */
interface Listed {
  name: string;
  uuid: string;
  jurisdiction?: string | null;
}
const list = (cloudflare: Cloudflare) => cloudflare.readJson<Listed[]>(["d1", "list", "--json"]);
const toIds = (listed: Listed[]): Ids => new Map(listed.map(({ name, uuid }) => [name, uuid]));
export const listDatabases = async (cloudflare: Cloudflare): Promise<Ids> => toIds(await list(cloudflare));

/**
 * Adds the shards and the IDs of databases that exist to the settings. Throws CommandError if the options or wrangler.toml do not
 * fit what is deployed.
 */
export async function planDatabases(
  cloudflare: Cloudflare,
  settings: Settings,
  options: DeployOptions,
): Promise<Plan> {
  const { d1_databases: databases } = settings;
  const control = databases.find(({ binding }) => binding === "DB");
  if (!control) throw new CommandError("wrangler.toml has no database with the binding DB.");
  const bound = countShards(databases);
  const listed = await list(cloudflare);
  const found = toIds(listed);
  setIds(databases, found);
  cloudflare.use(settings);

  const stored = control.database_id ? await readStored(cloudflare) : undefined;
  const all = () => databases.filter((one) => one.database_id).map((one) => one.database_name);
  const beginAgain = () => (stored?.isUsed === 0 ? describeNewBeginning(all()) : "");
  const shards = chooseNumber(bound, stored, options.shards, beginAgain);
  const added = bound === 0 ? toShards(settings, control, shards) : [];
  databases.push(...added);
  setIds(added, found);
  const isStored = stored?.shards === shards;
  const missing = databases.filter((one) => !one.database_id);
  if (isStored && missing.length > 0)
    throw new CommandError(
      `This account has no database ${missing.map((one) => `${one.database_name} (${one.binding})`).join(", ")}, but it is part of the deployed ledger. Nothing was changed.`,
    );
  const place = toPlace(databases, listed, options, beginAgain);
  return {
    ...{ shards, added, isStored, found },
    create: (name) => cloudflare.read(["d1", "create", name, ...place]),
  };
}

export function setIds(databases: Database[], ids: Ids): void {
  for (const database of databases) {
    const id = database.database_id || ids.get(database.database_name);
    if (id) database.database_id = id;
  }
}

const SHARD = /^LEDGER_(\d+)$/;

/** Returns the number of shards in wrangler.toml. */
function countShards(databases: Database[]): number {
  const indexes = new Set(databases.flatMap(({ binding }) => SHARD.exec(binding)?.[1] ?? []).map(Number));
  for (let index = 0; index < indexes.size; index++) {
    if (!indexes.has(index))
      throw new CommandError(
        `wrangler.toml binds ${indexes.size} shards, but not LEDGER_${index}. Number them from 0 without a gap. Nothing was changed.`,
      );
  }
  return indexes.size;
}

/** What a migrated DB stores. */
interface Stored {
  shards: number;
  /** Whether a cost or a click was stored in DB itself, so that there can be no shards. */
  hasRows: number;
  /** Whether somebody ever used the service. */
  isUsed: number;
}

/** Returns undefined if the database has no tables. */
async function readStored(cloudflare: Cloudflare): Promise<Stored | undefined> {
  const tables = await cloudflare.execute("DB", "SELECT 1 FROM sqlite_master WHERE name = 'shard_identity'");
  if (tables.length === 0) return undefined;
  const rows = "EXISTS (SELECT 1 FROM ledger_entries UNION ALL SELECT 1 FROM daily_totals)";
  const [stored] = await cloudflare.execute<Stored>(
    "DB",
    `SELECT shards, ${rows} AS hasRows, ${rows} OR EXISTS (SELECT 1 FROM users) AS isUsed FROM shard_identity`,
  );
  return stored;
}

/** Returns the number of shards: the one that is stored, or while the ledger has no rows and no shards the chosen one. */
function chooseNumber(
  bound: number,
  stored: Stored | undefined,
  chosen: number | undefined,
  beginAgain: () => string,
): number {
  if (stored && (stored.shards > 0 || stored.hasRows)) {
    if (chosen !== undefined && chosen !== stored.shards)
      throw new CommandError(
        `This ledger has ${stored.shards} shards, and their number cannot change: costs are found with it. Run the command without --shards.${beginAgain()} Nothing was changed.`,
      );
    if (bound > 0 && bound !== stored.shards)
      throw new CommandError(
        `DB stores ${stored.shards} shards, but wrangler.toml binds ${bound}. The number cannot change: correct the LEDGER_ bindings. Nothing was changed.`,
      );
    return stored.shards;
  }
  if (bound > 0 && chosen !== undefined && chosen !== bound)
    throw new CommandError(
      `wrangler.toml binds ${bound} shards. Run the command with --shards ${bound}, or remove the LEDGER_ bindings first. Nothing was changed.`,
    );
  return chosen ?? bound;
}

/** The bindings of new shards, like that of DB. */
function toShards(settings: Settings, control: Database, shards: number): Database[] {
  return Array.from({ length: shards }, (_, index) => {
    const binding = `LEDGER_${index}`;
    return { ...control, binding, database_name: resourceName(settings, binding), database_id: "" };
  });
}

/** The options of `wrangler d1 create`. Databases that are added later go to the jurisdiction of the first ones. */
function toPlace(
  databases: Database[],
  listed: Listed[],
  { location, jurisdiction }: DeployOptions,
  beginAgain: () => string,
): string[] {
  const names = new Set(databases.map(({ database_name }) => database_name));
  const existing = listed.filter(({ name }) => names.has(name));
  const wanted = jurisdiction ?? existing[0]?.jurisdiction ?? undefined;
  const other = existing.find((one) => (one.jurisdiction ?? undefined) !== wanted);
  if (other)
    throw new CommandError(
      `The database ${other.name} exists ${other.jurisdiction ? `in the jurisdiction ${other.jurisdiction}` : "without a jurisdiction"}, and where it is cannot change.${beginAgain()} Nothing was changed.`,
    );
  if (location && existing.length > 0)
    console.log(`--location ${location} applies only to databases that are created now.`);
  return [...(location ? ["--location", location] : []), ...(wanted ? ["--jurisdiction", wanted] : [])];
}

/** The way out of databases that were created with the wrong place or number and that nobody has used. */
function describeNewBeginning(names: string[]): string {
  const commands = names.map((name) => `\n  npx wrangler d1 delete ${name}`).join("");
  return `\n\nNobody has used this ledger yet, so you can begin again. Delete its databases, remove all LEDGER_ bindings from wrangler.toml, and run the command with your options:\n${commands}\n\n`;
}
