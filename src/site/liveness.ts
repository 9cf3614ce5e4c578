/** `GET /healthz`: shows that the Worker runs, without a call to another service. */
import * as z from "zod/mini";
import { version } from "../../package.json";
import { publicOperation } from "../auth/guarded-operations.ts";
import { jsonResponse } from "../http/envelope.ts";

export const readLiveness = publicOperation({
  method: "GET",
  path: "/healthz",
  id: "readLiveness",
  summary: "Check that the Worker runs, and read its version",
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
  handle({ env, requestId }) {
    // `deployment` is the version that Cloudflare runs.
    return jsonResponse({ status: "ok", version, deployment: env.VERSION.id, request_id: requestId });
  },
});
