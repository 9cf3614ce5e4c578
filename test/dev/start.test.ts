import { expect, test } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { DEMO, DEMO_PASSWORD_HASHES } from "../../src/dev/demo.ts";
import { greeting } from "../../src/dev/greeting.ts";

const BASE_URL = "http://localhost:9000";
const logins = new Set<string>([DEMO.email, DEMO.operatorEmail]);
const apiTokens = { API_TOKEN: DEMO.apiToken, OPERATOR_TOKEN: DEMO.operatorToken };

test("the greeting gives a first request, both logins and every name that the commands use", () => {
  const said = greeting(BASE_URL, { apiTokens, logins });
  expect(said).toContain(`token=${DEMO.apiToken}' ${BASE_URL}/public/v1/apps/${DEMO.appToken}/trackers`);
  expect(said).toContain(`${DEMO.email} / ${DEMO.password}\n`);
  expect(said).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
  expect([...said.matchAll(/^([A-Z_]+)=\S+$/gm)].map(([, name]) => name)).toEqual([
    "BASE_URL",
    "APP_TOKEN",
    "LINK_TOKEN",
    "API_TOKEN",
    "OPERATOR_TOKEN",
    "COST_TOKEN",
    "TEST_LINK_TOKEN",
    "TEST_COST_TOKEN",
  ]);
});

test("the greeting offers no token that was reset and no password that was changed", () => {
  const said = greeting(BASE_URL, {
    apiTokens: { OPERATOR_TOKEN: DEMO.operatorToken },
    logins: new Set([DEMO.operatorEmail]),
  });
  expect(said).not.toContain(DEMO.apiToken);
  expect(said).not.toContain(DEMO.password);
  expect(said).toContain("API token was reset");
  expect(said).toContain(`${DEMO.email} / (its password was changed)`);
  expect(said).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
});

test.each([
  [DEMO.email, DEMO.password],
  [DEMO.operatorEmail, DEMO.operatorPassword],
])("a demo login is known by the hash of its password: %s", async (email, password) => {
  expect(await verifyPassword(password, DEMO_PASSWORD_HASHES[email] ?? "")).toBe(true);
});
