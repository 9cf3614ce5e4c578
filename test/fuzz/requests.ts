/** Generates requests for every operation of an OpenAPI document: valid, nearly valid and hostile. */
import * as fc from "fast-check";
import type { ApiDocument, Documented } from "../contract.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maxItems?: number;
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Schema;
}

interface Operation extends Documented {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export type FuzzDocument = ApiDocument<Operation> & { components: { schemas: Record<string, Schema> } };

export interface FuzzRequest {
  operation: string;
  template: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Meaningful values by name, or by operation and name, so that requests get past input validation. */
export type Dictionary = Record<string, fc.Arbitrary<unknown>>;

const HOSTILE = [
  "",
  " ",
  "\u0000",
  "\r\nset-cookie: a=b",
  "'; DROP TABLE ledger_entries; --",
  "' OR '1'='1",
  "../../../etc/passwd",
  "..%2f..%2f",
  "%00",
  "%",
  "\ud800",
  "\u202e",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "$(id)",
  "=1+1",
  "::",
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e400",
  "9007199254740993",
  "99999999999999999999",
  "0.000001",
  "1000000.00001",
  "true",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "é".repeat(300),
  "😀".repeat(256),
  "x".repeat(300),
  "x".repeat(5_000),
];

const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);
const hostileValue = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e21, 2 ** 53, [], {}, [[]], { a: { b: [1] } }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** How closely a request follows the document. */
type Mode = "valid" | "near" | "hostile";
const mode = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Mode>("valid") },
  { weight: 3, arbitrary: fc.constant<Mode>("near") },
  { weight: 2, arbitrary: fc.constant<Mode>("hostile") },
);

