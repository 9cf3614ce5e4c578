/** Tests `npm run deploy` with a stub of wrangler instead of a Cloudflare account. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { experimental_readRawConfig } from "wrangler";
import { readDeployOptions } from "../../src/dev/deployment/options.ts";
import { type Account, openDatabase } from "./wrangler-stub.ts";

const ROOT = join(import.meta.dirname, "../..");
const READY = { status: "ready", checks: {} };

let folder: string;
let server: Server;
let url: string;
let requests: string[];
let respond: (path: string) => { status?: number; body: object } | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "linkledger-stub-"));
  const stub = join(ROOT, "test/dev/wrangler-stub.ts");
  const node = `"${process.execPath}" --disable-warning=ExperimentalWarning`;
  writeFileSync(join(folder, "wrangler"), `#!/bin/sh\nexec ${node} "${stub}" "$@"\n`, { mode: 0o755 });
  // A checkout of its own, because a first deployment with shards changes wrangler.toml.
  for (const part of ["src/dev", "migrations", "wrangler.toml", "package.json"]) {
    cpSync(join(ROOT, part), join(checkout(), part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout(), "node_modules"));
  requests = [];
  respond = (path) => ({ body: path === "/healthz" ? { deployment: "version-2" } : READY });
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const { status = 200, body } = respond(path) ?? { status: 404, body: {} };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, listening));
  const address = server.address();
  url = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
  save({
    databases: [],
    namespaces: [],
    targets: [url, "schedule: 17 * * * *"],
    version: "version-2",
    calls: [],
  });
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const checkout = () => join(folder, "checkout");
const toml = () => readFileSync(join(checkout(), "wrangler.toml"), "utf8");
const accountFile = () => join(folder, "account.json");
const account = (): Account => JSON.parse(readFileSync(accountFile(), "utf8"));
const save = (changed: Account) => writeFileSync(accountFile(), JSON.stringify(changed));
/** The calls since the last time. SQL is replaced by what it does. */
function commands(): string[] {
  const { calls, ...rest } = account();
  save({ ...rest, calls: [] });
  return calls.map(({ command }) => {
    const [, before, sql] = /^(d1 execute \w+) --remote --yes --json --command (.*)$/s.exec(command) ?? [];
    return sql ? `${before}: ${sql.startsWith("UPDATE") ? "store" : "read"}` : command;
  });
}

async function deploy(...flags: string[]) {
  const child = spawn(process.execPath, [join(checkout(), "src/dev/deploy.ts"), ...flags], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, STUB_ACCOUNT: accountFile() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null>((exited) => child.on("exit", exited));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exit, out, error };
}

/** What a database stores about its place. */
function stored(name: string) {
  const uuid = account().databases.find((database) => database.name === name)?.uuid ?? "";
  const database = openDatabase(accountFile(), uuid);
  const row = database.prepare("SELECT shards, shard_index FROM shard_identity").get();
  database.close();
  return { ...row };
}

