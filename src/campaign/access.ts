/** Who may do what with an app. */
import type { Principal } from "../auth/guards.ts";
import type { AppAccess } from "../db/accounts/api-tokens.ts";
import type { AppScope } from "../db/links/links.ts";
import { AppError } from "../errors.ts";

export function toScope(principal: Principal, path: { app_token: string }): AppScope {
  return { tokenHash: principal.tokenHash, appToken: path.app_token };
}

/** An app that does not exist and one that is not the caller's are told alike. */
export function authorizeApp(principal: Principal, access: AppAccess | undefined): void {
  if (principal.authorize(access).app_token === null) {
    throw new AppError("not_found", "You have no app with this token.");
  }
}
