import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";

const ROOT = join(import.meta.dirname, "../..");
const state = mkdtempSync(join(tmpdir(), "linkledger-operator-"));
const environment = {
  ...process.env,
  CI: "true",
  WRANGLER_SEND_METRICS: "false",
  PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`,
};

const wrangler = (...args: string[]) =>
  spawnSync("wrangler", ["d1", ...args, "--local", "--persist-to", state], {
    cwd: ROOT,
    env: environment,
    encoding: "utf8",
  }).stdout;
const create = (...args: string[]) =>
  spawnSync(process.execPath, ["src/dev/operator.ts", "--persist-to", state, ...args], {
    cwd: ROOT,
    env: environment,
    encoding: "utf8",
  });
const query = (sql: string) => JSON.parse(wrangler("execute", "DB", "--json", "--command", sql))[0].results;

beforeAll(() => wrangler("migrations", "apply", "DB"));
afterAll(() => rmSync(state, { recursive: true }));

test("creates an operator, prints a temporary password, and rejects the same email address again", async () => {
  const created = create("--local", "First.O'Perator@Example.com");
  expect(created.status, created.stderr).toBe(0);
  const [, password = ""] = /Temporary password: (\S+)/.exec(created.stdout) ?? [];
  const [user, ...others] = query("SELECT * FROM users");
  expect(others).toEqual([]);
  expect(user).toMatchObject({ email: "first.o'perator@example.com", role: "operator" });
  expect(await verifyPassword(password, user.password_hash)).toBeDefined();

  const again = create("--local", "FIRST.O'PERATOR@example.com");
  expect([again.status, again.stdout]).toEqual([1, ""]);
  expect(again.stderr).toContain("is already a user");
  const log = query("SELECT user_id, action, subject, detail FROM audit_log");
  expect(log).toMatchObject([{ user_id: null, action: "create user", subject: "user 1" }]);
  expect(JSON.stringify(log)).not.toContain(password);
});

const COMMAND = ["src/dev/operator.ts", "--remote", "a@example.com"];

test("explains that nobody is signed in to Cloudflare", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, COMMAND, {
    cwd: ROOT,
    env: { ...environment, CLOUDFLARE_API_TOKEN: "", HOME: state, XDG_CONFIG_HOME: state },
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("You are not signed in to Cloudflare. Run npx wrangler login");
  expect(stderr).not.toContain("migrated");
});

test("explains that the database is not migrated", () => {
  const { status, stdout, stderr } = create("--persist-to", join(state, "empty"), "--local", "a@example.com");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("Run npx wrangler d1 migrations apply DB --local");
});

test.each([
  ["neither --local nor --remote", ["a@example.com"]],
  ["both --local and --remote", ["--local", "--remote", "a@example.com"]],
  ["no email address", ["--local"]],
  ["an invalid email address", ["--local", "nobody"]],
])("prints its usage when called with %s", (_, args) => {
  const rejected = create(...args);
  expect(rejected.status).toBe(1);
  expect(rejected.stderr).toContain("Usage:");
});
