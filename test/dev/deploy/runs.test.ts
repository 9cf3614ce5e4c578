/**
 * Tests `npm run deploy` in this process, with the real wrangler against a stub of Cloudflare's API. start/deploy.test.ts starts the
 * command.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { experimental_readRawConfig } from "wrangler";
import { isLong } from "../../linear/attack.ts";
import {
  creations,
  giveDeployment,
  MIGRATIONS,
  NEW_SETTINGS,
  namesOf,
  openDeployment,
  placesOf,
  TITLES,
} from "./deployment.ts";

const test_ = giveDeployment();

test("creates everything in an empty account, then nothing twice, and deploys the same bindings", async () => {
  const deployment = await openDeployment(MIGRATIONS);
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
  deployment.remove();
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

  test("every database is created at the location of the flag", async () => {
    const { now: deployment } = test_;
    deployment.stub.failing = /query$/;
    expect((await deployment.deploy("--shards=1", "--location=weur")).code).toBe(1);
    expect(deployment.stub.databases.map(({ location }) => location)).toEqual(["weur", "weur"]);
  });

  test("the next run continues after each kind of call failed in turn, also without the flags", async () => {
    const { now: deployment } = test_;
    const { stub } = deployment;
    // The second one, if there are two, so that something was created.
    const failing: [what: string, call: RegExp, which: number][] = [
      ["the list of databases", /^GET \/d1\/database$/, 1],
      ["the creation of a database", /^POST \/d1\/database$/, 2],
      ["a migration", /^POST \/d1\/database\/.*query$/, 2],
      ["the creation of a namespace", /^POST \/storage\/kv\/namespaces$/, 2],
      ["the upload of the code", /^PUT \/workers\/scripts\/linkledger$/, 1],
      ["the schedule of the cron", /schedules$/, 1],
    ];
    for (const [at, [what, call, which]] of failing.entries()) {
      let seen = 0;
      Object.assign(stub, { failing: { test: (name: string) => call.test(name) && ++seen >= which } });
      // Nothing knows the flags before the first database exists.
      const failed = await deployment.deploy(...(at < 2 ? FLAGS : []));
      expect([what, failed.code]).toEqual([what, 1]);
      expect(failed.error, what).toMatch(
        /^[\s\S]*wrangler .* failed\. Run the command again; it continues where it stopped\.$/,
      );
      expect(existsSync(join(deployment.folder, ".wrangler.deploy.json")), what).toBe(false);
    }
    stub.failing = undefined;
    expect(await deployment.deploy()).toMatchObject({ code: 0, error: "" });
    expect([deployment.names, deployment.titles.toSorted()]).toEqual([namesOf(2), TITLES.toSorted()]);
    expect(stub.databases.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu", "eu"]);
    expect(namesOf(2).map((name) => deployment.place(name))).toEqual(placesOf(2));
  });

  test.runIf(isLong)("the next run continues whichever call failed", { timeout: 1_200_000 }, async () => {
    let calls = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= calls; at++) {
      const deployment = await openDeployment(MIGRATIONS);
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
