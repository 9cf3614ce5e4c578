/** The browser tests: a real browser against the built Worker. */
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { limits } from "../limits.ts";
import { WORKERS } from "./server.ts";

export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/server.ts"],
    maxWorkers: WORKERS,
    ...limits,
  },
});
