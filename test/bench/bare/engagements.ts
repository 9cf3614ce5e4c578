/** Clicks and impressions: one KV read before the answer, and one D1 call for those with a cost ID. */
import { COST_TYPE_BITS, type CostType, type Kind } from "../../../src/domain/cost-types.ts";
import { type BareBindings, IN_EFFECT, json, toAmount } from "./shared.ts";

/** Where a click leads, in LINKS. */
export const destinationKey = (linkToken: string) => `bare:${linkToken}`;

const PIXEL = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (char) =>
  char.charCodeAt(0),
);

export async function engage(
  env: BareBindings,
  execution: Pick<ExecutionContext, "waitUntil">,
  url: URL,
): Promise<Response> {
  const kind: Kind = url.pathname.startsWith("/impression/") ? "impression" : "click";
  const linkToken = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const location = await env.LINKS.get(destinationKey(linkToken));
  if (location === null) return json({ code: "not_found" }, 404);
  const hasId = url.searchParams.has("cost_id");
  if (url.searchParams.get("s2s") === "1") {
    const stored = hasId && (await record(env, linkToken, kind, url.searchParams));
    return json({
      status: "ok",
      kind,
      cost_id: url.searchParams.get("cost_id"),
      recorded: hasId,
      duplicate: hasId && !stored,
      dropped: [],
      request_id: crypto.randomUUID(),
    });
  }
  if (hasId) execution.waitUntil(record(env, linkToken, kind, url.searchParams));
  const noStore = { "cache-control": "no-store" };
  return kind === "click"
    ? new Response(null, { status: 302, headers: { location, ...noStore } })
    : new Response(PIXEL, { headers: { "content-type": "image/gif", ...noStore } });
}

const COST_DATA_ON = `coalesce(l.cost_switch, l1.cost_switch, l2.cost_switch, l3.cost_switch, 0)
  AND p.supports_cost_data AND p.stopped_at IS NULL`;
const columnsOf = (kind: Kind) =>
  [
    "app_token",
    "link_id",
    "at",
    "cost_data_on",
    "url_cost_type",
    "url_currency",
    "url_amount",
    "price_counts",
  ].map((name) => `${kind}_${name}`);
const recordAs = (kind: Kind) => `
  INSERT INTO ledger_entries (partner_id, cost_id, ${columnsOf(kind).join(", ")})
  SELECT p.id, ?2, l.app_token, l.id, ?3, ${COST_DATA_ON}, ?4, ?5, ?6,
    coalesce(${COST_DATA_ON} AND p.integrated_types & ?7 AND instr('&' || p.cost_parameters, '&cost_amount=')
      AND ?6 <= p.max_url_amount, 0)
  FROM links l ${IN_EFFECT}
  WHERE l.token = ?1 AND p.id IS NOT NULL
  ON CONFLICT DO UPDATE SET ${columnsOf(kind)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")} WHERE ${kind}_at IS NULL
  RETURNING cost_id`;
const RECORD = { click: recordAs("click"), impression: recordAs("impression") };

/** Whether it was the first. */
async function record(env: BareBindings, linkToken: string, kind: Kind, query: URLSearchParams) {
  const [costId, type, currency] = ["cost_id", "cost_type", "cost_currency"].map((name) => query.get(name));
  const amount = toAmount(query.get("cost_amount"));
  const bit = COST_TYPE_BITS[type as CostType] ?? 0;
  const bound = env.DB.prepare(RECORD[kind]).bind(linkToken, costId, Date.now(), type, currency, amount, bit);
  return (await bound.first()) !== null;
}
