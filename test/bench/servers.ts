/**
 * The Worker as `wrangler deploy` builds it, and the bare one beside it: each in a workerd of its own, on a migrated D1 with
 * the demo data.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { hashToken } from "../../src/auth/secrets.ts";
import { putDestination } from "../../src/db/destination-cache.ts";
import { findDestination } from "../../src/db/destinations.ts";
import { DEMO, demoStatements } from "../../src/dev/demo.ts";
import type { BareBindings } from "./bare.ts";
import { LINKS } from "./load.ts";
import { captureStatements } from "./statements.ts";

const ROOT = join(import.meta.dirname, "../..");
const ENVIRONMENT = {
  ...process.env,
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
};
Object.assign(process.env, ENVIRONMENT);

export interface Server {
  name: "worker" | "bare";
  url: string;
  db: D1Database;
  /** CPU that its workerd has used, in milliseconds; undefined where the system does not say (only Linux does). */
  cpuTime: () => number | undefined;
  stop: () => Promise<void>;
}

/** The script that `wrangler deploy` would upload. */
export function buildWorker(): { script: string; gzipBytes: number } {
  const directory = mkdtempSync(join(tmpdir(), "linkledger-bench-"));
  try {
    runWrangler("deploy", "--dry-run", "--outdir", directory);
    const script = readFileSync(join(directory, "index.js"), "utf8");
    return { script, gzipBytes: gzipSync(script).byteLength };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** What V8 was busy with before the first request, as `wrangler check startup` profiles it; in milliseconds. */
export function measureStartUp(): number {
  const directory = mkdtempSync(join(tmpdir(), "linkledger-bench-"));
  try {
    const file = join(directory, "startup.cpuprofile");
    const told = runWrangler("check", "startup", "--outfile", file);
    return Number(/Active: ([\d.]+) ms/.exec(told)?.[1]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function runWrangler(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("wrangler", args, {
    cwd: ROOT,
    env: ENVIRONMENT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed\n${stdout}${stderr}`);
  return stdout;
}

export async function startWorker(script: string): Promise<Server> {
  return start("worker", script, {});
}

export async function startBare(): Promise<Server> {
  const built = await build({
    entryPoints: [join(import.meta.dirname, "bare.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  return start("bare", built.outputFiles[0]?.text ?? "", {
    STATEMENTS: await captureStatements(),
    HASHES: { api: hashToken(DEMO.apiToken, ["api"]) ?? "", cost: hashToken(DEMO.costToken, ["live"]) ?? "" },
    APP_TOKEN: DEMO.appToken,
  } satisfies Omit<BareBindings, "DB" | "TOKENS" | "LINKS">);
}

async function start(
  name: Server["name"],
  script: string,
  bindings: Record<string, string | object>,
): Promise<Server> {
  const others = listChildren();
  const { compatibility_date } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name,
      modules: [{ type: "ESModule", path: "index.js", contents: script }],
      compatibilityDate: compatibility_date ?? "",
      d1Databases: ["DB"],
      kvNamespaces: ["TOKENS", "LINKS"],
      bindings: bindings as Record<string, string>,
      // Past the entry of miniflare, straight to the Worker.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
      // The log lines are written, as in production, but nobody reads them here.
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => undefined,
    }),
  );
  await miniflare.ready;
  const url = (await miniflare.unsafeGetDirectURL(name)).origin;
  const db = (await miniflare.getD1Database("DB")) as unknown as D1Database;
  await migrate(db);
  await fillCaches(db, (await miniflare.getKVNamespace("LINKS")) as unknown as KVNamespace);
  const process = listChildren().find((id) => !others.includes(id));
  return { name, url, db, cpuTime: () => readCpuTime(process), stop: () => miniflare.dispose() };
}

function listChildren(): string[] {
  const file = `/proc/self/task/${process.pid}/children`;
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ") : [];
}

const TICK_MS = 10;

/** Of the user and of the system: the 14th and 15th field. */
function readCpuTime(process: string | undefined): number | undefined {
  if (process === undefined) return undefined;
  const fields = readFileSync(`/proc/${process}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function migrate(db: D1Database): Promise<void> {
  for (const file of ["0000_tables.sql", "0001_rules.sql"]) {
    const queries = readFileSync(join(ROOT, "migrations", file), "utf8").split("--> statement-breakpoint");
    await db.batch(queries.map((query) => db.prepare(query)));
  }
  await db.batch(demoStatements(Date.now()).map((statement) => db.prepare(statement)));
}

/** As the first clicks would. */
async function fillCaches(db: D1Database, kv: KVNamespace): Promise<void> {
  for (const token of LINKS) {
    const found = await findDestination(db, token);
    if (!found) throw new Error(`the demo data has no link ${token}`);
    await kv.put(`link:${token}`, found.appToken);
    await putDestination(kv, found.appToken, found.destination);
  }
}

/** Level-1 links of the demo app, so that it has so many in all. */
export async function addLinks(db: D1Database, count: number): Promise<void> {
  await db
    .prepare(
      `INSERT INTO links (token, app_token, level, label, partner_id, cost_switch, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'b' || lower(hex(randomblob(7))), ?, 1, 'Bench ' || i, 1 + i % 3, 1, 0 FROM n`,
    )
    .bind(count, DEMO.appToken)
    .run();
}

/** Costs of partner 1 with a click each, of this time in milliseconds since 1970. Ids are spread as UUIDs are. */
export async function addCosts(db: D1Database, count: number, occurredAt: number): Promise<void> {
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
          `INSERT INTO engagements (partner_id, cost_id, kind, app_token, link_id, occurred_at, eligible)
           SELECT 1, id, 'click', ?, 1, ?, 1 FROM bench_ids`,
        )
        .bind(DEMO.appToken, occurredAt),
      db
        .prepare(
          `INSERT INTO costs (partner_id, cost_id, cost_type, currency, amount, tag, source, received_at)
           SELECT 1, id, 'cpc', 'USD', 25000, 'bench', 'call', ? FROM bench_ids`,
        )
        .bind(occurredAt + 1),
      db.prepare("DROP TABLE bench_ids"),
    ]);
  }
}
