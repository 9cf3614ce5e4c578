/** Costs, in one D1 call each. */
import { COST_TYPE_BITS, type CostType } from "../../../src/domain/cost-types.ts";
import { type BareBindings, formatAmount, json, type Row, toAmount, unauthorized } from "./shared.ts";

interface SentCost {
  cost_id: string;
  cost_type: CostType;
  cost_currency: string;
  cost_amount?: string;
  tag: string;
}

export async function submitCost(env: BareBindings, hash: string, request: Request): Promise<Response> {
  const cost = Object.fromEntries(new URLSearchParams(await request.text()));
  const [result] = await storeCosts(env, hash, [cost as unknown as SentCost]);
  return result ? json({ ...result, request_id: crypto.randomUUID() }) : unauthorized();
}

export async function submitBatch(env: BareBindings, hash: string, request: Request): Promise<Response> {
  const { costs } = await request.json<{ costs: SentCost[] }>();
  const results = await storeCosts(env, hash, costs);
  return results.length > 0 ? json({ results, request_id: crypto.randomUUID() }) : unauthorized();
}

const STORE_COSTS = `
  INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, tag, source, received_at)
  SELECT c.partner_id, j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, 'call', ?3
  FROM credentials c JOIN partners p ON p.id = c.partner_id CROSS JOIN json_each(?2) j
  WHERE c.token_hash = ?1 AND c.revoked_at IS NULL AND c.mode = 'live' AND p.supports_cost_data
    AND c.cost_types & (j.value ->> 5)
  ON CONFLICT DO NOTHING
  RETURNING cost_id`;
const FIND_STORED = `
  SELECT s.cost_id, s.amount, s.state
  FROM credentials c CROSS JOIN json_each(?2) j CROSS JOIN cost_states s
  WHERE c.token_hash = ?1 AND s.partner_id = c.partner_id AND s.cost_id = j.value ->> 0`;

async function storeCosts(env: BareBindings, hash: string, costs: SentCost[]) {
  const rows = JSON.stringify(
    costs.map((cost) => [
      cost.cost_id,
      cost.cost_type,
      cost.cost_currency,
      toAmount(cost.cost_amount),
      cost.tag,
      COST_TYPE_BITS[cost.cost_type],
    ]),
  );
  const [stored, found] = await env.DB.batch<Row>([
    env.DB.prepare(STORE_COSTS).bind(hash, rows, Date.now()),
    env.DB.prepare(FIND_STORED).bind(hash, rows),
  ]);
  const fresh = new Set(stored?.results.map((row) => row.cost_id));
  return (found?.results ?? []).map((row) => ({
    status: "ok",
    cost_id: row.cost_id,
    match: row.state === "pending" ? "pending" : "matched",
    duplicate: !fresh.has(row.cost_id ?? null),
    amount: formatAmount(row.amount),
  }));
}

const FIND_COST = `
  SELECT s.*, l.token AS link_token
  FROM credentials c CROSS JOIN cost_states s LEFT JOIN links l ON l.id = s.link_id
  WHERE c.token_hash = ? AND c.revoked_at IS NULL AND s.partner_id = c.partner_id AND s.cost_id = ?`;

export async function readCost(env: BareBindings, hash: string, costId: string): Promise<Response> {
  const row = await env.DB.prepare(FIND_COST).bind(hash, costId).first<Row>();
  if (!row) return json({ code: "not_found" }, 404);
  return json({
    status: "ok",
    cost_id: row.cost_id,
    cost_type: row.cost_type,
    cost_currency: row.currency,
    amount: formatAmount(row.amount),
    tag: row.tag,
    source: row.source,
    received_at: toIso(row.received_at),
    match: row.kind ? "matched" : "pending",
    may_match_until: row.kind ? null : toIso(Number(row.received_at) + 604_800_000),
    mismatch: null,
    engagement: row.kind && {
      kind: row.kind,
      occurred_at: toIso(row.occurred_at),
      link_token: row.link_token,
    },
    request_id: crypto.randomUUID(),
  });
}

function toIso(milliseconds: string | number | null | undefined): string {
  return new Date(Number(milliseconds)).toISOString();
}
