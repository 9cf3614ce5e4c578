/** The secrets of the demo data. They are public, so they only ever open local data. */
import { createToken, hashToken, hintOf, type TokenKind } from "../../auth/secrets.ts";

export const demoToken = (kind: TokenKind, name: string) => createToken(kind, name.padEnd(43, "0"));

/** The columns of a row that stores a token. */
export function tokenColumns(kind: TokenKind, plain: string) {
  const token_hash = hashToken(plain, [kind]);
  if (!token_hash) throw new Error("A demo token is malformed.");
  return { token_hash, hint: hintOf(plain) };
}
