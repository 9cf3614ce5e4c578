/**
 * `npm start`: migrates the local database, adds the demo data to an empty one, starts `wrangler dev` with the given flags, and
 * prints how to begin.
 */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { experimental_readRawConfig, getPlatformProxy } from "wrangler";
import "./quiet.ts";
import { hashToken } from "../auth/secrets.ts";
import { type Ledger, type LedgerBindings, ledgerOf, shardFor } from "../db/ledger/shards.ts";
import { DEMO, DEMO_PASSWORD_HASHES, demoRows } from "./demo.ts";
import { type DemoState, greeting } from "./greeting.ts";
import { setIdentity } from "./shard-identity.ts";

const flags = process.argv.slice(2);
const { values } = parseArgs({
  args: flags,
  options: { "persist-to": { type: "string" }, config: { type: "string", short: "c" } },
  strict: false,
  allowPositionals: true,
});
const persistTo = typeof values["persist-to"] === "string" ? values["persist-to"] : undefined;

migrate();
serve(await seed());

function migrate(): void {
  const state = persistTo ? ["--persist-to", persistTo] : [];
  const config = typeof values.config === "string" ? values.config : undefined;
  const { rawConfig } = experimental_readRawConfig({ config });
  for (const { binding } of rawConfig.d1_databases ?? []) {
    const { status, stdout, stderr } = spawnSync(
      "wrangler",
      ["d1", "migrations", "apply", binding, "--local", ...state, ...(config ? ["--config", config] : [])],
      {
        env: { ...process.env, CI: "true" },
        encoding: "utf8",
      },
    );
    if (status === 0) continue;
    console.error(`Migrating the local database ${binding} failed.\n${stdout}${stderr}`);
    process.exit(1);
  }
}

/** Adds the demo data to an empty database, with each row of the ledger in its shard. */
async function seed(): Promise<DemoState> {
  const { env, dispose } = await getPlatformProxy<LedgerBindings>({
    ...(typeof values.config === "string" && { configPath: values.config }),
    persist: persistTo ? { path: join(persistTo, "v3") } : true,
    // Even if wrangler.toml sets `remote`, demo data must not reach a deployed database.
    remoteBindings: false,
  });
  try {
    const { DB } = env;
    const ledger = ledgerOf(env);
    await storeNumber(ledger);
    const user = await DB.prepare("SELECT id FROM users LIMIT 1").first();
    if (!user) {
      const now = Date.now();
      const rows = Map.groupBy(demoRows(now), ({ key }) => (key ? shardFor(ledger, key) : DB));
      for (const [db, some] of rows) await db.batch(some.map(({ sql }) => db.prepare(sql)));
    }
    const demoApp = await DB.prepare("SELECT id FROM apps WHERE token = ?").bind(DEMO.appToken).first();
    const { results } = await DB.prepare(
      "SELECT token_hash FROM api_tokens UNION ALL SELECT token_hash FROM credentials WHERE revoked_at IS NULL",
    ).all<{ token_hash: string }>();
    const hashes = new Set(results.map((row) => row.token_hash));
    const tokens = {
      API_TOKEN: DEMO.apiToken,
      OPERATOR_TOKEN: DEMO.operatorToken,
      COST_TOKEN: DEMO.costToken,
      TEST_COST_TOKEN: DEMO.testCostToken,
    };
    const users = await DB.prepare("SELECT email, password_hash FROM users").all<{
      email: string;
      password_hash: string | null;
    }>();
    return {
      hasDemo: demoApp !== null,
      tokens: Object.fromEntries(
        Object.entries(tokens).filter(([, token]) =>
          hashes.has(hashToken(token, ["api", "live", "test"]) ?? ""),
        ),
      ),
      logins: new Set(
        users.results
          .filter((user) => user.password_hash === DEMO_PASSWORD_HASHES[user.email])
          .map((user) => user.email),
      ),
    };
  } finally {
    await dispose();
  }
}

/** Stores the number of shards in wrangler.toml. Exits if the local data has another number, which cannot change. */
async function storeNumber({ control, shards }: Ledger): Promise<void> {
  for (const [index, db] of [...shards.entries(), [null, control] as const]) {
    const { results } = await db.prepare(setIdentity(shards.length, index)).all();
    if (results.length > 0) continue;
    console.error(
      `The local data does not fit the ${shards.length} LEDGER_ bindings in wrangler.toml: the number of shards cannot change. Delete .wrangler/state, or use other data with --persist-to DIR.`,
    );
    process.exit(1);
  }
}

function serve(demo: DemoState): void {
  const server = spawn("wrangler", ["dev", "--local", "--show-interactive-dev-session=false", ...flags], {
    stdio: ["inherit", "pipe", "inherit"],
  });
  let greeted = false;
  createInterface({ input: server.stdout }).on("line", (line) => {
    console.log(line);
    const [, baseUrl] = /Ready on (https?:\/\/\S+)/.exec(line) ?? [];
    if (!baseUrl || greeted) return;
    greeted = true;
    console.log(greeting(baseUrl, demo));
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));
  server.on("exit", (code) => process.exit(code ?? 0));
}
