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

/** Returns the text to print. Throws CommandError if the version is not ready, or does not respond within a minute. */
export async function waitUntilReady(
  { version, url }: Deployment,
  pause: () => Promise<void>,
): Promise<string> {
  if (!url)
    return "Deployed. The Worker has only routes and no URL of its own. Check /readyz on one of its routes.";
  for (let attempt = 1, notReady = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    const health = await ask(`${url}/healthz?deployment=${version}`);
    const { status, checks } = health.runs_deployment ? await ask(`${url}/readyz`) : {};
    if (status === "ready") return `linkledger is ready at ${url}`;
    if (checks && ++notReady === MAX_NOT_READY) {
      const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
      const reasons = failing.map(([name, { reason }]) => `\n  ${name}: ${reason}`);
      throw new CommandError(`Deployed at ${url}, but not ready:${reasons.join("")}`);
    }
    await pause();
  }
  throw new CommandError(
    `Deployed, but version ${version} did not respond at ${url}/healthz within a minute. A new URL can take some minutes to work. Check ${url}/readyz again later.`,
  );
}

interface Answer {
  runs_deployment?: boolean;
  status?: string;
  checks?: Record<string, { ok: boolean; reason?: string }>;
}

/** Returns an empty answer if there is none, or if it is not JSON. */
async function ask(url: string): Promise<Answer> {
  const response = fetch(url, { signal: AbortSignal.timeout(10_000) });
  return response.then((one) => one.json() as Promise<Answer>).catch(() => ({}));
}
