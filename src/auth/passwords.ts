/** Hashes passwords and verifies them. The stored text holds the parameters of its hash. */
import { Buffer } from "node:buffer";
import { randomBytes, timingSafeEqual } from "node:crypto";
import { customAlphabet } from "nanoid";
import { inDays } from "../domain/texts.ts";
import { DAY_MS } from "../domain/time.ts";
import { deriveKey, type PasswordOwner, SCRYPT } from "./scrypt.ts";

/** Without characters that look alike, because people read it from one screen and type it on another. */
const createText = customAlphabet("23456789abcdefghjkmnpqrstuvwxyz", 20);
const TEMPORARY_MS = 7 * DAY_MS;
/** How long a temporary password can be used, for texts. */
export const TEMPORARY = inDays(TEMPORARY_MS);

/** A password that is shown once, must be changed at the first sign-in, and expires. */
export async function createTemporaryPassword(now: number) {
  const password = createText();
  const { hash } = await hashPassword(password);
  return { password, stored: { passwordHash: hash, passwordExpiresAt: now + TEMPORARY_MS } };
}

/** The first half of the derived bytes is stored to verify the password. The second half is never stored: it seals secrets. */
const HASH_BYTES = 32;

/** `hash` is `scrypt$N$r$p$salt$hash`, salt and hash in base64url. `key` seals secrets, see sealed.ts. */
export type NewPassword = { hash: string; key: Uint8Array };

export async function hashPassword(password: string): Promise<NewPassword> {
  const salt = randomBytes(16);
  const derived = await deriveKey(password, salt, "known");
  const hash = encode(derived.subarray(0, HASH_BYTES));
  return {
    hash: ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, encode(salt), hash].join("$"),
    key: derived.subarray(HASH_BYTES),
  };
}

/**
 * The key that seals the user's secrets if the password is correct, otherwise undefined. Also undefined, after the same work,
 * for a user who has no password or does not exist, so that the response time does not reveal who has an account.
 */
export async function verifyPassword(
  password: string,
  stored: string | null | undefined,
  owner: PasswordOwner = "known",
): Promise<Uint8Array | undefined> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? createDummy()).split("$");
  const expected = Buffer.from(hash, "base64url");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await deriveKey(password, Buffer.from(salt, "base64url"), owner, cost);
  // A stored hash of another length is damaged, and no password matches it.
  const isIntact = expected.byteLength === HASH_BYTES;
  const isCorrect = isIntact && timingSafeEqual(derived.subarray(0, HASH_BYTES), expected);
  return isCorrect && stored != null ? derived.subarray(HASH_BYTES) : undefined;
}

const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** Takes as long to verify as a password. */
const createDummy = () => ["scrypt", SCRYPT.N, SCRYPT.r, SCRYPT.p, "A".repeat(22), "A".repeat(43)].join("$");
