/** Measures growth: the bytes of a row, the purge in slices, a page deep in a list, and clicks beside many counters. */
import { hashToken } from "../../src/auth/secrets.ts";
import { recordAll } from "../../src/db/ledger/record-engagements.ts";
import { ledgerOf } from "../../src/db/ledger/shards.ts";
import { listLevelOne } from "../../src/db/links/links.ts";
import { BYTES_OF_ROW, MAX_DATABASE_BYTES } from "../../src/db/upkeep/sizes.ts";
import { DEMO } from "../../src/dev/demo.ts";
import type { OpenedLink } from "../../src/domain/costs.ts";
import { RETENTION_MS } from "../../src/domain/time.ts";
import { purge } from "../../src/purge.ts";
import { drive } from "./load.ts";
import type { Ask } from "./paths.ts";
import type { Server } from "./servers.ts";

const DAY_MS = 24 * 3600 * 1000;
const COSTS = 500_000;
const MAX_RUNS = 5;
const LINKS = 100_000;
/** Rows of `daily_engagements`, and the engagements that each has counted: 10,000,000 in all. */
const COUNTERS = 1_000_000;
const COUNTED = 10;
const COUNTER_DAYS = 100;
const CLICKS = 500;
const CLICK_COLUMNS =
  "click_app_token, click_link_id, click_at, click_cost_data_on, click_price_counts, click_country, click_platform";

export async function measureGrowth(server: Server): Promise<void> {
  await measureRows(server.db);
  await measurePurge(server.db);
  await measureDeepList(server);
  await measureCounters(server);
}

/** So many costs a day, in the days that are kept and then twice as many, in which as many are deleted as come. */
const ROWS_A_DAY = 14_000;
const ROWS_A_CALL = 2_000;
const SPACING_MS = Math.floor(DAY_MS / ROWS_A_DAY);
const KEPT_DAYS = RETENTION_MS / DAY_MS;
const UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' ||
  substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

/**
 * Measures the bytes of an ID with its click and its cost, with random UUIDs, times and links of a real size: after the first days, and
 * after weeks of deletions and insertions in random places, which leave pages partly empty.
 */
