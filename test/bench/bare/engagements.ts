/**
 * Clicks and impressions: one KV read before the answer, and one D1 call after it, or before it with `s2s=1`. With a queue, one
 * D1 call for each batch.
 */
import { COST_TYPE, type CostType, type Kind } from "../../../src/domain/cost-types.ts";
import { LEVEL_PARAMETERS } from "../../../src/domain/engagements/sub-links.ts";
import { DAY_MS } from "../../../src/domain/time.ts";
import { type BareBindings, IN_EFFECT, json, toAmount } from "./shared.ts";

/** Where a click leads, in LINKS. */
export const destinationKey = (linkToken: string) => `bare:${linkToken}`;
export const DESTINATION = "https://example.com/";

const PIXEL = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (char) =>
  char.charCodeAt(0),
);

/** The values of COLUMNS. */
export type Opened = (string | number | null)[];

export async function engage(
  env: BareBindings,
  execution: Pick<ExecutionContext, "waitUntil">,
  url: URL,
): Promise<Response> {
  const kind: Kind = url.pathname.startsWith("/impression/") ? "impression" : "click";
  const linkToken = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const location = await env.LINKS.get(destinationKey(linkToken));
  if (location === null) return json({ code: "not_found" }, 404);
  const opened = toOpened(linkToken, kind, url.searchParams);
  if (url.searchParams.get("s2s") === "1") {
    const hasId = url.searchParams.has("cost_id");
    const stored = await record(env, opened);
    return json({
      status: "ok",
      kind,
      cost_id: url.searchParams.get("cost_id"),
      recorded: hasId,
      duplicate: hasId && stored === undefined,
      dropped: [],
      cost_data: stored?.hasCostData ?? false,
      request_id: crypto.randomUUID(),
    });
  }
  execution.waitUntil(env.ENGAGEMENTS?.send(opened) ?? record(env, opened));
  const noStore = { "cache-control": "no-store" };
  return kind === "click"
    ? new Response(null, { status: 302, headers: { location, ...noStore } })
    : new Response(PIXEL, { headers: { "content-type": "image/gif", ...noStore } });
}

/** The sub-links that a URL can name, each with the token that it gets if it is created. */
const NAMES = LEVEL_PARAMETERS.flatMap((parameter) => [parameter, `${parameter}_token`]);
const COLUMNS = ["token", "kind", "at", "cost_id", "type", "currency", "amount", "type_bit", ...NAMES];
const KIND = COLUMNS.indexOf("kind");
const COST_ID = COLUMNS.indexOf("cost_id");

function toOpened(linkToken: string, kind: Kind, query: URLSearchParams): Opened {
  const type = query.get("cost_type");
  return [
    linkToken,
    kind,
    Date.now(),
    query.get("cost_id"),
    type,
    query.get("cost_currency"),
    toAmount(query.get("cost_amount")),
    COST_TYPE[type as CostType]?.bit ?? 0,
    ...LEVEL_PARAMETERS.flatMap((parameter) => [
      query.get(parameter),
      query.has(parameter) ? crypto.randomUUID().replaceAll("-", "").slice(0, 20) : null,
    ]),
  ];
}

/** One engagement from its bound values, or the engagements of a batch from JSON. */
const ONE = `(SELECT ${COLUMNS.map((name, index) => `?${index + 1} AS ${name}`).join(", ")})`;
const MANY = `(SELECT ${COLUMNS.map((name, index) => `value ->> ${index} AS ${name}`).join(", ")} FROM json_each(?1))`;

/** The rows `x`, each with the link `l` that it names down to a level: the opened link at level 1. */
const namedLinks = (rows: string, level: number) =>
  LEVEL_PARAMETERS.slice(0, level - 1).reduce(
    (
      sql,
      parameter,
      index,
    ) => `${sql} CROSS JOIN links ${aliasAt(index + 2, level)} INDEXED BY links_by_match_name
    ON ${isChild(aliasAt(index + 2, level), aliasAt(index + 1, level))} = x.${parameter}`,
    `FROM ${rows} x CROSS JOIN links ${aliasAt(1, level)} ON ${aliasAt(1, level)}.token = x.token`,
  );
const aliasAt = (level: number, last: number) => (level === last ? "l" : `named${level}`);
const isChild = (child: string, parent: string) =>
  `${child}.app_token = ${parent}.app_token AND ${child}.parent_id = ${parent}.id AND ${child}.match_name`;

const createSubLinks = (rows: string, level: number) => {
  const parameter = LEVEL_PARAMETERS[level - 2];
  return `
  INSERT INTO links (token, app_token, parent_id, level, label, created_at, from_engagement)
  SELECT min(x.${parameter}_token), l.app_token, l.id, ${level}, x.${parameter}, x.at, 1 ${namedLinks(rows, level - 1)}
  WHERE x.${parameter} IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM links c INDEXED BY links_by_match_name WHERE ${isChild("c", "l")} = x.${parameter})
  GROUP BY l.id, x.${parameter}`;
};

