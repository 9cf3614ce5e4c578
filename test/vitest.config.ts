import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..");
const TEST_MIGRATIONS = await readD1Migrations(join(root, "migrations"));

/** The Worker's bindings in wrangler.toml, plus the given ones. */
const worker = (bindings: Record<string, string>, d1Databases: string[] = []) =>
  cloudflareTest({
    wrangler: { configPath: join(root, "wrangler.toml") },
    miniflare: { bindings: { TEST_MIGRATIONS, ...bindings }, d1Databases, r2Buckets: ["TEST_BUCKET"] },
  });

const setupFiles = ["test/setup.ts"];
const exclude = ["test/browser/**", "test/dev/**", "test/bench/**"];

export default defineConfig({
  test: {
    silent: "passed-only",
    // No test measures time; a busy machine must not fail one.
    testTimeout: 30_000,
    // By default, Vitest leaves one core free, which is half of a machine with two.
    maxWorkers: "100%",
    // The files of a worker share its process. test/setup.ts gives each its own modules.
    isolate: false,
    projects: [
      {
        root,
        plugins: [worker({})],
        test: {
          name: "one database",
          setupFiles,
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, "test/shards/**"],
        },
      },
      // Runs the ledger's tests again with four shards and the queue.
      {
        root,
        plugins: [worker({ TEST_QUEUE: "on" }, ["LEDGER_0", "LEDGER_1", "LEDGER_2", "LEDGER_3"])],
        test: {
          name: "four shards",
          setupFiles,
          include: [
            "test/shards/*.test.ts",
            "test/cost/*.test.ts",
            "test/engagement/*.test.ts",
            "test/purge/*.test.ts",
            "test/reports/*.test.ts",
            "test/workspace/{overview,spend,links,link,frame}.test.ts",
            "test/db/{ledger-*,restore,workspace-budgets}.test.ts",
            "test/model/*.test.ts",
            "test/operator/{voids,adjustments,rates,archive}.test.ts",
            "test/partner/*.test.ts",
          ],
          exclude,
        },
      },
    ],
  },
});
