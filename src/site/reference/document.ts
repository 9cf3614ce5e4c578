/** The OpenAPI document as the reference reads it. src/openapi.ts builds the document from the operations. */
import type { ErrorCode } from "../../errors.ts";

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  /** Instead of `required`, where a field can also be elsewhere. */
  "x-required"?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: (string | number)[];
  const?: string | number;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

type Content = { schema?: JsonSchema; example?: unknown };

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface DocumentedResponse {
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, Content>;
}

interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  /** The tokens that it takes, each by itself. Without one, it is for everyone. */
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, DocumentedResponse>;
}

export interface ApiDocument {
  info: Record<string, unknown>;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** An operation together with its method and path, as `GET` and `/cost/{cost_id}`. */
export interface Described extends DocumentedOperation {
  method: string;
  path: string;
  parameters: Parameter[];
  body?: Content & { mediaType: string };
  /** The error codes in the order of their status. */
  errors: ErrorCode[];
}

const PROBLEM = "application/problem+json";

/** Every operation in the order of the document. */
export function operationsOf({ paths }: ApiDocument): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [body] = Object.entries(operation.requestBody?.content ?? {});
      return {
        ...operation,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        ...(body && { body: { mediaType: body[0], ...body[1] } }),
        errors: Object.values(operation.responses).flatMap(codesOf),
      };
    }),
  );
}

function codesOf({ content }: DocumentedResponse): ErrorCode[] {
  const schema = content?.[PROBLEM]?.schema as
    | { allOf: [unknown, { properties: { code: { enum: ErrorCode[] } } }] }
    | undefined;
  return schema?.allOf[1].properties.code.enum ?? [];
}

/** The responses that are not problem documents. */
export function successesOf(operation: Described): [status: string, response: DocumentedResponse][] {
  return Object.entries(operation.responses).filter(([, { content }]) => !content?.[PROBLEM]);
}

/** Follows a reference to a component. */
export function resolve({ components }: ApiDocument, schema: JsonSchema): JsonSchema {
  const id = componentOf(schema);
  return (id !== undefined && components.schemas[id]) || schema;
}

/** The name of the component that a schema refers to. */
export const componentOf = ({ $ref }: JsonSchema): string | undefined => $ref?.split("/").at(-1);
