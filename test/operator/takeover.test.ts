/** Somebody who has the API token or the open browser of an operator, but not the password, becomes no other operator. */
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../src/auth/passwords.ts";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { Browser } from "../account/support.ts";
import {
  call,
  DEMO,
  env,
  freshDemo,
  freshState,
  NOW,
  rejection,
  rows,
  UNLIMITED,
  withMethods,
} from "../harness.ts";

const token = DEMO.operatorToken;
const your_password = DEMO.operatorPassword;
const users = "/operator/v1/users";
const ALICE = 3;
const ALICES_PASSWORD = "alices-own-password";
const ALICES_TOKEN = createToken("api", "Alice".padEnd(43, "0"));
const SSO_MEMBER = 4;
const SSO_OPERATOR = 5;

const setUp = async () => {
  await freshDemo();
  const { hash } = await hashPassword(ALICES_PASSWORD);
  const insertUser = env.DB.prepare(
    "INSERT INTO users (id, email, role, password_hash, created_at) VALUES (?, ?, ?, ?, 0)",
  );
  await env.DB.batch([
    insertUser.bind(ALICE, "alice@example.com", "operator", hash),
    insertUser.bind(SSO_MEMBER, "member@sso.example", "member", null),
    insertUser.bind(SSO_OPERATOR, "operator@sso.example", "operator", null),
    env.DB.prepare(
      "INSERT INTO api_tokens (token_hash, user_id, hint, created_at, role, sealed) VALUES (?, ?, '', 0, 'operator', 'x')",
    ).bind(hashToken(ALICES_TOKEN, ["api"]), ALICE),
    env.DB.prepare(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('alice', ?, 0, 9e15)",
    ).bind(ALICE),
    env.DB.prepare("INSERT INTO devices (user_id, id_hash, expires_at) VALUES (?, 'alice', 9e15)").bind(
      ALICE,
    ),
    env.DB.prepare(
      "INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (?, 'x', 0, 0)",
    ).bind(ALICE),
    env.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(SSO_OPERATOR),
  ]);
};
beforeEach(() => freshState("takeover", setUp));

const accounts = async () => [
  await rows("SELECT * FROM users ORDER BY id"),
  await rows("SELECT user_id, token_hash, sealed, role FROM api_tokens ORDER BY user_id"),
  await rows("SELECT user_id FROM authenticators"),
  await rows("SELECT user_id FROM devices ORDER BY id_hash"),
  await rows("SELECT id_hash FROM sessions WHERE id_hash = 'alice'"),
  await rows("SELECT id FROM audit_log WHERE action <> 'sign in'"),
];

describe("an API token of an operator, without the password", () => {
  it.each([
    ["takes an operator's password away", "PATCH", `${users}/${ALICE}`, { sign_in: "sso" }],
    [
      "gives an operator an address of the attacker",
      "PATCH",
      `${users}/${ALICE}`,
      { email: "x@evil.example" },
    ],
    ["disables an operator", "PATCH", `${users}/${ALICE}`, { disabled: true }],
    ["demotes an operator", "PATCH", `${users}/${ALICE}`, { role: "member" }],
    ["enables an operator", "PATCH", `${users}/${SSO_OPERATOR}`, { disabled: false }],
    ["promotes a member", "PATCH", `${users}/${SSO_MEMBER}`, { role: "operator" }],
    [
      "gives a member an address of the attacker",
      "PATCH",
      `${users}/${SSO_MEMBER}`,
      { email: "mal@evil.example" },
    ],
    ["takes a member's password away", "PATCH", `${users}/1`, { sign_in: "sso" }],
    ["resets a member's password", "POST", `${users}/1/password`, {}],
    ["gets the token of a member", "POST", `${users}/${SSO_MEMBER}/token`, undefined],
    ["erases a member", "POST", `${users}/1/erase`, undefined],
    ["resets an operator's password", "POST", `${users}/${ALICE}/password`, {}],
    ["gets the token of an operator", "POST", `${users}/${SSO_OPERATOR}/token`, undefined],
    ["erases an operator", "POST", `${users}/${ALICE}/erase`, undefined],
    [
      "creates an operator of single sign-on",
      "POST",
      users,
      { email: "ghost@evil.example", role: "operator", sign_in: "sso" },
    ],
    ["creates an operator with a password", "POST", users, { email: "ghost@evil.example", role: "operator" }],
    ["changes the address of its own user", "PATCH", `${users}/2`, { email: "x@evil.example" }],
    ["takes its own user's password away", "PATCH", `${users}/2`, { sign_in: "sso" }],
  ])("never %s", async (_, method, path, json) => {
    const before = await accounts();
    expect(await rejection(path, { token, method, json })).toEqual({
      status: 403,
      code: "password_required",
      params: ["your_password"],
    });
    expect(await accounts()).toEqual(before);
  });

  it("never issues a token of an operator of single sign-on, who is enabled", async () => {
    await rows("UPDATE users SET disabled_at = NULL WHERE id = ?", SSO_OPERATOR);
    const issue = (json: object) => call(`${users}/${SSO_OPERATOR}/token`, { token, json, env: UNLIMITED });
    expect((await issue({})).status).toBe(403);
    expect(await rows("SELECT * FROM api_tokens WHERE user_id = ?", SSO_OPERATOR)).toEqual([]);
    expect((await issue({ your_password })).status).toBe(200);
  });
});

