/** Sample values: JSON that a schema accepts, with the values of a plausible link, partner or cost. */
import { COST_TYPES } from "../../domain/cost-types.ts";
import { type ApiDocument, componentOf, type JsonSchema, resolve } from "./document.ts";

/** By the name of a property or parameter; `Component.name` is for one component only. */
const VALUES: Record<string, unknown> = {
  "App.token": "demoapp00001",
  "App.name": "Shoes",
  "Link.name": "Summer",
  "Partner.id": 1,
  "User.id": 1,
  "Idempotency-Key": "note-4711",
  action: "create app",
  amount: "0.25",
  answer: "ok",
  app_token: "demoapp00001",
  archived: false,
  click_url: "https://links.example.com/q2r7kd0n5x",
  code: "not_found",
  collection_size: "1",
  cost_amount: "0.25",
  cost_currency: "USD",
  cost_id: "acme-click-20260701",
  cost_type: COST_TYPES[0],
  currency: "USD",
  default_url: "https://shop.example.com/",
  detail: "This app has no link with this token.",
  display_name: "Delta Ads",
  email: "ana@example.com",
  erased: false,
  finding: "entry 9",
  from: "2026-07-01",
  has_subtrackers: false,
  hint: "…PDb4",
  id: 1,
  impression_url: "https://links.example.com/impression/q2r7kd0n5x",
  label: "Summer",
  level: 1,
  limit: 50,
  link_label: "Summer",
  link_token: "q2r7kd0n5x",
  name: "Summer",
  page_size: "50",
  partner: "Delta Ads",
  partner_id: 1,
  partner_name: "Delta Ads",
  reason: "Agreed with the partner",
  request_id: "0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11",
  s2s: "1",
  spend: "12.5",
  subject: "app demoapp00001",
  tag: "july",
  to: "2026-07-31",
  token: "q2r7kd0n5x",
  total: "1",
  type: "https://links.example.com/docs/errors#not_found",
  url: "https://links.example.com/q2r7kd0n5x",
  user_id: 2,
  version: "1",
};

/** By the format of a string. */
const FORMATS: Record<string, string> = { "date-time": "2026-07-01T12:00:00.000Z", date: "2026-07-01" };

/** Where a schema is: the name of its property, and the component that it belongs to. */
type Place = { name?: string; owner?: string | undefined };

/** A value that the schema accepts. Of an object, only the required properties, or all of them. */
export function sampleOf(
  document: ApiDocument,
  schema: JsonSchema,
  properties: "required" | "all",
  { name = "", owner }: Place = {},
): unknown {
  const component = componentOf(schema);
  if (component !== undefined)
    return sampleOf(document, resolve(document, schema), properties, { name, owner: component });
  if (schema.const !== undefined) return schema.const;
  const known = VALUES[`${owner}.${name}`] ?? VALUES[name];
  if (known !== undefined && accepts(schema, known)) return known;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants)
    return variants.some(({ type }) => type === "null")
      ? null
      : sampleOf(document, variants[0] ?? {}, properties, { name, owner });
  if (schema.enum) return schema.enum[0];
  switch (Array.isArray(schema.type) ? "null" : schema.type) {
    case "object":
      return sampleObject(document, schema, properties, owner);
    case "array":
      return [sampleOf(document, schema.items ?? {}, properties, { owner })];
    case "string":
      return FORMATS[schema.format ?? ""] ?? "…";
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}

function sampleObject(
  document: ApiDocument,
  schema: JsonSchema,
  properties: "required" | "all",
  owner: string | undefined,
): Record<string, unknown> {
  const named = Object.entries(schema.properties ?? {});
  const others = schema.additionalProperties;
  const unnamed = (schema.required ?? []).filter((name) => !schema.properties?.[name]);
  const all =
    typeof others === "object" ? [...named, ...unnamed.map((name) => [name, others] as const)] : named;
  const required = all.filter(([name]) => schema.required?.includes(name));
  // A change needs at least one property, and most changes of a user the password.
  const chosen =
    properties === "all"
      ? all
      : [
          ...(required.length > 0 ? required : all.slice(0, 1)),
          ...all.filter(([name]) => name === "your_password" && !schema.required?.includes(name)),
        ];
  return Object.fromEntries(
    chosen.map(([name, property]) => [name, sampleOf(document, property, properties, { name, owner })]),
  );
}

/** Whether a known value fits, because the same name can have another type elsewhere. */
function accepts({ type, anyOf, enum: values, format }: JsonSchema, value: unknown): boolean {
  if (values) return values.includes(value as string);
  if (format) return false;
  const types = anyOf ? anyOf.flatMap((variant) => variant.type ?? []) : [type ?? []].flat();
  return types.some((name) => (name === "integer" ? "number" : name) === typeof value);
}
