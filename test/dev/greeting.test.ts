import { expect, test } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { DEMO, DEMO_PASSWORD_HASHES } from "../../src/dev/demo.ts";
import { greeting } from "../../src/dev/start/greeting.ts";

const BASE_URL = "http://localhost:9000";
const logins = new Set<string>([DEMO.email, DEMO.operatorEmail]);
const tokens = {
  API_TOKEN: DEMO.apiToken,
  OPERATOR_TOKEN: DEMO.operatorToken,
  COST_TOKEN: DEMO.costToken,
  TEST_COST_TOKEN: DEMO.testCostToken,
};

test("the greeting has a first request, both logins and every variable that the commands use", () => {
  const text = greeting(BASE_URL, { hasDemo: true, tokens, logins });
  expect(text).toContain(`token=${DEMO.apiToken}' ${BASE_URL}/public/v1/apps/${DEMO.appToken}/trackers`);
  expect(text).toContain(`${DEMO.email} / ${DEMO.password}\n`);
  expect(text).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
  expect([...text.matchAll(/^([A-Z_]+)=\S+$/gm)].map(([, name]) => name)).toEqual([
    "BASE_URL",
    "APP_TOKEN",
    "LINK_TOKEN",
    "TEST_LINK_TOKEN",
    "API_TOKEN",
    "OPERATOR_TOKEN",
    "COST_TOKEN",
    "TEST_COST_TOKEN",
  ]);
});

test("the greeting omits reset and revoked tokens and changed passwords", () => {
  const text = greeting(BASE_URL, {
    hasDemo: true,
    tokens: { OPERATOR_TOKEN: DEMO.operatorToken },
    logins: new Set([DEMO.operatorEmail]),
  });
  expect(text).not.toContain(DEMO.apiToken);
  expect(text).not.toContain(DEMO.costToken);
  expect(text).not.toContain(DEMO.password);
  expect(text).toContain("API token was reset");
  expect(text).toContain(`${DEMO.email} / (password was changed)`);
  expect(text).toContain(`${DEMO.operatorEmail} / ${DEMO.operatorPassword}\n`);
});

test.each([
  [DEMO.email, DEMO.password],
  [DEMO.operatorEmail, DEMO.operatorPassword],
])("the stored hash of the demo user %s matches the password", async (email, password) => {
  expect(await verifyPassword(password, DEMO_PASSWORD_HASHES[email] ?? "")).toBeDefined();
});
