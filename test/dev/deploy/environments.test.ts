/** Another environment, and the operators of each. */
import { describe, expect, test } from "vitest";
import { creations, giveDeployment, NEW_SETTINGS, placesOf, TITLES } from "./deployment.ts";

const test_ = giveDeployment();

describe("another environment", () => {
  const STAGING = ["linkledger-staging-db", "linkledger-staging-tokens", "linkledger-staging-links"];

  test("never uses the databases and namespaces of the first one, by npm run deploy, operator:create and wrangler alike", async () => {
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

    const created = await deployment.createOperator("--remote", "--env", "staging", "a@example.com");
    expect(created).toMatchObject({ code: 0, error: "" });
    const emails = (name: string) => stub.database(name).sqlite.prepare("SELECT email FROM users").all();
    expect([emails("linkledger-db"), emails("linkledger-staging-db")]).toEqual([
      [],
      [{ email: "a@example.com" }],
    ]);

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
