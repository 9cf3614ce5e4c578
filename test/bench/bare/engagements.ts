/** Clicks and impressions: one KV read before the answer, and one D1 call for those with a cost ID. */
import { type BareBindings, IN_EFFECT, json, toAmount } from "./shared.ts";

type Kind = "click" | "impression";

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

const RECORD = `
  INSERT INTO engagements
    (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible, url_cost_type, url_currency, url_amount)
  SELECT p.id, ?2, ?3, l.app_token, l.id, ?4,
    coalesce(l.cost_switch, l1.cost_switch, l2.cost_switch, l3.cost_switch, 0) AND p.supports_cost_data, ?5, ?6, ?7
  FROM links l ${IN_EFFECT}
  WHERE l.token = ?1 AND p.id IS NOT NULL
  ON CONFLICT DO NOTHING
  RETURNING cost_id`;

/** Whether it was the first. */
async function record(env: BareBindings, linkToken: string, kind: Kind, query: URLSearchParams) {
  const [costId, type, currency] = ["cost_id", "cost_type", "cost_currency"].map((name) => query.get(name));
  const amount = toAmount(query.get("cost_amount"));
  const bound = env.DB.prepare(RECORD).bind(linkToken, costId, kind, Date.now(), type, currency, amount);
  return (await bound.first()) !== null;
}
