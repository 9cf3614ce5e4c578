/** Finds or creates the databases of a deployment, with a number of shards that is chosen once, and migrates them. */
import { CommandError } from "../command.ts";
import {
  type Checkout,
  type Configuration,
  type D1Configuration,
  execute,
  findOrCreate,
  type Ids,
  read,
  run,
  saveConfiguration,
} from "./checkout.ts";
import type { DeployOptions } from "./options.ts";
import { addShards } from "./settings.ts";
import { setIdentity } from "./shard-identity.ts";

/** A database as wrangler lists it. */
interface Listed {
  name: string;
  uuid: string;
  jurisdiction?: string | null;
}
const list = (checkout: Checkout) => read<Listed[]>(checkout, ["d1", "list", "--json"]);
const toIds = (listed: Listed[]): Ids => new Map(listed.map(({ name, uuid }) => [name, uuid]));

/**
 * Finds, creates and migrates the databases, and adds their IDs to the configuration. The first deployment also writes the
 * bindings of the shards into wrangler.toml, and stores their number and indexes. Throws before anything is changed if the
 * options or wrangler.toml do not fit what is deployed.
 */
export function prepareDatabases(
  checkout: Checkout,
  configuration: Configuration,
  options: DeployOptions,
): void {
  const { d1_databases: databases } = configuration;
  const control = databases.find(({ binding }) => binding === "DB");
  if (!control) throw new CommandError("wrangler.toml has no database with the binding DB.");
  const bound = countShards(databases);
  const listed = list(checkout);
  const found = toIds(listed);
  const named = databases.filter(({ database_id }) => !database_id);
  setIds(named, found);
  saveConfiguration(checkout, configuration);

  const stored = control.database_id ? readStored(checkout) : undefined;
  const shards = chooseNumber(bound, stored, options.shards);
  const added = bound === 0 ? toShards(control, shards) : [];
  named.push(...added);
  setIds(named, found);
  const isDeployed = stored?.shards === shards;
  if (isDeployed) rejectCreation(named, options);
  const place = toPlace(named, listed, options);

  addShards(checkout, added);
  databases.push(...added);
  const names = named.map(({ database_name }) => database_name);
  const create = (name: string) => ["d1", "create", name, ...place];
  setIds(
    named,
    findOrCreate(checkout, "D1 database", names, create, () => toIds(list(checkout)), found),
  );
  saveConfiguration(checkout, configuration);
  for (const { binding } of databases) {
    // wrangler asks for confirmation only for DB, unless CI is set already.
    run(checkout, ["d1", "migrations", "apply", binding, "--remote"], binding === "DB" ? {} : { CI: "true" });
  }
  if (!isDeployed) storeNumber(checkout, shards);
}

function setIds(databases: D1Configuration[], ids: Ids): void {
  for (const database of databases) {
    const id = ids.get(database.database_name);
    if (id) database.database_id = id;
  }
}

const SHARD = /^LEDGER_(\d+)$/;

/** Returns the number of shards in wrangler.toml. */
function countShards(databases: D1Configuration[]): number {
  const indexes = new Set(databases.flatMap(({ binding }) => SHARD.exec(binding)?.[1] ?? []).map(Number));
  for (let index = 0; index < indexes.size; index++) {
    if (!indexes.has(index))
      throw new CommandError(
        `wrangler.toml binds ${indexes.size} shards, but not LEDGER_${index}. Number them from 0 without a gap. Nothing was changed.`,
      );
  }
  return indexes.size;
}

/** What a migrated DB stores: the number of shards, and whether a cost or a click was stored without shards. */
interface Stored {
  shards: number;
  hasRows: number;
}

/** Returns undefined if the database has no tables. */
function readStored(checkout: Checkout): Stored | undefined {
  const tables = execute(checkout, "DB", "SELECT name FROM sqlite_master WHERE name = 'shard_identity'");
  if (tables.length === 0) return undefined;
  const rows = "SELECT 1 FROM ledger_entries UNION ALL SELECT 1 FROM daily_totals";
  return execute<Stored>(checkout, "DB", `SELECT shards, EXISTS (${rows}) AS hasRows FROM shard_identity`)[0];
}

/** Returns the number of shards: the one that is deployed, or for a first deployment the chosen one. */
function chooseNumber(bound: number, stored: Stored | undefined, chosen: number | undefined): number {
  // An interrupted first deployment: the number is not stored yet.
  const isInterrupted = stored?.shards === 0 && bound > 0 && !stored.hasRows;
  if (stored && !isInterrupted) {
    if (chosen !== undefined && chosen !== stored.shards)
      throw new CommandError(
        `This ledger has ${stored.shards} shards, and their number cannot change: costs are found with it. Run the command without --shards. Nothing was changed.`,
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
function toShards(control: D1Configuration, shards: number): D1Configuration[] {
  return Array.from({ length: shards }, (_, index) => ({
    ...control,
    binding: `LEDGER_${index}`,
    database_name: `${control.database_name}-ledger-${index}`,
    database_id: "",
  }));
}

/** Rejects what would create a database of a ledger that is deployed. */
function rejectCreation(databases: D1Configuration[], { location, jurisdiction }: DeployOptions): void {
  const missing = databases.filter(({ database_id }) => !database_id);
  if (missing.length > 0)
    throw new CommandError(
      `This account has no database ${missing.map((one) => `${one.database_name} (${one.binding})`).join(", ")}, but it is part of the deployed ledger. Nothing was changed.`,
    );
  if (location ?? jurisdiction)
    throw new CommandError(
      `The databases exist, and where they are cannot change. Run the command without ${location ? "--location" : "--jurisdiction"}. Nothing was changed.`,
    );
}

/** The options of `wrangler d1 create`. After an interruption, the other databases go to the jurisdiction of the first ones. */
function toPlace(databases: D1Configuration[], listed: Listed[], options: DeployOptions): string[] {
  const names = new Set(databases.map(({ database_name }) => database_name));
  const first = listed.find(({ name }) => names.has(name));
  const { location, jurisdiction = first?.jurisdiction ?? undefined } = options;
  if (first && jurisdiction !== (first.jurisdiction ?? undefined))
    throw new CommandError(
      `The database ${first.name} exists ${first.jurisdiction ? `in the jurisdiction ${first.jurisdiction}` : "without a jurisdiction"}, which cannot change. Nothing was changed.`,
    );
  return [
    ...(location ? ["--location", location] : []),
    ...(jurisdiction ? ["--jurisdiction", jurisdiction] : []),
  ];
}

/** DB is last: when it stores the number, every shard does. */
function storeNumber(checkout: Checkout, shards: number): void {
  if (shards === 0) return;
  for (let index = 0; index < shards; index++) store(checkout, `LEDGER_${index}`, shards, index);
  store(checkout, "DB", shards, null);
}

function store(checkout: Checkout, binding: string, shards: number, index: number | null): void {
  if (execute(checkout, binding, setIdentity(shards, index)).length === 0)
    throw new CommandError(
      `The database of ${binding} has costs or clicks, or is part of another ledger. It was not changed. Check its name in wrangler.toml.`,
    );
  console.log(`${binding}: ${index === null ? "DB" : `shard ${index}`} of ${shards} shards.`);
}
