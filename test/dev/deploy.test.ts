/**
 * Tests `npm run deploy` in this process, with the real wrangler against a stub of Cloudflare's API. start/deploy.test.ts starts the
 * command.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimental_readRawConfig } from "wrangler";
import { readDeployOptions } from "../../src/dev/deployment/options.ts";
import { isLong } from "../linear/attack.ts";
import {
  type Deployment,
  giveDeployment,
  giveDeployments,
  NEW_SETTINGS,
  namesOf,
  placesOf,
} from "./deployment.ts";

const test_ = giveDeployment();
const open = giveDeployments();
const TITLES = ["linkledger-tokens", "linkledger-links"];
const creations = ({ stub }: Deployment) =>
  stub.calls.filter((call) => /^POST \/(d1\/database|storage\/kv\/namespaces)$/.test(call));

test("creates everything in an empty account, then nothing twice, and deploys the same bindings", async () => {
  const { now: deployment } = test_;
  const { stub } = deployment;
  const first = await deployment.deploy();
  expect(first).toMatchObject({ code: 0, error: "" });
  expect(first.out).toContain("linkledger is ready at https://linkledger.stub.workers.dev");
  expect(first.out).toContain("npm run operator:create -- --remote EMAIL");
  expect(deployment.commands).toEqual([
    "d1 list --json",
    "d1 create linkledger-db",
    "d1 list --json",
    "d1 migrations apply DB --remote",
    "kv namespace list",
    "kv namespace create linkledger-tokens",
    "kv namespace create linkledger-links",
    "kv namespace list",
    "deploy",
  ]);
  expect([deployment.names, deployment.titles]).toEqual([["linkledger-db"], TITLES]);
  expect(deployment.place("linkledger-db")).toEqual({ shards: 0, shard_index: null });
  const bound = stub.bindings("linkledger");
  const [tokens, links] = stub.namespaces;
  expect(bound).toMatchObject({ DB: stub.databases[0]?.uuid, TOKENS: tokens?.id, LINKS: links?.id });
  expect(stub.workers.get("linkledger")?.crons).toEqual(
    experimental_readRawConfig({ config: join(deployment.folder, "wrangler.toml") }).rawConfig.triggers
      ?.crons,
  );
  expect(deployment.toml).toBe(NEW_SETTINGS);
  expect(existsSync(join(deployment.folder, ".wrangler.deploy.json"))).toBe(false);

  Object.assign(stub, { calls: [] });
  deployment.commands = [];
  expect(await deployment.deploy()).toMatchObject({ code: 0, error: "" });
  expect(deployment.commands).toEqual([
    "d1 list --json",
    "d1 execute DB: read",
    "d1 execute DB: read",
    "d1 migrations apply DB --remote",
    "kv namespace list",
    "deploy",
  ]);
  expect([creations(deployment), stub.bindings("linkledger")]).toEqual([[], bound]);
});

describe("with shards in a jurisdiction", () => {
  const FLAGS = ["--shards", "2", "--jurisdiction", "eu"];

  test("the same command with the same flags can be repeated, also from a fresh checkout", async () => {
    const { now: deployment } = test_;
    const { stub } = deployment;
    expect(await deployment.deploy(...FLAGS)).toMatchObject({ code: 0, error: "" });
    expect(deployment.names).toEqual(namesOf(2));
    expect(stub.databases.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu", "eu"]);
    expect(namesOf(2).map((name) => deployment.place(name))).toEqual(placesOf(2));
    const { toml: written } = deployment;
    expect(written.startsWith(NEW_SETTINGS)).toBe(true);
    // Neither names nor IDs: the file serves every account and every environment.
    expect(written.slice(NEW_SETTINGS.length)).not.toMatch(/_id|_name/);
    const { rawConfig } = experimental_readRawConfig({ config: join(deployment.folder, "wrangler.toml") });
    expect(rawConfig.d1_databases).toEqual(
      ["DB", "LEDGER_0", "LEDGER_1"].map((binding) => ({
        binding,
        migrations_dir: "migrations",
        migrations_pattern: "migrations/[0-9]*.sql",
      })),
    );
    const bound = stub.bindings("linkledger");
    for (const settings of [written, NEW_SETTINGS]) {
      deployment.toml = settings;
      Object.assign(stub, { calls: [] });
      expect(await deployment.deploy(...FLAGS)).toMatchObject({ code: 0, error: "" });
      expect([deployment.toml, creations(deployment), stub.bindings("linkledger")]).toEqual([
        written,
        [],
        bound,
      ]);
    }
  });

  // The numbers of the calls that fail in `npm test`; with LONG=1 each of them fails in turn.
  const FAILING = isLong ? Number.POSITIVE_INFINITY : 0;
  test.each([
    ["the list of databases", /^GET \/d1\/database$/],
    ["the creation of a database", /^POST \/d1\/database$/],
    ["a migration", /^POST \/d1\/database\/.*query$/],
    ["the creation of a namespace", /^POST \/storage\/kv\/namespaces$/],
    ["the upload of the code", /^PUT \/workers\/scripts\/linkledger$/],
    ["the schedule of the cron", /schedules$/],
  ])("the next run continues after %s failed, also without the flags", async (_, failing) => {
    const { now: deployment } = test_;
    // The second one, if there are two, so that something was created.
    let seen = 0;
    Object.assign(deployment.stub, {
      failing: {
        test: (call: string) =>
          failing.test(call) && ++seen > (/GET|scripts|schedules/.test(failing.source) ? 0 : 1),
      },
    });
    const failed = await deployment.deploy(...FLAGS);
    expect(failed.code).toBe(1);
    expect(failed.error).toMatch(
      /^[\s\S]*wrangler .* failed\. Run the command again; it continues where it stopped\.$/,
    );
    expect(existsSync(join(deployment.folder, ".wrangler.deploy.json"))).toBe(false);
    Object.assign(deployment.stub, { failing: undefined });
    expect(await deployment.deploy()).toMatchObject({ code: 0, error: "" });
  });

  test.runIf(isLong)("the next run continues whichever call failed", { timeout: 1_200_000 }, async () => {
    let calls = FAILING;
    for (let at = 1; at <= calls; at++) {
      const deployment = await open();
      const { stub } = deployment;
      stub.failing = at;
      const first = await deployment.deploy(...FLAGS);
      if (stub.calls.length < at) calls = stub.calls.length;
      const call = `${at}: ${stub.calls[at - 1]}`;
      stub.failing = undefined;
      const second = first.code === 0 ? first : await deployment.deploy(...FLAGS);
      expect([call, second.code, second.error]).toEqual([call, 0, ""]);
      expect([call, deployment.names, deployment.titles.toSorted()]).toEqual([
        call,
        namesOf(2),
        TITLES.toSorted(),
      ]);
      expect([call, stub.databases.map(({ jurisdiction }) => jurisdiction)]).toEqual([
        call,
        ["eu", "eu", "eu"],
      ]);
      expect([call, namesOf(2).map((name) => deployment.place(name))]).toEqual([call, placesOf(2)]);
      expect([call, existsSync(join(deployment.folder, ".wrangler.deploy.json"))]).toEqual([call, false]);
      deployment.remove();
    }
  });
});

describe("wrangler by itself", () => {
  test("deploys first and migrates then; npm run deploy goes on with that, and the shards can still be chosen", async () => {
    const { now: deployment } = test_;
    expect((await deployment.wrangler("deploy")).code).toBe(0);
    expect((await deployment.wrangler("d1 migrations apply DB --remote")).code).toBe(0);
    const before = deployment.stub.bindings("linkledger");
    Object.assign(deployment.stub, { calls: [] });
    expect(await deployment.deploy()).toMatchObject({ code: 0, error: "" });
    expect([creations(deployment), deployment.stub.bindings("linkledger")]).toEqual([[], before]);
    expect((await deployment.wrangler("deploy")).code).toBe(0);
    expect([creations(deployment), deployment.stub.bindings("linkledger")]).toEqual([[], before]);
    expect(await deployment.deploy("--shards", "2")).toMatchObject({ code: 0, error: "" });
    expect(namesOf(2).map((name) => deployment.place(name))).toEqual(placesOf(2));
  });

  test("creates and migrates first; only npm run deploy then finds the database, and leaves no time without tables", async () => {
    const { now: deployment } = test_;
    expect((await deployment.wrangler("d1 create linkledger-db")).code).toBe(0);
    expect((await deployment.wrangler("d1 migrations apply DB --remote")).code).toBe(0);
    expect(deployment.stub.workers.size).toBe(0);
    const { code, error } = await deployment.wrangler("deploy");
    expect([code, error]).toEqual([1, expect.stringContaining("A database with that name already exists")]);
    expect(deployment.stub.workers.size).toBe(0);
    expect(await deployment.deploy()).toMatchObject({ code: 0, error: "" });
    expect([deployment.names, deployment.titles]).toEqual([["linkledger-db"], TITLES]);
  });

  test("cannot continue a deployment that broke after it created the namespaces, and npm run deploy can", async () => {
    const { now: deployment } = test_;
    deployment.stub.failing = /^POST \/d1\/database$/;
    expect((await deployment.wrangler("deploy")).code).toBe(1);
    deployment.stub.failing = undefined;
    expect(deployment.titles).toEqual(TITLES);
    const { code, error, out } = await deployment.wrangler("deploy");
    expect([code, error + out]).toEqual([1, expect.stringContaining("10014")]);
    expect(await deployment.deploy()).toMatchObject({ code: 0, error: "" });
    expect(deployment.titles).toEqual(TITLES);
  });

  test("puts the database anywhere; a jurisdiction then says how to begin again, which works while nobody has used it", async () => {
    const { now: deployment } = test_;
    const { stub } = deployment;
    expect((await deployment.wrangler("deploy")).code).toBe(0);
    expect((await deployment.wrangler("d1 migrations apply DB --remote")).code).toBe(0);
    const rejected = await deployment.deploy("--jurisdiction", "eu");
    expect(rejected.code).toBe(1);
    expect(rejected.error).toContain(
      "linkledger-db exists without a jurisdiction, and where it is cannot change.",
    );
    const [, command = ""] = /^ {2}npx wrangler (.*)$/m.exec(rejected.error) ?? [];
    expect(command).toBe("d1 delete linkledger-db");
    expect((await deployment.wrangler(command, "--skip-confirmation")).code).toBe(0);
    expect(await deployment.deploy("--jurisdiction", "eu")).toMatchObject({ code: 0, error: "" });
    expect(stub.databases.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu"]);
    stub
      .database("linkledger-db")
      .sqlite.exec("INSERT INTO users (email, role, created_at) VALUES ('a@example.com', 'operator', 0)");
    const used = await deployment.deploy("--jurisdiction", "fedramp");
    expect(used.error).toBe(
      "The database linkledger-db exists in the jurisdiction eu, and where it is cannot change. Nothing was changed.",
    );
  });
});

describe("another environment", () => {
  const STAGING = ["linkledger-staging-db", "linkledger-staging-tokens", "linkledger-staging-links"];

  test("never uses the databases and namespaces of the first one, by npm run deploy and by wrangler alike", async () => {
    const { now: deployment } = test_;
    const { stub } = deployment;
    expect((await deployment.deploy("--shards", "1")).code).toBe(0);
    const { toml } = deployment;
    const first = stub.bindings("linkledger");
    expect(await deployment.deploy("--env", "staging")).toMatchObject({
      code: 0,
      error: "",
      out: expect.stringContaining("linkledger is ready at https://linkledger-staging.stub.workers.dev"),
    });
    expect([...deployment.names, ...deployment.titles]).toEqual([
      ...["linkledger-db", "linkledger-ledger-0", STAGING[0], "linkledger-staging-ledger-0"],
      ...[...TITLES, ...STAGING.slice(1)],
    ]);
    const idsOf = (worker: string) =>
      Object.values(stub.bindings(worker)).filter((id) => id && id.length >= 32);
    expect(idsOf("linkledger")).toHaveLength(4);
    expect(idsOf("linkledger-staging").filter((id) => idsOf("linkledger").includes(id))).toEqual([]);
    expect([deployment.toml, stub.bindings("linkledger")]).toEqual([toml, first]);

    Object.assign(stub, { calls: [] });
    const second = stub.bindings("linkledger-staging");
    expect((await deployment.wrangler("deploy --env staging")).code).toBe(0);
    expect([creations(deployment), stub.bindings("linkledger-staging")]).toEqual([[], second]);
    for (const name of deployment.names)
      stub.database(name).sqlite.exec("DELETE FROM d1_migrations WHERE id = 99");
    expect(
      (
        await deployment.wrangler(
          "d1 execute DB --remote --env staging --command",
          "DELETE FROM shard_identity",
        )
      ).code,
    ).toBe(0);
    expect([deployment.place("linkledger-db"), deployment.place(STAGING[0] ?? "")]).toEqual([
      placesOf(1)[0],
      {},
    ]);
  });

  test("gets its own operator", async () => {
    const { now: deployment } = test_;
    expect((await deployment.deploy()).code).toBe(0);
    expect((await deployment.deploy("--env", "staging")).code).toBe(0);
    const created = await deployment.createOperator("--remote", "--env", "staging", "a@example.com");
    expect(created).toMatchObject({ code: 0, error: "" });
    const emails = (name: string) =>
      deployment.stub.database(name).sqlite.prepare("SELECT email FROM users").all();
    expect([emails("linkledger-db"), emails("linkledger-staging-db")]).toEqual([
      [],
      [{ email: "a@example.com" }],
    ]);
  });

  test.each([
    ['routes = ["links.example.com/*"]\n', "routes"],
    ['[[r2_buckets]]\nbinding = "ARCHIVE"\nbucket_name = "b"\n', "r2_buckets"],
    ['[[queues.producers]]\nbinding = "ENGAGEMENTS"\nqueue = "q"\n', "queues"],
    ["[env.staging]\n", "[env.staging]"],
    ['[[kv_namespaces]]\nbinding = "MORE"\nid = "x"\n', "the namespace of MORE"],
    ['[[d1_databases]]\nbinding = "MORE"\ndatabase_name = "x"\n', "the database of MORE"],
  ])("is rejected if it would share what wrangler.toml names: %s", async (more, named) => {
    const { now: deployment } = test_;
    deployment.toml = more.startsWith("[") ? NEW_SETTINGS + more : more + NEW_SETTINGS;
    const { code, error } = await deployment.deploy("--env", "staging");
    expect([code, error]).toEqual([1, expect.stringContaining(`wrangler.toml has ${named}.`)]);
    expect(deployment.stub.calls).toEqual([]);
  });

  test.each(["ORIGIN", "CLICK_URL", "IMPRESSION_URL"])(
    "is rejected with %s of the first one",
    async (name) => {
      const { now: deployment } = test_;
      deployment.toml = NEW_SETTINGS.replace(
        "\n[vars]\n",
        `\n[vars]\n${name} = "https://links.example.com"\n`,
      );
      const { error } = await deployment.deploy("--env", "staging");
      expect(error).toContain(`wrangler.toml has ${name}.`);
      expect(deployment.stub.calls).toEqual([]);
    },
  );
});

describe("operator:create", () => {
  const users = () =>
    test_.now.stub.database("linkledger-db").sqlite.prepare("SELECT email, role FROM users").all();

  test("creates the first operator of a deployment, and says what to do if its answer was lost", async () => {
    const { now: deployment } = test_;
    expect((await deployment.deploy()).code).toBe(0);
    const created = await deployment.createOperator("--remote", "a@example.com");
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/Temporary password: \S+/) });
    expect(users()).toEqual([{ email: "a@example.com", role: "operator" }]);
    const again = await deployment.createOperator("--remote", "a@example.com");
    expect(again.error).toMatch(
      /^a@example\.com is already a user\. Nothing was changed\. If an earlier run failed before/,
    );
    deployment.stub.failing = /query$/;
    const failed = await deployment.createOperator("--remote", "b@example.com");
    expect(failed.error).toContain(
      "The operator was not created. If it was created nevertheless, the next run says so.",
    );
    expect(failed.error).toContain(deployment.stub.failure.message);
  });

  test("asks to sign in only for errors of authentication", async () => {
    const { now: deployment } = test_;
    deployment.stub.failing = /./;
    const SIGN_IN = "npx wrangler login";
    expect((await deployment.deploy()).error).not.toContain(SIGN_IN);
    expect((await deployment.createOperator("--remote", "a@example.com")).error).not.toContain(SIGN_IN);
    deployment.stub.failure = { status: 403, code: 10000, message: "Authentication error" };
    expect((await deployment.deploy()).error).toContain(SIGN_IN);
    expect((await deployment.createOperator("--remote", "a@example.com")).error).toContain(SIGN_IN);
  });
});

describe("a deployed ledger with two shards", () => {
  let deployed: Deployment;
  let written: string;
  beforeAll(async () => {
    deployed = await open();
    expect((await deployed.deploy("--shards", "2")).code).toBe(0);
    written = deployed.toml;
    const { sqlite } = deployed.stub.database("linkledger-db");
    sqlite.exec("INSERT INTO users (email, role, created_at) VALUES ('a@example.com', 'operator', 0)");
  });
  afterAll(() => deployed.remove());

  /** Expects that a deployment changes nothing. */
  async function expectRejection(flags: string[], message: string) {
    const before = [deployed.toml, deployed.names, deployed.titles, deployed.stub.bindings("linkledger")];
    Object.assign(deployed.stub, { calls: [] });
    const { code, error } = await deployed.deploy(...flags);
    expect(error).toContain(message);
    expect(error).toContain("Nothing was changed.");
    expect(code).toBe(1);
    const after = [deployed.toml, deployed.names, deployed.titles, deployed.stub.bindings("linkledger")];
    expect(after).toEqual(before);
    expect(deployed.stub.calls.filter((call) => !/^GET |query$/.test(call))).toEqual([]);
    expect(existsSync(join(deployed.folder, ".wrangler.deploy.json"))).toBe(false);
  }

  test.each(["--shards=8", "--shards=0"])("rejects %s", async (flag) => {
    await expectRejection([flag], "This ledger has 2 shards, and their number cannot change");
  });

  test("rejects another jurisdiction", async () => {
    await expectRejection(["--jurisdiction=eu"], "The database linkledger-db exists without a jurisdiction");
  });

  test("accepts a location, which applies only to new databases, and says so", async () => {
    const { code, out } = await deployed.deploy("--location=weur", "--shards=2");
    expect([code, out]).toEqual([
      0,
      expect.stringContaining("--location weur applies only to databases that are created now."),
    ]);
  });

  test.each([
    [
      "one of two shards",
      (text: string) => text.slice(0, text.lastIndexOf("[[d1")),
      "wrangler.toml binds 1.",
    ],
    [
      "a gap",
      (text: string) => text.replace('"LEDGER_1"', '"LEDGER_4"'),
      "binds 2 shards, but not LEDGER_1.",
    ],
  ])("rejects %s in wrangler.toml", async (_, change, message) => {
    deployed.toml = change(written);
    await expectRejection([], message);
    deployed.toml = written;
  });

  test("rejects an account without one of the databases", async () => {
    const missing = deployed.stub.databases.splice(2, 1);
    await expectRejection([], "This account has no database linkledger-ledger-1 (LEDGER_1)");
    deployed.stub.databases.push(...missing);
  });

  test("rejects the shards of a ledger that has rows in DB", async () => {
    const { sqlite } = deployed.stub.database("linkledger-db");
    const rows = "INSERT INTO daily_totals VALUES ('app', 1, 1, 1, 'cpc', 'USD', 'matched', 1, 1)";
    sqlite.exec(`UPDATE shard_identity SET shards = 0; ${rows}`);
    await expectRejection([], "DB stores 0 shards, but wrangler.toml binds 2.");
    deployed.toml = NEW_SETTINGS;
    await expectRejection(["--shards=2"], "This ledger has 0 shards, and their number cannot change");
    sqlite.exec("UPDATE shard_identity SET shards = 2; DELETE FROM daily_totals");
    deployed.toml = written;
  });

  test("stops at a database of another ledger", async () => {
    deployed.stub.database("linkledger-ledger-1").sqlite.exec("UPDATE shard_identity SET shards = 8");
    deployed.stub.database("linkledger-db").sqlite.exec("UPDATE shard_identity SET shards = 0");
    const { code, error } = await deployed.deploy();
    expect([code, error]).toEqual([
      1,
      "The database of LEDGER_1 has costs or clicks, or is part of another ledger. It was not changed. Check its name in wrangler.toml.",
    ]);
    expect(deployed.place("linkledger-ledger-1")).toEqual({ shards: 8, shard_index: 1 });
    deployed.stub.database("linkledger-ledger-1").sqlite.exec("UPDATE shard_identity SET shards = 2");
    expect((await deployed.deploy()).code).toBe(0);
  });
});

