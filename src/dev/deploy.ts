/**
 * `npm run deploy`: finds or creates the databases and KV namespaces in wrangler.toml by name, migrates the databases, deploys the
 * code, and waits until the service reports that it is ready. Running it again is safe: nothing is created or applied twice. The
 * options of a first deployment are in deploy-options.ts.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { experimental_readRawConfig } from "wrangler";
import { prepareDatabases } from "./deployment/databases.ts";
import { readDeployOptions } from "./deployment/options.ts";
import {
  type Configuration,
  findOrCreate,
  ROOT,
  read,
  removeConfiguration,
  run,
  saveConfiguration,
} from "./deployment/wrangler.ts";

const MAX_ATTEMPTS = 60;
/** How often the new version must report that it is not ready before the deployment fails. */
const MAX_NOT_READY = 3;
const PAUSE_MS = 1_000;

const scratch = mkdtempSync(join(tmpdir(), "linkledger-deploy-"));
try {
  const options = readDeployOptions(process.argv.slice(2));
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const configuration = rawConfig as Configuration;
  prepareDatabases(configuration, options);
  setNamespaceIds(configuration);
  saveConfiguration(configuration);
  await waitUntilReady(deploy());
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  removeConfiguration();
  rmSync(scratch, { recursive: true });
}

/** Sets the ID of each namespace that has none. The titles are those that `wrangler deploy` uses, so both find the same ones. */
function setNamespaceIds(configuration: Configuration): void {
  const withoutId = configuration.kv_namespaces.filter(({ id }) => !id);
  if (withoutId.length === 0) return;
  const titleOf = (binding: string) => `${configuration.name}-${binding.toLowerCase().replaceAll("_", "-")}`;
  const ids = findOrCreate(
    "KV namespace",
    withoutId.map(({ binding }) => titleOf(binding)),
    (title) => ["kv", "namespace", "create", title],
    () => {
      const listed = read<{ title: string; id: string }[]>(["kv", "namespace", "list"]);
      return new Map(listed.map(({ title, id }) => [title, id]));
    },
  );
  for (const namespace of withoutId) namespace.id = ids.get(titleOf(namespace.binding)) ?? "";
}

interface Deployment {
  version: string;
  /** The origin of the deployed Worker; undefined if it has only route patterns. */
  url: string | undefined;
}

function deploy(): Deployment {
  const report = join(scratch, "report.jsonl");
  run(["deploy"], { WRANGLER_OUTPUT_FILE_PATH: report });
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
