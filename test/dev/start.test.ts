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

/** `npm start` on a state of its own, with the real wrangler for everything but the server, which is ready and ends. */
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

test("all that it reads and fills is local, though the database is bound as remote", () => {
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

test("an empty database gets the demo, and one that has a user gets none and is told so", () => {
  expect(start("empty").stdout).toContain(`API_TOKEN=${DEMO.apiToken}\n`);
  const migrate = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", join(folder, "own")];
  spawnSync("wrangler", migrate, { cwd: ROOT, env: { ...process.env, CI: "true" } });
  const made = run(
    "src/dev/operator.ts",
    "--local",
    "--persist-to",
    join(folder, "own"),
    "first@example.com",
  );
  expect(made.status, made.stderr).toBe(0);
  const { stdout } = start("own");
  expect(stdout).toContain("There is no demo data here");
  expect(stdout).toContain("npm start -- --persist-to");
  for (const absent of [DEMO.email, DEMO.operatorEmail, DEMO.appToken, "ll_", "password"]) {
    expect(stdout).not.toContain(absent);
  }
});

test("the greeting gives a first request, both logins and every name that the commands use", () => {
  const said = greeting(BASE_URL, { hasDemo: true, tokens, logins });
  expect(said).toContain(`token=${DEMO.apiToken}' ${BASE_URL}/public/v1/apps/${DEMO.appToken}/trackers`);
  expect(said).toContain(`${DEMO.email} / ${DEMO.password}\n`);
  expect(said).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
  expect([...said.matchAll(/^([A-Z_]+)=\S+$/gm)].map(([, name]) => name)).toEqual([
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

test("the greeting offers no token that was reset or revoked and no password that was changed", () => {
  const said = greeting(BASE_URL, {
    hasDemo: true,
    tokens: { OPERATOR_TOKEN: DEMO.operatorToken },
    logins: new Set([DEMO.operatorEmail]),
  });
  expect(said).not.toContain(DEMO.apiToken);
  expect(said).not.toContain(DEMO.costToken);
  expect(said).not.toContain(DEMO.password);
  expect(said).toContain("API token was reset");
  expect(said).toContain(`${DEMO.email} / (its password was changed)`);
  expect(said).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
});

test.each([
  [DEMO.email, DEMO.password],
  [DEMO.operatorEmail, DEMO.operatorPassword],
])("a demo login is known by the hash of its password: %s", async (email, password) => {
  expect(await verifyPassword(password, DEMO_PASSWORD_HASHES[email] ?? "")).toBe(true);
});
