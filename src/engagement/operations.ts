/** What opening a link or its impression promises. */
import * as z from "zod";
import type { Operation } from "../http/operation.ts";

const committed = {
  description: "With `s2s=1`: what became of the engagement, once it is committed",
  schema: z.strictObject({
    status: z.literal("ok"),
    kind: z.enum(["click", "impression"]),
    recorded: z.boolean().meta({ description: "Whether it stands in the ledger" }),
    duplicate: z.boolean().meta({ description: "One like it was there before: the first stands" }),
    dropped: z.array(z.string()).meta({ description: "Cost parameters that were bad and left out" }),
    request_id: z.string(),
  }),
};

const path = z.object({ link_token: z.string() });

/** None of them is ever refused: bad ones are left out, and told in `dropped`. */
const query = z.object({
  cost_id: z.string().optional().meta({ description: "12 to 256 characters; what a cost is matched by" }),
  cost_type: z.string().optional(),
  cost_amount: z.string().optional(),
  cost_currency: z.string().optional(),
  s2s: z.string().optional().meta({ description: "1: answer JSON once the engagement is committed" }),
});

const TARGET = z
  .string()
  .optional()
  .meta({ description: "Followed where the app allows its scheme and host" });

export const openLink: Operation = {
  id: "openLink",
  summary: "Open a link: records a click and redirects",
  credentials: "none",
  input: {
    path,
    query: query.extend({ redirect: TARGET, fallback: TARGET, deep_link: TARGET, deeplink: TARGET }),
  },
  answers: { 200: committed, 302: { description: "To the app", headers: ["Location"] } },
  refusals: ["not_found"],
};

export const openImpression: Operation = {
  id: "openImpression",
  summary: "Record an impression",
  credentials: "none",
  input: { path, query },
  answers: { 200: { ...committed, description: "A 1×1 GIF, or with `s2s=1` what became of the engagement" } },
  refusals: ["not_found"],
};
