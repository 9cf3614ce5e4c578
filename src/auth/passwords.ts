/** Passwords: hashed into text that says how it was made, and checked in the same time whoever asks. */
import { Buffer } from "node:buffer";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { customAlphabet } from "nanoid";
import { deriveKey, SCRYPT } from "./scrypt.ts";

/** A password that is shown once. No letters that look alike: it is read from one screen and typed on another. */
export const createPassword = customAlphabet("23456789abcdefghjkmnpqrstuvwxyz", 20);

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt);
  return ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, encode(salt), encode(key)].join("$");
}

/** False for a user without a password too, after the same work: the answer's time tells nobody who has an account. */
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
