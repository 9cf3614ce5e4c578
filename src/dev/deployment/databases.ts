/** Which databases a deployment has, and where: decided before anything is changed. */
import { CommandError } from "../command.ts";
import type { Cloudflare, Found } from "./cloudflare.ts";
import type { DeployOptions } from "./options.ts";
import { type Database, resourceName, type Settings } from "./settings.ts";

/**
 * Adds the shards to the settings. Throws CommandError if the options or wrangler.toml do not fit what is deployed. Returns the shards
 * that are not in wrangler.toml, whether the databases know their number, what the account has, and the flags of `wrangler d1 create`.
 */
export async function planDatabases(cloudflare: Cloudflare, settings: Settings, options: DeployOptions) {
  const { d1_databases: databases } = settings;
  const control = databases.find(({ binding }) => binding === "DB");
  if (!control) throw new CommandError("wrangler.toml has no database with the binding DB.");
  const bound = countShards(databases);
  const found = await cloudflare.list("D1 database");
  const exists = (one: Database) => Boolean(one.database_id) || found.has(one.database_name);

  const stored = exists(control) ? await readStored(cloudflare) : undefined;
  const beginAgain = stored?.isUsed === 0 ? describeNewBeginning(settings, found) : "";
  const shards = chooseNumber(bound, stored, options.shards, beginAgain);
  const added = bound === 0 ? toShards(settings, control, shards) : [];
  databases.push(...added);
  const isStored = stored?.shards === shards;
  const missing = databases.filter((one) => !exists(one));
  if (isStored && missing.length > 0)
    throw new CommandError(
      `This account has no database ${missing.map((one) => `${one.database_name} (${one.binding})`).join(", ")}, but it is part of the deployed ledger. Nothing was changed.`,
    );
  return { shards, added, isStored, found, place: choosePlace(databases, found, options, beginAgain) };
}

/** Returns the number of shards in wrangler.toml. */
function countShards(databases: Database[]): number {
  const bindings = new Set(databases.map(({ binding }) => binding).filter((one) => /^LEDGER_\d+$/.test(one)));
  const lacking = [...bindings].map((_, index) => `LEDGER_${index}`).find((one) => !bindings.has(one));
  if (lacking)
    throw new CommandError(
      `wrangler.toml binds ${bindings.size} shards, but not ${lacking}. Number them from 0 without a gap. Nothing was changed.`,
    );
  return bindings.size;
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
  beginAgain: string,
): number {
  const isFixed = stored !== undefined && (stored.shards > 0 || stored.hasRows > 0);
  const number = isFixed ? stored.shards : bound > 0 ? bound : (chosen ?? 0);
  if (chosen !== undefined && chosen !== number)
    throw new CommandError(
      isFixed
        ? `This ledger has ${number} shards, and their number cannot change: costs are found with it. Run the command without --shards.${beginAgain} Nothing was changed.`
        : `wrangler.toml binds ${bound} shards. Run the command with --shards ${bound}, or remove the LEDGER_ bindings first. Nothing was changed.`,
    );
  if (bound > 0 && bound !== number)
    throw new CommandError(
      `DB stores ${number} shards, but wrangler.toml binds ${bound}. The number cannot change: correct the LEDGER_ bindings. Nothing was changed.`,
    );
  return number;
}

/** The bindings of new shards, like that of DB. */
function toShards(settings: Settings, control: Database, shards: number): Database[] {
  return Array.from({ length: shards }, (_, index) => {
    const binding = `LEDGER_${index}`;
    return { ...control, binding, database_name: resourceName(settings, binding), database_id: "" };
  });
}

/** The flags of `wrangler d1 create`. Databases that are added later go to the jurisdiction of the first ones. */
function choosePlace(
  databases: Database[],
  found: Found,
  { location, jurisdiction }: DeployOptions,
  beginAgain: string,
): string[] {
  const existing = databases.flatMap(({ database_name: name }) => {
    const one = found.get(name);
    return one ? [{ name, jurisdiction: one.jurisdiction }] : [];
  });
  const wanted = jurisdiction ?? existing[0]?.jurisdiction;
  const other = existing.find((one) => one.jurisdiction !== wanted);
  if (other)
    throw new CommandError(
      `The database ${other.name} exists ${other.jurisdiction ? `in the jurisdiction ${other.jurisdiction}` : "without a jurisdiction"}, and where it is cannot change.${beginAgain} Nothing was changed.`,
    );
  if (location && existing.length > 0)
    console.log(`--location ${location} applies only to databases that are created now.`);
  return [...(location ? ["--location", location] : []), ...(wanted ? ["--jurisdiction", wanted] : [])];
}

/** The way out of databases that were created with the wrong place or number and that nobody has used. */
function describeNewBeginning(settings: Settings, found: Found): string {
  const bound = new Set(settings.d1_databases.map(({ database_name }) => database_name));
  const shard = resourceName(settings, "LEDGER_");
  // Also the shards that a fresh checkout does not bind.
  const names = [...found.keys()].filter((name) => bound.has(name) || /^\d+$/.test(name.replace(shard, "")));
  const commands = names.map((name) => `\n  npx wrangler d1 delete ${name}`).join("");
  return `\n\nNobody has used this ledger yet, so you can begin again. Delete its databases, remove all LEDGER_ bindings from wrangler.toml, and run the command with your flags:\n${commands}\n\n`;
}
