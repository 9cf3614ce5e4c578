/**
 * Finds or creates the databases and KV namespaces by name, migrates the databases, deploys the code, and waits until the service
 * reports that it is ready. Running it again is safe: nothing is created or applied twice.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../command.ts";
import type { Wrangler } from "../wrangler.ts";
import { Cloudflare, findOrCreate, type Ids } from "./cloudflare.ts";
import { listDatabases, type Plan, planDatabases, setIds } from "./databases.ts";
import { readDeployOptions, USAGE } from "./options.ts";
import { type Deployment, waitUntilReady } from "./ready.ts";
import { addShards, readSettings, resourceName, type Settings } from "./settings.ts";
import { setIdentity } from "./shard-identity.ts";

/** What is deployed, and how. Tests replace both. */
export interface Checkout {
  /** Has wrangler.toml. */
  folder: string;
  wrangler: Wrangler;
}

/** `pause` takes a second; it is called between two looks at the deployed service. Throws CommandError. */
export async function deploy(
  args: string[],
  { folder, wrangler }: Checkout,
  pause: () => Promise<void>,
): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const options = readDeployOptions(args);
  const file = join(folder, "wrangler.toml");
  const settings = readSettings(file, options.env);
  const cloudflare = new Cloudflare(folder, wrangler);
  try {
    const plan = await planDatabases(cloudflare, settings, options);
    addShards(file, plan.added);
    await createDatabases(cloudflare, settings, plan);
    await migrate(cloudflare, settings);
    if (!plan.isStored) await storePlaces(cloudflare, plan.shards);
    await createNamespaces(cloudflare, settings);
    await waitUntilReady(await deployCode(cloudflare), pause);
  } finally {
    cloudflare.close();
  }
  console.log(nextStep(options.env));
}

async function createDatabases(cloudflare: Cloudflare, settings: Settings, plan: Plan): Promise<void> {
  const { d1_databases: databases } = settings;
  const names = databases.filter((one) => !one.database_id || plan.found.has(one.database_name));
  setIds(
    databases,
    await findOrCreate(
      "D1 database",
      names.map((one) => one.database_name),
      plan.create,
      () => listDatabases(cloudflare),
      plan.found,
    ),
  );
  cloudflare.use(settings);
}

/** Before the new code, while the old code still runs. */
async function migrate(cloudflare: Cloudflare, { d1_databases: databases }: Settings): Promise<void> {
  for (const { binding } of databases) {
    // wrangler asks for confirmation only for DB, unless CI is set already.
    const environment: Record<string, string> = binding === "DB" ? {} : { CI: "true" };
    await cloudflare.run(["d1", "migrations", "apply", binding, "--remote"], environment);
  }
}

/** DB is last: when it stores the number, every shard does. */
async function storePlaces(cloudflare: Cloudflare, shards: number): Promise<void> {
  if (shards === 0) return;
  const indexes = Array.from({ length: shards }, (_, index) => index);
  for (const index of [...indexes, null]) {
    const binding = index === null ? "DB" : `LEDGER_${index}`;
    if ((await cloudflare.execute(binding, setIdentity(shards, index))).length === 0)
      throw new CommandError(
        `The database of ${binding} has costs or clicks, or is part of another ledger. It was not changed. Check its name in wrangler.toml.`,
      );
    console.log(`${binding}: ${index === null ? "DB" : `shard ${index}`} of ${shards} shards.`);
  }
}

/** wrangler creates namespaces by these titles too, but finds none that an interrupted deployment has created. */
async function createNamespaces(cloudflare: Cloudflare, settings: Settings): Promise<void> {
  const withoutId = settings.kv_namespaces.filter(({ id }) => !id);
  const titleOf = ({ binding }: { binding: string }) => resourceName(settings, binding);
  const list = async (): Promise<Ids> => {
    const listed = await cloudflare.readJson<{ title: string; id: string }[]>(["kv", "namespace", "list"]);
    return new Map(listed.map(({ title, id }) => [title, id]));
  };
  const create = (title: string) => cloudflare.read(["kv", "namespace", "create", title]);
  const ids = await findOrCreate("KV namespace", withoutId.map(titleOf), create, list, await list());
  for (const namespace of withoutId) namespace.id = ids.get(titleOf(namespace)) ?? "";
  cloudflare.use(settings);
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

const nextStep = (environment: string | undefined) => `
  No operator yet? Create one, who can then sign in at /login:
    npm run operator:create -- --remote ${environment === undefined ? "" : `--env ${environment} `}EMAIL
`;
