/**
 * Every input is read in linear time: each text of each operation and form, each cell of each uploaded table, and each header. They
 * come from the routes and contracts themselves, so a new one is attacked too. Bodies are larger than the API accepts.
 */
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import type { Context } from "../../src/env.ts";
import { AppError } from "../../src/errors.ts";
import { fromCell, toCsv } from "../../src/http/csv.ts";
import { readForm } from "../../src/http/input/form.ts";
import { readInput } from "../../src/http/input/input.ts";
import { parsePairs } from "../../src/http/input/pairs.ts";
import { parsePart } from "../../src/http/input/parse.ts";
import type { CsvTable } from "../../src/http/input/table.ts";
import { operationOf } from "../../src/http/operation.ts";
import { readPart, readRows, writeRows } from "../../src/pages/uploads/rows.ts";
import { loadRoutes } from "../../src/surfaces.ts";
import { findSlow, judge, type Prepare } from "./attack.ts";
import { fieldsOf, newFieldsOf, partsOf } from "./fields.ts";

/** Each contract that a source file makes, with the file: those of pages are in no list. */
const made = vi.hoisted(() => new Map<z.ZodMiniObject, string>());
vi.mock("zod/mini", async (load) => {
  const zod = await load<typeof z>();
  const noted = <T extends (...parts: never[]) => unknown>(make: T) =>
    ((...parts) => {
      const schema = make(...parts) as z.ZodMiniObject;
      const [, file = ""] = /\/(src\/(?!http\/input)[\w/.-]+)/.exec(new Error().stack ?? "") ?? [];
      made.set(schema, file);
      return schema;
    }) as T;
  const { object, strictObject, extend, partial, pick } = zod;
  return {
    ...zod,
    ...{ object: noted(object), strictObject: noted(strictObject) },
    ...{ extend: noted(extend), partial: noted(partial), pick: noted(pick) },
  };
});

const routes = await loadRoutes();
const operations = routes.flatMap(({ methods }) =>
  Object.values(methods).flatMap((handler) => operationOf(handler) ?? []),
);
const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
const URL_OF_TESTS = "https://linkledger.test/";

/** Runs code that rejects its input. */
async function rejecting(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** The text as a query has it, cut to its length before it was encoded. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, text.length);

const contextOf = (parts: Partial<Context>) =>
  ({ url: new URL(URL_OF_TESTS), params: {}, request: new Request(URL_OF_TESTS), ...parts }) as Context;

describe("an operation reads its input in linear time", () => {
  it.each(operations.map((operation) => [operation.id, operation.input]))("%s", async (_, input) => {
    const { path, query, form, headers, body, paged } = input;
    for (const schema of [path, headers, body])
      for (const [name, toValue] of schema ? newFieldsOf(schema, "parsed") : [])
        expect(
          await findSlow(name, (text) => () => parsePart(schema as z.ZodMiniType, toValue(text), [])),
        ).toEqual([]);

    for (const [name] of query ? newFieldsOf(query, paged ? "page" : "query") : []) {
      const contract = { query: query as z.ZodMiniObject, ...(paged && { paged }) };
      const read: Prepare = (text) => {
        const context = contextOf({ url: new URL(`?${name}=${encode(text)}`, URL_OF_TESTS) });
        return () => rejecting(() => readInput(context, contract));
      };
      expect(await findSlow(name, read)).toEqual([]);
    }
    for (const [name] of form ? newFieldsOf(form, "form") : []) {
      const read: Prepare = (text) => {
        const pairs = [text, `${text}.`].map((value) => ({ name, value, isUtf8: true }));
        return () => parsePairs(form as z.ZodMiniObject, pairs, "same meaning", []);
      };
      expect(await findSlow(name, read)).toEqual([]);
    }
  });
});

