/** Runs the built Worker for each of the two workers that take the files, with its own demo data and without limits of rate. */
import type { TestProject } from "vitest/node";
import { buildWorker } from "../built-worker.ts";
import { startBuiltService } from "../live-service.ts";

/** As many as the cores of the machines that test. */
export const WORKERS = 2;

declare module "vitest" {
  interface ProvidedContext {
    /** For each worker, what `npm start` prints as `NAME=value`. */
    services: Record<string, string>[];
    /** The Worker as `wrangler deploy` uploads it. */
    script: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { script } = buildWorker();
  const services = await Promise.all(Array.from({ length: WORKERS }, () => startBuiltService(script)));
  project.provide(
    "services",
    services.map(({ names }) => names),
  );
  project.provide("script", script);
  return async () => {
    await Promise.all(services.map(({ stop }) => stop()));
  };
}
