import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { transform } from "esbuild";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import { limits } from "./vitest.shared.ts";

/** What `npm run test:long` adds, see test/part.ts. */
const isLong = process.env.LONG === "1";

// Tests run most code too few times to get back what optimizing it takes. With more room for what is short-lived, less is collected.
if (!isLong) process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--no-turbofan --min-semi-space-size=16";

const root = join(import.meta.dirname, "..");
const TEST_MIGRATIONS = await readD1Migrations({
  projectPath: root,
  migrationsDir: "migrations",
  migrationsPattern: "migrations/[0-9]*.sql",
});

const { SEED = "", SEED_PATH = "" } = process.env;

/** As in a build. Pages send the text of these functions, and bounds are of what pages send. */
const minifyScripts: Plugin = {
  name: "minify-scripts",
  transform: async (code, id) =>
    id.endsWith(".client.js") ? transform(code, { minify: true, target: "es2024" }) : undefined,
};

/** The Worker's bindings in wrangler.toml, plus the given ones. */
const worker = (bindings: Record<string, string>, d1Databases: string[] = []) =>
  cloudflareTest({
    wrangler: { configPath: join(root, "wrangler.toml") },
    miniflare: {
      // As with npm start. Tests of two-factor authentication choose for themselves.
      bindings: {
        ...{ TEST_MIGRATIONS, OPERATOR_MFA: "optional", LONG: isLong ? "1" : "", SEED, SEED_PATH },
        ...bindings,
      },
      d1Databases,
      r2Buckets: ["TEST_BUCKET"],
      email: { send_email: [{ name: "TEST_EMAIL" }] },
    },
  });

/** With the same plugins and CSS, the second project reads from the cache on disk what Vite made of the modules for the first one. */
const shared = {
  ...limits,
  setupFiles: ["test/setup.ts"],
  // Otherwise `?raw` reads styles as empty texts.
  css: true,
};
const exclude = ["test/browser/**", "test/dev/**", "test/linear/**", "test/bench/**"];

/** The files that run with four shards and the queue too, because they depend on where a row is. */
const ON_SHARDS = [
  "test/shards/*.test.ts",
  "test/alerts/kinds.test.ts",
  "test/cost/{list,batch,stopped,rejected-list,test-credential,void}.test.ts",
  "test/engagement/{audience,queue,faults,held-prices,repeated-ids}.test.ts",
  "test/purge/{purge,archive}.test.ts",
  "test/operator/{voids,rates,partner-activity,partner-costs,archive,start,start-urls,url-prices}.test.ts",
  "test/reports/{audience,changes,reports-model}.test.ts",
  "test/partner/{missing,totals,upload}.test.ts",
  "test/db/ledger-model.test.ts",
  "test/workspace/{overview,unused,link-test,start}.test.ts",
  "test/model/*.test.ts",
];
/** The other files of the ledger. */
const ON_SHARDS_TOO = [
  "test/cost/*.test.ts",
  "test/engagement/*.test.ts",
  "test/purge/*.test.ts",
  "test/reports/*.test.ts",
  "test/alerts/{model,kinds}.test.ts",
  "test/workspace/{adjusted,performance,spend,links,link,link-test,start,frame}.test.ts",
  "test/db/{ledger-*,restore,workspace-budgets}.test.ts",
  "test/operator/{adjustments,url-price-faults}.test.ts",
  "test/partner/*.test.ts",
];

/** The slowest files of each project. They start first, so that no core is idle while the last file runs. */
const SLOW = [
  "faults/each-call",
  "db/ledger-budgets",
  "purge/purge",
  "db/ledger-model",
  "model/service-model",
  "security/input",
  "security/pages",
  "purge/archive-faults",
  "operator/own-password",
  "reports/too-large",
  "reports/demo-large",
];

/** One project after the other, because a process that takes a file of another project starts again. */
class SlowFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer["sort"]>[0]) {
    const place = ({ moduleId }: { moduleId: string }) =>
      SLOW.some((name) => moduleId.includes(name)) ? 0 : 1;
    const sorted = await super.sort(files);
    const grouped = Map.groupBy(sorted, ({ project }) => project.name);
    return ["four shards", "one database"].flatMap((name) => {
      const own = grouped.get(name) ?? [];
      return own.toSorted((one, other) => place(one) - place(other));
    });
  }
}

export default defineConfig({
  test: {
    silent: "passed-only",
    sequence: { sequencer: SlowFirst },
    // By default, Vitest leaves one core free, which is half of a machine with two.
    maxWorkers: "100%",
    // The files of a worker share its process and its modules, see test/setup.ts.
    isolate: false,
    projects: [
      {
        root,
        plugins: [minifyScripts, worker({})],
        test: {
          name: "one database",
          ...shared,
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, "test/shards/**"],
        },
      },
      // Runs tests of the ledger again with four shards and the queue: in `npm test` those that shards can break.
      {
        root,
        plugins: [
          minifyScripts,
          worker({ TEST_QUEUE: "on" }, ["LEDGER_0", "LEDGER_1", "LEDGER_2", "LEDGER_3"]),
        ],
        test: {
          name: "four shards",
          ...shared,
          include: isLong ? [...ON_SHARDS, ...ON_SHARDS_TOO] : ON_SHARDS,
          exclude,
        },
      },
    ],
  },
});
