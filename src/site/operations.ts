/** The contract of the health checks. */
import * as z from "zod/mini";
import type { Operation } from "../http/operation.ts";

const check = z.strictObject({
  ok: z.boolean(),
  reason: z.optional(z.string()),
  age_seconds: z.optional(z.int()),
});

const readiness = z.strictObject({
  status: z.enum(["ready", "not ready"]),
  checks: z.strictObject({
    database: check,
    migrations: check,
    cron: check,
    tokens: check,
    links: check,
  }),
  request_id: z.string(),
});

export const readLiveness: Operation = {
  id: "readLiveness",
  summary: "Check that the Worker runs, and read its version",
  credentials: "none",
  input: {},
  responses: {
    200: {
      description: "The Worker runs",
      schema: z.strictObject({
        status: z.literal("ok"),
        version: z.string(),
        deployment: z.string(),
        request_id: z.string(),
      }),
    },
  },
  errors: [],
};

export const readReadiness: Operation = {
  id: "readReadiness",
  summary: "Check that the databases and namespaces are ready",
  credentials: "none",
  input: {},
  responses: {
    200: { description: "Ready", schema: readiness },
    503: {
      description: "Not ready; each failed check has a reason",
      schema: readiness,
      headers: ["Retry-After"],
    },
  },
  errors: [],
};
