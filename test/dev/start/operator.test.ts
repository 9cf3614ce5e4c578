/** Tests `npm run operator:create` from end to end, with the output of the real wrangler. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../run.ts";

const state = mkdtempSync(join(tmpdir(), "linkledger-operator-"));
const environment = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false" };

const wrangler = (...args: string[]) =>
  run("wrangler", ["d1", ...args, "--local", "--persist-to", state], { env: environment }).stdout;
const create = (...args: string[]) =>
  run(process.execPath, ["src/dev/operator.ts", ...args], { env: environment });

beforeAll(() => wrangler("migrations", "apply", "DB"));
afterAll(() => rmSync(state, { recursive: true }));

test("creates an operator, and rejects the same email address again", () => {
  const local = ["--local", "--persist-to", state];
  const created = create(...local, "First.O'Perator@Example.com");
  expect([created.status, created.stderr]).toEqual([0, ""]);
  expect(created.stdout).toMatch(/^ {2}Temporary password: \S+$/m);
  const again = create(...local, "FIRST.O'PERATOR@example.com");
  expect([again.status, again.stdout]).toEqual([1, ""]);
  expect(again.stderr).toBe("first.o'perator@example.com is already a user. Nothing was changed.\n");
  const sql = "SELECT id, email, role, (SELECT count(*) FROM audit_log) AS entries FROM users";
  expect(JSON.parse(wrangler("execute", "DB", "--json", "--command", sql))[0].results).toEqual([
    { id: 1, email: "first.o'perator@example.com", role: "operator", entries: 1 },
  ]);
});

test("explains that nobody is signed in to Cloudflare", () => {
  const { status, stdout, stderr } = run(
    process.execPath,
    ["src/dev/operator.ts", "--remote", "a@example.com"],
    { env: { ...environment, CLOUDFLARE_API_TOKEN: "", HOME: state, XDG_CONFIG_HOME: state } },
  );
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("You are not signed in to Cloudflare. Run npx wrangler login");
  expect(stderr).not.toContain("migrated");
});

test("explains that the database is not migrated", () => {
  const args = ["--persist-to", join(state, "empty"), "--local", "a@example.com"];
  const { status, stdout, stderr } = create(...args);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("Run npx wrangler d1 migrations apply DB --local");
});

test("explains its usage", () => {
  const { status, stdout, stderr } = create("--local");
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^Usage: [^\n]*\n$/);
});
