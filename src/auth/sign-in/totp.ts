/** Codes of authenticator apps (RFC 6238): six digits that change every 30 seconds. */
import { createHmac } from "node:crypto";
import { Secret, TOTP } from "otpauth/bare";

const PERIOD_SECONDS = 30;

/** 160 random bits in base32. */
export const createTwoFactorSecret = (): string => new Secret({ size: 20 }).base32;

/** The URI that an authenticator app reads from a QR code. */
export const toAuthenticatorUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/**
 * The 30-second step that a code is for, if it is the present one or the one before; otherwise undefined. The one before, because
 * typing takes time (RFC 6238, section 5.2).
 */
export function findStep(secret: string, code: string, now: number): number | undefined {
  const totp = totpOf(secret);
  const isOf = (step: number) =>
    totp.validate({ token: code, timestamp: step * PERIOD_SECONDS * 1000, window: 0 }) !== null;
  const present = stepOf(now);
  return [present, present - 1].find(isOf);
}

/** The code of a time. Tests use it in place of an app. */
export const codeAt = (secret: string, now: number): string => totpOf(secret).generate({ timestamp: now });

const stepOf = (now: number): number => Math.floor(now / 1000 / PERIOD_SECONDS);

/** SHA-1, because several apps know nothing else; HMAC does not depend on its collision resistance. */
function totpOf(secret: string, label = ""): TOTP {
  return new TOTP({
    issuer: "linkledger",
    label,
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
    hmac: (algorithm, key, message) => createHmac(algorithm, key).update(message).digest(),
  });
}
