/** `GET /healthz`: shows that the Worker runs, without a call to another service. */
import * as z from "zod/mini";
import { jsonResponse } from "../http/envelope.ts";
import { publicOperation } from "../http/operation.ts";

/**
 * Names neither the version nor the deployment: the console does. Who knows the random ID of a deployment, such as the command that
 * made it, can ask whether this is the one.
 */
export const readLiveness = publicOperation({
  method: "GET",
  path: "/healthz",
  id: "readLiveness",
  summary: "Check that the Worker runs",
  input: {
    query: z.object({
      deployment: z
        .optional(z.string())
        .with(z.describe("The ID of a deployment. The response then says whether it is the one that runs")),
    }),
  },
  responses: {
    200: {
      description: "The Worker runs",
      schema: z.strictObject({
        status: z.literal("ok"),
        runs_deployment: z.optional(z.boolean()),
        request_id: z.string(),
      }),
    },
  },
  errors: [],
  handle({ env, url, requestId }) {
    const asked = url.searchParams.get("deployment");
    const answer = asked !== null && { runs_deployment: asked === env.VERSION.id };
    return jsonResponse({ status: "ok", ...answer, request_id: requestId });
  },
});
