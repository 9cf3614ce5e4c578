/**
 * `npm run migrations:new -- --name NAME`: writes the next migration from src/db/schema.ts with drizzle-kit. With --rules it also
 * drops the views, triggers and computed columns that depend on a change, and creates them again from migrations/rules.sql and
 * the schema, because SQLite drops no column that something uses. Without --rules it writes nothing if that is necessary. Its
 * snapshot of the schema replaces the one before it.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CommandError, readOnly, runCommand } from "./command.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "migrations");
const META = join(FOLDER, "meta");
const JOURNAL = join(META, "_journal.json");
const BREAKPOINT = "--> statement-breakpoint";
/** A statement that SQLite rejects while a view or a trigger uses what it changes. */
const CHANGED_TABLE = /^(?:ALTER|DROP) TABLE `(?<table>\w+)`(?! ADD)/;

/** A view or a trigger. */
interface Rule {
  type: string;
  name: string;
  /** As the database stores it: from CREATE on, without the last semicolon. */
  sql: string;
}

/** What drizzle-kit notes of the schema beside each migration. */
type Snapshot = { tables: Record<string, { columns: Record<string, SnapshotColumn> }> };
interface SnapshotColumn {
  name: string;
  type: string;
  /** `as` has its parentheses. */
  generated?: { as: string };
}

const USAGE = `Usage: npm run migrations:new -- --name NAME [--rules]

Writes the next migration from src/db/schema/.

  --name NAME  what it does, in letters, digits and _
  --rules      also replaces the views, triggers and computed columns that depend on the change`;
const NAME = { is: (name: string) => /^\w+$/.test(name), must: "have letters, digits and _" };

await runCommand(USAGE, (args) => {
  const flags = { name: NAME, rules: "switch" } as const;
  const { name = "", rules: isWithRules } = readOnly(USAGE, args, flags, (words, values) => [
    ...words.map((word) => `${word} is not a flag.`),
    ...(values.name === undefined ? ["--name is missing."] : []),
  ]).values;
  const [files, snapshots, journal] = [listFiles(FOLDER), listFiles(META), readFileSync(JOURNAL)];
  const stored = storedRules(applyMigrations());
  const findAdded = () => listFiles(FOLDER).find((file) => !files.includes(file));
  try {
    generate(name);
    if (isWithRules) {
      const generated = findAdded();
      const tables = generated ? readFileSync(join(FOLDER, generated), "utf8") : "";
      if (!generated) generate(name, "--custom");
      const [from, to] = listFiles(META).map(readSnapshot) as [Snapshot, Snapshot];
      const migration = withRules(tables, changeColumns(from, to), stored);
      if (migration === "") throw new CommandError("Neither the schema nor rules.sql has changed.");
      writeFileSync(join(FOLDER, findAdded() ?? ""), `${migration}\n`);
    }
    check();
    // drizzle-kit compares the schema with the last one only.
    for (const file of listFiles(META).slice(0, -1)) rmSync(join(META, file));
  } catch (error) {
    remove(FOLDER, files);
    remove(META, snapshots);
    writeFileSync(JOURNAL, journal);
    if (!(error instanceof CommandError)) throw error;
    const advice = isWithRules ? "" : " Run the command again with --rules (migrations/README.md).";
    throw new CommandError(`${error.message}${advice} Nothing was written.`);
  }
});

/** The migrations, or the snapshots beside them, oldest first. */
function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}_/.test(file))
    .sort();
}

function readSnapshot(file: string): Snapshot {
  return JSON.parse(readFileSync(join(META, file), "utf8"));
}

/** Removes the migration or the snapshot that is not among these files. */
function remove(folder: string, known: string[]): void {
  for (const file of listFiles(folder)) if (!known.includes(file)) rmSync(join(folder, file));
}

function generate(name: string, ...flags: string[]): void {
  const schema = [
    "--dialect",
    "sqlite",
    "--casing",
    "snake_case",
    "--schema",
    "src/db/schema.ts",
    "--out",
    "migrations",
  ];
  const args = ["generate", ...schema, "--name", name, ...flags];
  const { status, error } = spawnSync("drizzle-kit", args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new CommandError(`drizzle-kit failed. ${error?.message ?? ""}`);
}

/** Applies all migrations to a database in memory. */
function applyMigrations(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const file of listFiles(FOLDER)) {
    try {
      database.exec(readFileSync(join(FOLDER, file), "utf8"));
    } catch (error) {
      throw new CommandError(`SQLite rejects ${file}: ${(error as Error).message}.`);
    }
  }
  return database;
}

function storedRules(database: DatabaseSync): Rule[] {
  const rules = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('view', 'trigger') ORDER BY rowid";
  return database.prepare(rules).all() as unknown as Rule[];
}

