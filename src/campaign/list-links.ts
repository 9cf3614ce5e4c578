/** `GET /public/v{1,2}/apps/{app_token}/trackers` (spec §4.2) and `…/{link_token}/children` (spec §4.3). */
import * as z from "zod/mini";
import { userOperation } from "../auth/guards.ts";
import { toPage } from "../db/keyset.ts";
import * as db from "../db/links/links.ts";
import type { LinkRow } from "../db/links/lists.ts";
import type { Partners } from "../db/links/partner-catalog.ts";
import type { Context } from "../env.ts";
import type { ListRange } from "../http/cursors.ts";
import { envelopeV1, envelopeV2, jsonResponse } from "../http/envelope.ts";
import { idText, pageQuery, plainText, readAs } from "../http/input/fields.ts";
import { pagingV1, pagingV2 } from "../http/paging.ts";
import { listV1, listV2 } from "../http/response-schemas.ts";
import { inheritedFrom, link, toLink } from "../usecases/links/link.ts";
import { appPath, authorizeApp, authorizeLink, linkPath, toLinkScope, toScope } from "./common.ts";

/** A page of a list of links, with filters beyond the specification. */
const linkQuery = z.extend(pageQuery, {
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

type Version = 1 | 2;

export const listLinks = (version: Version) =>
  userOperation({
    method: "GET",
    path: `/public/v${version}/apps/:app_token/trackers`,
    id: `listLinksV${version}`,
    summary: `List the level-1 links of an app (v${version})`,
    input: { path: appPath, query: linkQuery, paged: true as const },
    responses: pageOfLinks(version),
    errors: ["not_found"],
    async handle(context, caller, { path, query, range }) {
      const found = await db.listLevelOne(context.env.DB, toScope(caller, path), query, range);
      authorizeApp(caller, found.access);
      return linkPage(context, version, range, found);
    },
  });

export const listChildren = (version: Version) =>
  userOperation({
    method: "GET",
    path: `/public/v${version}/apps/:app_token/trackers/:link_token/children`,
    id: `listChildrenV${version}`,
    summary: `List the direct sub-links of a link (v${version})`,
    input: { path: linkPath, query: linkQuery, paged: true as const },
    responses: pageOfLinks(version),
    errors: ["not_found"],
    async handle(context, caller, { path, query, range }) {
      const found = await db.listChildren(context.env.DB, toLinkScope(caller, path), query, range);
      const parent = authorizeLink(caller, found);
      return linkPage(context, version, range, { ...found, parent });
    },
  });

function pageOfLinks(version: Version) {
  return { 200: { description: "A page of links", schema: version === 1 ? listV1(link) : listV2(link) } };
}

/** A page of links that have the same parent; without `parent`, of links of level 1. */
function linkPage(
  context: Context,
  version: Version,
  range: ListRange,
  found: { rows: LinkRow[]; parent?: LinkRow & db.Inherited; total: number; partners: Partners },
): Response {
  const page = toPage(range, found.rows);
  const inherited = inheritedFrom(found.parent);
  // Not copied: 50 copies are a twentieth of the time of a list.
  const items = page.items.map((row) => toLink(Object.assign(row, inherited), found.partners, context));
  return jsonResponse(
    version === 1
      ? envelopeV1(context, items, pagingV1(context, range, page, found.total))
      : envelopeV2(items, pagingV2(context, range, page)),
  );
}
