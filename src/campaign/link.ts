/** What the operations on links share: paths, fields, the JSON of a link, and access to an app (spec §2.2, §4). */
import * as z from "zod/mini";
import type { Principal } from "../auth/guards.ts";
import type { AppAccess } from "../db/accounts/api-tokens.ts";
import { toPage } from "../db/keyset.ts";
import type { AppScope, Inherited } from "../db/links/links.ts";
import type { LinkRow } from "../db/links/lists.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import type { ListRange } from "../http/cursors.ts";
import { envelopeV1, envelopeV2, jsonResponse } from "../http/envelope.ts";
import { appToken, idText, pageQuery, plainText, readAs } from "../http/fields.ts";
import { pagingV1, pagingV2 } from "../http/paging.ts";
import { itemsV1, listV1, listV2 } from "../http/response-schemas.ts";
import { inheritedFrom, type Partners, toLink } from "../usecases/links.ts";

export const appPath = z.object({ app_token: appToken });
export const linkPath = z.object({ app_token: appToken, link_token: z.string() });

/** `::` joins the names of sub-links (spec §2.2), so a name cannot contain it. */
export const linkName = z.string().check(
  z.trim(),
  plainText(1, 255),
  z.refine((name) => !name.includes("::"), "must not contain ::"),
);

/** A page of a list of links, with filters beyond the specification. */
export const linkQuery = z.extend(pageQuery, {
  archived: z
    .optional(readAs(z.enum(["true", "false"], "must be true or false"), (value) => value === "true"))
    .with(z.describe("true: only archived links; false: only links that are not archived")),
  partner_id: z
    .optional(idText)
    .with(z.describe("Only links that this partner is attached to, without those that inherit it")),
  name: z
    .optional(z.string().check(plainText(1, 255)))
    .with(z.describe("The beginning of the link's own name; ASCII letters match in any case")),
});

export const link = z
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

export const oneLink = (description: string, headers: string[] = []) => ({
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

export type Version = 1 | 2;

export const pageOfLinks = (version: Version) => ({
  200: { description: "A page of links", schema: version === 1 ? listV1(link) : listV2(link) },
});

/** A page of links that have the same parent; without `parent`, of links of level 1. */
export function linkPage(
  context: Context,
  version: Version,
  range: ListRange,
  found: { rows: LinkRow[]; parent?: LinkRow & Inherited; total: number; partners: Partners },
): Response {
  const page = toPage(range, found.rows);
  const inherited = inheritedFrom(found.parent);
  const items = page.items.map((row) => toLink({ ...row, ...inherited }, found.partners, context));
  return jsonResponse(
    version === 1
      ? envelopeV1(context, items, pagingV1(context, range, page, found.total))
      : envelopeV2(items, pagingV2(context, range, page)),
  );
}

export function toScope(caller: Principal, path: { app_token: string }): AppScope {
  return { tokenHash: caller.tokenHash, appToken: path.app_token };
}

/** Throws the same error for an app that does not exist and for one that the caller is not a member of. */
export function authorizeApp(caller: Principal, access: AppAccess | undefined): void {
  if (caller.authorize(access).appToken === null) {
    throw new AppError("not_found", "No app of yours has this token.");
  }
}

export function linkNotFound(): AppError {
  return new AppError("not_found", "This app has no link with this token.");
}
