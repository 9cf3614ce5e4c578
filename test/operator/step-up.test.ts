/** Console forms that show or issue a secret, or change a role or a password, ask for the operator's password. */
import { beforeEach, describe, expect, it } from "vitest";
import { accountState, Browser, checkForLeakedSecrets, freshSession } from "../account/support.ts";
import { DEMO, freshDemo, NOW, rows } from "../harness.ts";
import { SINGLE_SIGN_ON } from "../support.ts";
import { textOf } from "../workspace/page-text.ts";

const LATER = {
  now: NOW + 10 * 60_000,
  env: { ...SINGLE_SIGN_ON, WEBHOOK_KEY: "a-key-of-at-least-32-characters-x" },
};
const JUST_BEFORE = { ...LATER, now: LATER.now - 1 };

let operator: Browser;
checkForLeakedSecrets();
async function freshWebhook() {
  await freshDemo();
  await rows("INSERT INTO webhooks (id, url, secret, created_at) VALUES (1, 'https://example.com', 'x', 0)");
}
beforeEach(async () => {
  operator = await freshSession(freshWebhook, DEMO.operatorEmail, DEMO.operatorPassword);
});

/** Those that are not about users, and of those one of each kind. All of them are in test/operator/own-password.test.ts. */
const FORMS: [path: string, page: string, fields: Record<string, string>][] = [
  [
    "/operator/users/new",
    "/operator/users/new",
    { email: "new@example.com", role: "member", sign_in: "password" },
  ],
  ["/operator/users/1", "/operator/users/1", { role: "operator" }],
  ["/operator/users/1", "/operator/users/1", { email: "renamed@example.com" }],
  ["/operator/users/1/password", "/operator/users/1", {}],
  ["/operator/partners/2/rounds", "/operator/partners/2", { cost_types: "cpc" }],
  ["/operator/partners/1/credentials", "/operator/partners/1", { mode: "live", cost_types: "cpc" }],
  ["/operator/alerts/webhooks/new", "/operator/alerts/webhooks/new", { url: "https://example.com/hooks" }],
  ["/operator/alerts/webhooks/1", "/operator/alerts/webhooks/1", { action: "rotate" }],
];

/** A form without a secret redirects to its page. */
const statusOf = (path: string) => (path === "/operator/users/1" ? 303 : 200);

/** What these forms can change, without sessions, whose last use is written. */
async function state() {
  const { users, tokens } = await accountState();
  return [
    users,
    tokens,
    await rows("SELECT * FROM credentials"),
    await rows("SELECT * FROM rounds"),
    await rows("SELECT * FROM webhooks"),
  ];
}

describe.each(FORMS)("%s with %3$j", (path, page, fields) => {
  it("needs no password until 10 minutes after the sign-in", async () => {
    expect((await operator.get(page, JUST_BEFORE)).text).not.toContain('name="your_password"');
    const response = await operator.post(path, fields, JUST_BEFORE);
    expect(response.status).toBe(statusOf(path));
  });

  it("asks for it after 10 minutes, and changes nothing without it or with a wrong one", async () => {
    const before = await state();
    expect((await operator.get(page, LATER)).text).toContain('name="your_password"');
    const missing = await operator.post(path, fields, LATER);
    expect(missing.status).toBe(403);
    expect(missing.text).toContain("Enter your password to confirm.");
    expect(missing.text).not.toContain("<code>your_password");
    expect(missing.text).toContain('name="your_password"');
    const wrong = await operator.post(path, { ...fields, your_password: DEMO.password }, LATER);
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain("Incorrect password");
    // A rejected form is not collapsed.
    const isChangeOfUser = path === "/operator/users/1" && !("role" in fields);
    const isCollapsible = /(password|credentials|rounds|webhooks\/1)$/.test(path) || isChangeOfUser;
    expect(/<details[^>]* open/.test(wrong.text)).toBe(isCollapsible);
    expect(wrong.text).not.toContain(DEMO.password);
    expect(await state()).toEqual(before);
    const right = await operator.post(path, { ...fields, your_password: DEMO.operatorPassword }, LATER);
    expect(right.status).toBe(statusOf(path));
    expect(await state()).not.toEqual(before);
  });
});