/** D1 binds numbers as REAL, so the day is cast. */
const count = (rows: string, level: number, kind: Kind) => `
  INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
  SELECT l.app_token, CAST(x.at / ${DAY_MS} AS INTEGER), l.id, coalesce(p.id, 0), x.kind, 1,
    x.cost_id IS NOT NULL AND p.id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ledger_entries WHERE partner_id = p.id AND cost_id = x.cost_id AND ${kind}_at IS NOT NULL)
  ${namedLinks(rows, level)} ${IN_EFFECT}
  WHERE x.kind = '${kind}'
  ON CONFLICT DO UPDATE SET count = count + 1, recorded = recorded + excluded.recorded`;

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
const keep = (rows: string, level: number, kind: Kind) => `
  INSERT INTO ledger_entries (partner_id, cost_id, ${columnsOf(kind).join(", ")})
  SELECT p.id, x.cost_id, l.app_token, l.id, x.at, ${COST_DATA_ON}, x.type, x.currency, x.amount,
    coalesce(${COST_DATA_ON} AND p.integrated_types & x.type_bit AND instr('&' || p.cost_parameters, '&cost_amount=')
      AND x.amount <= p.max_url_amount, 0)
  ${namedLinks(rows, level)} ${IN_EFFECT}
  WHERE x.kind = '${kind}' AND x.cost_id IS NOT NULL AND p.id IS NOT NULL
  ON CONFLICT DO UPDATE SET ${columnsOf(kind)
    .map((name) => `${name} = excluded.${name}`)
    .join(", ")} WHERE ${kind}_at IS NULL
  RETURNING ${kind}_cost_data_on AS cost_data_on`;

/** The SQL for engagements of a kind that name their links down to a level. */
const sqlFor = (rows: string, kind: Kind) =>
  [1, 2, 3, 4].map((level) => ({
    create: [2, 3, 4].filter((one) => one <= level).map((one) => createSubLinks(rows, one)),
    count: count(rows, level, kind),
    keep: keep(rows, level, kind),
  }));
const SQL_FOR_ONE = { click: sqlFor(ONE, "click"), impression: sqlFor(ONE, "impression") };
const SQL_FOR_MANY = { click: sqlFor(MANY, "click"), impression: sqlFor(MANY, "impression") };

/** The names of an engagement, without those below a missing one. */
function namesOf(opened: Opened): (string | number)[] {
  const names = LEVEL_PARAMETERS.map((parameter) => opened[COLUMNS.indexOf(parameter)]);
  return names.slice(0, [...names, null].indexOf(null)).filter((name) => name != null);
}

/** Sub-links that this isolate has created or found. They are never deleted. */
const known = new Set<string>();

/** What the ledger stored of an engagement: undefined without an ID, and if it had one of this kind with this ID. */
async function record(env: BareBindings, opened: Opened): Promise<{ hasCostData: boolean } | undefined> {
  const names = namesOf(opened);
  const path = [opened[0], ...names].join("::");
  const sql = SQL_FOR_ONE[opened[KIND] as Kind][names.length];
  if (!sql) return undefined;
  const queries = [
    ...(known.has(path) ? [] : sql.create),
    sql.count,
    ...(opened[COST_ID] === null ? [] : [sql.keep]),
  ];
  const results = await env.DB.batch<{ cost_data_on: number }>(
    queries.map((query) => env.DB.prepare(query).bind(...opened)),
  );
  known.add(path);
  const kept = opened[COST_ID] === null ? undefined : results.at(-1)?.results[0];
  return kept && { hasCostData: kept.cost_data_on === 1 };
}

/** Records a batch of the queue. */
export async function recordBatch(env: BareBindings, batch: MessageBatch<Opened>): Promise<void> {
  const opened = batch.messages.map(({ body }) => body);
  const queries = (["click", "impression"] as const).flatMap((kind) =>
    [1, 2, 3, 4].flatMap((level) => {
      const some = opened.filter((one) => one[KIND] === kind && namesOf(one).length === level - 1);
      const sql = SQL_FOR_MANY[kind][level - 1];
      if (some.length === 0 || !sql) return [];
      const withId = some.some((one) => one[COST_ID] !== null);
      const values = JSON.stringify(some);
      return [...sql.create, sql.count, ...(withId ? [sql.keep] : [])].map((query) =>
        env.DB.prepare(query).bind(values),
      );
    }),
  );
  await env.DB.batch(queries);
}
