/**
 * `npm run operator:create -- --remote EMAIL` (or `--local`): creates an operator, such as the first one after a deployment, and
 * prints a temporary password. It requires write access to the database and has no equivalent in the API.
 */
import { createTemporaryPassword, TEMPORARY } from "../auth/passwords.ts";
import { email as emailField } from "../http/input/fields.ts";
import { CommandError, type Flag, readOnly, runCommand, TEXT } from "./command.ts";
import { ENVIRONMENT } from "./deployment/options.ts";
import { isSignInError, SIGN_IN, type Wrangler, wrangler } from "./wrangler.ts";

const USAGE = `Usage: npm run operator:create -- --remote [--env NAME] EMAIL
       npm run operator:create -- --local [--persist-to DIR] EMAIL

Creates an operator, such as the first one, and prints a temporary password.

  --remote          in the deployed database
  --env NAME        in the database of npm run deploy -- --env NAME
  --local           in the database of npm start or wrangler dev
  --persist-to DIR  where the local data is, .wrangler/state by default`;

/** Returns the text to print. Throws CommandError. */
export async function createOperator(args: string[], wrangler: Wrangler): Promise<string> {
  const { email, target } = readArguments(args);
  const now = Date.now();
  const { password, stored } = await createTemporaryPassword(now);
  if (!(await insertOperator(wrangler, email, stored, now, target)))
    throw new CommandError(
      `${email} is already a user. Nothing was changed. If an earlier run failed before it printed the password, run the command with another address, and reset the password of this one in the console.`,
    );
  return `
Operator ${email} created.

  Temporary password: ${password}

Copy the password now. It is not shown again. Sign in at /login within ${TEMPORARY} and choose your own password there.
`;
}

const FLAGS: Record<"remote" | "local" | "persist-to" | "env", Flag> = {
  remote: "switch",
  local: "switch",
  "persist-to": TEXT,
  env: ENVIRONMENT,
};

/** `target` holds the flags of `wrangler d1` that name the database, the first one --local or --remote. */
function readArguments(args: string[]): { email: string; target: string[] } {
  const { values, words } = readOnly(USAGE, args, FLAGS, ([given, ...others], { remote, local }) => [
    ...(Boolean(remote) === Boolean(local) ? ["Use --remote or --local."] : []),
    ...(emailField.safeParse(given).success
      ? []
      : [given ? `${given} is not an email address.` : "Name the email address."]),
    ...others.map((word) => `${word} is not expected.`),
  ]);
  const email = emailField.parse(words[0]);
  const target = [values.remote ? "--remote" : "--local"];
  for (const name of ["env", "persist-to"] as const) {
    const value = values[name];
    if (value !== undefined) target.push(`--${name}`, value);
  }
  return { email, target };
}

/** Returns whether the email address was free. */
async function insertOperator(
  wrangler: Wrangler,
  email: string,
  { passwordHash, passwordExpiresAt }: { passwordHash: string; passwordExpiresAt: number },
  now: number,
  target: string[],
): Promise<boolean> {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const isFree = `NOT EXISTS (SELECT 1 FROM users WHERE email = ${quote(email)})`;
  const detail = quote(JSON.stringify({ role: "operator", sign_in: "password" }));
  // The audit entry comes first, under the same condition, so that both rows are inserted or neither.
  const sql = `
    INSERT INTO audit_log (happened_at, action, subject, detail)
    SELECT ${now}, 'create user', 'user ' || (SELECT coalesce(max(id), 0) + 1 FROM users), ${detail} WHERE ${isFree};
    INSERT INTO users (email, role, password_hash, password_expires_at, created_at)
    SELECT ${quote(email)}, 'operator', ${quote(passwordHash)}, ${passwordExpiresAt}, ${now} WHERE ${isFree}
    RETURNING id;
  `;
  const { status, stdout, stderr } = await wrangler(
    ["d1", "execute", "DB", ...target, "--yes", "--json", "--command", sql],
    { environment: { CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" } },
  );
  if (status !== 0)
    throw new CommandError(
      `The operator was not created. ${explain(`${stdout}${stderr}`, target.join(" "))}`,
    );
  const results: { results: unknown[] }[] = JSON.parse(stdout);
  return results.some((result) => result.results.length > 0);
}

/** `output` is what wrangler printed before it failed, `target` the flags that named the database. */
function explain(output: string, target: string): string {
  if (isSignInError(output))
    return `You are not signed in to Cloudflare, or are not allowed to edit D1. ${SIGN_IN} Then run the command again.`;
  if (output.includes("no such table"))
    return `The database is not migrated. Run npx wrangler d1 migrations apply DB ${target}, then run the command again.`;
  return `If it was created nevertheless, the next run says so. wrangler reported:\n${output}`;
}

if (import.meta.main)
  await runCommand(USAGE, async (args) => console.log(await createOperator(args, wrangler)));
