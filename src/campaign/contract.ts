/** The input of the campaign API (spec §4). */
import * as z from "zod/mini";
import { appToken, idNumber, idText, pageQuery, plainText, readAs, spendQuery } from "../http/fields.ts";

const appPath = z.object({ app_token: appToken });
const linkPath = z.object({ app_token: appToken, link_token: z.string() });

/** `::` joins the names of sub-links (spec §2.2), so a name cannot contain it. */
const linkName = z.string().check(
  z.trim(),
  plainText(1, 255),
  z.refine((name) => !name.includes("::"), "must not contain ::"),
);

export const listPartners = { query: pageQuery };
/** Beyond the specification. */
export const linkFilter = z.object({
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
const filteredPage = z.extend(pageQuery, linkFilter.shape);
export const listLinks = { path: appPath, query: filteredPage };
export const listChildren = { path: linkPath, query: filteredPage };
export const readLink = { path: linkPath };

export const createLink = {
  path: appPath,
  body: z.strictObject({ name: linkName, parent_token: z.optional(z.string()) }),
};

const MAX_BULK_LINKS = 100;

/** Each link is parsed separately, so that an invalid one does not affect the others. */
export const createLinks = {
  path: appPath,
  body: z.strictObject({
    links: z
      .array(z.unknown())
      .check(
        z.minLength(1, "must contain at least one link"),
        z.maxLength(MAX_BULK_LINKS, `must contain at most ${MAX_BULK_LINKS} links`),
      ),
  }),
};

export const updateLink = {
  path: linkPath,
  body: z
    .strictObject({
      name: z.optional(linkName),
      archived: z.optional(z.boolean()),
      partner_id: z.nullish(idNumber),
      cost_data_enabled: z.optional(z.boolean()),
    })
    .check(
      z.refine(
        (body) => Object.values(body).some((value) => value !== undefined),
        "must contain at least one of name, archived, partner_id, cost_data_enabled",
      ),
    ),
};

export const readSpend = { path: appPath, query: spendQuery };
