/** Runs `npm start` on a free port with its own state for the tests, and without the limit of reports. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { experimental_readRawConfig } from "wrangler";
import { startService } from "../live-service.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Next to wrangler.toml, so that relative paths still resolve. */
const CONFIG = join(ROOT, ".wrangler.browser.json");

declare module "vitest" {
  interface ProvidedContext {
    /** What `npm start` prints as `NAME=value`. */
    service: Record<string, string>;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const state = await mkdtemp(join(tmpdir(), "linkledger-browser-"));
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
  const ratelimits = rawConfig.ratelimits?.filter(({ name }: { name: string }) => name !== "REPORTS");
  await writeFile(CONFIG, JSON.stringify({ ...rawConfig, ratelimits }));
  const service = await startService(state, undefined, ["--config", CONFIG]);
  project.provide("service", service.names);
  return async () => {
    await service.stop();
    await rm(CONFIG);
    await rm(state, { recursive: true, force: true });
  };
}