describe("a contract of a page, or of an item of a list, is read in linear time", () => {
  const partsOfAll = (schemas: (z.core.$ZodType | undefined)[]) =>
    new Set(schemas.flatMap((schema) => (schema ? partsOf(schema) : [])));
  const inputs = partsOfAll(
    operations.flatMap(({ input }) => [input.path, input.query, input.form, input.headers, input.body]),
  );
  const outputs = partsOfAll(
    operations.flatMap(({ responses }) => Object.values(responses).map(({ schema }) => schema)),
  );
  const others = [...made].filter(([schema]) => !inputs.has(schema) && !outputs.has(schema));
  const byFile = [...Map.groupBy(others, ([, file]) => file)].map(
    ([file, some]) => [file, some.map(([schema]) => schema)] as const,
  );

  it.each(byFile)("%s", async (_, schemas) => {
    for (const schema of schemas)
      for (const [name, toValue] of fieldsOf(schema))
        expect(await findSlow(name, (text) => () => parsePart(schema, toValue(text), []))).toEqual([]);
  });

  it("is never made when it is used, where this test would not see it", () => {
    const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
    const found = Object.entries(sources).filter(([, text]) =>
      /\bread(Form|Input)\([^;]*\bz\.\w+\(/.test(text),
    );
    expect(found.map(([path]) => path)).toEqual([]);
  });
});

describe("an uploaded table is read and answered in linear time", async () => {
  const withTable = Object.entries(sources).filter(([, text]) => text.includes(": CsvTable = "));
  const uploads = await Promise.all(
    withTable.map(async ([path]) => [path, ((await import(path)) as { TABLE: CsvTable }).TABLE] as const),
  );
  const bodies = operations.flatMap(({ id, input }) => (input.csv ? [[id, input.csv] as const] : []));
  const tables: [string, CsvTable][] = [...uploads, ...bodies].map(([name, table]) => [name, table]);

  it("of costs and of links", () => {
    expect(tables.map(([name]) => name.replace("../../src/", ""))).toEqual([
      "usecases/costs/batch.ts",
      "workspace/transfer/import-rows.ts",
      "submitBatch",
    ]);
  });

  it.each(tables)("with a long cell or name of a column: %s", async (_, table) => {
    const columns = Object.keys(table.row.shape);
    const lineOf = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join();
    const read: Prepare = (text) => {
      const file = `${lineOf(columns)}\n${lineOf(columns.with(0, text))}`;
      return () => {
        const rows = readRows(file, { ...table, maxRowBytes: 1024 * 1024 });
        const [{ values = {} } = {}] = rows;
        return writeRows(columns, rows) + toCsv([], [Object.values(values).map(fromCell)]);
      };
    };
    expect(await findSlow("cell", read)).toEqual([]);
    const named: Prepare = (text) => () => rejecting(() => readRows(lineOf(columns.with(0, text)), table));
    expect(await findSlow("column", named)).toEqual([]);
  });

  it.each(tables)("that is no table: %s", async (_, table) => {
    expect(await findSlow("file", (text) => () => rejecting(() => readRows(text, table)))).toEqual([]);
    expect(await findSlow("part", (text) => () => rejecting(() => readPart(text, table)))).toEqual([]);
  });
});

describe("a body is read in linear time", () => {
  const FORM = "application/x-www-form-urlencoded";
  const JSON_TYPE = "application/json";
  const known = z.strictObject({ a: z.optional(z.string()), list: z.optional(z.array(z.string())) });
  const reading = (type: string, text: string) => {
    const request = new Request(URL_OF_TESTS, {
      method: "POST",
      headers: { "content-type": type },
      body: text,
    });
    const context = contextOf({ request });
    return () =>
      rejecting(() => (type === FORM ? readForm(context, known) : readInput(context, { body: known })));
  };

  it.each([FORM, JSON_TYPE])("that is not %s", async (type) => {
    expect(await findSlow("body", (text) => reading(type, text))).toEqual([]);
  });

  const many = (length: number, toPart: (index: number) => string, separator: string) =>
    Array.from({ length: length / 10 }, (_, index) => toPart(10_000 + index)).join(separator);
  it.each<[string, string, (length: number) => string]>([
    ["different fields", FORM, (length) => many(length, (index) => `a${index}=1`, "&")],
    ["equal fields", FORM, (length) => many(length, () => "a=123456", "&")],
    ["different keys", JSON_TYPE, (length) => `{${many(length, (index) => `"${index}":1`, ",")}}`],
    ["equal keys", JSON_TYPE, (length) => `{${many(length, () => '"a":1234', ",")}}`],
    ["escaped quotes", JSON_TYPE, (length) => `{"a":"${'\\\\\\"'.repeat(length / 4)}"}`],
    ["wrong items", JSON_TYPE, (length) => `{"list":[${many(length, (index) => `${index}`, ",")}]}`],
  ])("with many %s", async (_, type, toBody) => {
    expect(await judge((length) => reading(type, toBody(length)))).toBeUndefined();
  });
});
