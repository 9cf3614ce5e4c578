/** Runs the Worker as `wrangler deploy` builds it, in a separate workerd without proxies, on a migrated D1 with the demo data. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { type Content, createDatabases } from "./databases.ts";
import "../src/dev/quiet.ts";

const ROOT = join(import.meta.dirname, "..");

/** Of the whole script with gzip; Cloudflare takes 3,072 on its free plan. What each library may take is in dev/built/build.test.ts. */
export const MAX_SCRIPT_KIB = 520;

/** The extensions of files that the Worker imports as text; `rules` in wrangler.toml says the same. */
export const TEXT_LOADERS = {
  ".css": "text",
  ".svg": "text",
  ".md": "text",
  ".txt": "text",
} as const;

/**
 * The Worker that `wrangler deploy` would upload from a checkout, with its text files inlined, and the size of the upload. With
 * the flag `--no-minify`, functions keep their names.
 */
export function buildWorker(root = ROOT, ...flags: string[]): { script: string; gzipBytes: number } {
  const directory = mkdtempSync(join(tmpdir(), "linkledger-built-"));
  try {
    runWrangler(["deploy", "--dry-run", "--outdir", directory, ...flags], root);
    const { outputFiles } = buildSync({
      entryPoints: [join(directory, "index.js")],
      bundle: true,
      format: "esm",
      external: ["node:*", "cloudflare:*"],
      // Until 27 November 2026, the scripts of pages were texts too: `npm run bench` builds older revisions.
      loader: { ...TEXT_LOADERS, ".client.js": "text" },
      write: false,
    });
    return { script: outputFiles[0]?.text ?? "", gzipBytes: gzipSize(directory) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * The size of the modules in a folder that wrangler wrote. Text files begin their names with a hash, and wrangler adds them in the
 * order in which it has read them, so that the figure that it prints differs by 0.5 KiB from run to run. Here they are in the order of
 * their names, also after index.js.
 */
function gzipSize(directory: string): number {
  const nameOf = (file: string) => file.replace(/^index\.js$|^[0-9a-f]{40}-/, "");
  const files = readdirSync(directory).filter((file) => !/\.map$|^README\.md$/.test(file));
  const sorted = files.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return gzipSync(Buffer.concat(sorted.map((file) => readFileSync(join(directory, file))))).length;
}

/** Ends a wrangler that hangs, with an error: no limit of a test can end it, because its process waits for wrangler. */
const WRANGLER_LIMIT_MS = 300_000;

/** Runs a wrangler command and returns its output. */
export function runWrangler(args: string[], root = ROOT): string {
  const { status, signal, stdout, stderr } = spawnSync("wrangler", args, {
    cwd: root,
    encoding: "utf8",
    timeout: WRANGLER_LIMIT_MS,
    killSignal: "SIGKILL",
  });
  if (status !== 0)
    throw new Error(`wrangler ${args.join(" ")} ended with ${signal ?? status}\n${stdout}${stderr}`);
  return stdout;
}

/** The bindings in wrangler.toml. */
interface Config {
  compatibility_date: string;
  d1_databases: { binding: string }[];
  kv_namespaces: { binding: string }[];
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: 10 | 60 } }[];
}

/** High enough that no request is rejected, because the benchmark measures only the counting. */
const LIMIT = 1_000_000_000;

/** Batches as large as wrangler.toml suggests. The timeout in seconds is shorter, so that the benchmark waits less. */
export const QUEUE_BATCH = { maxBatchSize: 100, maxBatchTimeout: 1 };

/** The checkout's wrangler.toml applies too. */
export interface Settings extends Content {
  name: string;
  script: string;
  /** In addition to the databases, namespaces and limiters in wrangler.toml. */
  bindings?: Record<string, string | object>;
  /** Default true. */
  isMigrated?: boolean;
  /** The file of a Worker around this one, which imports it as `./worker.js`. */
  wrapper?: string;
  /** Gets each line of the Worker's log. Default: they are discarded. */
  onLog?: (line: string) => void;
  /** Whether ENGAGEMENTS is bound, with the Worker as the consumer of its queue. Default false. */
  queue?: boolean;
  /** The directory of the databases and namespaces. Default: a temporary one, which `stop` removes. */
  state?: string;
  /** Default: any free port. */
  port?: number;
  /** The port of the Chrome DevTools protocol. */
  inspectorPort?: number;
}

export interface BuiltWorker {
  miniflare: Miniflare;
  /** Leads directly to the Worker, not through miniflare's entry worker. */
  url: string;
  db: D1Database;
  stop: () => Promise<void>;
}

/** Starts a script with the bindings in wrangler.toml, on databases that are migrated and filled unless they exist. */
export async function startBuilt({
  name,
  script,
  bindings = {},
  ...settings
}: Settings): Promise<BuiltWorker> {
  const { root = ROOT, queue = false, port = 0, inspectorPort } = settings;
  const { databases = [], isMigrated = true, wrapper, onLog } = settings;
  const state = settings.state ?? mkdtempSync(join(tmpdir(), "linkledger-state-"));
  if (isMigrated) await createDatabases(state, settings);
  const config: Config = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const rateLimits = config.ratelimits.map(({ name, namespace_id, simple }) => [
    name,
    { namespace_id, simple: { ...simple, limit: LIMIT } },
  ]);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name,
      modules: wrapper
        ? [
            { type: "ESModule", path: "index.js", contents: buildWrapper(wrapper) },
            { type: "ESModule", path: "worker.js", contents: script },
          ]
        : [{ type: "ESModule", path: "index.js", contents: script }],
      compatibilityDate: config.compatibility_date,
      d1Databases: [...config.d1_databases.map(({ binding }) => binding), ...databases],
      kvNamespaces: config.kv_namespaces.map(({ binding }) => binding),
      ratelimits: Object.fromEntries(rateLimits),
      ...(queue && {
        queueProducers: { ENGAGEMENTS: `${name}-engagements` },
        queueConsumers: { [`${name}-engagements`]: QUEUE_BATCH },
      }),
      bindings: { VERSION: { id: name }, OPERATOR_MFA: "optional", ...bindings } as unknown as Record<
        string,
        string
      >,
      resourcePersistencePath: state,
      ...(inspectorPort && { inspectorPort }),
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      // The Worker writes log lines as in production.
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ message }) => onLog?.(message),
    }),
  );
  await miniflare.ready;
  const url = (await miniflare.unsafeGetDirectURL(name)).origin;
  const db = (await miniflare.getD1Database("DB")) as unknown as D1Database;
  const stop = async () => {
    await miniflare.dispose();
    // workerd may still write to it.
    if (!settings.state) rmSync(state, { recursive: true, force: true, maxRetries: 10 });
  };
  return { miniflare, url, db, stop };
}

/** A Worker whose databases wait and fail as a test says. */
export const FAULTY = join(import.meta.dirname, "faulty-worker.ts");

/** Each is built once in a process. */
const wrappers = new Map<string, string>();

function buildWrapper(file: string): string {
  const known = wrappers.get(file);
  if (known !== undefined) return known;
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    format: "esm",
    external: ["./worker.js"],
    write: false,
  });
  const text = outputFiles[0]?.text ?? "";
  wrappers.set(file, text);
  return text;
}
