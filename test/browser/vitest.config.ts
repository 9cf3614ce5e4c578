/** The browser tests: a real browser against the built Worker. */
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { limits } from "../vitest.shared.ts";

export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/server.ts"],
    setupFiles: ["test/browser/setup.ts"],
    // As many as the cores of the machines that test.
    maxWorkers: 2,
    // The files of a worker share its browser, and what they import.
    isolate: false,
    ...limits,
  },
});
