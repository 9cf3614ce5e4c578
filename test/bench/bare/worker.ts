/**
 * What the Worker is measured against: the same answers by hand, with short SQL and the fewest calls to D1, KV and the rate
 * limiter that the job needs. No router, no validation, no log: it believes what it is sent. It checks the credential, because
 * without that the job is not done. When the tables change, this SQL changes with them.
 */
import { createHash } from "node:crypto";
import { readCost, submitBatch, submitCost } from "./costs.ts";
import { engage, type Opened, recordBatch } from "./engagements.ts";
import { createLink, listLinks, readLink } from "./links.ts";
import { type BareBindings, json, unauthorized } from "./shared.ts";

export default {
  async fetch(request, env, execution): Promise<Response> {
    const url = new URL(request.url);
    const [, first = "", second = "", , app = "", , linkToken] = url.pathname.split("/");
    if (first !== "cost" && first !== "public") return engage(env, execution, url);
    const token = request.headers.get("authorization")?.slice("Token token=".length) ?? "";
    const hash = createHash("sha256").update(token).digest("hex");
    const { success } = await env.CREDENTIAL_REQUESTS.limit({ key: hash });
    if (!success) return json({ code: "rate_limited" }, 429);
    if (first === "cost") {
      if (request.method === "GET") return readCost(env, hash, second);
      return second === "batch" ? submitBatch(env, hash, request) : submitCost(env, hash, request);
    }
    const entry = await env.TOKENS.get<object>(hash, "json");
    if (entry && "reset_at" in entry) return unauthorized();
    if (linkToken) return readLink(env, hash, app, linkToken, url, request);
    return request.method === "POST"
      ? createLink(env, execution, hash, app, url, request)
      : listLinks(env, hash, app, url, second);
  },
  queue: (batch, env) => recordBatch(env, batch),
} satisfies ExportedHandler<BareBindings, Opened>;
