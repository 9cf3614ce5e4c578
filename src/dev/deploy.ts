/**
 * `npm run deploy`: finds what the Worker is bound to by name or creates it, migrates the database before the code changes,
 * deploys, and asks the deployed service whether it is ready. Run again, it creates nothing and applies nothing twice.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { experimental_readRawConfig } from "wrangler";

const ROOT = join(import.meta.dirname, "../..");
/** The configuration with the ids of this account. Beside wrangler.toml, so that its paths mean the same; never kept. */
const WITH_IDS = join(ROOT, ".wrangler.deploy.json");

const TRIES = 60;
/** How often the new version may say that it is not ready before it is believed. */
const REJECTIONS = 3;
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
  nameDatabases(configuration);
  nameNamespaces(configuration);
  writeFileSync(WITH_IDS, JSON.stringify(configuration));
  for (const { binding } of configuration.d1_databases) {
    run(["d1", "migrations", "apply", binding, "--remote", "--config", WITH_IDS]);
  }
  await confirm(deploy());
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(WITH_IDS, { force: true });
  rmSync(scratch, { recursive: true });
}

/** Gives each database its id. A binding that bears one keeps it. */
function nameDatabases(configuration: Configuration): void {
  const nameless = configuration.d1_databases.filter(({ database_id }) => !database_id);
  const ids = findOrCreate(
    "D1 database",
    nameless.map(({ database_name }) => database_name),
    () =>
      read<{ name: string; uuid: string }[]>(["d1", "list", "--json"]).map(({ name, uuid }) => [name, uuid]),
    ["d1", "create"],
  );
  for (const database of nameless) database.database_id = ids.get(database.database_name) ?? "";
}

/** As `nameDatabases`. The names are those that a plain `wrangler deploy` gives, so that each finds what the other made. */
function nameNamespaces(configuration: Configuration): void {
  const nameless = configuration.kv_namespaces.filter(({ id }) => !id);
  const titleOf = (binding: string) => `${configuration.name}-${binding.toLowerCase().replaceAll("_", "-")}`;
  const ids = findOrCreate(
    "KV namespace",
    nameless.map(({ binding }) => titleOf(binding)),
    () =>
      read<{ title: string; id: string }[]>(["kv", "namespace", "list"]).map(({ title, id }) => [title, id]),
    ["kv", "namespace", "create"],
  );
  for (const namespace of nameless) namespace.id = ids.get(titleOf(namespace.binding)) ?? "";
}

/** The id of each name. Throws when one can neither be found nor created. */
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
  if (missing.length > 0) throw new Error(`${kind} ${missing} is not listed yet. Run the command again.`);
  return ids;
}

interface Deployment {
  version: string;
  /** Where it answers; undefined where only route patterns lead to it. */
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

/** Waits until the new version answers. Throws when it is not ready, or not there after a minute. */
async function confirm({ version, url }: Deployment): Promise<void> {
  if (!url) {
    console.log("\nDeployed. It has no address of its own: ask /readyz on the route that leads to it.");
    return;
  }
  for (let attempt = 1, errorCodes = 0; attempt <= TRIES; attempt++) {
    const alive = await ask<{ deployment: string }>(`${url}/healthz`);
    if (alive?.deployment === version) {
      const readiness = await ask<Readiness>(`${url}/readyz`);
      if (readiness?.status === "ready") {
        console.log(nextStep(url));
        return;
      }
      if (readiness?.checks && ++errorCodes === REJECTIONS) throw new Error(notReady(url, readiness.checks));
    }
    await sleep(PAUSE_MS);
  }
  throw new Error(
    `Deployed, but ${url}/healthz did not answer as version ${version} within a minute. A new address can take some minutes: ask ${url}/readyz again.`,
  );
}

interface Readiness {
  status: string;
  checks: Record<string, { ok: boolean; reason?: string }>;
}

/** undefined where it does not answer in JSON. */
async function ask<T>(url: string): Promise<T | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    return (await response.json()) as T;
  } catch {
    return undefined;
  }
}

function notReady(url: string, checks: Readiness["checks"]): string {
  const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
  return `Deployed at ${url}, but not ready:\n${failing.map(([name, { reason }]) => `  ${name}: ${reason}`).join("\n")}`;
}

function nextStep(url: string): string {
  return `
linkledger is ready at ${url}

  No operator yet? Create the first, who signs in at ${url}/login :
    npm run operator:create -- --remote EMAIL
`;
}

/** Runs wrangler in the caller's terminal, so that it may ask there. */
function run(args: string[], environment: Record<string, string> = {}): void {
  const { status, error } = spawnSync("wrangler", args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(failed(args, error?.message));
}

/** Runs wrangler and reads what it prints. Throws with what it printed when it fails. */
function read<T>(args: string[], parse: (output: string) => T = JSON.parse): T {
  const { status, error, stdout, stderr } = spawnSync("wrangler", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(failed(args, error?.message ?? `${stdout}${stderr}`.trim()));
  return parse(stdout);
}

function failed(args: string[], why = ""): string {
  const command = args.filter((arg) => arg !== "--config" && arg !== WITH_IDS).join(" ");
  return `${why}\n\nwrangler ${command} failed. Signed in? \`npx wrangler login\` does it, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID, with more than one account). Nothing that was done is lost: run the command again.`;
}
