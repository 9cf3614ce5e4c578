/** Runs `npm run migrations:new` in a copy of the schema and the migrations, which it changes. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ROOT, run } from "./run.ts";

let folder: string;

/** Copies what the command reads and writes. */
export function copySchema(): void {
  folder = mkdtempSync(join(tmpdir(), "linkledger-migrations-"));
  for (const part of ["src/db", "src/dev", "src/domain", "migrations", "package.json"]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}
export const removeCopy = () => rmSync(folder, { recursive: true });

export const SCHEMA = "src/db/schema/ledger.ts";
const RULES = "migrations/rules.sql";

export function edit(path: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  expect(text).toMatch(pattern);
  writeFileSync(join(folder, path), text.replace(pattern, replacement));
}

/** Runs the command in the copy. `added` has the text of each new migration. */
export function create(flags: string[], env: NodeJS.ProcessEnv = process.env) {
  const before = listFiles();
  const { status, stderr } = run(process.execPath, ["src/dev/migrations.ts", ...flags], { cwd: folder, env });
  const added = listFiles().filter((file) => file.endsWith(".sql") && !before.includes(file));
  return {
    status,
    stderr,
    added: added.map((file) => readFileSync(join(folder, "migrations", file), "utf8")),
  };
}

/** The snapshots of the schema. Each has the number of its migration. */
const listSnapshots = () => listFiles().filter((file) => file.endsWith("_snapshot.json"));
const lastMigration = () => listFiles().findLast((file) => /^\d{4}_.*\.sql$/.test(file)) ?? "";
const lastSnapshot = () => join("meta", `${lastMigration().slice(0, 4)}_snapshot.json`);

const listFiles = () => readdirSync(join(folder, "migrations"), { recursive: true, encoding: "utf8" }).sort();

/** Tests the command with the variables of `env`, which gets the copy and the SQL of drizzle-kit for the changed tables. */
export function testCommand(env: (folder: string, tables: string) => NodeJS.ProcessEnv): void {
  beforeEach(copySchema);
  afterEach(removeCopy);

  describe("a changed trigger", () => {
    beforeEach(() => edit(RULES, /DELETE FROM sessions WHERE user_id = NEW.id;/, "$& SELECT 1;"));

    test("is dropped and created again with --rules, with its comment and nothing else", () => {
      const { status, added } = create(["--name", "users", "--rules"], env(folder, ""));
      expect([status, added]).toEqual([
        0,
        [
          `DROP TRIGGER users_disabled;--> statement-breakpoint
-- A disabled user has no token and no session.
CREATE TRIGGER users_disabled AFTER UPDATE OF disabled_at ON users WHEN NEW.disabled_at IS NOT NULL BEGIN
  DELETE FROM api_tokens WHERE user_id = NEW.id;
  DELETE FROM access_tokens WHERE user_id = NEW.id;
  DELETE FROM sessions WHERE user_id = NEW.id; SELECT 1;
END;
`,
        ],
      ]);
      expect(listSnapshots()).toEqual([lastSnapshot()]);
      expect(create(["--name", "again", "--rules"], env(folder, ""))).toMatchObject({
        status: 1,
        stderr: "Neither the schema nor rules.sql has changed. Nothing was written.\n",
        added: [],
      });
    });

    test("is named without --rules, and nothing is written", () => {
      const files = listFiles();
      expect(create(["--name", "users"], env(folder, ""))).toEqual({
        status: 1,
        stderr:
          "rules.sql differs from the migrations: users_disabled. Run the command again with --rules (migrations/README.md). Nothing was written.\n",
        added: [],
      });
      expect(listFiles()).toEqual(files);
    });
  });

  test("a new table needs no --rules, and its snapshot of the schema replaces the one before it", () => {
    edit(SCHEMA, /$/, 'export const notes = sqliteTable("notes", { id: integer().primaryKey() });\n');
    const table = "CREATE TABLE `notes` (\n\t`id` integer PRIMARY KEY NOT NULL\n);\n";
    const { status, added } = create(["--name", "notes"], env(folder, table));
    expect([status, added]).toEqual([0, [table]]);
    expect(lastMigration()).toMatch(/^\d{4}_notes\.sql$/);
    expect(listSnapshots()).toEqual([lastSnapshot()]);
  });
}
