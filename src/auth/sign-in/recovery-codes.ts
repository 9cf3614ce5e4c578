/** Recovery codes: each signs a user in once without their authenticator app. The database holds only their SHA-256. */
import { customAlphabet } from "nanoid";
import { sha256 } from "../../domain/hash.ts";

const COUNT = 8;
const GROUPS = 4;
const GROUP_LENGTH = 6;
/** Without characters that look alike. 24 of them are 118 random bits, so a plain hash is enough. */
const createBody = customAlphabet("23456789abcdefghjkmnpqrstuvwxyz", GROUPS * GROUP_LENGTH);

/** New codes, in groups for people who copy them by hand. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => createBody().match(/.{6}/g)?.join("-") ?? "");
}

/** Without regard to case, spaces and hyphens. */
export function hashRecoveryCode(code: string): string {
  return sha256(code.toLowerCase().replace(/[^a-z0-9]/g, ""));
}
