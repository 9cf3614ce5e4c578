/** The browser tests: a real browser against `npm start`. */
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { limits } from "../limits.ts";

export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/server.ts"],
    // All files share one service with its password limit, so they run one after the other.
    fileParallelism: false,
    ...limits,
  },
});
