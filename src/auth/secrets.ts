/** Creates, checks and hashes API tokens and cost credentials. */
import { customAlphabet } from "nanoid";
import { sha256 } from "../domain/hash.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 is just above 2^256. */
const randomBody = customAlphabet(BASE62, 43);
const TOKEN = /^(ll_(?:api|read|write|live|test)_)([0-9A-Za-z]{43})([0-9a-f]{6})$/;

/** `api` is the API token of a user, `read` and `write` are access tokens, `live` and `test` cost credentials. */
export type TokenKind = "api" | "read" | "write" | "live" | "test";

/** A secret of 256 random bits with a prefix for its kind and a checksum that detects typing errors. */
export function createToken(kind: TokenKind, body: string = randomBody()): string {
  const prefix = `ll_${kind}_`;
  return prefix + body + checksum(prefix + body);
}

/** The kind of a token, by its prefix; undefined if the text is not a token. One that is known has the right checksum. */
export function kindOf(token: string, isKnown = false): TokenKind | undefined {
  const [, prefix = "", body = "", sum] = TOKEN.exec(token) ?? [];
  if (sum === undefined || !(isKnown || sum === checksum(prefix + body))) return undefined;
  return prefix.slice(3, -1) as TokenKind;
}

/** The SHA-256 under which a token is stored, in hex; undefined if the text is not a token of one of these kinds. */
export function hashToken(token: string, kinds: TokenKind[]): string | undefined {
  const kind = kindOf(token);
  return kind && kinds.includes(kind) ? sha256(token) : undefined;
}

/** The part of a token that may be shown: its prefix and last four characters. */
export function hintOf(token: string): string {
  return `${token.slice(0, token.lastIndexOf("_") + 1)}…${token.slice(-4)}`;
}

const checksum = (text: string): string => sha256(text).slice(0, 6);