test("creates the database and the namespaces in an empty account, then migrates, then deploys", async () => {
  const { code, out, error } = await deploy();
  expect({ code, error }).toEqual({ code: 0, error: "" });
  expect(commands()).toEqual([
    "d1 list --json",
    "d1 create linkledger",
    "d1 list --json",
    "d1 migrations apply DB --remote",
    "kv namespace list",
    "kv namespace create linkledger-tokens",
    "kv namespace create linkledger-links",
    "kv namespace list",
    "deploy",
  ]);
  expect(stored("linkledger")).toEqual({ shards: 0, shard_index: null });
  expect(requests).toEqual(["/healthz", "/readyz"]);
  expect(out).toContain(`linkledger is ready at ${url}`);
  expect(out).toContain("npm run operator:create -- --remote EMAIL");
  expect(existsSync(join(checkout(), ".wrangler.deploy.json"))).toBe(false);
  expect(toml()).toBe(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
  expect(toml()).not.toMatch(/^\s*(database_)?id\s*=/m);
});

test("creates nothing on a second run and deploys with the IDs that it finds", async () => {
  const existing = {
    databases: [
      { name: "another", uuid: "1" },
      { name: "linkledger", uuid: "2" },
    ],
    namespaces: [
      { title: "linkledger-links", id: "3" },
      { title: "linkledger-tokens", id: "4" },
    ],
  };
  save({ ...account(), ...existing });
  expect((await deploy()).code).toBe(0);
  const { calls, ...after } = account();
  expect(after).toMatchObject(existing);
  expect(commands()).toEqual([
    "d1 list --json",
    "d1 execute DB: read",
    "d1 migrations apply DB --remote",
    "kv namespace list",
    "deploy",
  ]);
  expect(calls.at(-1)?.configuration).toMatchObject({
    name: "linkledger",
    main: "src/index.ts",
    triggers: { crons: ["17 * * * *"] },
    d1_databases: [{ binding: "DB", database_name: "linkledger", database_id: "2" }],
    kv_namespaces: [
      { binding: "TOKENS", id: "4" },
      { binding: "LINKS", id: "3" },
    ],
  });
});

test("continues an interrupted run, and does not deploy when the migration fails", async () => {
  save({
    ...account(),
    databases: [{ name: "linkledger", uuid: "2" }],
    namespaces: [{ title: "linkledger-tokens", id: "4" }],
    failing: "d1 migrations apply",
  });
  const { code, error } = await deploy();
  expect(code).toBe(1);
  expect(error).toContain("A request to the Cloudflare API failed.");
  expect(error).toContain("wrangler d1 migrations apply DB --remote failed");
  expect(commands()).toEqual(["d1 list --json", "d1 execute DB: read", "d1 migrations apply DB --remote"]);
  expect(requests).toEqual([]);
  save({ ...account(), failing: "nothing" });
  expect((await deploy()).code).toBe(0);
  expect(commands()).toEqual([
    "d1 list --json",
    "d1 execute DB: read",
    "d1 migrations apply DB --remote",
    "kv namespace list",
    "kv namespace create linkledger-links",
    "kv namespace list",
    "deploy",
  ]);
});

test("waits for the new version and ignores responses of the old one", async () => {
  let healthChecks = 0;
  respond = (path) => {
    if (path !== "/healthz") return { body: READY };
    return ++healthChecks === 1
      ? { body: { deployment: "version-1" } }
      : { body: { deployment: "version-2" } };
  };
  expect((await deploy()).code).toBe(0);
  expect(requests).toEqual(["/healthz", "/healthz", "/readyz"]);
});

test("fails with the reason when the new version is not ready", async () => {
  const checks = { database: { ok: true }, cron: { ok: false, reason: "The hourly run is overdue." } };
  respond = (path) =>
    path === "/healthz"
      ? { body: { deployment: "version-2" } }
      : { status: 503, body: { status: "not ready", checks } };
  const { code, error, out } = await deploy();
  expect(code).toBe(1);
  expect(error).toContain("cron: The hourly run is overdue.");
  expect(error).not.toContain("database:");
  expect(out).not.toContain("is ready at");
});

test("asks to check /readyz when the Worker has only routes", async () => {
  save({ ...account(), targets: ["example.com/* (zone name: example.com)"] });
  const { code, out } = await deploy();
  expect(code).toBe(0);
  expect(out).toContain("Check /readyz");
});

/** A deployment with four shards, of which each test gets a copy. */
let deployed: string | undefined;

async function restoreDeployed(): Promise<void> {
  if (deployed) {
    cpSync(deployed, folder, { recursive: true });
    save({ ...account(), targets: [url] });
  } else {
    expect((await deploy("--shards", "4")).code).toBe(0);
    deployed = mkdtempSync(join(tmpdir(), "linkledger-deployed-"));
    const filter = (path: string) => !path.endsWith("node_modules");
    cpSync(folder, deployed, { recursive: true, filter });
  }
  commands();
}
afterAll(() => {
  if (deployed) rmSync(deployed, { recursive: true });
});

const namesOf = (count: number) => [
  "linkledger",
  ...Array.from({ length: count }, (_, index) => `linkledger-ledger-${index}`),
];
/** What DB and then each shard stores. */
const placesOf = (count: number) =>
  namesOf(count).map((_, index) => ({ shards: count, shard_index: index === 0 ? null : index - 1 }));
const FOUR = ["DB", "LEDGER_0", "LEDGER_1", "LEDGER_2", "LEDGER_3"];
const ids = /^\s*(database_)?id\s*=/m;

/** Expects that a deployment changes nothing. */
async function expectRejection(flags: string[], message: string) {
  const before = { toml: toml(), databases: account().databases, namespaces: account().namespaces };
  const { code, error } = await deploy(...flags);
  expect(error).toContain(message);
  expect(error).toContain("Nothing was changed.");
  expect(code).toBe(1);
  const { databases, namespaces } = account();
  expect({ toml: toml(), databases, namespaces }).toEqual(before);
  for (const command of commands()) expect(command).toMatch(/^d1 (list --json|execute DB: read)$/);
  expect(existsSync(join(checkout(), ".wrangler.deploy.json"))).toBe(false);
}

describe("a first deployment with --shards", () => {
  test("creates, binds and migrates them, and stores their number and indexes before it deploys the code", async () => {
    const before = toml();
    const { code, error, out } = await deploy("--shards", "4");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(commands()).toEqual([
      "d1 list --json",
      ...namesOf(4).map((name) => `d1 create ${name}`),
      "d1 list --json",
      ...FOUR.map((binding) => `d1 migrations apply ${binding} --remote`),
      ...[...FOUR.slice(1), "DB"].map((binding) => `d1 execute ${binding}: store`),
      "kv namespace list",
      "kv namespace create linkledger-tokens",
      "kv namespace create linkledger-links",
      "kv namespace list",
      "deploy",
    ]);
    expect(out).toContain("wrangler.toml: bindings of 4 shards added");
    expect(namesOf(4).map(stored)).toEqual(placesOf(4));
    expect(toml().startsWith(before)).toBe(true);
    expect(toml()).not.toMatch(ids);
    const { rawConfig } = experimental_readRawConfig({ config: join(checkout(), "wrangler.toml") });
    expect(rawConfig.d1_databases).toEqual(
      FOUR.map((binding, index) => ({
        binding,
        database_name: namesOf(4)[index],
        migrations_dir: "migrations",
      })),
    );
    expect(rawConfig.triggers).toEqual({ crons: ["17 * * * *"] });
  });

  test.each([
    ["the creation of a database", "d1 create linkledger-ledger-1", "d1 create"],
    ["a migration", "d1 migrations apply LEDGER_1", "d1 migrations apply"],
    ["storing the number in DB", "d1 execute DB --remote --yes --json --command UPDATE", "d1 execute DB"],
    ["the deployment", "deploy", "deploy"],
  ])("continues after %s failed, also without the flag", async (_, failing, named) => {
    save({ ...account(), failing });
    const { code, error } = await deploy("--shards", "2");
    expect(code).toBe(1);
    expect(error).toContain(`wrangler ${named}`);
    expect(error).toContain("it continues where it stopped");
    expect(requests).toEqual([]);
    const written = toml();
    save({ ...account(), failing: "nothing" });
    expect(await deploy()).toMatchObject({ code: 0, error: "" });
    expect([toml(), namesOf(2).map(stored)]).toEqual([written, placesOf(2)]);
    expect(account().databases.map(({ name }) => name)).toEqual(namesOf(2));
    expect(written).not.toMatch(ids);
  });

  test("continues in the jurisdiction of the first database, and rejects another one and another number", async () => {
    save({ ...account(), failing: "d1 create linkledger-ledger-0" });
    expect((await deploy("--shards", "2", "--jurisdiction", "eu")).code).toBe(1);
    save({ ...account(), failing: "nothing" });
    commands();
    await expectRejection(["--jurisdiction", "fedramp"], "linkledger exists in the jurisdiction eu, which");
    await expectRejection(["--shards", "4"], "wrangler.toml binds 2 shards.");
    expect((await deploy()).code).toBe(0);
    expect(commands()).toContain("d1 create linkledger-ledger-1 --jurisdiction eu");
    expect(account().databases.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu", "eu"]);
  });

  test("stops at a database of another ledger", async () => {
    const uuid = "of-another";
    save({ ...account(), databases: [{ name: "linkledger-ledger-1", uuid }] });
    const other = openDatabase(accountFile(), uuid);
    other.exec("CREATE TABLE shard_identity AS SELECT 1 AS id, 8 AS shards, 1 AS shard_index");
    for (const table of ["ledger_entries", "daily_totals"]) other.exec(`CREATE TABLE ${table} (a)`);
    other.close();
    const { code, error } = await deploy("--shards", "2");
    expect(code).toBe(1);
    expect(error).toContain("The database of LEDGER_1 has costs or clicks, or is part of another ledger.");
    expect(commands()).not.toContain("deploy");
    expect([stored("linkledger"), stored("linkledger-ledger-1")]).toEqual([
      { shards: 0, shard_index: null },
      { shards: 8, shard_index: 1 },
    ]);
  });
});

describe("a later deployment", () => {
  beforeEach(restoreDeployed);

  test.each([
    ["without flags", [], true],
    ["with the same number", ["--shards", "4"], true],
    ["without the bindings in wrangler.toml, which it writes again,", [], false],
  ])("%s keeps the shards", async (_, flags, isBound) => {
    const written = toml();
    if (!isBound) cpSync(join(ROOT, "wrangler.toml"), join(checkout(), "wrangler.toml"));
    expect(await deploy(...flags)).toMatchObject({ code: 0, error: "" });
    expect(commands()).toEqual([
      "d1 list --json",
      "d1 execute DB: read",
      "d1 execute DB: read",
      ...FOUR.map((binding) => `d1 migrations apply ${binding} --remote`),
      "kv namespace list",
      "deploy",
    ]);
    expect([toml(), namesOf(4).map(stored)]).toEqual([written, placesOf(4)]);
  });

  test.each([["--shards=8"], ["--shards=0"]])("rejects %s", async (flag) => {
    await expectRejection([flag], "This ledger has 4 shards, and their number cannot change");
  });

  test.each(["--location=weur", "--jurisdiction=eu"])("rejects %s", async (flag) => {
    await expectRejection([flag], `Run the command without ${flag.split("=")[0]}.`);
  });

  test.each([
    [
      "three of four shards",
      (text: string) => text.slice(0, text.lastIndexOf("[[d1")),
      "wrangler.toml binds 3.",
    ],
    [
      "a gap",
      (text: string) => text.replace('"LEDGER_1"', '"LEDGER_4"'),
      "binds 4 shards, but not LEDGER_1.",
    ],
  ])("rejects %s in wrangler.toml", async (_, change, message) => {
    writeFileSync(join(checkout(), "wrangler.toml"), change(toml()));
    await expectRejection([], message);
  });

  test("rejects bindings for a ledger that has rows in DB", async () => {
    const database = openDatabase(accountFile(), "id-of-linkledger");
    database.exec("UPDATE shard_identity SET shards = 0");
    database.exec("INSERT INTO daily_totals VALUES ('app', 1, 1, 1, 'cpc', 'USD', 'matched', 1, 1)");
    database.close();
    await expectRejection([], "DB stores 0 shards, but wrangler.toml binds 4.");
  });

  test("rejects shards for a ledger without", async () => {
    openDatabase(accountFile(), "id-of-linkledger").exec("UPDATE shard_identity SET shards = 0");
    cpSync(join(ROOT, "wrangler.toml"), join(checkout(), "wrangler.toml"));
    await expectRejection(["--shards=4"], "This ledger has 0 shards, and their number cannot change");
  });

  test("rejects an account without one of the databases", async () => {
    const { databases } = account();
    save({ ...account(), databases: databases.filter(({ name }) => name !== "linkledger-ledger-2") });
    await expectRejection([], "This account has no database linkledger-ledger-2 (LEDGER_2)");
  });
});

describe("the flags", () => {
  test("are passed to the creation of every database", async () => {
    expect((await deploy("--shards=1", "--location=weur")).code).toBe(0);
    expect(commands().filter((command) => command.startsWith("d1 create"))).toEqual([
      "d1 create linkledger --location weur",
      "d1 create linkledger-ledger-0 --location weur",
    ]);
  });

  test("are checked before anything else: the error lists every problem and every flag", async () => {
    const wrong = ["--shard", "--shards=x", "--location", "moon", "--jurisdiction", "mars", "now"];
    const { code, error } = await deploy(...wrong);
    expect({ code, calls: commands() }).toEqual({ code: 1, calls: [] });
    for (const text of [
      "--shard is not an option.",
      "now is not an option.",
      "--shards must be a whole number from 0 to 256.",
      "--location must be one of weur, eeur, apac, oc, wnam, enam.",
      "--jurisdiction must be one of eu, fedramp.",
      "Use --location or --jurisdiction, not both",
      "Nothing was changed.",
      "  --shards NUMBER ",
      "  --location HINT ",
      "  --jurisdiction REGION ",
    ]) {
      expect(error).toContain(text);
    }
  });

  test.each([
    [[], {}],
    [["--shards", "0"], { shards: 0 }],
    [["--shards=256", "--jurisdiction=fedramp"], { shards: 256, jurisdiction: "fedramp" }],
    [["--location", "oc"], { location: "oc" }],
  ])("%j are accepted", (flags, options) => {
    expect(readDeployOptions(flags)).toEqual(options);
  });

  test.each(["--shards", "--shards=", "--shards=-1", "--shards=1.5", "--shards=257", "--shards= 4"])(
    "%s is rejected",
    (flag) => {
      expect(() => readDeployOptions([flag])).toThrow("--shards must be a whole number from 0 to 256.");
    },
  );

  test.each(["--location", "--location=", "--jurisdiction", "--jurisdiction=us"])(
    "%s is rejected",
    (flag) => {
      expect(() => readDeployOptions([flag])).toThrow("must be one of");
    },
  );
});
