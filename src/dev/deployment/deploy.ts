/**
 * Finds or creates the databases and KV namespaces in wrangler.toml by name, migrates the databases, deploys the code, and waits
 * until the service reports that it is ready. Running it again is safe: nothing is created or applied twice.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { experimental_readRawConfig } from "wrangler";
import { CommandError } from "../command.ts";
import {
  type Checkout,
  type Configuration,
  findOrCreate,
  read,
  removeConfiguration,
  run,
  saveConfiguration,
  settingsFile,
} from "./checkout.ts";
import { prepareDatabases } from "./databases.ts";
import { readDeployOptions } from "./options.ts";
import { rejectLocalSettings } from "./settings.ts";

const MAX_ATTEMPTS = 60;
/** How often the new version must report that it is not ready before the deployment fails. */
const MAX_NOT_READY = 3;

/** `pause` takes a second; it is called between two looks at the deployed service. Throws CommandError. */
export async function deploy(args: string[], checkout: Checkout, pause: () => Promise<void>): Promise<void> {
  const options = readDeployOptions(args);
  const { rawConfig } = experimental_readRawConfig({ config: settingsFile(checkout) });
  const configuration = rawConfig as Configuration;
  rejectLocalSettings(configuration);
  try {
    prepareDatabases(checkout, configuration, options);
    setNamespaceIds(checkout, configuration);
    saveConfiguration(checkout, configuration);
    await waitUntilReady(deployCode(checkout), pause);
  } finally {
    removeConfiguration(checkout);
  }
}

/** Sets the ID of each namespace that has none. The titles are those that `wrangler deploy` uses, so both find the same ones. */
function setNamespaceIds(checkout: Checkout, configuration: Configuration): void {
  const withoutId = configuration.kv_namespaces.filter(({ id }) => !id);
  if (withoutId.length === 0) return;
  const titleOf = (binding: string) => `${configuration.name}-${binding.toLowerCase().replaceAll("_", "-")}`;
  const ids = findOrCreate(
    checkout,
    "KV namespace",
    withoutId.map(({ binding }) => titleOf(binding)),
    (title) => ["kv", "namespace", "create", title],
    () => {
      const listed = read<{ title: string; id: string }[]>(checkout, ["kv", "namespace", "list"]);
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

function deployCode(checkout: Checkout): Deployment {
  const scratch = mkdtempSync(join(tmpdir(), "linkledger-deploy-"));
  try {
    const report = join(scratch, "report.jsonl");
    run(checkout, ["deploy"], { WRANGLER_OUTPUT_FILE_PATH: report });
    const entries = readFileSync(report, "utf8").trim().split("\n");
    const entry = entries.map((line) => JSON.parse(line)).find(({ type }) => type === "deploy");
    const targets: string[] = entry?.targets ?? [];
    const address = targets.find((target) => /^https?:/.test(target));
    const domain = targets.find((target) => target.includes("(custom domain"))?.split(" ")[0];
    return { version: entry?.version_id, url: address ?? (domain && `https://${domain}`) };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Waits until the new version is ready. Throws if it reports that it is not, or does not respond within a minute. */
async function waitUntilReady({ version, url }: Deployment, pause: () => Promise<void>): Promise<void> {
  if (!url) {
    console.log(
      "\nDeployed. The Worker has only routes and no URL of its own. Check /readyz on one of its routes.",
    );
    return;
  }
  for (let attempt = 1, notReady = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    const health = await fetchJson<{ runs_deployment: boolean }>(`${url}/healthz?deployment=${version}`);
    if (health?.runs_deployment) {
      const readiness = await fetchJson<Readiness>(`${url}/readyz`);
      if (readiness?.status === "ready") {
        console.log(nextStep(url));
        return;
      }
      if (readiness?.checks && ++notReady === MAX_NOT_READY)
        throw new CommandError(describeFailedChecks(url, readiness.checks));
    }
    await pause();
  }
  throw new CommandError(
    `Deployed, but version ${version} did not answer at ${url}/healthz within a minute. A new URL can take some minutes to work. Check ${url}/readyz again later.`,
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
