/**
 * `npm run deploy`: finds or creates the databases and KV namespaces by name, migrates the databases, deploys the code, and waits until
 * the service reports that it is ready. Running it again is safe: nothing is created or applied twice.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, runCommand } from "./command.ts";
import { type Cloudflare, cloudflareOf } from "./deployment/cloudflare.ts";
import { planDatabases } from "./deployment/databases.ts";
import { readDeployOptions, USAGE } from "./deployment/options.ts";
import { type Deployment, waitUntilReady } from "./deployment/ready.ts";
import { addShards, readSettings } from "./deployment/settings.ts";
import { setIdentity } from "./deployment/shard-identity.ts";
import { type Wrangler, wrangler } from "./wrangler.ts";

/** `pause` waits between two questions to the deployed service. Throws CommandError. */
export async function deploy(
  args: string[],
  { folder, wrangler }: { folder: string; wrangler: Wrangler },
  pause: () => Promise<void>,
): Promise<void> {
  const options = readDeployOptions(args);
  const file = join(folder, "wrangler.toml");
  const settings = await readSettings(file, options.env);
  const cloudflare = cloudflareOf(folder, wrangler, settings);
  const plan = await planDatabases(cloudflare, settings, options);
  addShards(file, plan.added);
  await cloudflare.findOrCreate("D1 database", settings.d1_databases, plan.found, plan.place);
  // Before the new code, while the old code still runs. wrangler asks for confirmation only for DB, unless CI is set already.
  for (const { binding } of settings.d1_databases)
    await cloudflare.run(
      ["d1", "migrations", "apply", binding, "--remote"],
      binding === "DB" ? {} : { CI: "true" },
    );
  if (!plan.isStored) await storePlaces(cloudflare, plan.shards);
  // wrangler creates namespaces with these titles too, but finds none that an interrupted deployment has created.
  await cloudflare.findOrCreate("KV namespace", settings.kv_namespaces);
  console.log(`\n${await waitUntilReady(await deployCode(cloudflare), pause)}`);
  const environment = options.env === undefined ? "" : `--env ${options.env} `;
  if (!plan.hasUsers)
    console.log(`
  There is no user yet. Create an operator, who can then sign in at /login:
    npm run operator:create -- --remote ${environment}EMAIL
`);
}

/** DB is last: when it stores the number, every shard does. */
async function storePlaces(cloudflare: Cloudflare, shards: number): Promise<void> {
  for (const index of shards > 0 ? [...Array(shards).keys(), null] : []) {
    const binding = index === null ? "DB" : `LEDGER_${index}`;
    if ((await cloudflare.execute(binding, setIdentity(shards, index))).length === 0)
      throw new CommandError(
        `The database of ${binding} has costs or clicks, or is part of another ledger. It was not changed. Check its name in wrangler.toml.`,
      );
  }
}

async function deployCode(cloudflare: Cloudflare): Promise<Deployment> {
  const scratch = mkdtempSync(join(tmpdir(), "linkledger-deploy-"));
  try {
    const report = join(scratch, "report.jsonl");
    await cloudflare.run(["deploy"], { WRANGLER_OUTPUT_FILE_PATH: report });
    const entries = readFileSync(report, "utf8").trim().split("\n");
    const entry = entries.map((line) => JSON.parse(line)).find(({ type }) => type === "deploy");
    const targets: string[] = entry?.targets ?? [];
    const address = targets.find((target) => /^https?:/.test(target));
    const domain = targets.find((target) => target.includes("(custom domain"))?.split(" ")[0];
    return { version: entry?.version_id, url: address ?? (domain && `https://${domain}`) };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, "../..");
  await runCommand(USAGE, (args) => deploy(args, { folder, wrangler }, () => sleep(1_000)));
}
