/** The public routes that record clicks and impressions. */
import { isbot } from "isbot";
import { chooseTarget, isHttpLibrary, isPreview } from "../domain/click-target.ts";
import type { Kind } from "../domain/cost-types.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { jsonResponse } from "../http/envelope.ts";
import { documented } from "../http/operation.ts";
import type { Route } from "../http/router.ts";
import * as contract from "./contract.ts";
import { lookUpDestination } from "./destinations.ts";
import * as operations from "./operations.ts";
import { queueEngagement } from "./queue.ts";
import { recordEngagement } from "./record.ts";

export const engagementRoutes: Route[] = [
  {
    path: "/impression/:link_token",
    methods: { GET: documented(operations.openImpression, openImpression) },
  },
  { path: "/:link_token", methods: { GET: documented(operations.openLink, openLink) } },
];

/** The smallest transparent GIF, 1×1. */
const PIXEL = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (char) =>
  char.charCodeAt(0),
);

async function openLink(context: Context): Promise<Response> {
  const { linkToken, destination } = await findLink(context);
  if (isServerToServer(context)) return recordNow(context, linkToken, "click");
  recordLater(context, linkToken, "click");
  const userAgent = context.request.headers.get("user-agent") ?? "";
  const location = chooseTarget(destination, context.url.searchParams, userAgent);
  return new Response(null, {
    status: 302,
    headers: { location, "cache-control": "no-store" },
  });
}

async function openImpression(context: Context): Promise<Response> {
  const { linkToken } = await findLink(context);
  if (isServerToServer(context)) return recordNow(context, linkToken, "impression");
  recordLater(context, linkToken, "impression");
  return new Response(PIXEL, {
    headers: { "content-type": "image/gif", "cache-control": "no-store" },
  });
}

async function findLink(context: Context) {
  const linkToken = contract.linkToken.safeParse(context.params.link_token).data;
  const destination = linkToken && (await lookUpDestination(context, linkToken));
  if (!destination) throw new AppError("not_found", "This link does not exist or has been removed.");
  return { linkToken, destination };
}

function isServerToServer(context: Context): boolean {
  return context.url.searchParams.get("s2s") === "1" && context.request.method === "GET";
}

/** Records the engagement of a person after the response is sent. */
function recordLater(context: Context, linkToken: string, kind: Kind): void {
  if (!isPerson(context.request)) return;
  context.afterResponse(recordEngagement(context, linkToken, kind, queueEngagement));
}

/** Responds to a partner's server after the engagement is committed. */
async function recordNow(context: Context, linkToken: string, kind: Kind): Promise<Response> {
  const recorded = await recordEngagement(context, linkToken, kind);
  return jsonResponse({
    status: "ok",
    kind,
    ...recorded,
    request_id: context.requestId,
  });
}

function isPerson({ method, headers }: Request): boolean {
  const userAgent = headers.get("user-agent") ?? "";
  return method === "GET" && !isPreview(headers) && (isHttpLibrary(userAgent) || !isbot(userAgent));
}
