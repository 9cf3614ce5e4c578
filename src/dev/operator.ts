/**
 * `npm run operator:create -- --remote EMAIL` (or `--local`): creates an operator, such as the first one after a deployment, and
 * prints a temporary password. It requires write access to the database and has no equivalent in the API.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { createTemporaryPassword } from "../auth/passwords.ts";
import { email as emailField } from "../http/input/fields.ts";

const USAGE = "Usage: npm run operator:create -- --remote|--local [--persist-to DIR] EMAIL";

const { values, positionals } = parseArgs({
  options: {
    remote: { type: "boolean", default: false },
    local: { type: "boolean", default: false },
    "persist-to": { type: "string" },
  },
  allowPositionals: true,
});
if (values.remote === values.local || positionals.length !== 1) fail(USAGE);
const email = emailField.safeParse(positionals[0]).data;
if (!email) fail(`${positionals[0]} is not an email address. ${USAGE}`);

const now = Date.now();
const { password, stored } = await createTemporaryPassword(now);
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const isFree = `NOT EXISTS (SELECT 1 FROM users WHERE email = ${quote(email)})`;
// The audit entry comes first, under the same condition, so that both rows are inserted or neither.
const created = execute(`
  INSERT INTO audit_log (happened_at, action, subject, detail)
  SELECT ${now}, 'create user', 'user ' || (SELECT coalesce(max(id), 0) + 1 FROM users),
    ${quote(JSON.stringify({ email, role: "operator", sign_in: "password" }))}
  WHERE ${isFree};
  INSERT INTO users (email, role, password_hash, password_expires_at, created_at)
  SELECT ${quote(email)}, 'operator', ${quote(stored.passwordHash)}, ${stored.passwordExpiresAt}, ${now} WHERE ${isFree}
  RETURNING id;
`);
if (created === 0) fail(`${email} is already a user. Nothing was changed.`);
console.log(`
Operator ${email} created.

  Temporary password: ${password}

Copy the password now. It is not shown again. Sign in at /login within 7 days and choose your own password there.
`);

/** Returns the number of rows that the statements returned. */
function execute(sql: string): number {
  const state = values["persist-to"] ? ["--persist-to", values["persist-to"]] : [];
  const where = values.remote ? "--remote" : "--local";
  const { status, stdout, stderr } = spawnSync(
    "wrangler",
    ["d1", "execute", "DB", where, ...state, "--yes", "--json", "--command", sql],
    {
      env: { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
      encoding: "utf8",
    },
  );
  if (status !== 0) fail(`The operator was not created. ${explain(`${stdout}${stderr}`, where)}`);
  const results: { results: unknown[] }[] = JSON.parse(stdout);
  return results.reduce((count, result) => count + result.results.length, 0);
}

/** `output` is what wrangler printed before it failed. */
function explain(output: string, where: string): string {
  if (/CLOUDFLARE_API_TOKEN|wrangler login|not (authenticated|logged in)/i.test(output)) {
    return "You are not signed in to Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID if you have several accounts). Then run the command again.";
  }
  if (output.includes("no such table")) {
    return `The database is not migrated. Run npx wrangler d1 migrations apply DB ${where}, then run the command again.`;
  }
  return `wrangler reported:\n${output}`;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
