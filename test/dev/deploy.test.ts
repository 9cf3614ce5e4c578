/**
 * Tests `npm run deploy` in this process, with a stub of wrangler instead of a Cloudflare account. start/deploy.test.ts starts the
 * command.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { experimental_readRawConfig } from "wrangler";
import { CommandError } from "../../src/dev/command.ts";
import { deploy as deployCheckout } from "../../src/dev/deployment/deploy.ts";
import { readDeployOptions } from "../../src/dev/deployment/options.ts";
import type { Wrangler } from "../../src/dev/wrangler.ts";
import {
  account,
  accountFile,
  answer,
  commands,
  type Ended,
  folder,
  giveAccounts,
  HEALTH,
  NEW_SETTINGS,
  namesOf,
  placesOf,
  READY,
  requests,
  save,
  stored,
  toml,
  url,
  writeToml,
} from "./deployment.ts";
import { runStub, useDatabase } from "./wrangler-stub.ts";

giveAccounts();

/** Deploys the folder in this process, without pauses. */
async function deploy(...flags: string[]): Promise<Ended> {
  const ended = { code: 0, out: "", error: "" };
  const wrangler: Wrangler = (args, { environment, inTerminal = false } = {}) => {
    const output = runStub(accountFile(), args, environment ?? {});
    if (inTerminal) ended.error += output.stderr;
    return output;
  };
  const log = vi.spyOn(console, "log").mockImplementation((line) => {
    ended.out += `${line}\n`;
  });
  try {
    await deployCheckout(flags, { folder, wrangler }, async () => undefined);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    ended.code = 1;
    ended.error += error.message;
  } finally {
    log.mockRestore();
  }
  return ended;
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
  expect(requests).toEqual([HEALTH, "/readyz"]);
  expect(out).toContain(`linkledger is ready at ${url}`);
  expect(out).toContain("npm run operator:create -- --remote EMAIL");
  expect(existsSync(join(folder, ".wrangler.deploy.json"))).toBe(false);
  expect(toml()).toBe(NEW_SETTINGS);
  expect(toml()).not.toMatch(ids);
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
    preview_urls: false,
    vars: {},
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
  expect(error).toContain("\n\nwrangler d1 migrations apply DB --remote failed.");
  expect(existsSync(join(folder, ".wrangler.deploy.json"))).toBe(false);
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
  answer((path) => {
    return { body: path === HEALTH ? { runs_deployment: ++healthChecks > 1 } : READY };
  });
  expect((await deploy()).code).toBe(0);
  expect(requests).toEqual([HEALTH, HEALTH, "/readyz"]);
});

test("fails when only an old version responds for a minute, also one that names itself", async () => {
  answer((path) => ({ body: path === HEALTH ? { deployment: "version-1" } : READY }));
  const { code, error } = await deploy();
  expect(code).toBe(1);
  expect(error).toContain("version version-2 did not answer");
  expect(requests).toEqual(Array.from({ length: 60 }, () => HEALTH));
});

test("fails with the reason when the new version is not ready", async () => {
  const checks = { database: { ok: true }, cron: { ok: false, reason: "The hourly run is overdue." } };
  answer((path) =>
    path === HEALTH
      ? { body: { runs_deployment: true } }
      : { status: 503, body: { status: "not ready", checks } },
  );
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
    cpSync(folder, deployed, { recursive: true });
  }
  commands();
}
afterAll(() => {
  if (deployed) rmSync(deployed, { recursive: true });
});

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
  expect(existsSync(join(folder, ".wrangler.deploy.json"))).toBe(false);
}

