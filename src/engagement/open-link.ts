/** `GET /{link_token}`: opens a link, which records a click and redirects. */
import * as z from "zod/mini";
import { chooseTarget, platformOf, TARGET_PARAMETERS } from "../domain/engagements/click-target.ts";
import { publicOperation } from "../http/operation.ts";
import { readPlaceholder } from "../usecases/engagements/read.ts";
import { committed, findLink, isServerToServer, path, query, recordLater, recordNow } from "./open.ts";

const TARGET = z
  .optional(z.string())
  .with(
    z.describe(
      "Where the click leads, if the app allows its scheme and host, in the order of `/docs/rules#where-a-click-leads`",
    ),
  );
const targets = Object.fromEntries(TARGET_PARAMETERS.map((name) => [name, TARGET]));

export const openLink = publicOperation({
  method: "GET",
  path: "/:link_token",
  id: "openLink",
  summary: "Open a link: record a click and redirect",
  input: { path, query: z.extend(query, targets) },
  responses: { 200: committed, 302: { description: "Redirect to the app", headers: ["Location"] } },
  errors: ["not_found", "rate_limited"],
  async handle(context) {
    const { linkToken, destination, ownTarget } = await findLink(context);
    if (isServerToServer(context)) return recordNow(context, linkToken, "click");
    const { url, notAllowed } = chooseTarget(destination, {
      query: context.url.searchParams,
      ownTarget,
      platform: platformOf(context.request.headers.get("user-agent") ?? ""),
      valueFor: (name) => readPlaceholder(context, linkToken, name),
    });
    recordLater(context, linkToken, "click", notAllowed);
    return new Response(null, { status: 302, headers: { location: url, "cache-control": "no-store" } });
  },
});
