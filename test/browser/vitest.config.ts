/** The browser tests: a real browser against `npm start`. */
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/server.ts"],
    // One service and its limit on passwords serve all files, so they go one after the other.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
