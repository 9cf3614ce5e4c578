/** Checks that the migrated database equals the schema in Drizzle and rules.sql. */
import { Column, is, type SQL } from "drizzle-orm";
import {
  getTableConfig,
  getViewConfig,
  SQLiteSyncDialect,
  SQLiteTable,
  SQLiteView,
} from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it } from "vitest";
import * as schema from "../../src/db/schema.ts";
import { nameOf } from "../../src/db/statement.ts";
import { MAX_AUDIENCE_KEYS } from "../../src/domain/engagements/audience.ts";
import { MAX_FROM_ENGAGEMENTS } from "../../src/domain/engagements/sub-links.ts";
import * as time from "../../src/domain/time.ts";
import { freshDatabase, rows } from "../harness.ts";

const rules = Object.values(
  import.meta.glob("../../migrations/rules.sql", { query: "?raw", import: "default", eager: true }),
).join();

const tables = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map((table) => getTableConfig(table));

const views = Object.values(schema)
  .filter((value) => is(value, SQLiteView))
  .map((view) => getViewConfig(view));

interface ListedTable {
  name: string;
  type: string;
  strict: number;
  wr: number;
}

const listTables = async () =>
  (await rows<ListedTable>("PRAGMA table_list")).filter(
    ({ name, type }) => type === "table" && !/^(sqlite_|_cf_|d1_migrations$)/.test(name),
  );

const compare = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** Returns the column of `"column" COLLATE …`; null for another expression, as SQLite reports it. */
function nameWithin(expression: SQL): string | null {
  const { sql } = new SQLiteSyncDialect({ casing: "snake_case" }).sqlToQuery(expression);
  return /"(\w+)" COLLATE \w+$/.exec(sql)?.[1] ?? null;
}

/** The value of `hidden` in SQLite's table_xinfo for a computed column that is not stored. */
const VIRTUAL = 2;

/** The SQL of a computed column; undefined for a stored one. */
function expressionOf({ generated }: (typeof tables)[number]["columns"][number]): string | undefined {
  return generated && new SQLiteSyncDialect({ casing: "snake_case" }).sqlToQuery(generated.as as SQL).sql;
}

beforeAll(freshDatabase);

it("has every table of the schema and no other", async () => {
  const names = (await listTables()).map(({ name }) => name).sort();
  expect(names).toEqual(tables.map(({ name }) => name).sort());
});

it("has only STRICT tables, WITHOUT ROWID unless the key is one integer", async () => {
  const found = (await listTables()).map(({ name, strict, wr }) => ({ name, strict, withoutRowid: wr }));
  const expected = tables.map((table) => {
    const rowid = table.columns.some((column) => column.primary && column.getSQLType() === "integer");
    return { name: table.name, strict: 1, withoutRowid: rowid ? 0 : 1 };
  });
  expect(found.sort(compare)).toEqual(expected.sort(compare));
});

it("has every view of the schema and no other, with the same columns", async () => {
  const names = await rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'view'");
  expect(names.map(({ name }) => name).sort()).toEqual(views.map(({ name }) => name).sort());
  for (const { name, selectedFields } of views) {
    const found = await rows<{ name: string }>(`PRAGMA table_info("${name}")`);
    const expected = Object.values(selectedFields).map((field) =>
      is(field, Column) ? nameOf(field) : undefined,
    );
    expect(found.map((column) => column.name).sort()).toEqual(expected.sort());
  }
});

it("has the views and triggers of rules.sql, word for word, and no other", async () => {
  const stored = await rows<{ sql: string }>(
    "SELECT sql FROM sqlite_master WHERE type IN ('view', 'trigger')",
  );
  // Each below its comment.
  const written = rules.match(/(?<=^-- [^\n]*\n)CREATE (?:VIEW|TRIGGER) .*?;(?=\n\n|\n$)/gms) ?? [];
  expect(stored.map(({ sql }) => `${sql};`).sort()).toEqual([...written].sort());
  expect(rules.match(/^CREATE /gm)).toHaveLength(written.length);
});

it("has no large number but the constants of domain/time.ts, of which rules use only the day, two limits, and a thousand", async () => {
  const numbersIn = (text: string) => text.match(/\b\d{4,}\b/g) ?? [];
  const objects = await rows<{ sql: string }>("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL");
  const defaults = tables.flatMap(({ columns }) => columns.map((column) => String(column.default)));
  const found = objects.flatMap(({ sql }) => numbersIn(sql)).filter((number) => !defaults.includes(number));
  const constants = [...Object.values(time), MAX_AUDIENCE_KEYS, MAX_FROM_ENGAGEMENTS].map(String);
  expect(found.filter((number) => !constants.includes(number))).toEqual([]);
  expect(found).toEqual(expect.arrayContaining([time.COST_WINDOW_MS, time.RETENTION_MS].map(String)));
  expect(new Set(numbersIn(rules))).toEqual(
    new Set([time.DAY_MS, MAX_AUDIENCE_KEYS, MAX_FROM_ENGAGEMENTS, 1_000].map(String)),
  );
  // A multiple of a day would be another way to write a window.
  expect(new Set(rules.match(/.{2}\b86400000\b(?! \*)/g))).toEqual(new Set(["/ 86400000"]));
});

