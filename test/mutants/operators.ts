import type { Mutant } from "./mutant.ts";

/** What operators do: rounds, adjustments, users, and the audit log. */
export const operators: Mutant[] = [
  {
    name: "a dismissal is undone without an entry of the audit log",
    file: "src/db/operator/rounds/changes.ts",
    search: "(await runForRow(db, undo(db, { id, finding }), entry)) !== undefined",
    replace: "(entry, await runForRow(db, undo(db, { id, finding }))) !== undefined",
    tests: ["test/operator/approval.test.ts"],
  },
  {
    name: "a round is judged by the copies in its entries",
    file: "src/domain/rounds/report.ts",
    search: "[...copies, ...round.engagements]",
    replace: "[...round.engagements, ...copies]",
    tests: ["test/operator/report.test.ts"],
  },
  {
    name: "a round includes live engagements without a cost",
    file: "src/domain/rounds/report.ts",
    search: "!engagement || !costType || isLive(costId, kind, round)",
    replace: "!engagement || !costType",
    tests: ["test/operator/report.test.ts"],
  },
  {
    name: "an approval replaces the types that the partner has integrated before",
    file: "src/db/operator/rounds/changes.ts",
    search: "${partners.integratedTypes} | ${approvedTypes}",
    replace: "${approvedTypes}",
    tests: ["test/operator/rounds.test.ts"],
  },
  {
    name: "an adjustment can name a link of another app",
    file: "src/db/operator/adjustments.ts",
    search: '${links.token} = ${sql.placeholder("linkToken")} AND ${links.appToken} = ${appToken}',
    replace: '${links.token} = ${sql.placeholder("linkToken")}',
    tests: ["test/operator/adjustments.test.ts"],
  },
  {
    name: "the token of a member becomes one of an operator",
    file: "src/auth/guards.ts",
    search: 'if (issuedAs !== "operator") throw new AppError("operator_required", OLD_TOKEN);',
    replace: "",
    tests: ["test/operator/users.test.ts"],
  },
  {
    name: "an operator whose temporary password has expired counts as the remaining one",
    file: "src/db/operator/users.ts",
    search: 'coalesce(${o.passwordExpiresAt} > ${sql.placeholder("now")}, true)',
    replace: "true",
    tests: ["test/operator/users.test.ts"],
  },
  {
    name: "an expired temporary password confirms that an operator acts on another",
    file: "src/operator/confirmation.ts",
    search: "if (passwordExpiresAt !== null) throw",
    replace: "if ((passwordExpiresAt ?? 0) < 0) throw",
    tests: ["test/account/temporary-password.test.ts"],
  },
  {
    name: "a password is recent for ten minutes and a millisecond",
    file: "src/auth/sessions.ts",
    search: "passwordAt > now - RECENT_MS",
    replace: "passwordAt >= now - RECENT_MS",
    tests: ["test/operator/step-up.test.ts"],
  },
  {
    name: "a change that changed nothing has an entry in the audit log",
    file: "src/db/audit.ts",
    search: "insertIf(sql`changes() > 0`)",
    replace: "insertIf(sql`true`)",
    tests: ["test/operator/audit.test.ts"],
  },
  {
    name: "ending all sessions of a user reads every session",
    file: "migrations",
    search: "CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);",
    replace: "SELECT 1;",
    tests: ["test/account/sign-out.test.ts"],
  },
];