export async function measureRows(db: D1Database): Promise<void> {
  const pages = async () => (await db.prepare("SELECT 1").run()).meta.size_after;
  const empty = await pages();
  const start = Date.now() - 3 * KEPT_DAYS * DAY_MS;
  const addDay = async (day: number) => {
    for (let part = 0; part < ROWS_A_DAY; part += ROWS_A_CALL) {
      const from = start + day * DAY_MS + part * SPACING_MS;
      await db
        .prepare(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS_A_CALL})
           INSERT INTO ledger_entries (partner_id, cost_id, ${CLICK_COLUMNS})
           SELECT 2, ${UUID}, '${DEMO.appToken}', 1000 + i % 50, ?1 + i * ${SPACING_MS}, 1, 0, 'US', 'ios' FROM n`,
        )
        .bind(from)
        .run();
      await db
        .prepare(
          `UPDATE ledger_entries SET cost_type = 'cpc', currency = 'USD', amount = 25000, tag = 'summer', received_at = click_at + 3600000
           WHERE partner_id = 2 AND received_at IS NULL`,
        )
        .run();
    }
  };
  const remove = "DELETE FROM ledger_entries WHERE partner_id = 2 AND click_at < ?";
  const bytes = async () => ((await pages()) - empty) / (ROWS_A_DAY * KEPT_DAYS);
  for (let day = 0; day < KEPT_DAYS; day++) await addDay(day);
  const filled = await bytes();
  for (let day = KEPT_DAYS; day < 3 * KEPT_DAYS; day++) {
    await db
      .prepare(remove)
      .bind(start + (day - KEPT_DAYS + 1) * DAY_MS)
      .run();
    await addDay(day);
  }
  const settled = await bytes();
  await db.prepare(remove).bind(Number.MAX_SAFE_INTEGER).run();
  const perSecond = MAX_DATABASE_BYTES / (RETENTION_MS / 1000) / settled;
  console.log(
    `\n${round(filled)} bytes a click with its cost after ${KEPT_DAYS} days, and ${round(settled)} after ${2 * KEPT_DAYS} more days of the purge (the pages say ${BYTES_OF_ROW}): 10 GB carry ${perSecond.toFixed(0)} costs a second, each with its click`,
  );
}

/** Purges half a million forgotten costs with their clicks, without and with an archive. */
async function measurePurge(db: D1Database): Promise<void> {
  await measurePurgeTo(db);
  const { bucket, objects } = countingBucket();
  // The walk of an archive begins a day after the one before it.
  const deleted = await measurePurgeTo(db, bucket, Date.now() + DAY_MS);
  const bytes = sum(objects.map(({ size }) => size));
  console.log(
    `The archive got ${objects.length} objects of ${round(bytes / 1e6)} MB in all, ${round(bytes / deleted)} bytes a row, the largest ${round(Math.max(...objects.map(({ size }) => size)) / 1e6)} MB.`,
  );
}

/**
 * Returns how many of the costs were deleted. A run makes 500 calls at most, of which an archive takes four for 5,000 keys, those of live
 * rows included, so with many live rows it takes more than one.
 */
async function measurePurgeTo(db: D1Database, archive?: R2Bucket, now = Date.now()): Promise<number> {
  const count = async () =>
    (await db.prepare("SELECT count(*) AS n FROM ledger_entries WHERE tag = 'bench'").first<number>("n")) ??
    0;
  // The paths before it sent some.
  const others = await count();
  await addCosts(db, COSTS, now - 20 * DAY_MS);
  const { counted, calls } = counting(db);
  const ledger = ledgerOf({ DB: counted, ...(archive && { ARCHIVE: archive }) });
  let left = COSTS;
  let runs = 0;
  for (; left > 0 && runs < MAX_RUNS; runs++) {
    await purge(ledger, now);
    left = (await count()) - others;
  }
  const milliseconds = calls.map((call) => call.milliseconds);
  const how = archive ? "with an archive" : "without an archive";
  console.log(`\nPurge of ${COSTS} costs with their clicks ${how} (${left} left), by D1's own meta`);
  console.table({
    runs,
    calls: calls.length,
    "SQL time, s": round(sum(milliseconds) / 1000),
    "longest call, ms": round(Math.max(...milliseconds)),
    "rows read": sum(calls.map((call) => call.read)),
    "rows written": sum(calls.map((call) => call.written)),
  });
  return COSTS - left;
}

async function measureDeepList(server: Server): Promise<void> {
  await addLinks(server.db, LINKS);
  const last = await server.db.prepare("SELECT max(id) AS id FROM links").first<number>("id");
  const deep = await pathAfter(server.url, LINKS - 1_000);
  const rows = [];
  for (const [name, path, after] of [
    ["first page", pathOf(), null],
    ["deep page", deep, Number(last) - 1_000],
  ] as const) {
    const { counted, calls } = counting(server.db);
    const tokenHash = hashToken(DEMO.apiToken, ["api"]) ?? "";
    const scope = { by: "token", tokenHash, appToken: DEMO.appToken } as const;
    await listLevelOne(counted, scope, {}, { after, before: null, limit: 50 });
    const asks: Ask[] = Array.from({ length: 500 }, () => ({ method: "GET", path, headers }));
    await drive(server, asks, 200, 1);
    const seconds = await drive(server, asks, 200, 1);
    rows.push({
      list: name,
      "rows read": calls[0]?.read,
      "requests/s": Math.round(asks.length / seconds),
    });
  }
  console.log(`\nA list of 50 in an app with ${LINKS} links`);
  console.table(rows);
}

/** Measures clicks before and after `daily_engagements` gets a million rows, with ten million engagements. */
async function measureCounters(server: Server): Promise<void> {
  const rows = [await measureClicks(server)];
  await addCounters(server.db, COUNTERS);
  rows.push(await measureClicks(server));
  console.log("\nA click with a cost ID, by the rows of daily_engagements");
  console.table(rows);
}

async function measureClicks(server: Server) {
  const { clicked } = server.data;
  const ask = (n: number): Ask => ({
    method: "GET",
    path: `/${clicked[n % clicked.length]}?cost_id=${crypto.randomUUID()}&s2s=1`,
  });
  const drivePart = () =>
    drive(
      server,
      Array.from({ length: CLICKS }, (_, n) => ask(n)),
      200,
      1,
    );
  await drivePart();
  const seconds = await drivePart();
  const { counted, calls } = counting(server.db);
  const now = Date.now();
  const opened: OpenedLink = {
    linkToken: clicked[0] ?? "",
    kind: "click",
    occurredAt: now,
    costId: crypto.randomUUID(),
    isGenerated: false,
    urlCostType: null,
    urlCurrency: null,
    urlAmount: null,
    subLinks: [],
    dropped: [],
    country: "DE",
    platform: "ios",
  };
  await recordAll(ledgerOf({ DB: counted }), [opened], now);
  const total = (what: string) =>
    server.db.prepare(`SELECT ${what} AS n FROM daily_engagements`).first<number>("n");
  return {
    counters: await total("count(*)"),
    engagements: await total("total(count)"),
    "rows read": calls[0]?.read,
    "rows written": calls[0]?.written,
    "requests/s": Math.round(CLICKS / seconds),
  };
}

/** Adds this many counters: the clicks of as many links on each of the last days. The deep list has added the links. */
async function addCounters(db: D1Database, count: number): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS);
  for (let day = 0; day < COUNTER_DAYS; day++) {
    await db
      .prepare(
        `INSERT INTO daily_engagements (app_token, day, link_id, partner_id, kind, count, recorded)
         SELECT app_token, ?1, id, 1, 'click', ?4, ?4 FROM links WHERE app_token = ?2 LIMIT ?3
         ON CONFLICT DO NOTHING`,
      )
      .bind(today - day, DEMO.appToken, count / COUNTER_DAYS, COUNTED)
      .run();
  }
}