/** Reads rules.sql, in which blank lines separate the rules. `text` includes the comment. */
function readRules(): (Rule & { text: string })[] {
  const texts = readFileSync(join(FOLDER, "rules.sql"), "utf8")
    .trim()
    .split(/\n{2,}/);
  return texts.slice(1).map((text) => {
    const [sql, type, name] = /^CREATE (VIEW|TRIGGER) (\w+) .*(?=;$)/ms.exec(text) ?? [];
    if (!sql || !type || !name) throw new CommandError(`rules.sql: this is not a view or trigger.\n${text}`);
    return { type: type.toLowerCase(), name, sql, text };
  });
}

/** The names of the rules that only one of the lists has, or each in another form. */
function findChanged(stored: Rule[], wanted: Rule[]): string[] {
  const toKey = ({ name, sql }: Rule) => `${name} ${sql}`;
  const [before, after] = [new Set(stored.map(toKey)), new Set(wanted.map(toKey))];
  const names = [...stored, ...wanted]
    .filter((rule) => !before.has(toKey(rule)) || !after.has(toKey(rule)))
    .map(({ name }) => name);
  return [...new Set(names)];
}

/** Throws CommandError if a migration cannot be applied, or if the rules are not those of rules.sql afterwards. */
function check(): void {
  const changed = findChanged(storedRules(applyMigrations()), readRules());
  if (changed.length > 0)
    throw new CommandError(`rules.sql differs from the migrations: ${changed.join(", ")}.`);
}

interface ColumnChange {
  table: string;
  /** Definitions of computed columns, the last one first. */
  dropped: string[];
  added: string[];
}

/** Finds the computed columns from the first changed one on: each uses only those before it. */
function changeColumns(from: Snapshot, to: Snapshot): ColumnChange[] {
  return Object.keys(to.tables).map((table) => {
    const [before, after] = [defineColumns(from, table), defineColumns(to, table)];
    let same = 0;
    while (same < before.length && before[same] === after[same]) same++;
    return { table, dropped: before.slice(same).reverse(), added: after.slice(same) };
  });
}

function defineColumns({ tables }: Snapshot, table: string): string[] {
  return Object.values(tables[table]?.columns ?? {}).flatMap(({ name, type, generated }) =>
    generated ? `\`${name}\` ${type} GENERATED ALWAYS AS ${generated.as} VIRTUAL` : [],
  );
}

/** Whether drizzle-kit's statement drops or adds one of these columns: it does not know the order that SQLite needs. */
function isAbout({ table, dropped, added }: ColumnChange, statement: string): boolean {
  return [...dropped, ...added].some((column) =>
    ["ADD", "DROP COLUMN"].some((verb) =>
      statement.startsWith(`ALTER TABLE \`${table}\` ${verb} ${nameOf(column)}`),
    ),
  );
}

/** The name in a definition, with its quotes. */
function nameOf(definition: string): string {
  return definition.split(" ", 1)[0] ?? "";
}

/**
 * Returns the migration: drops the rules that depend on a change and the computed columns, changes the tables as drizzle-kit
 * generated it, and creates them again. Empty if nothing changed.
 */
function withRules(generated: string, columns: ColumnChange[], stored: Rule[]): string {
  const wanted = readRules();
  const statements = generated
    .split(BREAKPOINT)
    .map((statement) => statement.trim())
    .filter((statement) => statement && !columns.some((change) => isAbout(change, statement)));
  const tables = [
    ...columns.filter((change) => change.dropped.length > 0).map(({ table }) => table),
    ...statements.flatMap((statement) => CHANGED_TABLE.exec(statement)?.groups?.table ?? []),
  ];
  // Iterating a set also visits what is added meanwhile: a rule that uses a dropped one is dropped too.
  const dropped = new Set([...tables, ...findChanged(stored, wanted)]);
  for (const name of dropped) {
    for (const rule of stored) if (new RegExp(`\\b${name}\\b`).test(rule.sql)) dropped.add(rule.name);
  }
  const alter = (table: string, change: string) => `ALTER TABLE \`${table}\` ${change};`;
  return [
    ...stored
      .filter(({ name }) => dropped.has(name))
      .toReversed()
      .map(({ type, name }) => `DROP ${type.toUpperCase()} ${name};`),
    ...columns.flatMap((change) =>
      change.dropped.map((column) => alter(change.table, `DROP COLUMN ${nameOf(column)}`)),
    ),
    ...statements,
    ...columns.flatMap((change) => change.added.map((column) => alter(change.table, `ADD ${column}`))),
    ...wanted.filter(({ name }) => dropped.has(name)).map(({ text }) => text),
  ].join(`${BREAKPOINT}\n`);
}
