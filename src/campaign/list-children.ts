/** `GET /public/v{1,2}/apps/{app_token}/trackers/{link_token}/children` (spec §4.3). */
import { userOperation } from "../auth/operations.ts";
import * as db from "../db/links/links.ts";
import {
  authorizeApp,
  linkNotFound,
  linkPage,
  linkPath,
  linkQuery,
  pageOfLinks,
  toScope,
  type Version,
} from "./link.ts";

export const listChildren = (version: Version) =>
  userOperation({
    method: "GET",
    path: `/public/v${version}/apps/:app_token/trackers/:link_token/children`,
    id: `listChildrenV${version}`,
    summary: `List the direct sub-links of a link (v${version})`,
    input: { path: linkPath, query: linkQuery, paged: true as const },
    responses: pageOfLinks(version),
    errors: ["not_found"],
    async handle(context, caller, { path, query, range }) {
      const scope = toScope(caller, path);
      const { parent, ...found } = await db.listChildren(
        context.env.DB,
        scope,
        path.link_token,
        query,
        range,
      );
      authorizeApp(caller, found.access);
      if (!parent) throw linkNotFound();
      return linkPage(context, version, range, { ...found, parent });
    },
  });
