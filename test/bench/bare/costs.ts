/** Costs, in one D1 call each. */
import { COST_TYPE, type CostType } from "../../../src/domain/cost-types.ts";
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
  INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at)
  SELECT c.partner_id, j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, ?3
  FROM credentials c JOIN partners p ON p.id = c.partner_id CROSS JOIN json_each(?2) j
  WHERE c.token_hash = ?1 AND c.revoked_at IS NULL AND c.mode = 'live' AND p.supports_cost_data
    AND p.stopped_at IS NULL AND c.cost_types & (j.value ->> 5)
  ON CONFLICT DO UPDATE SET cost_type = excluded.cost_type, currency = excluded.currency, amount = excluded.amount,
    tag = excluded.tag, received_at = excluded.received_at
  WHERE received_at IS NULL
  RETURNING cost_id, amount_in_effect, state`;
/** For costs that were not stored, because they were sent before. */
const FIND_STORED = `
  SELECT e.cost_id, e.amount_in_effect, e.state
  FROM credentials c CROSS JOIN json_each(?2) j CROSS JOIN ledger_entries e
  WHERE c.token_hash = ?1 AND e.partner_id = c.partner_id AND e.cost_id = j.value ->> 0`;

async function storeCosts(env: BareBindings, hash: string, costs: SentCost[]) {
  const rows = JSON.stringify(
    costs.map((cost) => [
      cost.cost_id,
      cost.cost_type,
      cost.cost_currency,
      toAmount(cost.cost_amount),
      cost.tag,
      COST_TYPE[cost.cost_type].bit,
    ]),
  );
  const stored = await env.DB.prepare(STORE_COSTS).bind(hash, rows, Date.now()).all<Row>();
  const fresh = new Set(stored.results.map((row) => row.cost_id));
  const { results } =
    fresh.size === costs.length ? stored : await env.DB.prepare(FIND_STORED).bind(hash, rows).all<Row>();
  return results.map((row) => ({
    status: "ok",
    cost_id: row.cost_id,
    match: row.state === "pending" ? "pending" : "matched",
    duplicate: !fresh.has(row.cost_id ?? null),
    amount: formatAmount(row.amount_in_effect),
  }));
}

const FIND_COST = `
  SELECT e.*, l.token AS link_token
  FROM credentials c CROSS JOIN ledger_entries e
  LEFT JOIN links l ON l.id = iif(e.matched_kind = 'impression', e.impression_link_id, e.click_link_id)
  WHERE c.token_hash = ? AND c.revoked_at IS NULL AND e.partner_id = c.partner_id AND e.cost_id = ?
    AND e.received_at IS NOT NULL`;

export async function readCost(env: BareBindings, hash: string, costId: string): Promise<Response> {
  const row = await env.DB.prepare(FIND_COST).bind(hash, costId).first<Row>();
  if (!row) return json({ code: "not_found" }, 404);
  return json({
    status: "ok",
    cost_id: row.cost_id,
    cost_type: row.cost_type,
    cost_currency: row.currency,
    amount: formatAmount(row.amount_in_effect),
    tag: row.tag,
    source: "call",
    received_at: toIso(row.received_at),
    match: row.matched_kind ? "matched" : "pending",
    may_match_until: row.matched_kind ? null : toIso(Number(row.received_at) + 604_800_000),
    mismatch: null,
    url_price: null,
    engagement: row.matched_kind && {
      kind: row.matched_kind,
      occurred_at: toIso(row.matched_at),
      link_token: row.link_token,
    },
    request_id: crypto.randomUUID(),
  });
}

function toIso(milliseconds: string | number | null | undefined): string {
  return new Date(Number(milliseconds)).toISOString();
}
