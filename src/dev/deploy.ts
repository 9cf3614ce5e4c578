/**
 * `npm run deploy`: finds or creates the databases and KV namespaces in wrangler.toml by name, migrates the databases, deploys the
 * code, and waits until the service reports that it is ready. Running it again is safe: nothing is created or applied twice.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { experimental_readRawConfig } from "wrangler";

const ROOT = join(import.meta.dirname, "../..");
/** A temporary configuration with this account's IDs, next to wrangler.toml so that relative paths still resolve. */
const WITH_IDS = join(ROOT, ".wrangler.deploy.json");

const MAX_ATTEMPTS = 60;
/** How often the new version must report that it is not ready before the deployment fails. */
const MAX_NOT_READY = 3;
const PAUSE_MS = 1_000;

interface Configuration {
  name: string;
  d1_databases: { binding: string; database_name: string; database_id?: string }[];
  kv_namespaces: { binding: string; id?: string }[];
}

const scratch = mkdtempSync(join(tmpdir(), "linkledger-deploy-"));
try {
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const configuration = rawConfig as Configuration;
  setDatabaseIds(configuration);
  setNamespaceIds(configuration);
  writeFileSync(WITH_IDS, JSON.stringify(configuration));
  for (const { binding } of configuration.d1_databases) {
    run(["d1", "migrations", "apply", binding, "--remote", "--config", WITH_IDS]);
  }
  await waitUntilReady(deploy());
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(WITH_IDS, { force: true });
  rmSync(scratch, { recursive: true });
}

/** Sets the ID of each database that has none in wrangler.toml. */
function setDatabaseIds(configuration: Configuration): void {
  const withoutId = configuration.d1_databases.filter(({ database_id }) => !database_id);
  const ids = findOrCreate(
    "D1 database",
    withoutId.map(({ database_name }) => database_name),
    () =>
      read<{ name: string; uuid: string }[]>(["d1", "list", "--json"]).map(({ name, uuid }) => [name, uuid]),
    ["d1", "create"],
  );
  for (const database of withoutId) database.database_id = ids.get(database.database_name) ?? "";
}

/** Sets the ID of each namespace that has none. The titles are those that `wrangler deploy` uses, so both find the same ones. */
function setNamespaceIds(configuration: Configuration): void {
  const withoutId = configuration.kv_namespaces.filter(({ id }) => !id);
  const titleOf = (binding: string) => `${configuration.name}-${binding.toLowerCase().replaceAll("_", "-")}`;
  const ids = findOrCreate(
    "KV namespace",
    withoutId.map(({ binding }) => titleOf(binding)),
    () =>
      read<{ title: string; id: string }[]>(["kv", "namespace", "list"]).map(({ title, id }) => [title, id]),
    ["kv", "namespace", "create"],
  );
  for (const namespace of withoutId) namespace.id = ids.get(titleOf(namespace.binding)) ?? "";
}

/** Returns the ID of each name. Throws if one can be neither found nor created. */
function findOrCreate(
  kind: string,
  names: string[],
  list: () => [name: string, id: string][],
  create: string[],
): Map<string, string> {
  if (names.length === 0) return new Map();
  const found = new Map(list());
  for (const name of names) {
    if (!found.has(name)) read([...create, name], (output) => output);
    console.log(`${kind} ${name}: ${found.has(name) ? "found" : "created"}.`);
  }
  const ids = names.every((name) => found.has(name)) ? found : new Map(list());
  const missing = names.filter((name) => !ids.has(name));
  if (missing.length > 0)
    throw new Error(
      `${kind} ${missing.join(", ")} was created but is not listed yet. Run the command again.`,
    );
  return ids;
}

interface Deployment {
  version: string;
  /** The origin of the deployed Worker; undefined if it has only route patterns. */
  url: string | undefined;
}

function deploy(): Deployment {
  const report = join(scratch, "report.jsonl");
  run(["deploy", "--config", WITH_IDS], { WRANGLER_OUTPUT_FILE_PATH: report });
  const entries = readFileSync(report, "utf8").trim().split("\n");
  const entry = entries.map((line) => JSON.parse(line)).find(({ type }) => type === "deploy");
  const targets: string[] = entry?.targets ?? [];
  const address = targets.find((target) => /^https?:/.test(target));
  const domain = targets.find((target) => target.includes("(custom domain"))?.split(" ")[0];
  return { version: entry?.version_id, url: address ?? (domain && `https://${domain}`) };
}

/** Waits until the new version is ready. Throws if it reports that it is not, or does not respond within a minute. */
async function waitUntilReady({ version, url }: Deployment): Promise<void> {
  if (!url) {
    console.log(
      "\nDeployed. The Worker has only routes and no URL of its own. Check /readyz on one of its routes.",
    );
    return;
  }
  for (let attempt = 1, notReady = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    const health = await fetchJson<{ deployment: string }>(`${url}/healthz`);
    if (health?.deployment === version) {
      const readiness = await fetchJson<Readiness>(`${url}/readyz`);
      if (readiness?.status === "ready") {
        console.log(nextStep(url));
        return;
      }
      if (readiness?.checks && ++notReady === MAX_NOT_READY)
        throw new Error(describeFailedChecks(url, readiness.checks));
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(
    `Deployed, but ${url}/healthz did not report version ${version} within a minute. A new URL can take some minutes to work. Check ${url}/readyz again later.`,
  );
}

interface Readiness {
  status: string;
  checks: Record<string, { ok: boolean; reason?: string }>;
}

/** Returns undefined if there is no response or it is not JSON. */
async function fetchJson<T>(url: string): Promise<T | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    return (await response.json()) as T;
  } catch {
    return undefined;
  }
}

function describeFailedChecks(url: string, checks: Readiness["checks"]): string {
  const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
  return `Deployed at ${url}, but not ready:\n${failing.map(([name, { reason }]) => `  ${name}: ${reason}`).join("\n")}`;
}

function nextStep(url: string): string {
  return `
linkledger is ready at ${url}

  No operator yet? Create one, who can then sign in at ${url}/login:
    npm run operator:create -- --remote EMAIL
`;
}

/** Runs wrangler in the caller's terminal, so that it can prompt there. */
function run(args: string[], environment: Record<string, string> = {}): void {
  const { status, error } = spawnSync("wrangler", args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(describeFailure(args, error?.message));
}

/** Runs wrangler and parses its output. If it fails, throws an error that includes the output. */
function read<T>(args: string[], parse: (output: string) => T = JSON.parse): T {
  const { status, error, stdout, stderr } = spawnSync("wrangler", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(describeFailure(args, error?.message ?? `${stdout}${stderr}`.trim()));
  return parse(stdout);
}

function describeFailure(args: string[], reason = ""): string {
  const command = args.filter((arg) => arg !== "--config" && arg !== WITH_IDS).join(" ");
  return `${reason}\n\nwrangler ${command} failed. Make sure that you are signed in to Cloudflare: run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if you have several accounts). Then run the command again; it continues where it stopped.`;
}
