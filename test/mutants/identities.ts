/** Mutants of single sign-on, tokens and their scopes, revocations on warm isolates, and entries of the audit log about people. */
import type { Mutant } from "./mutant.ts";

export const identities: Mutant[] = [
  {
    name: "a sign-in before it was asked for confirms a session",
    file: "src/account/single-sign-on/flow.ts",
    search: "if (isBefore || age > CONFIRMED_MS",
    replace: "if (age > CONFIRMED_MS",
    project: "built",
    tests: ["test/dev/built/single-sign-on.test.ts"],
  },
  {
    name: "attempts with an address that is not verified push out those with a verified one",
    file: "src/db/accounts/identities.ts",
    search: ' AND ${a.isVerified} = ${sql.placeholder("isVerified")}',
    replace: "",
    project: "built",
    tests: ["test/dev/built/single-sign-on.test.ts"],
  },
  {
    name: "an ID token for another party signs in",
    file: "src/account/single-sign-on/provider.ts",
    search: 'if (azp !== undefined && azp !== settings.clientId) throw new Rejected("other_party");',
    replace: "",
    project: "built",
    tests: ["test/dev/built/single-sign-on.test.ts"],
  },
  {
    name: "a user who becomes an operator keeps the identity of the provider",
    file: "migrations",
    search: "DELETE FROM identities WHERE user_id = NEW.id AND NEW.role = 'operator';",
    replace: "DELETE FROM identities WHERE user_id = NEW.id AND NEW.role = 'none';",
    tests: ["test/operator/identity.test.ts", "test/auth/single-sign-on.test.ts"],
  },
  {
    name: "a user of single sign-on with another address stays signed in",
    file: "migrations",
    search:
      "  DELETE FROM sessions WHERE user_id = NEW.id AND EXISTS (SELECT 1 FROM identities WHERE user_id = NEW.id);\n",
    replace: "",
    tests: ["test/operator/identity.test.ts", "test/auth/single-sign-on.test.ts"],
  },
  {
    name: "browsers stay known after another password",
    file: "migrations",
    search: "UPDATE OF password_hash ON users WHEN NEW.password_hash IS NOT OLD.password_hash BEGIN",
    replace: "UPDATE OF password_hash ON users WHEN NEW.password_hash IS NULL BEGIN",
    tests: [
      "test/account/defence.test.ts",
      "test/account/two-factor.test.ts",
      "test/account/password.test.ts",
    ],
  },
  {
    name: "an access token is created with a password that was changed meanwhile",
    file: "src/db/accounts/access-tokens.ts",
    search: ' AND ${u.passwordHash} IS ${sql.placeholder("passwordHash")}',
    replace: "",
    tests: ["test/account/access-tokens.test.ts"],
  },
  {
    name: "the audit log keeps what is personal",
    file: "src/db/audit.ts",
    search: 'isPersonal ? text("changed") : values',
    replace: "values",
    tests: ["test/operator/erase-user.test.ts"],
  },
  {
    name: "the end of an access token that has expired has no entry in the audit log",
    file: "src/db/accounts/access-tokens.ts",
    search: "})} FROM ${as(x)} WHERE ${isNamed}`",
    replace: "})} FROM ${as(x)} WHERE ${isNamed} AND ${x.expiresAt} > ${now}`",
    tests: ["test/account/access-tokens.test.ts", "test/security/access-tokens.test.ts"],
  },
];
