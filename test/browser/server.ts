/** Runs `npm start` on a free port with its own state for the tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startService } from "../live-service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What `npm start` prints as `NAME=value`. */
    service: Record<string, string>;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const state = await mkdtemp(join(tmpdir(), "linkledger-browser-"));
  const service = await startService(state);
  project.provide("service", service.names);
  return async () => {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  };
}
