import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The tests of the commands in src/dev. They run in Node, not in the Worker's runtime. */
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  test: { include: ["test/dev/**/*.test.ts"], testTimeout: 30_000 },
});
