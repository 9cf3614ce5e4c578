/** What the requests of the campaign interface must look like (spec §4). */
import * as z from "zod";
import { appToken, pageQuery, spendQuery, textField } from "../http/fields.ts";

const appPath = z.object({ app_token: appToken });
const linkPath = z.object({ app_token: appToken, link_token: z.string() });

/** `::` joins the names of sub-links (spec §2.2), so no name of its own may hold it. */
const linkName = z
  .string()
  .trim()
  .pipe(textField(1, 255).refine((name) => !name.includes("::"), "must not contain ::"));

const partnerId = z.int("must be a positive integer").positive("must be a positive integer");

export const listPartners = { query: pageQuery };
/** Beyond the specification. */
export const linkFilter = z.object({
  archived: z
    .enum(["true", "false"], { error: "must be true or false" })
    .transform((value) => value === "true")
    .optional()
    .meta({ description: "Archived links alone, or those that are not" }),
  partner_id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a positive integer")
    .transform(Number)
    .optional()
    .meta({ description: "Links that this partner is attached to; not those that inherit it" }),
  name: textField(1, 255)
    .optional()
    .meta({ description: "How the link's own name begins, ASCII letters in any case" }),
});
const filteredPage = pageQuery.extend(linkFilter.shape);
export const listLinks = { path: appPath, query: filteredPage };
export const listChildren = { path: linkPath, query: filteredPage };
export const readLink = { path: linkPath };

export const createLink = {
  path: appPath,
  body: z.strictObject({ name: linkName, parent_token: z.string().optional() }),
};

const MAX_BULK_LINKS = 100;

/** Each link is read by itself, so that a bad one fails alone. */
export const createLinks = {
  path: appPath,
  body: z.strictObject({
    links: z
      .array(z.unknown())
      .min(1, "must hold at least one link")
      .max(MAX_BULK_LINKS, `must hold at most ${MAX_BULK_LINKS} links`),
  }),
};

export const updateLink = {
  path: linkPath,
  body: z
    .strictObject({
      name: linkName.optional(),
      archived: z.boolean().optional(),
      partner_id: partnerId.nullable().optional(),
      cost_data_enabled: z.boolean().optional(),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      message: "must name at least one of name, archived, partner_id, cost_data_enabled",
    }),
};

export const readSpend = { path: appPath, query: spendQuery };
