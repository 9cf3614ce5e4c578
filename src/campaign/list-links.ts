/** `GET /public/v{1,2}/apps/{app_token}/trackers` (spec §4.2). */
import { userOperation } from "../auth/operations.ts";
import { listLevelOne } from "../db/links/links.ts";
import { appPath, authorizeApp, linkPage, linkQuery, pageOfLinks, toScope, type Version } from "./link.ts";

export const listLinks = (version: Version) =>
  userOperation({
    method: "GET",
    path: `/public/v${version}/apps/:app_token/trackers`,
    id: `listLinksV${version}`,
    summary: `List the level-1 links of an app (v${version})`,
    input: { path: appPath, query: linkQuery, paged: true as const },
    responses: pageOfLinks(version),
    errors: ["not_found"],
    async handle(context, caller, { path, query, range }) {
      const found = await listLevelOne(context.env.DB, toScope(caller, path), query, range);
      authorizeApp(caller, found.access);
      return linkPage(context, version, range, found);
    },
  });
