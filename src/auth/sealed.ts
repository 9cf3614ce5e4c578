/**
 * Encrypts a secret of a user with a key that only the user's password (or, during a sign-in, the browser's cookie) yields, so
 * that the database is not enough to read it.
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const VERSION = "2";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/** What a sealed text is for. It opens for nothing else: neither for another user nor as another secret. */
export interface Purpose {
  userId: number;
  /** `single sign-on` and `webhook` belong to no user, which is 0. */
  secret: "API token" | "two-factor secret" | "waiting sign-in" | "single sign-on" | "webhook";
}

/** AES-256-GCM: `2.`, then nonce, tag and ciphertext in base64url. Version and purpose are authenticated with it. */
export function seal(text: string, key: Uint8Array, purpose: Purpose): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(toAdditionalData(purpose));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")}`;
}

/** undefined if the key, the version or the purpose is another, or the sealed text was changed. */
export function open(sealed: string, key: Uint8Array, purpose: Purpose): string | undefined {
  const [version, encoded = ""] = sealed.split(".");
  const bytes = Buffer.from(encoded, "base64url");
  if (version !== VERSION || bytes.byteLength < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(toAdditionalData(purpose));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function toAdditionalData({ userId, secret }: Purpose): Uint8Array {
  return Buffer.from(`linkledger ${VERSION} ${userId} ${secret}`);
}
