/** `GET /impression/{link_token}`: records an impression. */
import { publicOperation } from "../http/operation.ts";
import { committed, findLink, isServerToServer, path, query, recordLater, recordNow } from "./open.ts";

/** The smallest transparent GIF, 1×1. */
const PIXEL = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (char) =>
  char.charCodeAt(0),
);

export const openImpression = publicOperation({
  method: "GET",
  path: "/impression/:link_token",
  id: "openImpression",
  summary: "Record an impression",
  input: { path, query },
  responses: {
    200: {
      ...committed,
      description: "A 1×1 GIF, or with `s2s=1` the result for the engagement",
      alsoAs: "image/gif",
    },
  },
  errors: ["not_found", "rate_limited"],
  async handle(context) {
    const { linkToken } = await findLink(context);
    if (isServerToServer(context)) return recordNow(context, linkToken, "impression");
    recordLater(context, linkToken, "impression");
    return new Response(PIXEL, { headers: { "content-type": "image/gif", "cache-control": "no-store" } });
  },
});