describe.each(tables)("$name", (table) => {
  it("has the stored columns of the schema: names, types, nullability, defaults and keys", async () => {
    const found = await rows<{
      name: string;
      type: string;
      notnull: number;
      pk: number;
      dflt_value: string | null;
    }>(`PRAGMA table_info("${table.name}")`);
    const composite = table.primaryKeys[0]?.columns.map(nameOf) ?? [];
    const stored = table.columns.filter(({ generated }) => !generated);
    const expected = stored.map((column) => ({
      name: nameOf(column),
      type: column.getSQLType(),
      notNull: column.notNull || column.primary || composite.includes(nameOf(column)),
      key: column.primary ? 1 : composite.indexOf(nameOf(column)) + 1,
      byDefault: column.default === undefined ? null : String(column.default),
    }));
    expect(
      found.map(({ name, type, notnull, pk, dflt_value }) => ({
        name,
        type: type.toLowerCase(),
        notNull: notnull === 1,
        key: pk,
        byDefault: dflt_value?.replace(/^'(.*)'$/, "$1") ?? null,
      })),
    ).toEqual(expected);
  });

  it("has the computed columns of the schema: names, types, order and expressions, none of them stored", async () => {
    const listed = await rows<{ name: string; type: string; hidden: number }>(
      `PRAGMA table_xinfo("${table.name}")`,
    );
    const computed = table.columns.filter(({ generated }) => generated);
    expect(listed.filter(({ hidden }) => hidden !== 0)).toMatchObject(
      computed.map((column) => ({
        name: nameOf(column),
        type: column.getSQLType().toUpperCase(),
        hidden: VIRTUAL,
      })),
    );
    const [created] = await rows<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = ?", table.name);
    // ALTER TABLE adds columns to the line of the last one.
    const definitions = created?.sql.split(/[`"](?=\w+[`"] \w+ GENERATED ALWAYS AS )/).slice(1) ?? [];
    const expressions = definitions.map((definition) =>
      /^(\w+).*? AS \((.*)\) VIRTUAL/s.exec(definition)?.slice(1),
    );
    expect(expressions).toEqual(computed.map((column) => [nameOf(column), expressionOf(column)]));
  });

  it("has the indexes of the schema and no other", async () => {
    const listed = await rows<{ name: string; unique: number; origin: string; partial: number }>(
      `PRAGMA index_list("${table.name}")`,
    );
    const found = await Promise.all(
      listed
        .filter(({ origin }) => origin !== "pk")
        .map(async ({ name, unique, partial }) => ({
          name,
          unique: unique === 1,
          partial: partial === 1,
          columns: (await rows<{ name: string | null }>(`PRAGMA index_info("${name}")`)).map(
            (column) => column.name,
          ),
        })),
    );
    const expected = [
      ...table.indexes.map(({ config }) => ({
        name: config.name,
        unique: config.unique,
        partial: config.where !== undefined,
        columns: config.columns.map((column) =>
          "name" in column ? nameOf(column as Column) : nameWithin(column),
        ),
      })),
      ...table.columns
        .filter(({ isUnique }) => isUnique)
        .map((column) => ({
          name: column.uniqueName ?? "",
          unique: true,
          partial: false,
          columns: [nameOf(column)],
        })),
    ];
    expect(found.sort(compare)).toEqual(expected.sort(compare));
  });

  it("has the foreign keys and checks of the schema", async () => {
    const found = await rows<{ table: string; from: string; to: string }>(
      `PRAGMA foreign_key_list("${table.name}")`,
    );
    const expected = table.foreignKeys.flatMap((key) => {
      const { columns, foreignColumns, foreignTable } = key.reference();
      const to = getTableConfig(foreignTable).name;
      return columns.map((column, index) => `${nameOf(column)} ${to}.${foreignColumns.map(nameOf)[index]}`);
    });
    expect(found.map((key) => `${key.from} ${key.table}.${key.to}`).sort()).toEqual(expected.sort());
    const [created] = await rows<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = ?", table.name);
    const checks = [...(created?.sql ?? "").matchAll(/CONSTRAINT [`"](\w+)[`"] CHECK/g)].map(
      ([, name]) => name,
    );
    expect(checks.sort()).toEqual(table.checks.map(({ name }) => name).sort());
  });
});
