/** Derives keys from passwords: slow on purpose, about 160 ms and 16 MiB, near the maximum that workerd allows. */
import { scrypt } from "node:crypto";

export const SCRYPT = { N: 2 ** 14, r: 8, p: 5 } as const;

/** Normalizes the password first, because different machines encode the same characters differently. */
export function deriveKey(
  password: string,
  salt: Uint8Array,
  cost: { N: number; r: number; p: number } = SCRYPT,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
