/** The cookies that keep secret IDs: host-only, HttpOnly and secure. The database holds only the SHA-256 of an ID. */
import { randomBytes } from "node:crypto";
import { parse, serialize } from "hono/utils/cookie";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";

/** 256 random bits as text. */
export function createId(): string {
  return randomBytes(32).toString("base64url");
}

/** The value of a cookie; undefined if the request does not have it. */
export function readCookie(context: Context, name: string): string | undefined {
  const fullName = prefixOf(context) + name;
  return parse(context.request.headers.get("cookie") ?? "", fullName)[fullName];
}

/** The SHA-256 of the ID in a cookie; undefined if the cookie is missing or malformed. */
export function readIdHash(context: Context, name: string): string | undefined {
  const id = readCookie(context, name) ?? "";
  return /^[\w-]{43}$/.test(id) ? sha256(id) : undefined;
}

/** The value of a Set-Cookie header. `maxAge` is in milliseconds; 0 deletes the cookie. */
export function toSetCookie(context: Context, name: string, id: string, maxAge: number): string {
  const secure = !isLocal(context);
  const options = { path: "/", maxAge: maxAge / 1000, httpOnly: true, secure, sameSite: "Lax" } as const;
  return serialize(prefixOf(context) + name, id, options);
}

function prefixOf(context: Context): "" | "__Host-" {
  return isLocal(context) ? "" : "__Host-";
}

/**
 * Whether the request came over http on this machine, where some browsers reject a Secure cookie. Other hosts get no
 * cookie over http.
 */
function isLocal({ url }: Context): boolean {
  return url.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
}
