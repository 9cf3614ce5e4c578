/** What the health checks promise. */
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
  summary: "Whether the Worker is alive, and its version",
  credentials: "none",
  input: {},
  responses: {
    200: {
      description: "Alive",
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
  summary: "Whether what the Worker stands on is ready",
  credentials: "none",
  input: {},
  responses: {
    200: { description: "Ready", schema: readiness },
    503: { description: "Not ready; each check says why", schema: readiness, headers: ["Retry-After"] },
  },
  errors: [],
};
