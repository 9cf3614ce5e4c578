/** What the paths of the bare Worker share. */
import type { Opened } from "./engagements.ts";

export interface BareBindings {
  DB: D1Database;
  TOKENS: KVNamespace;
  LINKS: KVNamespace;
  CREDENTIAL_REQUESTS: RateLimit;
  /** Bound on the paths with a queue. */
  ENGAGEMENTS?: Queue<Opened>;
}

export type Row = Record<string, string | number | null>;

/** The links above a link `l`, and the partner in effect for it. */
export const IN_EFFECT = `
  LEFT JOIN links l1 ON l1.id = l.parent_id LEFT JOIN links l2 ON l2.id = l1.parent_id
  LEFT JOIN links l3 ON l3.id = l2.parent_id
  LEFT JOIN partners p ON p.id = coalesce(l.partner_id, l1.partner_id, l2.partner_id, l3.partner_id)`;

export function unauthorized(): Response {
  return json({ code: "unauthorized" }, 401);
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

export function toAmount(text: string | null | undefined): number | null {
  return text ? Math.round(Number(text) * 100_000) : null;
}

export function formatAmount(amount: string | number | null | undefined): string | null {
  return amount == null ? null : String(Number(amount) / 100_000);
}
