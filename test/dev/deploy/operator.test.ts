/** Tests `npm run operator:create` in this process, with SQLite instead of wrangler. start/start.test.ts uses wrangler. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { verifyPassword } from "../../../src/auth/passwords.ts";
import { CommandError } from "../../../src/dev/command.ts";
import { createOperator } from "../../../src/dev/operator.ts";
import type { Wrangler } from "../../../src/dev/wrangler.ts";
import { MIGRATIONS } from "./deployment.ts";

test("creates an operator, prints a temporary password, and rejects the same email address again", async () => {
  const database = new DatabaseSync(":memory:");
  for (const sql of Object.values(MIGRATIONS)) database.exec(sql);
  const calls: string[] = [];
  const wrangler: Wrangler = async (args) => {
    calls.push(args.slice(0, -1).join(" "));
    const statements = (args.at(-1) ?? "").split(/;\s*$/m).filter((statement) => statement.trim());
    const results = statements.map((sql) => ({ results: database.prepare(sql).all() }));
    return { status: 0, stdout: JSON.stringify(results), stderr: "" };
  };

  const printed = await createOperator(["--local", "First.O'Perator@Example.com"], wrangler);
  expect(calls).toEqual(["d1 execute DB --local --yes --json --command"]);
  const [, password = ""] = /Temporary password: (\S+)/.exec(printed) ?? [];
  const [user, ...others] = database.prepare("SELECT * FROM users").all();
  expect(others).toEqual([]);
  expect(user).toMatchObject({ email: "first.o'perator@example.com", role: "operator" });
  expect(await verifyPassword(password, String(user?.password_hash))).toBeDefined();

  await expect(createOperator(["--local", "FIRST.O'PERATOR@example.com"], wrangler)).rejects.toThrow(
    "first.o'perator@example.com is already a user. Nothing was changed. If an earlier run failed",
  );
  expect(database.prepare("SELECT count(*) AS users FROM users").all()).toEqual([{ users: 1 }]);
  const log = database.prepare("SELECT user_id, action, subject, detail FROM audit_log").all();
  const detail = '{"role":"operator","sign_in":"password"}';
  expect(log).toEqual([{ user_id: null, action: "create user", subject: "user 1", detail }]);
});

test.each([
  [["a@example.com"], "Use --remote or --local."],
  [["--local", "--remote", "a@example.com"], "Use --remote or --local."],
  [["--local"], "Name the email address."],
  [["--local", "a@example.com", "b@example.com"], "b@example.com is not expected."],
  [["--local", "--force", "a@example.com"], "--force is not a flag."],
  [["--local", "nobody"], "nobody is not an email address."],
])("explains its usage when called with %j", async (args, problem) => {
  const created = createOperator(args, () => {
    throw new Error("wrangler must not be called");
  });
  await expect(created).rejects.toThrow(CommandError);
  await expect(created).rejects.toThrow(
    `${problem}\nNothing was done.\n\nUsage: npm run operator:create -- `,
  );
});