it("a stranger who was linked to a member is no operator when the member becomes one, and is signed out", async () => {
  // As if a member of single sign-on had had the address of the stranger, who signed in with it.
  await env.DB.batch([
    env.DB.prepare("INSERT INTO identities VALUES ('https://login.test', 'mal', ?, 0)").bind(SSO_MEMBER),
    env.DB.prepare(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('mal', ?, 0, 9e15)",
    ).bind(SSO_MEMBER),
  ]);
  const json = { role: "operator", your_password };
  expect((await call(`${users}/${SSO_MEMBER}`, { token, method: "PATCH", json })).status).toBe(200);
  expect(await rows("SELECT * FROM identities")).toEqual([]);
  expect(await rows("SELECT * FROM sessions WHERE id_hash = 'mal'")).toEqual([]);
});

describe("an operator's browser in which the password was not entered for 10 minutes", () => {
  it.each([
    ["disables an operator", ALICE, { disabled: "yes" }, null],
    ["enables an operator", SSO_OPERATOR, { disabled: "no" }, 1],
  ])("never %s before it is entered", async (_, id, fields, disabledAt) => {
    const browser = new Browser();
    await browser.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const later = { now: NOW + 10 * 60_000 };
    const send = (more: object) => browser.post(`/operator/users/${id}`, { ...fields, ...more }, later);
    const state = () => rows("SELECT disabled_at FROM users WHERE id = ?", id);
    expect((await browser.get(`/operator/users/${id}`, later)).text).toContain('id="disable-your_password"');
    const rejected = await send({});
    expect(rejected.status).toBe(403);
    expect(rejected.text).toContain("Enter your password to confirm.");
    expect(rejected.text).toContain('href="#disable-your_password"');
    expect(await state()).toEqual([{ disabled_at: disabledAt }]);
    expect((await send({ your_password })).status).toBe(303);
    expect(await state()).toEqual([{ disabled_at: disabledAt === null ? later.now : null }]);
    const soon = await browser.post(`/operator/users/${id}`, { disabled: "no" }, later);
    expect(soon.status).toBe(303);
  });

  it("shows an operator without a password how to go on", async () => {
    await rows("UPDATE users SET disabled_at = NULL WHERE id = ?", SSO_OPERATOR);
    const browser = new Browser();
    await browser.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
    // A user who gets another sign-in method has no session any more.
    const session = await rows<Record<string, string>>(
      "SELECT id_hash, expires_at, last_seen_at FROM sessions WHERE user_id = 2",
    );
    await rows("UPDATE users SET password_hash = NULL WHERE id = 2");
    await rows(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at, last_seen_at, password_at) VALUES (?1, 2, ?3, ?2, ?3, ?3)",
      ...Object.values(session[0] ?? {}),
    );
    const later = { now: NOW + 10 * 60_000 };
    const { text } = await browser.get(`/operator/users/${ALICE}`, later);
    expect(text).toContain("To continue, sign out and sign in again.");
    expect(text).not.toContain('name="your_password"');
    const sent = await browser.post(`/operator/users/${ALICE}`, { disabled: "yes", your_password }, later);
    expect(sent.status).toBe(403);
    expect(sent.text).toContain("Your account has no password. Sign in to the console again");
  });
});

