/** Shows what a schema accepts or returns: the properties of an object with their types and descriptions. */
import { html } from "hono/html";
import type { Markup } from "../../pages/markup.ts";
import { asCode } from "../../pages/markup.ts";
import { type ApiDocument, componentOf, type JsonSchema, resolve } from "./document.ts";

export type Field = { name: string; schema: JsonSchema; required: boolean; description?: string | undefined };

/** Which kind of field gets a label: the less usual one. */
export type Marks = "required" | "optional";

export function fieldList(document: ApiDocument, fields: Field[], marks: Marks): Markup {
  const items = fields.map(({ name, schema, required, description }) => {
    const isMarked = marks === (required ? "required" : "optional");
    const label = isMarked ? html`<span class="label">${marks}</span>` : "";
    const text = description ?? resolve(document, schema).description;
    return html`
      <div>
        <dt><code>${name}</code> <span class="type">${describeType(document, schema)}</span> ${label}</dt>
        <dd>
          ${text ? html`<p>${asCode(text)}</p>` : ""}
          ${inner(document, schema, marks)}
        </dd>
      </div>`;
  });
  return html`<dl class="fields">${items}</dl>`;
}

/** The properties of an object. */
export function toFields(schema: JsonSchema): Field[] {
  const { properties = {}, required = schema["x-required"] ?? [] } = schema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
}

/** The fields inside a field: of an object, of the items of a list, or of each alternative. */
function inner(document: ApiDocument, schema: JsonSchema, marks: Marks): Markup | "" {
  const resolved = resolve(document, schema);
  if (resolved.items) return inner(document, resolved.items, marks);
  if (resolved.anyOf) {
    const parts = resolved.anyOf
      .filter((variant) => !isProblem(variant))
      .map((variant) => inner(document, variant, marks));
    return html`${parts}`;
  }
  const fields = toFields(resolved);
  return fields.length === 0 || isProblem(schema) ? "" : fieldList(document, fields, marks);
}

const isProblem = (schema: JsonSchema) => componentOf(schema) === "Problem";

/** For example `string`, `integer, at least 1`, `list of string, at most 100`, or `string or null`. */
export function describeType(document: ApiDocument, schema: JsonSchema): string {
  if (isProblem(schema)) return "problem document";
  const { anyOf, const: only, enum: values, type, items, ...rest } = resolve(document, schema);
  if (anyOf) return anyOf.map((variant) => describeType(document, variant)).join(" or ");
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.join(", ");
  if (items) return `list of ${describeType(document, items)}${range(rest.minItems, rest.maxItems)}`;
  if (typeof rest.additionalProperties === "object")
    return `object of ${describeType(document, rest.additionalProperties)}`;
  const name = [type ?? "any"].flat().join(" or ");
  const fallback = rest.default === undefined ? "" : `, ${String(rest.default)} by default`;
  return `${rest.format ?? name}${range(rest.minimum, rest.maximum)}${fallback}`;
}

function range(low: number | undefined, high: number | undefined): string {
  if (low !== undefined && high !== undefined) return `, ${low} to ${high}`;
  if (low !== undefined) return `, at least ${low}`;
  return high === undefined ? "" : `, at most ${high}`;
}
