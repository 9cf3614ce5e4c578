/** What `npm start` says once the Worker answers: where to sign in, and the names that the commands of README.md use. */
import { DEMO } from "./demo.ts";

/** What of the demo still stands: who resets a token or changes a password on the account page has another. */
export interface Standing {
  /** False for a database that was not empty before the first `npm start`. */
  hasDemo: boolean;
  /** The tokens that still work, by the names that README.md uses. */
  tokens: Record<string, string>;
  /** E-mail addresses that still have the demo's password. */
  logins: ReadonlySet<string>;
}

/** `baseUrl` without a slash at its end. */
export function greeting(baseUrl: string, { hasDemo, tokens, logins }: Standing): string {
  if (!hasDemo) {
    return `
linkledger is ready.

  Sign in: ${baseUrl}/account

  There is no demo data here, because the database was not empty. For the demo, start with a database of its own:
    npm start -- --persist-to ANOTHER_DIRECTORY
`;
  }
  const names = {
    BASE_URL: baseUrl,
    APP_TOKEN: DEMO.appToken,
    LINK_TOKEN: DEMO.linkToken,
    TEST_LINK_TOKEN: DEMO.testLinkToken,
    ...tokens,
  };
  const login = (email: string, password: string) =>
    `${email} / ${logins.has(email) ? password : "(its password was changed)"}`;
  const request = tokens.API_TOKEN
    ? `Try it:
    curl -H 'Authorization: Token token=${tokens.API_TOKEN}' ${baseUrl}/public/v1/apps/${DEMO.appToken}/trackers`
    : "The demo user's API token was reset: sign in to read the new one, and set API_TOKEN to it.";
  return `
linkledger is ready.

  Sign in: ${baseUrl}/account
    ${login(DEMO.email, DEMO.password)}
    ${login(DEMO.operatorEmail, DEMO.operatorPassword)}

  ${request}

  For the commands of README.md, paste these lines into a second terminal:

${Object.entries(names)
  .map(([name, value]) => `${name}=${value}`)
  .join("\n")}
`;
}
