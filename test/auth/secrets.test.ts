import { describe, expect, it } from "vitest";
import { createToken, hashToken, hintOf, type TokenKind } from "../../src/auth/secrets.ts";
import { sha256 } from "../../src/domain/hash.ts";

const KINDS: TokenKind[] = ["api", "live", "test"];

describe.each(KINDS)("a token of kind %s", (kind) => {
  it("has a prefix for its kind, 43 random characters and a checksum", () => {
    const tokens = new Set(Array.from({ length: 200 }, () => createToken(kind)));
    expect(tokens.size).toBe(200);
    for (const token of tokens) expect(token).toMatch(new RegExp(`^ll_${kind}_[0-9A-Za-z]{43}[0-9a-f]{6}$`));
  });

  it("is hashed with SHA-256 only for its own kind", () => {
    const token = createToken(kind);
    expect(hashToken(token, [kind])).toBe(sha256(token));
    expect(hashToken(token, KINDS)).toBe(sha256(token));
    expect(
      hashToken(
        token,
        KINDS.filter((other) => other !== kind),
      ),
    ).toBeUndefined();
    expect(hashToken(token, [])).toBeUndefined();
  });

  it("is invalid with any one character changed", () => {
    const token = createToken(kind);
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === "a" ? "b" : "a";
      expect(hashToken(token.slice(0, index) + other + token.slice(index + 1), KINDS)).toBeUndefined();
    }
  });

  it("is invalid if it is cut, lengthened or surrounded by spaces", () => {
    const token = createToken(kind);
    for (const text of ["", token.slice(1), token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`]) {
      expect(hashToken(text, KINDS)).toBeUndefined();
    }
  });

  it("has its prefix and last four characters as its hint", () => {
    const token = createToken(kind);
    expect(hintOf(token)).toBe(`ll_${kind}_…${token.slice(-4)}`);
  });
});