/** D1 where something happens after a request has read, and before its first write. */
function databaseBefore(happens: () => Promise<unknown>): D1Database {
  let happened = false;
  return withMethods(env.DB, {
    batch: async (statements: D1PreparedStatement[]) => {
      // The entry of the audit log, the change, and what it leaves.
      if (statements.length >= 3 && !happened) {
        happened = true;
        await happens();
      }
      return env.DB.batch(statements);
    },
  });
}
const promotion = (id: number) =>
  databaseBefore(() => rows("UPDATE users SET role = 'operator' WHERE id = ?", id));

const CHANGES: [what: string, method: string, id: number, tail: string, json: object][] = [
  ["is disabled", "PATCH", 1, "", { disabled: true }],
  ["gets another address", "PATCH", 1, "", { email: "x@evil.example" }],
  ["changes to single sign-on", "PATCH", 1, "", { sign_in: "sso" }],
  ["gets a new password", "POST", 1, "/password", {}],
  ["gets a new token", "POST", SSO_MEMBER, "/token", {}],
  ["is erased", "POST", 1, "/erase", {}],
];

describe("a member who becomes an operator before what needs no password is written", () => {
  it.each([
    ["disabled", true],
    ["enabled", false],
  ])("is not %s", async (_, disabled) => {
    await rows("UPDATE users SET role = 'operator' WHERE id = 1");
    const promoted = await accounts();
    await rows("UPDATE users SET role = 'member' WHERE id = 1");
    const options = { token, method: "PATCH", json: { disabled }, env: { DB: promotion(1) } };
    expect((await rejection(`${users}/1`, options)).code).toBe("password_required");
    expect(await accounts()).toEqual(promoted);
  });
});

describe.each(CHANGES)(
  "a member who %s, and becomes an operator before that is written",
  (_, method, id, tail, json) => {
    const path = `${users}/${id}${tail}`;

    it("is judged again, and changed with the password", async () => {
      const sent = { ...json, your_password };
      const options = { token, method, json: sent, env: { ...UNLIMITED, DB: promotion(id) } };
      expect((await call(path, options)).status).toBe(200);
      const entries = await rows("SELECT subject FROM audit_log");
      expect(entries).toEqual([{ subject: `user ${id}` }]);
    });
  },
);

it("a member who becomes an operator while a form disables them stays enabled, and the form asks for the password", async () => {
  const browser = new Browser();
  await browser.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const options = { now: NOW + 10 * 60_000, env: { DB: promotion(1) } };
  const rejected = await browser.post("/operator/users/1", { disabled: "yes" }, options);
  expect(rejected.status).toBe(403);
  expect(rejected.text).toContain("Enter your password to confirm.");
  expect(rejected.text).toContain('id="disable-your_password"');
  expect(await rows("SELECT disabled_at FROM users WHERE id = 1")).toEqual([{ disabled_at: null }]);
});

/** Databases that write when each of them is about to. */
function meetingDatabases(count: number): D1Database[] {
  let arrived = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  return Array.from({ length: count }, () =>
    databaseBefore(async () => {
      if (++arrived === count) resolve();
      await promise;
    }),
  );
}

it.each([
  ["demote", "PATCH", "", { role: "member" }],
  ["disable", "PATCH", "", { disabled: true }],
  ["switch to single sign-on", "PATCH", "", { sign_in: "sso" }],
  ["erase", "POST", "/erase", {}],
])("of two operators who %s each other, one succeeds and remains", async (_, method, tail, json) => {
  const [first, second] = meetingDatabases(2);
  const act = async (sender: string, password: string, target: number, DB: D1Database | undefined) => {
    const response = await call(`${users}/${target}${tail}`, {
      ...{ token: sender, method, json: { ...json, your_password: password } },
      env: { ...UNLIMITED, ...(DB && { DB }) },
    });
    return { status: response.status, code: ((await response.json()) as { code?: string }).code };
  };
  const results = await Promise.all([
    act(token, your_password, ALICE, first),
    act(ALICES_TOKEN, ALICES_PASSWORD, 2, second),
  ]);
  expect(results.toSorted((left, right) => left.status - right.status)).toEqual([
    { status: 200, code: undefined },
    { status: 409, code: "last_operator" },
  ]);
  const remaining =
    "SELECT id FROM users WHERE role = 'operator' AND disabled_at IS NULL AND password_hash IS NOT NULL";
  expect(await rows(remaining)).toEqual([{ id: results[0]?.status === 200 ? 2 : ALICE }]);
});
