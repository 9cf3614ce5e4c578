/** What the audit log records. usecases/audit/sentences.ts has a sentence for each. */
export type AuditAction =
  | `${"create" | "update"} ${"app" | "user" | "partner" | "link"}`
  | `${"add" | "remove"} member`
  | "erase user"
  | `${"issue" | "revoke"} credential`
  | `${"open" | "approve" | "close"} round`
  | "dismiss mismatch"
  | "undo dismissal"
  | "create sub-links"
  | "create test link"
  | "create adjustment"
  | "void cost"
  | "sign in"
  | "sign-in failed"
  | "enter wrong password"
  | "sign out"
  | "sign out everywhere"
  | "end session"
  | "change password"
  | `${"issue" | "show" | "create" | "reset"} API token`
  | `${"create" | "end"} access token`
  | `turn ${"on" | "off"} two-factor`
  | "create recovery codes";
