import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The tests of the commands in src/dev. They run in Node, not in the Worker's runtime. */
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  // A test starts wrangler up to 40 times. None measures time, and a busy machine must not fail one.
  test: {
    include: ["test/dev/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: "100%",
  },
});
