/** Checks access to an app. */
import type { Principal } from "../auth/guards.ts";
import type { AppAccess } from "../db/accounts/api-tokens.ts";
import type { AppScope } from "../db/links/links.ts";
import { AppError } from "../errors.ts";

export function toScope(principal: Principal, path: { app_token: string }): AppScope {
  return { tokenHash: principal.tokenHash, appToken: path.app_token };
}

/** Throws the same error for an app that does not exist and for one that the caller is not a member of. */
export function authorizeApp(principal: Principal, access: AppAccess | undefined): void {
  if (principal.authorize(access).appToken === null) {
    throw new AppError("not_found", "No app of yours has this token.");
  }
}