describe("a first deployment with --shards", () => {
  test("creates, binds and migrates them, and stores their number and indexes before it deploys the code", async () => {
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
    expect(toml().startsWith(NEW_SETTINGS)).toBe(true);
    expect(toml()).not.toMatch(ids);
    const { rawConfig } = experimental_readRawConfig({ config: join(folder, "wrangler.toml") });
    expect(rawConfig.d1_databases).toEqual(
      FOUR.map((binding, index) => ({
        binding,
        database_name: namesOf(4)[index],
        migrations_dir: "migrations",
        migrations_pattern: "migrations/[0-9]*.sql",
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
    expect(written.startsWith(NEW_SETTINGS)).toBe(true);
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
    useDatabase(accountFile(), uuid, (other) => {
      other.exec("CREATE TABLE shard_identity AS SELECT 1 AS id, 8 AS shards, 1 AS shard_index");
      for (const table of ["ledger_entries", "daily_totals"]) other.exec(`CREATE TABLE ${table} (a)`);
    });
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
  const change = (sql: string) =>
    useDatabase(accountFile(), "id-of-linkledger", (database) => database.exec(sql));

  test.each([
    ["without flags", [], true],
    ["with the same number", ["--shards", "4"], true],
    ["without the bindings in wrangler.toml, which it writes again,", [], false],
  ])("%s keeps the shards", async (_, flags, isBound) => {
    const written = toml();
    if (!isBound) writeToml(NEW_SETTINGS);
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
    writeToml(change(toml()));
    await expectRejection([], message);
  });

  test("rejects bindings for a ledger that has rows in DB", async () => {
    change("UPDATE shard_identity SET shards = 0");
    change("INSERT INTO daily_totals VALUES ('app', 1, 1, 1, 'cpc', 'USD', 'matched', 1, 1)");
    await expectRejection([], "DB stores 0 shards, but wrangler.toml binds 4.");
  });

  test("rejects shards for a ledger without", async () => {
    change("UPDATE shard_identity SET shards = 0");
    writeToml(NEW_SETTINGS);
    await expectRejection(["--shards=4"], "This ledger has 0 shards, and their number cannot change");
  });

  test("rejects an account without one of the databases", async () => {
    const { databases } = account();
    save({ ...account(), databases: databases.filter(({ name }) => name !== "linkledger-ledger-2") });
    await expectRejection([], "This account has no database linkledger-ledger-2 (LEDGER_2)");
  });
});

test.each([
  ['LOCAL_INSECURE = "1"', "LOCAL_INSECURE, which is only for tests"],
  ['OIDC_ISSUER = "http://127.0.0.1:9000"', "OIDC_ISSUER in wrangler.toml must begin with https://"],
  ['ORIGIN = "http://localhost:8787"', "ORIGIN in wrangler.toml must begin with https://"],
  ['OIDC_CLIENT_SECRET = "secret"', "OIDC_CLIENT_SECRET, which is a secret"],
])(
  "rejects a setting that is only for tests, or a secret, before anything is created: %s",
  async (setting, message) => {
    const settings = NEW_SETTINGS.replace("\n[vars]\n", `\n[vars]\n${setting}\n`);
    writeToml(settings);
    const { code, error } = await deploy();
    expect([code, error]).toEqual([1, expect.stringContaining(message)]);
    expect([toml(), account().calls]).toEqual([settings, []]);
  },
);

describe("two-factor authentication of operators", () => {
  const twoFactorOf = () => account().calls.at(-1)?.configuration?.vars?.OPERATOR_MFA;

  // The Worker requires it unless the setting says that it is optional (test/account/two-factor.test.ts).
  test("is decided by no deployment, also not by a second one from a fresh checkout", async () => {
    expect((await deploy()).code).toBe(0);
    expect([toml(), twoFactorOf()]).toEqual([NEW_SETTINGS, undefined]);
    writeToml(NEW_SETTINGS);
    expect((await deploy()).code).toBe(0);
    expect([toml(), twoFactorOf()]).toEqual([NEW_SETTINGS, undefined]);
  });

  test("is optional where wrangler.toml says so, in every deployment", async () => {
    const chosen = NEW_SETTINGS.replace("\n[vars]\n", '\n[vars]\nOPERATOR_MFA = "optional"\n');
    writeToml(chosen);
    for (let deployment = 1; deployment <= 2; deployment++) {
      expect((await deploy()).code).toBe(0);
      expect([toml(), twoFactorOf()]).toEqual([chosen, "optional"]);
    }
  });

  test("needs no line [vars]", async () => {
    const settings = `vars.LOG_SAMPLE = "0.5"\n${NEW_SETTINGS.replace("\n[vars]\n", "\n")}`;
    writeToml(settings);
    expect((await deploy()).code).toBe(0);
    expect([toml(), twoFactorOf()]).toEqual([settings, undefined]);
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
