import { validate } from "@readme/openapi-parser";
import { expect, it } from "vitest";
import { operationOf } from "../../src/http/operation.ts";
import { createAjv } from "../contract.ts";
import { document } from "../contract-check.ts";
import { call, type env } from "../harness.ts";
import { routes } from "../routes.ts";

interface Served {
  info: { contact: object; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string; externalDocs: { url: string } }[];
  paths: Record<string, Record<string, { operationId: string; description: string; tags: string[] }>>;
}
const serve = async (bindings: Partial<typeof env> = {}) =>
  (await call("/openapi.json", { env: bindings })).json<Served>();

it("is a valid OpenAPI document at /openapi.json with the origin of the request", async () => {
  const served = await serve();
  expect(await validate(structuredClone(served) as never)).toMatchObject({ valid: true });
  expect(served.servers).toEqual([{ url: "https://linkledger.test" }]);
  expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths));
});

it("describes every tag, every operation and who may call it", async () => {
  const { tags, paths } = await serve();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(tags.map(({ name }) => name).toSorted()).toEqual(
    [...new Set(operations.flatMap(({ tags: own }) => own))].sort(),
  );
  for (const { description, externalDocs } of tags) {
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect((await call(new URL(externalDocs.url).pathname)).status).toBe(200);
  }
  for (const { operationId, description } of operations)
    expect([operationId, description]).toEqual([
      operationId,
      expect.stringMatching(/(?:^|\. )For (?:members|partners|operators|everyone)\b.*\.$/),
    ]);
});

it.each([
  [undefined, { name: "The operator of this service", url: "https://linkledger.test/docs" }],
  ["ops@example.com", { name: "The operator of this service", email: "ops@example.com" }],
  ["https://example.com/help", { name: "The operator of this service", url: "https://example.com/help" }],
  ["Ask Ana", { name: "Ask Ana", url: "https://linkledger.test/docs" }],
])("has the contact %j", async (contact, expected) => {
  const { info } = await serve(contact === undefined ? {} : { OPERATOR_CONTACT: contact });
  expect(info.contact).toEqual(expected);
});

const JSON_SURFACES = ["campaign", "cost", "engagement", "mcp", "operator"];
const isConsole = (path: string) => path.startsWith("/operator") && !path.startsWith("/operator/v1/");
const HEALTH = ["GET /healthz", "GET /readyz"];

it("contains every route of every JSON surface and the health checks, and nothing else", () => {
  const registered = routes
    .filter(({ surface, path }) => JSON_SURFACES.includes(surface ?? "") && !isConsole(path))
    .flatMap(({ path, methods }) =>
      Object.keys(methods).map((method) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`),
    );
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual([...registered, ...HEALTH].sort());
});

interface Part {
  content?: Record<string, { schema?: object; example?: unknown }>;
}

it("has examples that match their schemas", () => {
  const ajv = createAjv();
  ajv.addSchema({ ...document, $id: "document" });
  const schemaIn = (schema: object) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
  const parts = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods) as { requestBody?: Part; responses: Record<string, Part> }[])
    .flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)]);
  const examples = parts
    .flatMap((part) => Object.values(part?.content ?? {}))
    .filter(({ example }) => example !== undefined);
  expect(examples).toHaveLength(19);
  for (const { schema, example } of examples) {
    expect(ajv.validate(schemaIn(schema ?? {}), example), JSON.stringify(ajv.errors)).toBe(true);
  }
});

it("has a unique id for every operation", () => {
  const ids = routes.flatMap(({ methods }) =>
    Object.values(methods).flatMap((handler) => operationOf(handler)?.id ?? []),
  );
  expect(new Set(ids).size).toBe(ids.length);
});
