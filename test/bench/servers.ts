/** The built Worker and the bare one beside it: each in a workerd of its own, with the same bindings. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { hashToken } from "../../src/auth/secrets.ts";
import { putDestination } from "../../src/db/links/destination-cache.ts";
import { findDestination } from "../../src/db/links/destinations.ts";
import { DEMO } from "../../src/dev/demo.ts";
import { runWrangler, type Settings, startBuilt } from "../built-worker.ts";
import type { BareBindings } from "./bare.ts";
import { LINKS } from "./load.ts";
import { captureStatements } from "./statements.ts";

export interface Server {
  name: string;
  url: string;
  db: D1Database;
  /** CPU that its workerd has used, in milliseconds; undefined where the system does not say (only Linux does). */
  cpuTime: () => number | undefined;
  stop: () => Promise<void>;
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

export async function startWorker(script: string): Promise<Server> {
  return start({ name: "worker", script });
}

/** The Worker without its rate limiters. */
export async function startUnlimited(script: string): Promise<Server> {
  return start({ name: "unlimited", script, limiters: false });
}

export async function startBare(): Promise<Server> {
  const built = await build({
    entryPoints: [join(import.meta.dirname, "bare.ts")],
    bundle: true,
    format: "esm",
    write: false,
  });
  const bindings = {
    STATEMENTS: await captureStatements(),
    HASHES: { api: hashToken(DEMO.apiToken, ["api"]) ?? "", cost: hashToken(DEMO.costToken, ["live"]) ?? "" },
    APP_TOKEN: DEMO.appToken,
  } satisfies Pick<BareBindings, "STATEMENTS" | "HASHES" | "APP_TOKEN">;
  return start({ name: "bare", script: built.outputFiles[0]?.text ?? "", bindings });
}

async function start(settings: Settings): Promise<Server> {
  const others = listChildren();
  const { miniflare, url, db } = await startBuilt(settings);
  await fillCaches(db, (await miniflare.getKVNamespace("LINKS")) as unknown as KVNamespace);
  const process = listChildren().find((id) => !others.includes(id));
  const cpuTime = () => readCpuTime(process);
  return { name: settings.name, url, db, cpuTime, stop: () => miniflare.dispose() };
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
