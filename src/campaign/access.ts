/** Who may do what with an app. */
import type { Caller } from "../auth/guards.ts";
import type { AppAccess } from "../db/accounts/api-tokens.ts";
import type { AppScope } from "../db/links/links.ts";
import { AppError } from "../errors.ts";

export function toScope(caller: Caller, path: { app_token: string }): AppScope {
  return { tokenHash: caller.tokenHash, appToken: path.app_token };
}

/** An app that does not exist and one that is not the caller's are told alike. */
export function admitToApp(caller: Caller, access: AppAccess | undefined): void {
  if (caller.admit(access).app_token === null) {
    throw new AppError("not_found", "You have no app with this token.");
  }
}
