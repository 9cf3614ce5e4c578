/**
 * Replaces drizzle-kit: writes the files that its version 0.31.11 writes, but does not read the schema. Tests name the SQL that
 * drizzle-kit would write for the changed tables. As a program, it is the `drizzle-kit` of a PATH.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** Writes the program into a folder. Returns the variables of a command that uses it. If `tables` is empty, no table has changed. */
export function stubDrizzleKit(folder: string, tables: string): NodeJS.ProcessEnv {
  const node = `"${process.execPath}" --disable-warning=ExperimentalWarning`;
  const program = `#!/bin/sh\nexec ${node} "${import.meta.filename}" "$@"\n`;
  writeFileSync(join(folder, "drizzle-kit"), program, { mode: 0o755 });
  return { ...process.env, PATH: `${folder}:${process.env.PATH}`, STUB_TABLES: tables };
}

/** Runs `drizzle-kit generate` in the working directory. */
function generate(tables: string): void {
  const text = { type: "string", default: "" } as const;
  const options = {
    dialect: text,
    casing: text,
    schema: text,
    out: text,
    name: text,
    custom: { type: "boolean" },
  } as const;
  const { out, name, custom } = parseArgs({ options, allowPositionals: true }).values;
  if (tables === "" && !custom) return;
  const meta = join(out, "meta");
  const write = (file: string, value: object) => writeFileSync(join(meta, file), JSON.stringify(value));
  const read = (file: string) => JSON.parse(readFileSync(join(meta, file), "utf8"));
  const journal = read("_journal.json");
  const idx = journal.entries.at(-1).idx + 1;
  const number = String(idx).padStart(4, "0");
  const snapshots = readdirSync(meta)
    .filter((file) => /^\d/.test(file))
    .sort();
  const last = read(snapshots.at(-1) ?? "");
  write(`${number}_snapshot.json`, { ...last, id: crypto.randomUUID(), prevId: last.id });
  const tag = `${number}_${name}`;
  journal.entries.push({ idx, version: "6", when: Date.now(), tag, breakpoints: true });
  write("_journal.json", journal);
  const empty = "-- Custom SQL migration file, put your code below! --";
  writeFileSync(join(out, `${tag}.sql`), custom ? empty : tables);
}

if (process.env.STUB_TABLES !== undefined) generate(process.env.STUB_TABLES);
