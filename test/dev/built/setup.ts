import type { TestProject } from "vitest/node";
import { buildWorker } from "../../built-worker.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Worker as `wrangler deploy` uploads it. */
    worker: ReturnType<typeof buildWorker>;
  }
}

/** Builds the Worker once, for all files in this folder. */
export default function setup({ provide }: TestProject): void {
  provide("worker", buildWorker());
}
