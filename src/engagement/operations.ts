/** What opening a link or its impression promises. */
import * as z from "zod/mini";
import type { Operation } from "../http/operation.ts";

const committed = {
  description: "With `s2s=1`: what became of the engagement, once it is committed",
  schema: z.strictObject({
    status: z.literal("ok"),
    kind: z.enum(["click", "impression"]),
    recorded: z.boolean().with(z.describe("Whether it stands in the ledger")),
    duplicate: z.boolean().with(z.describe("One like it was there before: the first stands")),
    dropped: z.array(z.string()).with(z.describe("Cost parameters that were bad and left out")),
    request_id: z.string(),
  }),
};

const path = z.object({ link_token: z.string() });

/** None of them is ever refused: bad ones are left out, and told in `dropped`. */
const query = z.object({
  cost_id: z.optional(z.string()).with(z.describe("12 to 256 characters; what a cost is matched by")),
  cost_type: z.optional(z.string()),
  cost_amount: z.optional(z.string()),
  cost_currency: z.optional(z.string()),
  s2s: z.optional(z.string()).with(z.describe("1: answer JSON once the engagement is committed")),
});

const TARGET = z.optional(z.string()).with(z.describe("Followed where the app allows its scheme and host"));

export const openLink: Operation = {
  id: "openLink",
  summary: "Open a link: records a click and redirects",
  credentials: "none",
  input: {
    path,
    query: z.extend(query, { redirect: TARGET, fallback: TARGET, deep_link: TARGET, deeplink: TARGET }),
  },
  answers: { 200: committed, 302: { description: "To the app", headers: ["Location"] } },
  errorCodes: ["not_found"],
};

export const openImpression: Operation = {
  id: "openImpression",
  summary: "Record an impression",
  credentials: "none",
  input: { path, query },
  answers: {
    200: {
      ...committed,
      description: "A 1×1 GIF, or with `s2s=1` what became of the engagement",
      alsoAs: "image/gif",
    },
  },
  errorCodes: ["not_found"],
};
