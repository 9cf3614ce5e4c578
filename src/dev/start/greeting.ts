/** The text that `npm start` prints when the Worker is ready: where to sign in, and the variables for README.md's commands. */
import { DEMO } from "../demo.ts";

/** The demo data that is still valid: tokens can be reset and passwords changed on the account page. */
export interface DemoState {
  /** False for a database that was not empty before the first `npm start`. */
  hasDemo: boolean;
  /** The tokens that are still valid, by their variable names in README.md. */
  tokens: Record<string, string>;
  /** Email addresses of the users who still have the demo password. */
  logins: ReadonlySet<string>;
}

/** `baseUrl` without a trailing slash. */
export function greeting(baseUrl: string, { hasDemo, tokens, logins }: DemoState): string {
  if (!hasDemo)
    return `
linkledger is ready.

  Sign in: ${baseUrl}/account

  The database was not empty, so no demo data was added. To get the demo, start with an empty database:
    npm start -- --persist-to ANOTHER_DIRECTORY
`;
  const names = {
    BASE_URL: baseUrl,
    APP_TOKEN: DEMO.appToken,
    LINK_TOKEN: DEMO.linkToken,
    TEST_LINK_TOKEN: DEMO.testLinkToken,
    ...tokens,
  };
  const login = (email: string, password: string) =>
    `${email} / ${logins.has(email) ? password : "(password was changed)"}`;
  const request = tokens.API_TOKEN
    ? `Try it:
    curl -H 'Authorization: Token token=${tokens.API_TOKEN}' ${baseUrl}/public/v1/apps/${DEMO.appToken}/trackers`
    : "The demo user's API token was reset. Sign in to view the new token, and set API_TOKEN to it.";
  return `
linkledger is ready.

  Sign in, and change the passwords: ${baseUrl}/account
    ${login(DEMO.email, DEMO.password)}
    ${login(DEMO.operatorEmail, DEMO.operatorPassword)}

  Documentation: ${baseUrl}/docs

  ${request}

  To run the commands in README.md, paste these lines into a second terminal:

${Object.entries(names)
  .map(([name, value]) => `${name}=${value}`)
  .join("\n")}
`;
}
