/** What `npm run deploy` rejects on a ledger that exists. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Deployment, NEW_SETTINGS, namesOf, openDeployment, placesOf } from "./deployment.ts";

describe("a deployed ledger with two shards", () => {
  let deployed: Deployment;
  let written: string;
  beforeAll(async () => {
    deployed = await openDeployment();
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

  test("asks for an operator only while the service has no user", async () => {
    const { sqlite } = deployed.stub.database("linkledger-db");
    const hint = "There is no user yet. Create an operator";
    expect((await deployed.deploy()).out).not.toContain(hint);
    sqlite.exec("CREATE TABLE kept AS SELECT * FROM users; DELETE FROM users");
    expect((await deployed.deploy()).out).toContain(hint);
    sqlite.exec(
      "INSERT INTO users (email, role, created_at) SELECT email, role, created_at FROM kept; DROP TABLE kept",
    );
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
    // So the next run does not take the shards for complete.
    expect(deployed.place("linkledger-db")).toEqual({ shards: 0, shard_index: null });
    deployed.stub.database("linkledger-ledger-1").sqlite.exec("UPDATE shard_identity SET shards = 2");
    expect((await deployed.deploy()).code).toBe(0);
  });

  describe("two-factor authentication of operators", () => {
    const deploy = async () => {
      expect((await deployed.deploy()).code).toBe(0);
      return deployed.stub.bindings("linkledger").OPERATOR_MFA;
    };

    // The Worker requires it unless the setting says that it is optional (test/account/two-factor.test.ts).
    test("is decided by no deployment, also not by a second one from a fresh checkout", async () => {
      expect(deployed.stub.bindings("linkledger").OPERATOR_MFA).toBeUndefined();
      deployed.toml = NEW_SETTINGS;
      expect(await deploy()).toBeUndefined();
      expect(deployed.toml).toBe(written);
    });

    test("is optional where wrangler.toml says so, in every deployment", async () => {
      deployed.toml = written.replace("\n[vars]\n", '\n[vars]\nOPERATOR_MFA = "optional"\n');
      for (let deployment = 1; deployment <= 2; deployment++) expect(await deploy()).toBe("optional");
      deployed.toml = written;
    });
  });

  test("gets an operator, and operator:create says what to do if its answer was lost", async () => {
    const created = await deployed.createOperator("--remote", "b@example.com");
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/Temporary password: \S+/) });
    const users = deployed.stub
      .database("linkledger-db")
      .sqlite.prepare("SELECT email, role FROM users")
      .all();
    expect(users).toContainEqual({ email: "b@example.com", role: "operator" });
    deployed.stub.failing = /query$/;
    const failed = await deployed.createOperator("--remote", "c@example.com");
    deployed.stub.failing = undefined;
    expect(failed.error).toContain(
      "The operator was not created. If it was created nevertheless, the next run says so.",
    );
    expect(failed.error).toContain(deployed.stub.failure.message);
    expect(failed.error).not.toContain("npx wrangler login");
  });
});

test("another number of shards says how to begin again while nobody has used the ledger", async () => {
  const deployment = await openDeployment();
  expect((await deployment.deploy("--shards", "1")).code).toBe(0);
  // Also from a fresh checkout, which does not bind the shard.
  const commands = ["d1 delete linkledger-db", "d1 delete linkledger-ledger-0"];
  for (const settings of [deployment.toml, NEW_SETTINGS]) {
    deployment.toml = settings;
    const { error } = await deployment.deploy("--shards", "2");
    expect(error).toContain("Nobody has used this ledger yet, so you can begin again.");
    expect([...error.matchAll(/^ {2}npx wrangler (.*)$/gm)].map(([, command]) => command)).toEqual(commands);
  }
  for (const command of commands)
    expect((await deployment.wrangler(command, "--skip-confirmation")).code).toBe(0);
  deployment.toml = NEW_SETTINGS;
  expect(await deployment.deploy("--shards", "2")).toMatchObject({ code: 0, error: "" });
  expect(namesOf(2).map((name) => deployment.place(name))).toEqual(placesOf(2));
  deployment.remove();
});
