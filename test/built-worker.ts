/** The Worker as `wrangler deploy` builds it, in a workerd of its own and past every proxy, on a migrated D1 with the demo data. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { demoStatements } from "../src/dev/demo.ts";
import "../src/dev/quiet.ts";

const ROOT = join(import.meta.dirname, "..");

/** The script that `wrangler deploy` would upload, built in the folder of a checkout. */
export function buildWorker(root = ROOT): { script: string; gzipBytes: number } {
  const directory = mkdtempSync(join(tmpdir(), "linkledger-built-"));
  try {
    runWrangler(["deploy", "--dry-run", "--outdir", directory], root);
    const script = readFileSync(join(directory, "index.js"), "utf8");
    return { script, gzipBytes: gzipSync(script).byteLength };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Runs a command to its end and returns what it printed. */
export function runWrangler(args: string[], root = ROOT): string {
  const { status, stdout, stderr } = spawnSync("wrangler", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed\n${stdout}${stderr}`);
  return stdout;
}

/** What of wrangler.toml is bound. */
interface Config {
  compatibility_date: string;
  d1_databases: { binding: string }[];
  kv_namespaces: { binding: string }[];
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: 10 | 60 } }[];
}

/** So high that nothing is refused: what is measured is the counting. */
const LIMIT = 1_000_000_000;

export interface Settings {
  name: string;
  script: string;
  /** The checkout whose wrangler.toml and migrations apply; this one, unless it says so. */
  root?: string;
  /** The statements that fill its empty database; the demo data, unless it says so. */
  seed?: string[];
  /** Beside the databases, namespaces and limiters of wrangler.toml. */
  bindings?: Record<string, string | object>;
  /** Whether its rate limiters are bound; true unless it says so. */
  limiters?: boolean;
  /** Where its databases and namespaces live; in a directory that goes with it, unless it says so. */
  state?: string;
  /** Where it answers; any free port, unless it says so. */
  port?: number;
  /** Where Chrome's protocol answers. */
  inspectorPort?: number;
}

export interface BuiltWorker {
  miniflare: Miniflare;
  /** Past the entry of miniflare, straight to the Worker. */
  url: string;
  db: D1Database;
}

/** Starts a script with the bindings of wrangler.toml. An empty database is migrated and gets the demo data. */
export async function startBuilt({
  name,
  script,
  bindings = {},
  ...settings
}: Settings): Promise<BuiltWorker> {
  const { root = ROOT, seed, limiters = true, state, port = 0, inspectorPort } = settings;
  const config: Config = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const rateLimits = config.ratelimits.map(({ name, namespace_id, simple }) => [
    name,
    { namespace_id, simple: { ...simple, limit: LIMIT } },
  ]);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name,
      modules: [{ type: "ESModule", path: "index.js", contents: script }],
      compatibilityDate: config.compatibility_date,
      d1Databases: config.d1_databases.map(({ binding }) => binding),
      kvNamespaces: config.kv_namespaces.map(({ binding }) => binding),
      ...(limiters && { ratelimits: Object.fromEntries(rateLimits) }),
      bindings: { VERSION: { id: name }, ...bindings } as unknown as Record<string, string>,
      ...(state && { resourcePersistencePath: state }),
      ...(inspectorPort && { inspectorPort }),
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      // The log lines are written, as in production, but nobody reads them here.
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => undefined,
    }),
  );
  await miniflare.ready;
  const url = (await miniflare.unsafeGetDirectURL(name)).origin;
  const db = (await miniflare.getD1Database("DB")) as unknown as D1Database;
  await migrate(db, root, seed ?? demoStatements(Date.now()));
  return { miniflare, url, db };
}

async function migrate(db: D1Database, root: string, seed: string[]): Promise<void> {
  const there = await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'links'").first();
  if (there) return;
  const migrations = join(root, "migrations");
  for (const file of readdirSync(migrations).sort()) {
    if (!file.endsWith(".sql")) continue;
    const queries = readFileSync(join(migrations, file), "utf8").split("--> statement-breakpoint");
    await db.batch(queries.map((query) => db.prepare(query)));
  }
  await db.batch(seed.map((statement) => db.prepare(statement)));
}
