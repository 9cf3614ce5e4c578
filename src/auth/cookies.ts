/** The cookies that keep secret IDs: host-only, HttpOnly and secure. The database holds only the SHA-256 of an ID. */
import { randomBytes } from "node:crypto";
import { parse, serialize } from "hono/utils/cookie";
import { sha256 } from "../domain/hash.ts";
import type { Context } from "../env.ts";
import { isLocalHttp } from "../http/https.ts";

/** 256 random bits as text. */
export const createId = (): string => randomBytes(32).toString("base64url");

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
  const secure = !isLocalHttp(context.url);
  const options = { path: "/", maxAge: maxAge / 1000, httpOnly: true, secure, sameSite: "Lax" } as const;
  return serialize(prefixOf(context) + name, id, options);
}

const prefixOf = (context: Context): "" | "__Host-" => (isLocalHttp(context.url) ? "" : "__Host-");
