/** Builds the OpenAPI 3.1 document from the operations of the handlers. */
import * as z from "zod/mini";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { isOptional } from "./http/input/parse.ts";
import { type Operation, type OperationResponse, operationOf } from "./http/operation.ts";
import type { Method, Route } from "./http/router.ts";

type Json = Record<string, unknown>;

/** The tokens that an operation takes, each by itself. */
function securityOf({ credentials, onlyReads }: Operation, method: Method): Json[] {
  if (credentials === "none") return [];
  if (credentials === "cost_credential") return [{ costCredential: [] }];
  const reading = method === "GET" || onlyReads ? [{ readToken: [] }] : [];
  return [{ apiToken: [] }, { writeToken: [] }, ...reading];
}

/** The document for these routes, without the server's address. `version` is the service version. */
export function buildDocument(routes: Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const { path, methods, surface } of routes) {
    for (const [method, handler] of Object.entries(methods)) {
      const operation = operationOf(handler);
      if (!operation) continue;
      const documented = paths[toTemplate(path)] ?? {};
      documented[method.toLowerCase()] = toOperation(operation, method as Method, surface ?? "");
      paths[toTemplate(path)] = documented;
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "linkledger",
      version,
      description:
        "Links for mobile apps, and a ledger of what each click and impression cost. Errors are RFC 9457 problem documents that list every invalid parameter.",
    },
    paths,
    components: {
      schemas: toComponents(),
      securitySchemes: {
        apiToken: toSecurityScheme("A user's API token (`ll_api_…`), from the account page"),
        writeToken: toSecurityScheme(
          "A user's access token for writing (`ll_write_…`), from `/account/tokens`",
        ),
        readToken: toSecurityScheme(
          "A user's access token for reading (`ll_read_…`), from `/account/tokens`",
        ),
        costCredential: toSecurityScheme("A partner's cost credential, from the operator"),
      },
    },
  };
}

/** Not the scheme `http` with `bearer`, because tools would then write no sample with `Token token=` (spec §5.1). */
function toSecurityScheme(token: string): Json {
  const description = `${token}. Send \`Authorization: Token token=…\` or \`Authorization: Bearer …\`.`;
  return { type: "apiKey", in: "header", name: "Authorization", description };
}

/** `/apps/:app_token` becomes `/apps/{app_token}`. */
const toTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

function toOperation(operation: Operation, method: Method, surface: string): Json {
  const { input } = operation;
  const parameters = [
    ...toParameters(input.path, "path"),
    ...toParameters(input.query, "query"),
    ...toParameters(input.form, "query").map((parameter) => ({ ...parameter, required: false })),
    ...toParameters(input.headers, "header"),
  ];
  const body = operation.describedBody ?? input.body;
  const json = body && {
    "application/json": toContent(body, "input", operation.requestExample),
    ...(input.csv && { "text/csv": { schema: { type: "string" }, example: input.csv.example } }),
  };
  const form = input.form && toFormContent(input.form);
  const content = json ?? form;
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [surface],
    security: securityOf(operation, method),
    ...(parameters.length > 0 && { parameters }),
    ...(content &&
      method !== "GET" && {
        requestBody: { required: input.body !== undefined && !isOptional(input.body), content },
      }),
    responses: {
      ...toProblems(operation),
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, toResponse(response)]),
      ),
    },
  };
}

/** A parameter can be in the query string or in the body, so neither requires it; `x-required` names those that must be in one. */
function toFormContent(form: z.ZodMiniObject): Json {
  const { required } = toSchema(form, "input");
  const schema = { ...toSchema(z.partial(form), "input"), "x-required": required };
  return { "application/x-www-form-urlencoded": { schema }, "application/json": { schema } };
}

function toParameters(schema: z.ZodMiniType | undefined, place: "path" | "query" | "header"): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
}

/** The parameters in the path and the query of an operation as one JSON Schema, for callers that name all of them alike. */
export function toInputSchema({ input }: Operation) {
  const parameters = [...toParameters(input.path, "path"), ...toParameters(input.query, "query")] as {
    name: string;
    required: boolean;
    description?: string;
    schema: Json;
  }[];
  return {
    type: "object",
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        { ...schema, ...(description && { description }) },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function toResponse(response: OperationResponse): Json {
  const content = response.schema
    ? {
        [response.mediaType ?? "application/json"]: toContent(response.schema, "output", response.example),
        ...(response.alsoAs && { [response.alsoAs]: { schema: { type: "string" } } }),
      }
    : response.mediaType && { [response.mediaType]: {} };
  return {
    description: response.description,
    headers: toHeaders(["X-Request-Id", ...(response.headers ?? [])]),
    ...(content && { content }),
  };
}

function toContent(schema: z.ZodMiniType, io: "input" | "output", example: unknown): Json {
  return { schema: toSchema(schema, io), ...(example !== undefined && { example }) };
}

/** A response for each error status of the operation, with the error codes. */
function toProblems(operation: Operation): Json {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join(". "),
          headers: toHeaders(["X-Request-Id", ...(HEADERS_OF[status] ?? [])]),
          content: {
            "application/problem+json": {
              schema: {
                allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { code: { enum: codes } } }],
              },
            },
          },
        },
      ]),
  );
}

const HEADERS_OF: Record<number, string[]> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

function toHeaders(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { schema: { type: "string" } }]));
}

/** Every error code of an operation: its own, those of its credentials and input, and those of any operation. */
export function errorsOf({ credentials, input, errors }: Operation): ErrorCode[] {
  const all: ErrorCode[] = [...errors, "internal_error", "unavailable", "not_configured", "not_migrated"];
  if (credentials !== "none") all.push("unauthorized", "rate_limited", "https_required");
  if (credentials === "operator_token") all.push("operator_required");
  const isOfApp =
    credentials === "api_token" && toParameters(input.path, "path").some(({ name }) => name === "app_token");
  if (isOfApp || credentials === "operator_token") all.push("insufficient_scope");
  // A public click or impression is never rejected: invalid parameters are dropped.
  if (credentials !== "none" && Object.keys(input).length > 0) all.push("invalid_request");
  if (input.form || input.body) all.push("request_timeout", "payload_too_large", "unsupported_media_type");
  return [...new Set(all)];
}

/** The JSON Schema of a zod type. Types with an `id` become components. */
function toSchema(schema: z.ZodMiniType, io: "input" | "output"): Json {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
  }) as Json;
  const text = JSON.stringify(withoutSafeBounds(rest));
  return JSON.parse(text.replaceAll("#/$defs/", "#/components/schemas/"));
}

/** Without the bounds of safe integers that zod adds. They only clutter the document. */
function withoutSafeBounds(schema: Json): Json {
  const isSafeBound = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return JSON.parse(JSON.stringify(schema, (_, value) => (isSafeBound(value) ? undefined : value)));
}

/** Every type with an `id`. */
function toComponents(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: (id) => `#/components/schemas/${id}` }) as {
    schemas: Record<string, Json>;
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, withoutSafeBounds(schema)]),
  );
}
