/** The flags of `npm run deploy`, and what it rejects in wrangler.toml: both before it asks for anything. */
import { describe, expect, test } from "vitest";
import { readDeployOptions } from "../../../src/dev/deployment/options.ts";
import { giveDeployment, NEW_SETTINGS } from "./deployment.ts";

const test_ = giveDeployment();

test.each([
  ['LOCAL_INSECURE = "1"', "LOCAL_INSECURE, which is only for tests"],
  ['OIDC_ISSUER = "http://127.0.0.1:9000"', "OIDC_ISSUER in wrangler.toml must begin with https://"],
  ['ORIGIN = "http://localhost:8787"', "ORIGIN in wrangler.toml must begin with https://"],
  ['OIDC_CLIENT_SECRET = "secret"', "OIDC_CLIENT_SECRET, which is a secret"],
  ['WEBHOOK_KEY = "secret"', "WEBHOOK_KEY, which is a secret"],
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

describe("the flags", () => {
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
      "--env must have 1 to 30 lowercase letters, digits and hyphens.",
      "Nothing was done.",
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
