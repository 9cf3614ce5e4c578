/** Waits until a deployed version answers and is ready. */
import { CommandError } from "../command.ts";

const MAX_ATTEMPTS = 60;
/** How often the new version must report that it is not ready before the deployment fails. */
const MAX_NOT_READY = 3;

export interface Deployment {
  version: string;
  /** The origin of the deployed Worker; undefined if it has only route patterns. */
  url: string | undefined;
}

/** Throws CommandError if the version reports that it is not ready, or does not respond within a minute. */
export async function waitUntilReady(
  { version, url }: Deployment,
  pause: () => Promise<void>,
): Promise<void> {
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
        console.log(`\nlinkledger is ready at ${url}`);
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
