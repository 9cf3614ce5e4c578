/** Links, in one D1 call each. */
import { DESTINATION, destinationKey } from "./engagements.ts";
import { type BareBindings, IN_EFFECT, json, type Row, unauthorized } from "./shared.ts";

/** A link `l` with its name and what is in effect for it. */
const LINK_COLUMNS = `
  l.token, l.label, l.level, l.archived, l.partner_id, l.cost_switch, l.target, l.child_count,
  coalesce(l3.label || '::', '') || coalesce(l2.label || '::', '') || coalesce(l1.label || '::', '') || l.label AS name,
  coalesce(l.cost_switch, l1.cost_switch, l2.cost_switch, l3.cost_switch) AND p.supports_cost_data AS has_cost_data,
  p.server_to_server, p.click_parameters, p.impression_parameters, p.cost_parameters`;
const MEMBER = "api_tokens t CROSS JOIN memberships m ON m.user_id = t.user_id AND m.app_token = ?2";

const COUNT_LINKS = `SELECT a.link_count FROM ${MEMBER} CROSS JOIN apps a ON a.token = ?2 WHERE t.token_hash = ?1`;
const LIST_LINKS = `
  SELECT l.token, l.label, l.label AS name, l.level, l.archived, l.partner_id, l.child_count,
    l.cost_switch AND p.supports_cost_data AS has_cost_data,
    p.server_to_server, p.click_parameters, p.impression_parameters, p.cost_parameters
  FROM ${MEMBER} CROSS JOIN links l INDEXED BY links_by_parent LEFT JOIN partners p ON p.id = l.partner_id
  WHERE t.token_hash = ?1 AND l.app_token = ?2 AND l.parent_id IS NULL
  ORDER BY l.id LIMIT 51`;

export async function listLinks(
  env: BareBindings,
  hash: string,
  app: string,
  url: URL,
  version: string,
): Promise<Response> {
  const [counted, page] = await env.DB.batch<Row>([
    env.DB.prepare(COUNT_LINKS).bind(hash, app),
    env.DB.prepare(LIST_LINKS).bind(hash, app),
  ]);
  const [count] = counted?.results ?? [];
  if (!count) return unauthorized();
  const items = (page?.results ?? []).slice(0, 50).map((row) => toLink(url, row));
  const after = items.at(-1)?.token ?? null;
  const next = `${url.origin}${url.pathname}?after=${after}`;
  if (version === "v2") return json({ data: { paging: { cursor: after, next }, items } });
  const paging = {
    page_size: "50",
    collection_size: String(items.length),
    total: String(count.link_count),
    next,
    previous: null,
    cursors: { after, before: null },
  };
  return json(envelope(items, paging));
}

const INSERT_LINK = `
  INSERT INTO links (token, app_token, level, label, created_at)
  SELECT ?3, m.app_token, 1, ?4, ?5 FROM ${MEMBER} WHERE t.token_hash = ?1
  RETURNING token, label, label AS name, level, archived, partner_id, child_count`;

export async function createLink(
  env: BareBindings,
  execution: Pick<ExecutionContext, "waitUntil">,
  hash: string,
  app: string,
  url: URL,
  request: Request,
): Promise<Response> {
  const { name } = await request.json<{ name: string }>();
  const token = crypto.randomUUID().slice(0, 13).replace("-", "");
  const now = Date.now();
  const [inserted] = await env.DB.batch<Row>([
    env.DB.prepare(INSERT_LINK).bind(hash, app, token, name, now),
    env.DB.prepare(AUDIT_LINK).bind(
      hash,
      app,
      token,
      now,
      "create link",
      JSON.stringify({ name, app_token: app }),
    ),
  ]);
  const row = inserted?.results[0];
  if (row) execution.waitUntil(env.LINKS.put(destinationKey(token), DESTINATION));
  return row ? json(envelope([toLink(url, row)]), 201) : unauthorized();
}

/** The entry of the audit log about a new or changed link. */
const AUDIT_LINK = `
  INSERT INTO audit_log (happened_at, user_id, action, subject, detail)
  SELECT ?4, t.user_id, ?5, 'link ' || ?3, ?6 FROM ${MEMBER} WHERE t.token_hash = ?1`;

const UPDATE_LINK = `
  UPDATE links SET label = coalesce(?4, label), archived = coalesce(?5, archived)
  WHERE token = ?3 AND app_token = (SELECT m.app_token FROM ${MEMBER} WHERE t.token_hash = ?1)`;
const FIND_LINK = `
  SELECT ${LINK_COLUMNS} FROM ${MEMBER} CROSS JOIN links l ON l.token = ?3 AND l.app_token = ?2 ${IN_EFFECT}
  WHERE t.token_hash = ?1`;

export async function readLink(
  env: BareBindings,
  hash: string,
  app: string,
  token: string,
  url: URL,
  request: Request,
): Promise<Response> {
  const statements = [env.DB.prepare(FIND_LINK).bind(hash, app, token)];
  if (request.method === "PATCH") {
    const change = await request.json<{ name?: string; archived?: boolean }>();
    const archived = change.archived === undefined ? null : Number(change.archived);
    statements.unshift(
      env.DB.prepare(UPDATE_LINK).bind(hash, app, token, change.name ?? null, archived),
      env.DB.prepare(AUDIT_LINK).bind(hash, app, token, Date.now(), "update link", JSON.stringify(change)),
    );
  }
  const results = await env.DB.batch<Row>(statements);
  const row = results.at(-1)?.results[0];
  if (!row) return unauthorized();
  const own = {
    partner_id: row.partner_id,
    cost_data_enabled: row.cost_switch === null ? null : row.cost_switch === 1,
    target: row.target,
  };
  return json(envelope([{ ...toLink(url, row), own }]));
}

function toLink({ origin }: URL, row: Row) {
  const hasCostData = row.has_cost_data === 1;
  const cost = hasCostData && row.cost_parameters ? `&${row.cost_parameters}` : "";
  const s2s = row.server_to_server === 1 ? "&s2s=1" : "";
  const url = `${origin}/${row.token}`;
  const impressionUrl = `${origin}/impression/${row.token}`;
  return {
    name: row.name,
    token: row.token,
    label: row.label,
    level: row.level,
    archived: row.archived === 1,
    has_subtrackers: Number(row.child_count) > 0,
    partner_id: row.partner_id,
    cost_data_enabled: hasCostData,
    url,
    click_url: row.click_parameters ? `${url}?${row.click_parameters}${cost}` : url,
    impression_url: row.impression_parameters
      ? `${impressionUrl}?${row.impression_parameters}${cost}${s2s}`
      : impressionUrl,
  };
}

function envelope(items: object[], paging?: object) {
  return {
    data: {
      api_version: "1",
      request_id: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
      ...(paging && { paging }),
      items,
    },
  };
}
