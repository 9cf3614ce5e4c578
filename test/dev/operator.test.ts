import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { run } from "./run.ts";

const ROOT = join(import.meta.dirname, "../..");
const state = mkdtempSync(join(tmpdir(), "linkledger-operator-"));
const environment = {
  ...process.env,
  CI: "true",
  WRANGLER_SEND_METRICS: "false",
  PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`,
};

const wrangler = (...args: string[]) =>
  run("wrangler", ["d1", ...args, "--local", "--persist-to", state], { env: environment }).stdout;
const create = (...args: string[]) =>
  run(process.execPath, ["src/dev/operator.ts", "--persist-to", state, ...args], { env: environment });
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
  const { status, stdout, stderr } = run(process.execPath, COMMAND, {
    env: { ...environment, CLOUDFLARE_API_TOKEN: "", HOME: state, XDG_CONFIG_HOME: state },
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
  ["two email addresses", ["--local", "a@example.com", "b@example.com"]],
  ["an unknown flag", ["--local", "--force", "a@example.com"]],
  ["an invalid email address", ["--local", "nobody"]],
])("prints its usage when called with %s", (_, args) => {
  const rejected = create(...args);
  expect([rejected.status, rejected.stdout]).toEqual([1, ""]);
  expect(rejected.stderr).toMatch(/^[^\n]*Usage: [^\n]*\n$/);
});
