/**
 * What the Worker is measured against: the same calls to D1, KV and limiters for the same answers, and nothing else. No router, no
 * validation, no rules, no log; it believes whatever it is sent.
 */
import type { Destination } from "../../src/domain/click-target.ts";
import type { CapturedStatement, Statements } from "./statements.ts";

export interface BareBindings {
  DB: D1Database;
  TOKENS: KVNamespace;
  LINKS: KVNamespace;
  CREDENTIAL_REQUESTS: RateLimit;
  STATEMENTS: Statements;
  /** SHA-256 of the tokens that the load sends. */
  HASHES: { api: string; cost: string };
  APP_TOKEN: string;
}

type Values = Record<string, string | number | null>;

const JSON_HEADERS = { "content-type": "application/json", "cache-control": "no-store" };
const PIXEL = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (char) =>
  char.charCodeAt(0),
);

export default {
  async fetch(request, env, execution): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const credential = request.headers.get("authorization");
    if (credential) await env.CREDENTIAL_REQUESTS.limit({ key: credential });
    if (pathname === "/cost") return submitCost(request, env);
    if (pathname === "/cost/batch") return submitBatch(request, env);
    if (pathname.startsWith("/public/v1/") && request.method === "POST")
      return createLink(request, env, execution);
    if (pathname.startsWith("/public/v1/")) return listLinks(env, 1);
    if (pathname.startsWith("/public/v2/")) return listLinks(env, 2);
    const costId = searchParams.get("cost_id") ?? "";
    const token = pathname.slice(pathname.lastIndexOf("/") + 1);
    const kind = pathname.startsWith("/impression/") ? "impression" : "click";
    const appToken = (await env.LINKS.get(`link:${token}`)) ?? "";
    const destination = await env.LINKS.get<Destination>(`app:${appToken}`, "json");
    if (!destination) return new Response(null, { status: 404 });
    execution.waitUntil(record(env, token, costId, kind));
    return kind === "click"
      ? new Response(null, {
          status: 302,
          headers: { location: destination.defaultUrl, "cache-control": "no-store" },
        })
      : new Response(PIXEL, { headers: { "content-type": "image/gif", "cache-control": "no-store" } });
  },
} satisfies ExportedHandler<BareBindings>;

async function submitCost(request: Request, env: BareBindings): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const costId = form.get("cost_id");
  const amount = Math.round(Number(form.get("cost_amount")) * 100_000);
  const cost = [costId, form.get("cost_type"), form.get("cost_currency"), amount, form.get("tag")];
  await send(env, "cost", { tokenHash: env.HASHES.cost, costs: JSON.stringify([cost]), now: Date.now() });
  return json({
    status: "ok",
    cost_id: costId,
    match: "pending",
    duplicate: false,
    amount: String(amount / 100_000),
    request_id: crypto.randomUUID(),
  });
}

async function submitBatch(request: Request, env: BareBindings): Promise<Response> {
  const { costs } = await request.json<{ costs: Record<string, string>[] }>();
  const rows = costs.map((cost) => [
    cost.cost_id,
    cost.cost_type,
    cost.cost_currency,
    Math.round(Number(cost.cost_amount) * 100_000),
    cost.tag,
  ]);
  await send(env, "cost", { tokenHash: env.HASHES.cost, costs: JSON.stringify(rows), now: Date.now() });
  return json({
    results: costs.map((cost) => ({
      status: "ok",
      cost_id: cost.cost_id,
      match: "pending",
      duplicate: false,
      amount: cost.cost_amount,
    })),
    request_id: crypto.randomUUID(),
  });
}

async function listLinks(env: BareBindings, version: 1 | 2): Promise<Response> {
  await env.TOKENS.get(env.HASHES.api, "json");
  const [access, rows] = await send(env, "list", {
    tokenHash: env.HASHES.api,
    revision: await readRevision(env),
  });
  const items = (rows ?? []).slice(0, 50).map(toItem);
  const next = `http://localhost/public/v${version}/apps/${env.APP_TOKEN}/trackers?after=${items.at(-1)?.token}`;
  return json({
    data:
      version === 1
        ? {
            api_version: "1",
            request_id: crypto.randomUUID(),
            timestamp: new Date().toISOString(),
            paging: {
              page_size: "50",
              collection_size: "50",
              total: String(access?.[0]?.link_count),
              next,
              previous: null,
              cursors: { after: "50", before: null },
            },
            items,
          }
        : { paging: { cursor: "50", next }, items },
  });
}

async function createLink(
  request: Request,
  env: BareBindings,
  execution: Pick<ExecutionContext, "waitUntil">,
): Promise<Response> {
  const { name } = await request.json<{ name: string }>();
  await env.TOKENS.get(env.HASHES.api, "json");
  const token = crypto.randomUUID().slice(0, 13).replace("-", "");
  const links = JSON.stringify([[token, name, null]]);
  await send(env, "create", {
    tokenHash: env.HASHES.api,
    revision: await readRevision(env),
    links,
    now: Date.now(),
  });
  execution.waitUntil(env.LINKS.put(`link:${token}`, env.APP_TOKEN));
  const link = { token, label: name, level: 1, archived: 0, child_count: 0, partner_id: null };
  return json(
    {
      data: {
        api_version: "1",
        request_id: crypto.randomUUID(),
        timestamp: new Date().toISOString(),
        items: [toItem(link)],
      },
    },
    201,
  );
}

/** As long as what a partner's templates come to on average. */
const PARTNER_QUERY = "?campaign={campaign_name}&adgroup=[adgroup]&gps_adid={gps_adid}&cost_id={id}";

function toItem(row: Record<string, unknown>) {
  const url = `http://localhost/${row.token}`;
  return {
    name: row.label,
    token: row.token,
    label: row.label,
    level: row.level,
    archived: row.archived === 1,
    has_subtrackers: Number(row.child_count) > 0,
    partner_id: row.partner_id,
    cost_data_enabled: row.cost_switch === 1,
    url,
    click_url: url + PARTNER_QUERY,
    impression_url: `http://localhost/impression/${row.token}${PARTNER_QUERY}`,
  };
}

let revision: string | null | undefined;

/** What a warm isolate knows. */
async function readRevision(env: BareBindings): Promise<string> {
  revision ??= await env.DB.prepare("SELECT revision FROM partner_catalog").first<string>("revision");
  return revision ?? "";
}

async function record(env: BareBindings, linkToken: string, costId: string, kind: string): Promise<void> {
  const [[link] = []] = await send(env, "recording", { linkToken });
  if (!link) return;
  const engagement = {
    partnerId: link.partner_id,
    costId,
    kind,
    appToken: env.APP_TOKEN,
    linkId: link.link_id,
    occurredAt: Date.now(),
    eligible: true,
  };
  await send(env, "engagement", { engagements: JSON.stringify([engagement]) });
}

async function send(env: BareBindings, name: keyof Statements, values: Values) {
  const known: Values = { appToken: env.APP_TOKEN, ...values };
  const bound = env.STATEMENTS[name].map((statement) => bind(env.DB, statement, known));
  const results = await env.DB.batch<Record<string, unknown>>(bound);
  return results.map((result) => result.results);
}

function bind(db: D1Database, { sql, parameters }: CapturedStatement, values: Values) {
  return db
    .prepare(sql)
    .bind(...parameters.map((value) => (typeof value === "object" && value ? values[value.name] : value)));
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: JSON_HEADERS });
}
