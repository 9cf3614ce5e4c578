/**
 * `npm start`: reads its flags, migrates the local database, adds the demo data to an empty one, starts `wrangler dev` with the
 * flags, and prints how to begin.
 */
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import "./quiet.ts";
import { judgeAlerts } from "../alerts.ts";
import { hashToken } from "../auth/secrets.ts";
import { databasesOf, type Ledger, type LedgerBindings, ledgerOf } from "../db/ledger/shards.ts";
import { storeActivity } from "../db/operator/partner-activity.ts";
import { storeRates } from "../db/operator/stored-rates.ts";
import { CommandError, runCommand } from "./command.ts";
import { LARGE } from "./demo/large/links.ts";
import { largeRows } from "./demo/large.ts";
import { insertRows } from "./demo/rows.ts";
import { DEMO, DEMO_PASSWORD_HASHES, demoRows } from "./demo.ts";
import { setIdentity } from "./deployment/shard-identity.ts";
import { migrateLocal } from "./local-migrations.ts";
import { type Flags, readStartFlags, USAGE } from "./start/flags.ts";
import { type DemoState, greeting } from "./start/greeting.ts";
import { type Lock, lock } from "./start/lock.ts";

await runCommand(USAGE, async (args) => {
  const flags = readStartFlags(args, process.env);
  const held = await lockState(flags);
  serve(await prepare(flags), held, flags.others);
});

async function lockState({ persistTo, config }: Flags): Promise<Lock> {
  const state = resolve(persistTo ?? join(dirname(config ?? ""), ".wrangler/state"));
  const result = await lock(state);
  if (!("heldBy" in result)) return result;
  const place = result.heldBy && ` at ${result.heldBy}`;
  throw new CommandError(`linkledger is already running${place} with the data in ${state}.

Use that one, stop it with Ctrl+C, or start another with its own data:
  npm start -- --port 9000 --persist-to ANOTHER_DIRECTORY`);
}

/** The folder of the migrations, which all databases in wrangler.toml share. */
async function findMigrations(config: string | undefined): Promise<string> {
  const { experimental_readRawConfig } = await import("wrangler");
  const { rawConfig, configPath = "" } = experimental_readRawConfig({ config });
  return resolve(dirname(configPath), rawConfig.d1_databases?.[0]?.migrations_dir ?? "migrations");
}

/**
 * Migrates all databases. Adds the demo data to an empty one, and the large app to one with the demo, with each row of the ledger
 * in its shard.
 */
async function prepare({ persistTo, config, isLarge }: Flags): Promise<DemoState> {
  // It takes a second to load, after the flags were read.
  const { getPlatformProxy } = await import("wrangler");
  const { env, dispose } = await getPlatformProxy<LedgerBindings>({
    ...(config && { configPath: config }),
    persist: persistTo ? { path: join(persistTo, "v3") } : true,
    // Even if wrangler.toml sets `remote`, demo data must not reach a deployed database.
    remoteBindings: false,
  });
  try {
    const { DB } = env;
    const ledger = ledgerOf(env);
    const migrations = await findMigrations(config);
    for (const db of databasesOf(ledger)) await migrateLocal(db, migrations);
    await storeNumber(ledger);
    const now = Date.now();
    const findApp = (token: string) => DB.prepare("SELECT id FROM apps WHERE token = ?").bind(token).first();
    const user = await DB.prepare("SELECT id FROM users LIMIT 1").first();
    if (!user) await insertRows(demoRows(now), ledger);
    const demoApp = await findApp(DEMO.appToken);
    const isLargeMissing = isLarge && demoApp && !(await findApp(LARGE.appToken));
    // The rows and their statements take seconds, in which workerd closes the idle connection. Node must notice it before a request.
    if (isLargeMissing) await insertRows(largeRows(now), ledger, () => setImmediate());
    // What the hourly job finds in them: `wrangler dev` does not run it.
    if (!user || isLargeMissing) {
      await storeActivity(ledger, now);
      await storeRates(ledger, now);
      await judgeAlerts(ledger, now, false);
    }
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

/** Stores the number of shards in wrangler.toml. Throws CommandError if the local data has another number, which cannot change. */
async function storeNumber({ control, shards }: Ledger): Promise<void> {
  for (const [index, db] of [...shards.entries(), [null, control] as const]) {
    const { results } = await db.prepare(setIdentity(shards.length, index)).all();
    if (results.length > 0) continue;
    throw new CommandError(
      `The local data does not fit the ${shards.length} LEDGER_ bindings in wrangler.toml: the number of shards cannot change. Delete .wrangler/state, or use other data with --persist-to DIR.`,
    );
  }
}

function serve(demo: DemoState, held: Lock, flags: string[]): void {
  // Local operators sign in without a second factor.
  const own = ["--local", "--show-interactive-dev-session=false", "--var", "OPERATOR_MFA:optional"];
  const server = spawn("wrangler", ["dev", ...own, ...flags], { stdio: ["inherit", "pipe", "inherit"] });
  let greeted = false;
  createInterface({ input: server.stdout }).on("line", (line) => {
    console.log(line);
    const [, baseUrl] = /Ready on (https?:\/\/\S+)/.exec(line) ?? [];
    if (!baseUrl || greeted) return;
    greeted = true;
    held.url = baseUrl;
    console.log(greeting(baseUrl, demo));
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));
  // npm passes on no SIGTERM that only its own process got, and the server must not go on without it.
  const npm = process.env.npm_lifecycle_event === "start" ? process.ppid : undefined;
  if (npm !== undefined) setInterval(() => process.ppid !== npm && server.kill(), 500).unref();
  server.on("exit", (code) => {
    process.exitCode = code ?? 0;
  });
}