export function requestsOf(document: FuzzDocument, dictionary: Dictionary, tokens: Record<string, string[]>) {
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;

  function toValue(given: Schema, name: string, how: Mode): fc.Arbitrary<unknown> {
    const schema = resolve(given);
    const plain = toPlainValue(schema, name, how);
    if (how === "valid") return plain;
    return fc.oneof(
      { weight: how === "near" ? 6 : 1, arbitrary: plain },
      { weight: 1, arbitrary: hostileValue },
    );
  }

  function toPlainValue(schema: Schema, name: string, how: Mode): fc.Arbitrary<unknown> {
    const known = dictionary[name];
    if (known) return known;
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const some = schema.anyOf ?? schema.oneOf;
    if (some) return fc.oneof(...some.map((one) => toValue(one, name, how)));
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === "integer" || type === "number") return fc.integer({ min: schema.minimum ?? -2, max: 60 });
    if (type === "boolean") return fc.boolean();
    if (type === "null") return fc.constant(null);
    if (type === "array") {
      return fc.array(toValue(schema.items ?? {}, name, how), {
        minLength: how === "valid" ? 1 : 0,
        maxLength: 4,
      });
    }
    if (type === "object" || schema.properties) return objectOf(schema, how);
    if (type === "string") {
      return fc.string({
        minLength: Math.max(1, schema.minLength ?? 1),
        maxLength: Math.min(schema.maxLength ?? 30, 30),
      });
    }
    return fc.oneof(objectOf(itemSchema(name), how), hostileValue);
  }

  /** The items of bulk requests, which the document does not describe there because each is validated separately. */
  const itemSchema = (name: string): Schema => {
    const [path, type] = name === "costs" ? ["/cost", "application/x-www-form-urlencoded"] : ["", ""];
    if (path) return resolve(document.paths[path]?.post?.requestBody?.content[type]?.schema ?? {});
    return { properties: { name: { type: "string" }, parent_token: { type: "string" } }, required: ["name"] };
  };

  function objectOf(schema: Schema, how: Mode): fc.Arbitrary<Record<string, unknown>> {
    const properties = schema.properties ?? {};
    const required = new Set(schema.required ?? (properties.cost_id ? Object.keys(properties) : []));
    const record = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, toValue(one, name, how)])),
      { requiredKeys: how === "valid" ? Object.keys(properties).filter((name) => required.has(name)) : [] },
    ) as fc.Arbitrary<Record<string, unknown>>;
    if (how !== "hostile") return record;
    return fc
      .tuple(
        record,
        fc.dictionary(fc.oneof(hostileText, fc.constantFrom(...Object.keys(dictionary))), hostileValue, {
          maxKeys: 2,
        }),
      )
      .map(([known, unknown]) => ({ ...known, ...unknown }));
  }

  const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)) ?? "";
  const encode = (value: unknown) => encodeURIComponent(textOf(value).toWellFormed());

  function requestOf(
    template: string,
    method: string,
    operation: Operation,
    how: Mode,
  ): fc.Arbitrary<FuzzRequest> {
    const parameters = operation.parameters ?? [];
    const inPlace = (place: Parameter["in"]) => parameters.filter((parameter) => parameter.in === place);
    const values = (place: Parameter["in"], isNeeded: (parameter: Parameter) => boolean) =>
      fc.record(
        Object.fromEntries(
          inPlace(place).map(({ name, schema }) => {
            const ofOperation = `${operation.operationId} ${name}`;
            return [name, toValue(schema, ofOperation in dictionary ? ofOperation : name, how)];
          }),
        ),
        {
          requiredKeys: inPlace(place)
            .filter(isNeeded)
            .map(({ name }) => name),
        },
      ) as fc.Arbitrary<Record<string, unknown>>;
    const content = operation.requestBody?.content ?? {};
    const [type = "", { schema = {} } = {}] = Object.entries(content)[0] ?? [];
    const isForm = type.includes("form");
    const sent = type ? objectOf(resolve(schema), how) : fc.constant({});
    const raw = fc.constantFrom(
      "",
      "{",
      "[]",
      "null",
      '{"a":1}',
      "\u0000",
      "a=b&a=c",
      `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
      "x".repeat(70_000),
    );
    const isForOperators = template.startsWith("/operator/");
    const scheme = isForOperators ? "operator" : (Object.keys(operation.security?.[0] ?? {})[0] ?? "");
    const own = tokens[scheme] ?? [];
    const others = Object.values(tokens).flat();
    const authorization = fc.oneof(
      { weight: how === "valid" ? 30 : 12, arbitrary: fc.constantFrom(...(own.length > 0 ? own : [""])) },
      { weight: 1, arbitrary: fc.constantFrom("", "Bearer", "Bearer x", "Basic eDp4", ...others) },
    );
    return fc
      .record({
        path: values("path", () => true),
        query: values("query", ({ required }) => how === "valid" && required === true),
        head: values("header", () => false),
        sent,
        raw,
        authorization,
        accept: fc.constantFrom(
          "application/json",
          "*/*",
          "text/html",
          "text/csv",
          "application/json;q=0, text/csv",
        ),
        twist: fc.nat({ max: 40 }),
        withQuery: fc.boolean(),
      })
      .map(({ path, query, head, sent, raw, authorization, accept, twist, withQuery }) => {
        const place = template.replace(/\{(\w+)\}/g, (_, name: string) => encode(path[name]) || "x");
        const pairs = Object.entries({ ...query, ...(isForm && withQuery ? sent : {}) }).map(
          ([name, value]) => `${encode(name)}=${encode(value)}`,
        );
        if (how === "hostile" && twist < 8 && pairs[0]) pairs.push(pairs[0], `${pairs[0]}x`);
        const headers: Record<string, string> = { accept };
        if (authorization)
          headers.authorization =
            authorization.includes(" ") || authorization === "Bearer"
              ? authorization
              : `Bearer ${authorization}`;
        for (const [name, value] of Object.entries(head))
          headers[name] = textOf(value).replace(/[^\x20-\x7e]/g, "?");
        let body: string | undefined;
        if (type) {
          headers["content-type"] = how === "hostile" && twist > 36 ? "text/plain" : type;
          body = isForm
            ? withQuery
              ? ""
              : Object.entries(sent)
                  .map(([name, value]) => `${encode(name)}=${encode(value)}`)
                  .join("&")
            : JSON.stringify(sent);
          if (how === "hostile" && twist > 30) body = raw;
        }
        return {
          operation: operation.operationId,
          template,
          method: method.toUpperCase(),
          path: `${place}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`,
          headers,
          ...(body !== undefined && method !== "get" && { body }),
        };
      });
  }

  const all = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ template, method, operation })),
  );
  return fc
    .tuple(fc.constantFrom(...all), mode)
    .chain(([{ template, method, operation }, how]) => requestOf(template, method, operation, how));
}
