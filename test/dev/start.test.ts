import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { DEMO, DEMO_PASSWORD_HASHES } from "../../src/dev/demo.ts";
import { greeting } from "../../src/dev/greeting.ts";

const ROOT = join(import.meta.dirname, "../..");
const BASE_URL = "http://localhost:9000";
const logins = new Set<string>([DEMO.email, DEMO.operatorEmail]);
const tokens = {
  API_TOKEN: DEMO.apiToken,
  OPERATOR_TOKEN: DEMO.operatorToken,
  COST_TOKEN: DEMO.costToken,
  TEST_COST_TOKEN: DEMO.testCostToken,
};

const folder = mkdtempSync(join(tmpdir(), "linkledger-start-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `npm start` with its own state and the real wrangler, except for the server: a stub that is ready and exits. */
function start(state: string, ...flags: string[]) {
  const real = join(ROOT, "node_modules/.bin/wrangler");
  const stub = `#!/bin/sh\n[ "$1" = dev ] || exec "${real}" "$@"\necho "$@"\necho "Ready on ${BASE_URL}"\n`;
  writeFileSync(join(folder, "wrangler"), stub, { mode: 0o755 });
  return run("src/dev/start.ts", "--persist-to", join(folder, state), ...flags);
}

function run(...args: string[]) {
  return spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    encoding: "utf8",
  });
}

test("reads and seeds only the local database even if wrangler.toml sets remote", () => {
  const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8")
    .replace('binding = "DB"\n', '$&remote = true\ndatabase_id = "deployed"\n')
    .replace('"migrations"', JSON.stringify(join(ROOT, "migrations")));
  expect(config).toContain("remote = true");
  writeFileSync(join(folder, "remote.toml"), config);
  const { status, stdout, stderr } = start("remote", "--config", join(folder, "remote.toml"));
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^dev --local /m);
  expect(stdout).toContain(`API_TOKEN=${DEMO.apiToken}\n`);
});

test("adds the demo data to an empty database, and prints that it added none to one with a user", () => {
  expect(start("empty").stdout).toContain(`API_TOKEN=${DEMO.apiToken}\n`);
  const migrate = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", join(folder, "own")];
  spawnSync("wrangler", migrate, { cwd: ROOT, env: { ...process.env, CI: "true" } });
  const created = run(
    "src/dev/operator.ts",
    "--local",
    "--persist-to",
    join(folder, "own"),
    "first@example.com",
  );
  expect(created.status, created.stderr).toBe(0);
  const { stdout } = start("own");
  expect(stdout).toContain("no demo data was added");
  expect(stdout).toContain("npm start -- --persist-to");
  for (const absent of [DEMO.email, DEMO.operatorEmail, DEMO.appToken, "ll_", "password"]) {
    expect(stdout).not.toContain(absent);
  }
});

test("adds the demo data to the shard in wrangler.toml, and rejects data with another number of shards", () => {
  const config = join(folder, "shard.toml");
  const text = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const shard =
    '[[d1_databases]]\nbinding = "LEDGER_0"\ndatabase_name = "ledger-0"\nmigrations_dir = "migrations"\n';
  writeFileSync(config, (text + shard).replaceAll('"migrations"', JSON.stringify(join(ROOT, "migrations"))));
  expect(start("shard", "--config", config)).toMatchObject({ status: 0, stderr: "" });
  const sql = "SELECT shards, shard_index, EXISTS (SELECT 1 FROM engagements) AS used FROM shard_identity";
  const local = ["--local", "--persist-to", join(folder, "shard"), "--config", config];
  const { stdout } = spawnSync(
    "wrangler",
    ["d1", "execute", "LEDGER_0", ...local, "--json", "--command", sql],
    {
      cwd: ROOT,
      encoding: "utf8",
    },
  );
  expect(JSON.parse(stdout)[0].results).toEqual([{ shards: 1, shard_index: 0, used: 1 }]);
  const other = start("shard");
  expect(other.status).toBe(1);
  expect(other.stderr).toContain("The local data does not fit the 0 LEDGER_ bindings in wrangler.toml");
  expect(other.stdout).not.toContain("dev --local");
});

test("the greeting has a first request, both logins and every variable that the commands use", () => {
  const text = greeting(BASE_URL, { hasDemo: true, tokens, logins });
  expect(text).toContain(`token=${DEMO.apiToken}' ${BASE_URL}/public/v1/apps/${DEMO.appToken}/trackers`);
  expect(text).toContain(`${DEMO.email} / ${DEMO.password}\n`);
  expect(text).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
  expect([...text.matchAll(/^([A-Z_]+)=\S+$/gm)].map(([, name]) => name)).toEqual([
    "BASE_URL",
    "APP_TOKEN",
    "LINK_TOKEN",
    "TEST_LINK_TOKEN",
    "API_TOKEN",
    "OPERATOR_TOKEN",
    "COST_TOKEN",
    "TEST_COST_TOKEN",
  ]);
});

test("the greeting omits reset and revoked tokens and changed passwords", () => {
  const text = greeting(BASE_URL, {
    hasDemo: true,
    tokens: { OPERATOR_TOKEN: DEMO.operatorToken },
    logins: new Set([DEMO.operatorEmail]),
  });
  expect(text).not.toContain(DEMO.apiToken);
  expect(text).not.toContain(DEMO.costToken);
  expect(text).not.toContain(DEMO.password);
  expect(text).toContain("API token was reset");
  expect(text).toContain(`${DEMO.email} / (password was changed)`);
  expect(text).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
});

test.each([
  [DEMO.email, DEMO.password],
  [DEMO.operatorEmail, DEMO.operatorPassword],
])("the stored hash of the demo user %s matches the password", async (email, password) => {
  expect(await verifyPassword(password, DEMO_PASSWORD_HASHES[email] ?? "")).toBe(true);
});
