/** What commands of wrangler do before and between runs of `npm run deploy`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  creations,
  type Deployment,
  giveDeployment,
  namesOf,
  openDeployment,
  placesOf,
  TITLES,
} from "./deployment.ts";

const test_ = giveDeployment();

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

  test("puts a database anywhere, which then is migrated and gets an operator; a jurisdiction says each time how to begin again, which works", async () => {
    const { now: deployment } = test_;
    const { stub } = deployment;
    const again = "d1 delete linkledger-db";
    /** Whether the way out includes another operator. */
    const reject = async (isWithOperator: boolean) => {
      const { code, error } = await deployment.deploy("--jurisdiction", "eu");
      expect(code).toBe(1);
      expect(error).toContain("linkledger-db exists without a jurisdiction, and where it is cannot change.");
      expect(/^ {2}npx wrangler (.*)$/m.exec(error)?.[1]).toBe(again);
      expect(error.includes("create them again with npm run operator:create")).toBe(isWithOperator);
    };
    expect((await deployment.wrangler("deploy")).code).toBe(0);
    await reject(false);
    expect((await deployment.wrangler("d1 migrations apply DB --remote")).code).toBe(0);
    await reject(false);
    expect((await deployment.createOperator("--remote", "a@example.com")).code).toBe(0);
    await reject(true);
    expect((await deployment.wrangler(again, "--skip-confirmation")).code).toBe(0);
    expect(await deployment.deploy("--jurisdiction", "eu")).toMatchObject({ code: 0, error: "" });
    expect(stub.databases.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu"]);
  });
});

describe("the way out of a wrong place", () => {
  const app =
    "INSERT INTO apps (token, name, default_url, redirect_hosts, redirect_schemes, created_at) VALUES ('abcdefghijkl', 'App', 'https://example.com/', '[]', '[]', 0)";
  const partner =
    "INSERT INTO partners (display_name, supports_cost_data, server_to_server, click_parameters, impression_parameters, cost_parameters, created_at) VALUES ('Acme', 0, 0, '', '', '', 0)";
  const user = (role: string) =>
    `INSERT INTO users (email, role, created_at) VALUES ('b@example.com', '${role}', 0)`;
  const created = (by: string) =>
    `INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (0, ${by}, 'create user', 'user 2', '{}')`;

  let deployed: Deployment;
  /** The error of a deployment to another jurisdiction. */
  const rejection = async () => (await deployed.deploy("--jurisdiction", "fedramp")).error;
  beforeAll(async () => {
    deployed = await openDeployment();
    expect((await deployed.deploy("--jurisdiction", "eu")).code).toBe(0);
    expect((await deployed.createOperator("--remote", "a@example.com")).code).toBe(0);
  });
  afterAll(() => deployed.remove());

  test("is shown for a database with its first operator", async () => {
    expect(await rejection()).toContain("d1 delete linkledger-db");
  });

  test.each([
    ["an app", [app]],
    ["a partner", [partner]],
    ["a cost", ["INSERT INTO daily_totals VALUES ('app', 1, 1, 1, 'cpc', 'USD', 'matched', 1, 1)"]],
    ["a member", [user("member"), created("NULL")]],
    ["an operator whom another one created", [user("operator"), created("1")]],
    ["a table of something else", ["CREATE TABLE invoices (id INTEGER)", "DROP TABLE shard_identity"]],
  ])("is not shown for a database with %s", async (_, statements) => {
    const { sqlite } = deployed.stub.database("linkledger-db");
    sqlite.exec(["BEGIN", ...statements].join("; "));
    const error = await rejection();
    sqlite.exec("ROLLBACK");
    expect(error).toBe(
      "The database linkledger-db exists in the jurisdiction eu, and where it is cannot change. Nothing was changed.",
    );
  });
});

test("asks to sign in only for errors of authentication", async () => {
  const { now: deployment } = test_;
  deployment.stub.failing = /./;
  const SIGN_IN = "npx wrangler login";
  expect((await deployment.deploy()).error).not.toContain(SIGN_IN);
  deployment.stub.failure = { status: 403, code: 10000, message: "Authentication error" };
  expect((await deployment.deploy()).error).toContain(SIGN_IN);
  expect((await deployment.createOperator("--remote", "a@example.com")).error).toContain(SIGN_IN);
});
