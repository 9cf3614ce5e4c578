/** The secrets of webhooks (Standard Webhooks): created, sealed with WEBHOOK_KEY, and what signs an event. */
import { Buffer } from "node:buffer";
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Env } from "../env.ts";
import { AppError } from "../errors.ts";
import { open, seal } from "./sealed.ts";

const PREFIX = "whsec_";
const PURPOSE = { userId: 0, secret: "webhook" } as const;

/** Undefined if webhooks are not set up. The configuration must have been checked. */
export const findWebhookKey = ({ WEBHOOK_KEY }: Pick<Env, "WEBHOOK_KEY">): Uint8Array | undefined =>
  WEBHOOK_KEY === undefined ? undefined : createHash("sha256").update(WEBHOOK_KEY).digest();

export function requireWebhookKey(env: Pick<Env, "WEBHOOK_KEY">): Uint8Array {
  const key = findWebhookKey(env);
  if (key) return key;
  const text = "Webhooks are not set up: an operator must set the secret WEBHOOK_KEY.";
  throw new AppError("not_configured", text, { headers: { "retry-after": "3600" } });
}

/** A new secret, and what the database stores of it. */
export function createWebhookSecret(key: Uint8Array): { secret: string; sealed: string } {
  const secret = PREFIX + randomBytes(24).toString("base64");
  return { secret, sealed: seal(secret, key, PURPOSE) };
}

/** The value of `webhook-signature`: one signature for each secret. Undefined if WEBHOOK_KEY was changed. */
export function signEvent(
  sealed: string[],
  key: Uint8Array,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string | undefined {
  const secrets = sealed.flatMap((one) => open(one, key, PURPOSE) ?? []);
  if (secrets.length === 0) return undefined;
  return secrets
    .map((secret) => {
      const bytes = Buffer.from(secret.slice(PREFIX.length), "base64");
      return `v1,${createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}
