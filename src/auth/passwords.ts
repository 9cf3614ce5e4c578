/** Hashes passwords and verifies them. The stored text holds the parameters of its hash. */
import { Buffer } from "node:buffer";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { customAlphabet } from "nanoid";
import { deriveKey, SCRYPT } from "./scrypt.ts";

/**
 * A password that is shown once. It has no characters that look alike, because people read it from one screen and type it
 * on another.
 */
export const createPassword = customAlphabet("23456789abcdefghjkmnpqrstuvwxyz", 20);

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt);
  return ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, encode(salt), encode(key)].join("$");
}

/**
 * Also false, after the same work, for a user who has no password or does not exist, so that the response time does not
 * reveal who has an account.
 */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? DUMMY_HASH).split("$");
  const expected = Buffer.from(hash, "base64url");
  const key = await deriveKey(password, Buffer.from(salt, "base64url"), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(key, expected) && stored != null;
}

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

const DUMMY_HASH = ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, "A".repeat(22), "A".repeat(43)].join("$");
