/**
 * Encrypts an API token with its user's password, so that only a person who knows the password can read the token again.
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { deriveKey } from "./scrypt.ts";

const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with a key derived from the password and a new salt: `1.`, then salt, nonce, tag and ciphertext in
 * base64url.
 */
export async function sealToken(token: string, password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", await deriveKey(password, salt), nonce);
  const text = Buffer.concat([cipher.update(token, "utf8"), cipher.final()]);
  return `1.${Buffer.concat([salt, nonce, cipher.getAuthTag(), text]).toString("base64url")}`;
}

/** undefined if the password is wrong or the sealed copy was changed. */
export async function openToken(sealed: string, password: string): Promise<string | undefined> {
  const bytes = Buffer.from(sealed.slice(2), "base64url");
  const salt = bytes.subarray(0, SALT_BYTES);
  const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const tag = bytes.subarray(SALT_BYTES + NONCE_BYTES, SALT_BYTES + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", await deriveKey(password, salt), nonce);
  decipher.setAuthTag(tag);
  const text = decipher.update(bytes.subarray(SALT_BYTES + NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
