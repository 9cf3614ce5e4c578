/** The OpenAPI 3.1 document, from the operations that the handlers are documented with: there is no second description. */
import * as z from "zod/mini";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { type Answer, type Operation, operationOf } from "./http/operation.ts";
import type { Method, Route } from "./http/router.ts";

type Json = Record<string, unknown>;

const SECURITY: Record<Operation["credentials"], Json[]> = {
  api_token: [{ apiToken: [] }],
  operator_token: [{ apiToken: [] }],
  cost_credential: [{ costCredential: [] }],
  none: [],
};

/** The document of the given routes, but for where they are served. `version` is the service's own. */
export function buildDocument(routes: Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const { path, methods, surface } of routes) {
    for (const [method, handler] of Object.entries(methods)) {
      const operation = operationOf(handler);
      if (!operation) continue;
      const documented = paths[toTemplate(path)] ?? {};
      documented[method.toLowerCase()] = describe(operation, method as Method, surface ?? "");
      paths[toTemplate(path)] = documented;
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "linkledger",
      version,
      description:
        "Links for mobile apps, and a ledger of what each click and impression cost. Every refusal is a problem document that lists all faults at once.",
    },
    paths,
    components: {
      schemas: toComponents(),
      securitySchemes: {
        apiToken: {
          type: "http",
          scheme: "bearer",
          description:
            "A user's API token, from the account page. `Authorization: Token token=…` is taken as well.",
        },
        costCredential: {
          type: "http",
          scheme: "bearer",
          description:
            "A partner's cost credential, from the operator. `Authorization: Token token=…` is taken as well.",
        },
      },
    },
  };
}

/** `/apps/:app_token` becomes `/apps/{app_token}`. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

function describe(operation: Operation, method: Method, surface: string): Json {
  const { input } = operation;
  const parameters = [
    ...toParameters(input.path, "path"),
    ...toParameters(input.query, "query"),
    ...toParameters(input.form, "query").map((parameter) => ({ ...parameter, required: false })),
    ...Object.entries(operation.requestHeaders ?? {}).map(([name, description]) => ({
      name,
      in: "header",
      required: false,
      description,
      schema: { type: "string" },
    })),
  ];
  const content = input.body
    ? {
        "application/json": toContent(
          operation.describedBody ?? input.body,
          "input",
          operation.requestExample,
        ),
      }
    : input.form && {
        "application/x-www-form-urlencoded": { schema: toSchema(z.partial(input.form), "input") },
      };
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [surface],
    security: SECURITY[operation.credentials],
    ...(parameters.length > 0 && { parameters }),
    ...(content && method !== "GET" && { requestBody: { required: input.body !== undefined, content } }),
    responses: {
      ...toProblems(operation),
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [status, toResponse(answer)]),
      ),
    },
  };
}

function toParameters(schema: z.ZodMiniType | undefined, place: "path" | "query"): Json[] {
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

function toResponse(answer: Answer): Json {
  const content = answer.schema
    ? {
        [answer.mediaType ?? "application/json"]: toContent(answer.schema, "output", answer.example),
        ...(answer.alsoAs && { [answer.alsoAs]: { schema: { type: "string" } } }),
      }
    : answer.mediaType && { [answer.mediaType]: {} };
  return {
    description: answer.description,
    headers: toHeaders(["X-Request-Id", ...(answer.headers ?? [])]),
    ...(content && { content }),
  };
}

function toContent(schema: z.ZodMiniType, io: "input" | "output", example: unknown): Json {
  return { schema: toSchema(schema, io), ...(example !== undefined && { example }) };
}

/** A response for each status that the operation may refuse with, naming the codes. */
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

/** What may go wrong: by the credentials, by the input, by the operation itself, and anywhere. */
export function errorsOf({ credentials, input, errorCodes }: Operation): ErrorCode[] {
  const all: ErrorCode[] = [...errorCodes, "internal_error", "unavailable", "not_configured", "not_migrated"];
  if (credentials !== "none") all.push("unauthorized", "rate_limited");
  if (credentials === "operator_token") all.push("operator_required");
  // What the public sends with a click is never refused: bad parameters are left out.
  if (credentials !== "none" && Object.keys(input).length > 0) all.push("invalid_request");
  if (input.form || input.body) all.push("request_timeout", "payload_too_large", "unsupported_media_type");
  return [...new Set(all)];
}

/** JSON Schema of a zod type; types with an `id` are components. */
function toSchema(schema: z.ZodMiniType, io: "input" | "output"): Json {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
  }) as Json;
  const text = JSON.stringify(withoutSafeBounds(rest));
  return JSON.parse(text.replaceAll("#/$defs/", "#/components/schemas/"));
}

/** zod states the bounds of a safe integer, which tell a reader nothing. */
function withoutSafeBounds(schema: Json): Json {
  const isSafeBound = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
  return JSON.parse(JSON.stringify(schema, (_, value) => (isSafeBound(value) ? undefined : value)));
}

/** Every named type, once. */
function toComponents(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri: (id) => `#/components/schemas/${id}` }) as {
    schemas: Record<string, Json>;
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, withoutSafeBounds(schema)]),
  );
}