test("another number of shards says how to begin again while nobody has used the ledger", async () => {
  const { now: deployment } = test_;
  expect((await deployment.deploy("--shards", "1")).code).toBe(0);
  const { error } = await deployment.deploy("--shards", "2");
  expect(error).toContain("Nobody has used this ledger yet, so you can begin again.");
  const commands = [...error.matchAll(/^ {2}npx wrangler (.*)$/gm)].map(([, command = ""]) => command);
  expect(commands).toEqual(["d1 delete linkledger-db", "d1 delete linkledger-ledger-0"]);
  for (const command of commands)
    expect((await deployment.wrangler(command, "--skip-confirmation")).code).toBe(0);
  deployment.toml = NEW_SETTINGS;
  expect(await deployment.deploy("--shards", "2")).toMatchObject({ code: 0, error: "" });
  expect(namesOf(2).map((name) => deployment.place(name))).toEqual(placesOf(2));
});

test.each([
  ['LOCAL_INSECURE = "1"', "LOCAL_INSECURE, which is only for tests"],
  ['OIDC_ISSUER = "http://127.0.0.1:9000"', "OIDC_ISSUER in wrangler.toml must begin with https://"],
  ['ORIGIN = "http://localhost:8787"', "ORIGIN in wrangler.toml must begin with https://"],
  ['OIDC_CLIENT_SECRET = "secret"', "OIDC_CLIENT_SECRET, which is a secret"],
])(
  "rejects a setting that is only for tests, or a secret, before anything is created: %s",
  async (setting, message) => {
    const { now: deployment } = test_;
    const settings = NEW_SETTINGS.replace("\n[vars]\n", `\n[vars]\n${setting}\n`);
    deployment.toml = settings;
    const { code, error } = await deployment.deploy();
    expect([code, error]).toEqual([1, expect.stringContaining(message)]);
    expect([deployment.toml, deployment.stub.calls]).toEqual([settings, []]);
  },
);

