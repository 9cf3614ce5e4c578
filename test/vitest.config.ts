import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "..");

export default defineConfig({
  root,
  plugins: [
    cloudflareTest({
      wrangler: { configPath: join(root, "wrangler.toml") },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(join(root, "migrations")),
        },
      },
    }),
  ],
  test: {
    silent: "passed-only",
    include: ["test/**/*.test.ts"],
    exclude: ["test/browser/**", "test/dev/**", "test/bench/**"],
  },
});