const headers = { authorization: `Token token=${DEMO.apiToken}` };
const pathOf = () => `/public/v2/apps/${DEMO.appToken}/trackers?limit=50`;

/** Follows `next` for this many items. */
async function pathAfter(url: string, items: number): Promise<string> {
  let next = url + pathOf().replace("=50", "=1000");
  for (let page = 0; page < items / 1_000; page++) {
    const response = await fetch(next, { headers });
    const { data } = (await response.json()) as { data: { paging: { next: string } } };
    next = data.paging.next;
  }
  const { pathname, search } = new URL(next);
  return pathname + search.replace("=1000", "=50");
}

/** Adds this many level-1 links to the demo app. */
async function addLinks(db: D1Database, count: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO links (token, app_token, level, label, partner_id, cost_switch, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'b' || lower(hex(randomblob(7))), ?, 1, 'Bench ' || i, 1 + i % 3, 1, 0 FROM n`,
    )
    .bind(count, DEMO.appToken)
    .run();
}

/** Adds costs of partner 1, each with a click at this time (milliseconds since 1970), with random IDs. */
async function addCosts(db: D1Database, count: number, occurredAt: number): Promise<void> {
  const slice = 20_000;
  for (let done = 0; done < count; done += slice) {
    const ids = `
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      SELECT lower(hex(randomblob(16))) AS id FROM n`;
    await db.batch([
      db.prepare("CREATE TABLE bench_ids (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID"),
      db.prepare(`INSERT INTO bench_ids ${ids}`).bind(Math.min(slice, count - done)),
      db
        .prepare(
          `INSERT INTO ledger_entries (partner_id, cost_id, cost_type, currency, amount, tag, received_at, ${CLICK_COLUMNS})
           SELECT 1, id, 'cpc', 'USD', 25000, 'bench', ?2, ?1, 1, ?2, 1, 0, 'US', 'ios' FROM bench_ids`,
        )
        .bind(DEMO.appToken, occurredAt),
      db.prepare("DROP TABLE bench_ids"),
    ]);
  }
}

/** Wraps D1 and records the cost of each call. */
function counting(db: D1Database) {
  const calls: { milliseconds: number; read: number; written: number }[] = [];
  const counted = {
    prepare: (query: string) => db.prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const results = await db.batch(statements);
      calls.push({
        milliseconds: sum(results.map(({ meta }) => meta.duration)),
        read: sum(results.map(({ meta }) => meta.rows_read)),
        written: sum(results.map(({ meta }) => meta.rows_written)),
      });
      return results;
    },
  };
  return { counted: counted as unknown as D1Database, calls };
}

/** A bucket that keeps only the sizes of its objects, because the bench measures D1 and the Worker. */
function countingBucket() {
  const objects: { size: number }[] = [];
  const put = async (_name: string, body: Uint8Array) => {
    objects.push({ size: body.byteLength });
    return {};
  };
  return { bucket: { put, delete: async () => undefined } as unknown as R2Bucket, objects };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
