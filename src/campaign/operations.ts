/** The operations of the campaign API for the OpenAPI document (spec §4.1 to §4.5). */
import * as z from "zod/mini";
import type { Operation } from "../http/operation.ts";
import { itemsV1, listV1, listV2, problem } from "../http/response-schemas.ts";
import * as contract from "./contract.ts";

const partner = z
  .strictObject({ id: z.int(), display_name: z.string(), supports_cost_data: z.boolean() })
  .with(z.meta({ id: "Partner" }));

const link = z
  .strictObject({
    name: z.string().with(z.describe("The names of the links above it and its own, joined by ::")),
    token: z.string(),
    label: z.string().with(z.describe("The link's own name")),
    level: z.int().check(z.minimum(1), z.maximum(4)),
    archived: z.boolean(),
    has_subtrackers: z.boolean(),
    partner_id: z
      .nullable(z.int())
      .with(z.describe("The link's own partner; null if it inherits one or has none")),
    cost_data_enabled: z
      .boolean()
      .with(z.describe("Whether cost data is on, by its own setting or an inherited one")),
    url: z.string(),
    click_url: z.string().with(z.describe("A template with the partner's macros, unencoded")),
    impression_url: z.string().with(z.describe("A template with the partner's macros, unencoded")),
  })
  .with(z.meta({ id: "Link" }));

const LINK_EXAMPLE = {
  name: "Summer",
  token: "q2r7kd0n5x",
  label: "Summer",
  level: 1,
  archived: false,
  has_subtrackers: false,
  partner_id: null,
  cost_data_enabled: false,
  url: "https://links.example.com/q2r7kd0n5x",
  click_url: "https://links.example.com/q2r7kd0n5x",
  impression_url: "https://links.example.com/impression/q2r7kd0n5x",
};

const oneLink = (description: string, headers: string[] = []) => ({
  description,
  schema: itemsV1(link),
  headers,
  example: {
    data: {
      api_version: "1",
      request_id: "0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11",
      timestamp: "2026-07-01T12:00:00.000Z",
      items: [LINK_EXAMPLE],
    },
  },
});

const pageOf = (version: 1 | 2) => ({
  200: { description: "A page of links", schema: version === 1 ? listV1(link) : listV2(link) },
});

export const listPartners: Operation = {
  id: "listPartners",
  summary: "List partners",
  credentials: "api_token",
  input: contract.listPartners,
  answers: { 200: { description: "A page of partners", schema: listV1(partner) } },
  errorCodes: [],
};

export const listLinks = (version: 1 | 2): Operation => ({
  id: `listLinksV${version}`,
  summary: `List the level-1 links of an app (v${version})`,
  credentials: "api_token",
  input: contract.listLinks,
  answers: pageOf(version),
  errorCodes: ["not_found"],
});

export const listChildren = (version: 1 | 2): Operation => ({
  id: `listChildrenV${version}`,
  summary: `List the direct sub-links of a link (v${version})`,
  credentials: "api_token",
  input: contract.listChildren,
  answers: pageOf(version),
  errorCodes: ["not_found"],
});

export const readLink: Operation = {
  id: "readLink",
  summary: "Read a link",
  credentials: "api_token",
  input: contract.readLink,
  answers: { 200: oneLink("The link") },
  errorCodes: ["not_found"],
};

export const listDropped: Operation = {
  id: "listDroppedParameters",
  summary: "List the invalid cost parameters that were dropped from the URLs of a link",
  description: "Counts of the last 14 days by UTC day and parameter, latest day first.",
  credentials: "api_token",
  input: contract.readLink,
  answers: {
    200: {
      description: "The counts",
      schema: itemsV1(z.strictObject({ day: z.string(), param: z.string(), count: z.int() })),
    },
  },
  errorCodes: ["not_found"],
};

const idempotencyKey = {
  "Idempotency-Key":
    "1 to 255 visible ASCII characters. For 24 hours, the same key and body from the same user on the same app and path get the first response again.",
};

export const createLink: Operation = {
  id: "createLink",
  summary: "Create a link, or a sub-link below a parent",
  credentials: "api_token",
  input: contract.createLink,
  requestExample: { name: "Summer" },
  requestHeaders: idempotencyKey,
  answers: { 201: oneLink("The new link", ["Location"]) },
  errorCodes: ["not_found", "level_limit", "idempotency_key_in_use", "idempotency_key_reused"],
};

export const createLinks: Operation = {
  id: "createLinks",
  summary: "Create up to 100 links in one request",
  description:
    "Each link gets its own result, in the order of the request. An invalid link does not affect the others.",
  credentials: "api_token",
  input: contract.createLinks,
  describedBody: z.strictObject({
    links: z.array(contract.createLink.body).check(z.minLength(1), z.maxLength(100)),
  }),
  requestHeaders: idempotencyKey,
  requestExample: { links: [{ name: "Summer" }, { name: "Beach", parent_token: "q2r7kd0n5x" }] },
  answers: {
    200: {
      description: "A result for each link: the new link, or a problem document",
      schema: itemsV1(z.union([z.strictObject({ status: z.literal(201), link }), problem])),
    },
  },
  errorCodes: ["not_found", "idempotency_key_in_use", "idempotency_key_reused"],
};

export const updateLink: Operation = {
  id: "updateLink",
  summary: "Update a link: partner, cost data, name, archived",
  credentials: "api_token",
  input: contract.updateLink,
  requestExample: { partner_id: 1, cost_data_enabled: true },
  answers: { 200: oneLink("The updated link") },
  errorCodes: ["not_found", "unknown_partner", "partner_without_cost_data"],
};

export const readSpend: Operation = {
  id: "readSpend",
  summary: "Read the spend of an app",
  description:
    "Matched costs by the UTC day of their engagement, with separate rows for each currency. A cpm amount counts as a thousandth of itself. At most 366 days. Send `Accept: text/csv` to get the rows as CSV.",
  credentials: "api_token",
  input: contract.readSpend,
  answers: {
    200: {
      description: "A row for each combination of groups and currency that has a cost",
      alsoAs: "text/csv",
      schema: itemsV1(
        z.strictObject({
          day: z.optional(z.string().with(z.meta({ format: "date" }))),
          link_token: z.nullish(z.string()),
          link_label: z.nullish(z.string()),
          partner_id: z.nullish(z.int()),
          partner_name: z.nullish(z.string()),
          cost_type: z.optional(z.string()),
          currency: z.string(),
          spend: z.string().with(z.describe("An exact decimal number")),
          matched: z.int().with(z.describe("Costs with an engagement and an amount")),
          unpriced: z.int().with(z.describe("Costs with an engagement but without an amount")),
        }),
      ),
    },
  },
  errorCodes: ["not_found"],
};
