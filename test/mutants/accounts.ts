import type { Mutant } from "./mutant.ts";

/** Passwords, codes, sessions and tokens of users, and rate limits. */
export const accounts: Mutant[] = [
  {
    name: "a code of an older step is accepted after a newer one",
    file: "src/db/accounts/two-factor.ts",
    search: '${authenticators.lastStep} < ${sql.placeholder("step")}',
    replace: '${authenticators.lastStep} <> ${sql.placeholder("step")}',
    tests: ["test/account/two-factor.test.ts"],
  },
  {
    name: "a wrong code gives back its count",
    file: "src/db/accounts/two-factor.ts",
    search: "givingBack(hasStarted)",
    replace: "givingBack(sql`true`)",
    tests: ["test/account/two-factor.test.ts"],
  },
  {
    name: "the code that turned two-factor on signs in too",
    file: "src/db/accounts/two-factor.ts",
    search: '${now}, ${sql.placeholder("step")} WHERE ${isChecked}',
    replace: "${now}, 0 WHERE ${isChecked}",
    tests: ["test/account/two-factor.test.ts"],
  },
  {
    name: "another site can send a code",
    file: "src/account/sign-in/code.ts",
    search: "submitCode(context: Context): Promise<Response> {\n  rejectCrossSite(context);\n",
    replace: "submitCode(context: Context): Promise<Response> {\n",
    tests: ["test/security/access.test.ts"],
  },
  {
    name: "a recovery code of another user is accepted",
    file: "src/db/accounts/two-factor.ts",
    search: '${codesOfUser} AND ${recoveryCodes.codeHash} = ${sql.placeholder("codeHash")}',
    replace: '${recoveryCodes.codeHash} = ${sql.placeholder("codeHash")}',
    tests: ["test/account/two-factor.test.ts"],
  },
  {
    name: "a sign-in that waits for its code is a session",
    file: "src/db/accounts/sessions.ts",
    search: "${sql.raw(String(IDLE_MS))} AND ${s.waitingSecret} IS NULL`",
    replace: "${sql.raw(String(IDLE_MS))}`",
    tests: ["test/account/two-factor.test.ts"],
  },
  {
    name: "one address can use up the limit of an account",
    file: "src/auth/sign-in/attempts.ts",
    search: `  if (outcomes.includes(false)) throw rateLimited();
  if (!(await consumeLimit(context, ACCOUNT_ATTEMPTS, sha256(email)))) throw rateLimited();`,
    replace: `  if (!(await consumeLimit(context, ACCOUNT_ATTEMPTS, sha256(email)))) throw rateLimited();
  if (outcomes.includes(false)) throw rateLimited();`,
    tests: ["test/account/limits.test.ts"],
  },
  {
    name: "a session is valid at the end of its two hours without a request",
    file: "src/db/accounts/sessions.ts",
    search: "${s.lastSeenAt} > ${now} - ${sql.raw(String(IDLE_MS))} AND",
    replace: "${s.lastSeenAt} >= ${now} - ${sql.raw(String(IDLE_MS))} AND",
    tests: ["test/account/sessions.test.ts"],
  },
  {
    name: "two resets of a token at the same time both succeed",
    file: "src/db/accounts/changes.ts",
    search: `\${isChecked}
  AND (SELECT \${t.tokenHash} FROM \${as(t)} WHERE \${t.userId} = \${userId}) IS \${sql.placeholder("tokenHash")}`,
    replace: "${isChecked}",
    tests: ["test/account/reset-token.test.ts"],
  },
  {
    name: "a sealed secret opens for another user",
    file: "src/auth/sealed.ts",
    search: "`linkledger ${VERSION} ${userId} ${secret}`",
    replace: "`linkledger ${VERSION} ${secret}`",
    tests: ["test/auth/sealed.test.ts"],
  },
  {
    name: "a disabled user keeps the API token",
    file: "migrations",
    search: "  DELETE FROM api_tokens WHERE user_id = NEW.id;\n",
    replace: "",
    tests: ["test/account/sign-out.test.ts"],
  },
  {
    name: "recovery codes stay valid after an operator reset the password",
    file: "migrations",
    search: "  DELETE FROM recovery_codes WHERE user_id = NEW.id;\n",
    replace: "",
    tests: ["test/account/two-factor.test.ts"],
  },
];
