import type { NewDeviceRow } from "../../db/accounts/devices.ts";
import { sha256 } from "../../domain/hash.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { createId, readCookie, readIdHash, toSetCookie } from "../cookies.ts";

const DEVICE_MS = 180 * DAY_MS;

/** The SHA-256 of the browser's ID for this account; undefined if it has none. The database decides whether it is known. */
export function readDeviceHash(context: Context, email: string): string | undefined {
  return readIdHash(context, cookieName(email));
}

/**
 * What to store after a sign-in, and the value of the Set-Cookie header. A known browser keeps its ID. Any other gets a new one,
 * because somebody else may know an ID that we did not create.
 */
export function createDevice(
  context: Context,
  email: string,
  isKnown: boolean,
): { device: NewDeviceRow; cookie: string } {
  const id = (isKnown && readCookie(context, cookieName(email))) || createId();
  return {
    device: { deviceHash: sha256(id), deviceExpiresAt: context.now + DEVICE_MS },
    cookie: toSetCookie(context, cookieName(email), id, DEVICE_MS),
  };
}

const cookieName = (email: string): string => `device-${sha256(email).slice(0, 16)}`;