it.each([
  [
    "/operator/users/new",
    { email: DEMO.email, role: "member", sign_in: "sso", apps: "nosuchapp000" },
    [
      "Single sign-on isn't set up. Choose a password.",
      "Apps must be apps that are not archived.",
      "Another user has this email address.",
    ],
  ],
  ["/operator/users/1", { email: DEMO.operatorEmail }, ["Another user has this email address."]],
  ["/operator/users/1", { email: "x" }, ["The email address must look like name@example.com."]],
  ["/operator/alerts/webhooks/new", { url: "x" }, [expect.stringMatching(/^URL of the receiver /)]],
])(
  "%s with %j names a missing password with the rest, and checks one only if the rest is right",
  async (path, fields, errors) => {
    let checks = 0;
    const count = async () => ({ success: ++checks > 0 });
    const options = {
      ...LATER,
      env: { PASSWORD_ATTEMPTS: { limit: count }, WEBHOOK_KEY: "a-key-of-at-least-32-characters-x" },
    };
    const post = async (more: Record<string, string>) => {
      const { status, text } = await operator.post(path, { ...fields, ...more }, options);
      const [summary = ""] = /<div class="notice error"[\s\S]*?<\/div>/.exec(text) ?? [];
      return [status, [...summary.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = ""]) => textOf(item))];
    };
    expect(await post({})).toEqual([400, [...errors, "Your password is required."]]);
    expect(await post({ your_password: "a wrong password" })).toEqual([400, errors]);
    expect(checks).toBe(0);
  },
);

it("is asked for once in 10 minutes, and only in this session", async () => {
  const other = new Browser();
  await other.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const fields = { role: "operator", your_password: DEMO.operatorPassword };
  expect((await operator.post("/operator/users/1", fields, LATER)).status).toBe(303);
  const soon = { now: LATER.now + 10 * 60_000 - 1 };
  expect((await operator.post("/operator/users/1", { role: "member" }, soon)).status).toBe(303);
  expect((await other.post("/operator/users/1", { role: "operator" }, soon)).status).toBe(403);
  const late = { now: LATER.now + 10 * 60_000 };
  expect((await operator.post("/operator/users/1", { role: "operator" }, late)).status).toBe(403);
});

it("is not asked for by other forms", async () => {
  expect((await operator.post("/operator/users/1", { disabled: "yes" }, LATER)).status).toBe(303);
  expect((await operator.post("/operator/partners/new", { display_name: "x" }, LATER)).status).toBe(303);
});

it("is limited to 10 attempts in a minute, shown on the page", async () => {
  let used = 0;
  const env = { PASSWORD_ATTEMPTS: { limit: async () => ({ success: ++used <= 10 }) } };
  const send = () =>
    operator.post(
      "/operator/users/1",
      { role: "operator", your_password: "a wrong password" },
      { ...LATER, env },
    );
  for (let attempt = 0; attempt < 10; attempt++) expect((await send()).status).toBe(403);
  const limited = await send();
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(limited.text).toContain("Too many requests");
});

it("is not needed for the password of an operator after it was entered, and the audit log has both", async () => {
  await rows(
    "INSERT INTO users (id, email, role, password_hash, created_at) VALUES (4, 'o@example.com', 'operator', 'x', 0)",
  );
  expect((await operator.post("/operator/users/4/password", {})).status).toBe(200);
  const actions = await rows("SELECT action, subject FROM audit_log ORDER BY id");
  expect(actions).toEqual([
    { action: "sign in", subject: "user 2" },
    { action: "update user", subject: "user 4" },
  ]);
});

it("offers to revoke the API token together with the password", async () => {
  expect((await operator.get("/operator/users/1")).text).toContain('name="revoke_api_token"');
  const kept = await operator.post("/operator/users/1/password", {});
  expect(kept.status).toBe(200);
  expect(await rows("SELECT user_id FROM api_tokens ORDER BY user_id")).toEqual([
    { user_id: 1 },
    { user_id: 2 },
  ]);
  await operator.post("/operator/users/1/password", { revoke_api_token: "yes" });
  expect(await rows("SELECT user_id FROM api_tokens")).toEqual([{ user_id: 2 }]);
});
