/** Builds the Worker once for all files. */
import type { TestProject } from "vitest/node";
import { buildWorker } from "../built-worker.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Worker as `wrangler deploy` uploads it. */
    script: string;
  }
}

export default function setup(project: TestProject): void {
  project.provide("script", buildWorker().script);
}
