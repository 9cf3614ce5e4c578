/** What the operations on links share: paths, the response with one link, and access to an app (spec §2.2, §4). */
import * as z from "zod/mini";
import type { Principal } from "../auth/guards.ts";
import type { AppAccess } from "../db/accounts/viewers.ts";
import type { AppScope, LinkScope } from "../db/links/lists.ts";
import { AppError } from "../errors.ts";
import { appToken } from "../http/input/fields.ts";
import { itemsV1 } from "../http/response-schemas.ts";
import { LINK_EXAMPLE, link, linkWithOwn } from "../usecases/links/link.ts";

export const appPath = z.object({ app_token: appToken });
export const linkPath = z.object({
  app_token: appToken,
  link_token: z.string().with(z.describe("The token of the link")),
});

const one = (schema: z.ZodMiniType, example: object, description: string, headers: string[] = []) => ({
  description,
  schema: itemsV1(schema),
  headers,
  example: {
    data: {
      api_version: "1",
      request_id: "0b6f5b0e-6f0c-4a4e-9c0e-2f2f3f0a7c11",
      timestamp: "2026-07-01T12:00:00.000Z",
      items: [example],
    },
  },
});
export const oneLink = (description: string, headers: string[]) =>
  one(link, LINK_EXAMPLE, description, headers);
export const oneLinkWithOwn = (description: string) =>
  one(
    linkWithOwn,
    { ...LINK_EXAMPLE, own: { partner_id: null, cost_data_enabled: null, target: null } },
    description,
  );

export function toScope({ viewer }: Principal, path: { app_token: string }): AppScope {
  return { ...viewer, appToken: path.app_token };
}

export function toLinkScope(caller: Principal, path: z.output<typeof linkPath>): LinkScope {
  return { ...toScope(caller, path), linkToken: path.link_token };
}

/**
 * Throws the same error for an app that does not exist and for one that the caller is not a member of, and insufficient_scope for
 * another app of the caller than that of the access token.
 */
export function authorizeApp(caller: Principal, access: AppAccess | undefined): void {
  const { appToken, isForOtherApp } = caller.authorize(access);
  if (appToken !== null) return;
  if (isForOtherApp) throw new AppError("insufficient_scope", "This access token is for another app.");
  throw new AppError("not_found", "No app of yours has this token.");
}

/** Throws not_found, also if the app has no such link. */
export function authorizeLink<Row>(
  caller: Principal,
  found: { access: AppAccess | undefined; link: Row | undefined },
): Row {
  authorizeApp(caller, found.access);
  if (!found.link) throw linkNotFound();
  return found.link;
}

export function linkNotFound(): AppError {
  return new AppError("not_found", "This app has no link with this token.");
}
