/** The documented operations of opening a link and recording an impression. */
import * as z from "zod/mini";
import type { Operation } from "../http/operation.ts";

const committed = {
  description: "With `s2s=1`: the result for the engagement, after it is committed",
  schema: z.strictObject({
    status: z.literal("ok"),
    kind: z.enum(["click", "impression"]),
    recorded: z.boolean().with(z.describe("Whether the engagement is in the ledger")),
    duplicate: z
      .boolean()
      .with(
        z.describe(
          "True if the ledger already had an engagement of this kind with this cost ID; the first one counts",
        ),
      ),
    dropped: z.array(z.string()).with(z.describe("Names of invalid cost parameters, which were ignored")),
    request_id: z.string(),
  }),
};

const path = z.object({ link_token: z.string() });

/** Invalid parameters never cause an error: they are ignored and named in `dropped`. */
const query = z.object({
  cost_id: z
    .optional(z.string())
    .with(z.describe("12 to 256 characters. A cost with the same ID matches this engagement")),
  cost_type: z.optional(z.string()),
  cost_amount: z.optional(z.string()),
  cost_currency: z.optional(z.string()),
  s2s: z.optional(z.string()).with(z.describe("1: return JSON after the engagement is committed")),
});

const TARGET = z
  .optional(z.string())
  .with(z.describe("Redirect target, used if the app allows its scheme and host"));

export const openLink: Operation = {
  id: "openLink",
  summary: "Open a link: record a click and redirect",
  credentials: "none",
  input: {
    path,
    query: z.extend(query, { redirect: TARGET, fallback: TARGET, deep_link: TARGET, deeplink: TARGET }),
  },
  responses: { 200: committed, 302: { description: "Redirect to the app", headers: ["Location"] } },
  errors: ["not_found"],
};

export const openImpression: Operation = {
  id: "openImpression",
  summary: "Record an impression",
  credentials: "none",
  input: { path, query },
  responses: {
    200: {
      ...committed,
      description: "A 1×1 GIF, or with `s2s=1` the result for the engagement",
      alsoAs: "image/gif",
    },
  },
  errors: ["not_found"],
};
