/** Which databases a deployment has, and where: decided before anything is changed. */
import { CommandError } from "../command.ts";
import type { Cloudflare, Found } from "./cloudflare.ts";
import type { DeployOptions } from "./options.ts";
import { type Database, resourceName, type Settings } from "./settings.ts";

/**
 * Adds the shards to the settings. Throws CommandError if the options or wrangler.toml do not fit what is deployed. Returns the number of
 * shards and those that are not in wrangler.toml, whether the databases know that number, whether the service has users, what the account
 * has, and the flags of `wrangler d1 create`.
 */
export async function planDatabases(cloudflare: Cloudflare, settings: Settings, options: DeployOptions) {
  const { d1_databases: databases } = settings;
  const control = databases.find(({ binding }) => binding === "DB");
  if (!control) throw new CommandError("wrangler.toml has no database with the binding DB.");
  const found = await cloudflare.list("D1 database");
  const exists = (one: Database) => Boolean(one.database_id) || found.has(one.database_name);
  const stored = exists(control) ? await readStored(cloudflare) : undefined;
  const isUnused = stored?.hasRows === 0 && stored.hasData === 0;
  const reject = rejectWith(isUnused ? describeNewBeginning(settings, found, stored) : "");

  const bound = countShards(databases);
  const fixed = stored && (stored.shards > 0 || stored.hasRows) ? stored.shards : undefined;
  const shards = fixed ?? (bound || (options.shards ?? 0));
  if (options.shards !== undefined && options.shards !== shards)
    throw fixed === undefined
      ? nothingChanged(
          `wrangler.toml binds ${bound} shards. Run the command with --shards ${bound}, or remove the LEDGER_ bindings first.`,
        )
      : reject(
          `This ledger has ${shards} shards, and their number cannot change: costs are found with it. Run the command without --shards.`,
        );
  if (bound > 0 && bound !== shards)
    throw nothingChanged(
      `DB stores ${shards} shards, but wrangler.toml binds ${bound}. The number cannot change: correct the LEDGER_ bindings.`,
    );

  const added = Array.from({ length: bound === 0 ? shards : 0 }, (_, index): Database => {
    const binding = `LEDGER_${index}`;
    return { ...control, binding, database_name: resourceName(settings, binding), database_id: "" };
  });
  databases.push(...added);
  const isStored = stored?.shards === shards;
  const missing = databases
    .filter((one) => !exists(one))
    .map((one) => `${one.database_name} (${one.binding})`);
  if (isStored && missing.length > 0)
    throw nothingChanged(
      `This account has no database ${missing.join(", ")}, but it is part of the deployed ledger.`,
    );
  const existing = databases.flatMap(({ database_name: name }) => found.get(name) ?? []);
  const place = choosePlace(existing, options, reject);
  return { shards, added, isStored, hasUsers: Boolean(stored?.hasUsers), found, place };
}

const nothingChanged = (message: string) => new CommandError(`${message} Nothing was changed.`);
const rejectWith = (wayOut: string) => (message: string) => nothingChanged(message + wayOut);

/** Returns the number of shards in wrangler.toml. */
function countShards(databases: Database[]): number {
  const bindings = new Set(databases.map(({ binding }) => binding).filter((one) => /^LEDGER_\d+$/.test(one)));
  const lacking = [...bindings].map((_, index) => `LEDGER_${index}`).find((one) => !bindings.has(one));
  if (lacking)
    throw nothingChanged(
      `wrangler.toml binds ${bindings.size} shards, but not ${lacking}. Number them from 0 without a gap.`,
    );
  return bindings.size;
}

/** What DB stores: the number of shards, and 0 or 1. */
interface Stored {
  shards: number;
  /** Whether a cost or a click was stored in DB itself, so that there can be no shards. */
  hasRows: number;
  hasUsers: number;
  /** Whether it has more than operators of `operator:create`. Without apps and partners, which are never deleted, shards have no rows. */
  hasData: number;
}

/** Tables of D1, SQLite and wrangler. */
const SYSTEM = /^(_cf_|sqlite_|d1_migrations$)/;

async function readStored(cloudflare: Cloudflare): Promise<Stored | undefined> {
  const select = "SELECT name FROM sqlite_master WHERE type = 'table'";
  const tables = (await cloudflare.execute<{ name: string }>("DB", select)).map(({ name }) => name);
  if (!tables.includes("shard_identity"))
    return { shards: 0, hasRows: 0, hasUsers: 0, hasData: Number(tables.some((name) => !SYSTEM.test(name))) };
  const [stored] = await cloudflare.execute<Stored>(
    "DB",
    `SELECT shards, EXISTS (SELECT 1 FROM ledger_entries UNION ALL SELECT 1 FROM daily_totals) AS hasRows,
      EXISTS (SELECT 1 FROM users) AS hasUsers,
      EXISTS (SELECT 1 FROM apps UNION ALL SELECT 1 FROM partners UNION ALL SELECT 1 FROM users
        WHERE role <> 'operator' OR NOT EXISTS (SELECT 1 FROM audit_log
          WHERE action = 'create user' AND subject = 'user ' || users.id AND user_id IS NULL)) AS hasData
      FROM shard_identity`,
  );
  return stored;
}

/** The flags of `wrangler d1 create`. Databases that are added later go to the jurisdiction of the first ones. */
function choosePlace(
  existing: { name: string; jurisdiction?: string | null }[],
  { location, jurisdiction }: DeployOptions,
  reject: (message: string) => CommandError,
): string[] {
  const wanted = jurisdiction ?? existing[0]?.jurisdiction ?? undefined;
  const other = existing.find((one) => (one.jurisdiction ?? undefined) !== wanted);
  if (other) {
    const where = other.jurisdiction ? `in the jurisdiction ${other.jurisdiction}` : "without a jurisdiction";
    throw reject(`The database ${other.name} exists ${where}, and where it is cannot change.`);
  }
  if (location && existing.length > 0)
    console.log(`--location ${location} applies only to databases that are created now.`);
  return [...(location ? ["--location", location] : []), ...(wanted ? ["--jurisdiction", wanted] : [])];
}

/** The way out of databases that were created with the wrong place or number and that nobody has used. */
function describeNewBeginning(settings: Settings, found: Found, { hasUsers }: Stored): string {
  const bound = new Set(settings.d1_databases.map(({ database_name }) => database_name));
  const shard = resourceName(settings, "LEDGER_");
  // Also the shards that a fresh checkout does not bind.
  const names = [...found.keys()].filter((name) => bound.has(name) || /^\d+$/.test(name.replace(shard, "")));
  const commands = names.map((name) => `\n  npx wrangler d1 delete ${name}`).join("");
  const operators = hasUsers
    ? " Its operators are deleted too: create them again with npm run operator:create."
    : "";
  return `\n\nNobody has used this ledger yet, so you can begin again. Delete its databases, remove all LEDGER_ bindings from wrangler.toml, and run the command with your flags.${operators}\n${commands}\n\n`;
}
