import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the databases. */
    state: string;
  }
}

/** Creates a folder for the databases of this run, and removes it in the end, while the last Worker may still write to it. */
export default function setup({ provide }: TestProject): () => void {
  const state = mkdtempSync(join(tmpdir(), "linkledger-built-"));
  provide("state", state);
  return () => rmSync(state, { recursive: true, force: true, maxRetries: 10 });
}