describe("two-factor authentication of operators", () => {
  const deployed = async () => {
    expect((await test_.now.deploy()).code).toBe(0);
    return test_.now.stub.bindings("linkledger").OPERATOR_MFA;
  };

  // The Worker requires it unless the setting says that it is optional (test/account/two-factor.test.ts).
  test("is decided by no deployment, also not by a second one from a fresh checkout", async () => {
    expect(await deployed()).toBeUndefined();
    expect(test_.now.toml).toBe(NEW_SETTINGS);
    test_.now.toml = NEW_SETTINGS;
    expect(await deployed()).toBeUndefined();
  });

  test("is optional where wrangler.toml says so, in every deployment", async () => {
    test_.now.toml = NEW_SETTINGS.replace("\n[vars]\n", '\n[vars]\nOPERATOR_MFA = "optional"\n');
    for (let deployment = 1; deployment <= 2; deployment++) expect(await deployed()).toBe("optional");
  });
});

describe("the flags", () => {
  test("are passed to the creation of every database", async () => {
    const { now: deployment } = test_;
    expect((await deployment.deploy("--shards=1", "--location=weur")).code).toBe(0);
    expect(deployment.stub.databases.map(({ location }) => location)).toEqual(["weur", "weur"]);
  });

  test("are checked before anything else: the error lists every problem and every flag", async () => {
    const wrong = [
      "--shard",
      "--shards=x",
      "--location",
      "moon",
      "--jurisdiction",
      "mars",
      "--env=A b",
      "now",
    ];
    const { code, error } = await test_.now.deploy(...wrong);
    expect({ code, calls: test_.now.stub.calls }).toEqual({ code: 1, calls: [] });
    for (const text of [
      "--shard is not a flag.",
      "now is not a flag.",
      "--shards must be a whole number from 0 to 256.",
      "--location must be one of weur, eeur, apac, oc, wnam, enam.",
      "--jurisdiction must be one of eu, fedramp.",
      "Use --location or --jurisdiction, not both",
      "--env must have 1 to 30 small letters, digits and hyphens.",
      "Nothing was changed.",
      "  --shards NUMBER ",
      "  --location HINT ",
      "  --jurisdiction REGION ",
      "  --env NAME ",
    ]) {
      expect(error).toContain(text);
    }
  });

  test.each([
    [[], {}],
    [["--shards", "0"], { shards: 0 }],
    [["--shards=256", "--jurisdiction=fedramp"], { shards: 256, jurisdiction: "fedramp" }],
    [["--location", "oc", "--env", "staging-2"], { location: "oc", env: "staging-2" }],
  ])("%j are accepted", (flags, options) => {
    expect(readDeployOptions(flags)).toEqual(options);
  });

  test.each([
    ...["--shards", "--shards=", "--shards=-1", "--shards=1.5", "--shards=257", "--shards= 4"],
    ...["--location", "--location=", "--jurisdiction", "--jurisdiction=us"],
    ...["--env", "--env=", "--env=-a", "--env=a.b", `--env=${"a".repeat(31)}`],
  ])("%s is rejected", (flag) => {
    expect(() => readDeployOptions([flag])).toThrow(/^--\w+ must (be|have) /);
  });
});
