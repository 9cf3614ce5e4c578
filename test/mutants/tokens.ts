import type { Mutant } from "./mutant.ts";

const ACCESS = ["test/security/access-tokens.test.ts", "test/account/access-tokens.test.ts"];
const SIGN_ON: Pick<Mutant, "project" | "tests"> = {
  project: "built",
  tests: ["test/dev/built/single-sign-on.test.ts"],
};

/** Access tokens of users, and who the provider of single sign-on says they are. */
export const tokens: Mutant[] = [
  {
    name: "a token that only reads changes something",
    file: "src/auth/guards.ts",
    search: "if (isAllowed) return",
    replace: "if (isAllowed || now > 0) return",
    tests: ACCESS,
  },
  {
    name: "an operator's token for one app is for every operator path",
    file: "src/auth/guards.ts",
    search: '    if (onlyApp !== null) throw new AppError("insufficient_scope", ONLY_AN_APP);\n',
    replace: "",
    tests: ACCESS,
  },
  {
    name: "expired access tokens use up the 20 of a user",
    file: "src/db/accounts/access-tokens.ts",
    search: "${x.userId} = ${userId} AND ${x.expiresAt} > ${now}) <",
    replace: "${x.userId} = ${userId}) <",
    tests: ACCESS,
  },
  {
    name: "a user ends the access token of another one",
    file: "src/db/accounts/access-tokens.ts",
    search: "const isNamed = sql`${x.userId} = ${userId} AND ",
    replace: "const isNamed = sql`",
    tests: ACCESS,
  },
  {
    name: "the first sign-in with the company account links an operator",
    file: "src/db/accounts/identities.ts",
    search: "${u.role} = 'member' AND ",
    replace: "",
    ...SIGN_ON,
  },
  {
    name: "a callback of single sign-on works twice",
    file: "src/db/accounts/identities.ts",
    search: "return used.length > 0;",
    replace: "return used.length >= 0;",
    ...SIGN_ON,
  },
  {
    name: "an ID token with a wrong signature is accepted",
    file: "src/account/single-sign-on/provider.ts",
    search: "    await oauth.validateApplicationLevelSignature(server, response, options);\n",
    replace: "",
    ...SIGN_ON,
  },
  {
    name: "a disabled user signs in with the company account",
    file: "src/db/accounts/identities.ts",
    search: "${u.passwordHash} IS NULL AND ${u.disabledAt} IS NULL",
    replace: "${u.passwordHash} IS NULL",
    ...SIGN_ON,
  },
];
