import { beforeEach, expect, test, vi } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { createToken } from "../../src/auth/secrets.ts";
import { Browser, shownToken } from "../account/support.ts";
import * as harness from "../harness.ts";
import { type Call, DEMO, freshDemo, NOW, rows, UNLIMITED } from "../harness.ts";
import { SINGLE_SIGN_ON } from "../support.ts";

const token = DEMO.operatorToken;
const users = "/operator/v1/users";
const your_password = DEMO.operatorPassword;

/** These enter the operator's password more often than the limit allows. */
const ask = <T>(path: string, options: Call) => harness.ask<T>(path, { env: UNLIMITED, ...options });
const rejection = (path: string, options: Call) => harness.rejection(path, { env: UNLIMITED, ...options });

interface User {
  id: number;
  email: string;
  role: string;
  sign_in: string;
  token_hint: string | null;
  disabled_at: string | null;
  temporary_password?: string;
  api_token?: string;
}
const askUser = async (path: string, options: { method?: string; json?: object } = {}) => {
  const isChange = path !== users && (options.method !== undefined || options.json !== undefined);
  const { status, body } = await ask<{ data: { items: User[] } }>(path, {
    token,
    ...options,
    ...(isChange && { json: { your_password, ...options.json } }),
  });
  return { status, user: body.data.items[0] };
};

/** 20 characters of which no two look alike. */
const TEMPORARY_PASSWORD = /^[2-9a-hjkmnp-z]{20}$/;

beforeEach(freshDemo);

test("creates a user with a temporary password that is returned once and stored as a hash", async () => {
  const { status, user } = await askUser(users, { json: { email: "New.User@Example.com" } });
  expect(status).toBe(201);
  expect(user).toMatchObject({ id: 3, email: "new.user@example.com", role: "member", sign_in: "password" });
  const password = user?.temporary_password ?? "";
  expect(password).toMatch(TEMPORARY_PASSWORD);
  const [stored] = await rows<{ password_hash: string }>("SELECT password_hash FROM users WHERE id = 3");
  expect(await verifyPassword(password, stored?.password_hash)).toBeDefined();
  const read = await askUser(`${users}/3`);
  expect(read.user).not.toHaveProperty("temporary_password");
  const audit = await rows<{ subject: string; detail: string }>("SELECT * FROM audit_log");
  expect(audit).toHaveLength(1);
  expect(audit[0]?.subject).toBe("user 3");
  expect(JSON.stringify(audit)).not.toContain(password);
});

test("a single sign-on user has no password", async () => {
  const { user } = await askUser(users, { json: { email: "sso@example.com", sign_in: "sso" } });
  expect(user).toMatchObject({ sign_in: "sso" });
  expect(user).not.toHaveProperty("temporary_password");
});

test("rejects an email that differs only in case", async () => {
  expect(await rejection(users, { token, json: { email: "DEMO@Example.com" } })).toEqual({
    status: 409,
    code: "email_taken",
    params: [],
  });
  expect(await rows("SELECT * FROM audit_log")).toEqual([]);
});

test("names a taken email beside a missing password, and before it checks one", async () => {
  const taken = { email: "DEMO@Example.com", role: "operator" };
  let checks = 0;
  const PASSWORD_ATTEMPTS = { limit: async () => ({ success: ++checks > 0 }) };
  for (const [path, method] of [
    [users, "POST"],
    [`${users}/2`, "PATCH"],
  ] as const) {
    const send = (more: object) =>
      rejection(path, { token, method, json: { ...taken, ...more }, env: { PASSWORD_ATTEMPTS } });
    expect(await send({})).toEqual({
      status: 403,
      code: "password_required",
      params: ["email", "your_password"],
    });
    expect(await send({ your_password: "a wrong password" })).toMatchObject({ code: "email_taken" });
  }
  expect(checks).toBe(0);
});

test.each(["demo", "", "a@b@c", "a b@example.com"])("rejects %j as an email", async (email) => {
  const { status, params } = await rejection(users, {
    token,
    json: { email, role: "admin", sign_in: "key" },
  });
  expect([status, new Set(params)]).toEqual([400, new Set(["email", "role", "sign_in"])]);
});

test.each([
  ["demoting", { role: "member", your_password }],
  ["disabling", { disabled: true, your_password }],
  ["switching to single sign-on", { sign_in: "sso", your_password }],
])("rejects %s the last operator", async (_, json) => {
  expect(await rejection(`${users}/2`, { token, method: "PATCH", json })).toMatchObject({
    status: 409,
    code: "last_operator",
  });
  expect((await askUser(`${users}/2`)).user).toMatchObject({
    role: "operator",
    sign_in: "password",
    disabled_at: null,
  });
  expect(await rows("SELECT * FROM audit_log")).toEqual([]);
});

test("a disabled operator does not count as a remaining operator", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator", your_password } });
  await askUser(`${users}/3`, { method: "PATCH", json: { disabled: true, your_password } });
  const json = { role: "member", your_password };
  expect((await rejection(`${users}/2`, { token, method: "PATCH", json })).code).toBe("last_operator");
});

test("an operator without a password does not count as a remaining operator, with or without a token", async () => {
  const second = { email: "second@example.com", role: "operator", sign_in: "sso", your_password };
  await askUser(users, { json: second });
  const demote = { token, method: "PATCH", json: { role: "member", your_password } };
  expect((await rejection(`${users}/2`, demote)).code).toBe("last_operator");
  await askUser(`${users}/3/token`, { json: { your_password } });
  expect((await rejection(`${users}/2`, demote)).code).toBe("last_operator");
  await askUser(`${users}/3/password`, { json: { your_password } });
  expect((await askUser(`${users}/2`, demote)).user).toMatchObject({ role: "member" });
});

test("an operator whose temporary password has expired does not count as a remaining operator", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator", your_password } });
  const demote = (now: number) =>
    rejection(`${users}/2`, { token, now, method: "PATCH", json: { role: "member", your_password } });
  await rows("UPDATE users SET password_expires_at = ? WHERE id = 3", NOW);
  expect((await demote(NOW)).code).toBe("last_operator");
  const { status } = await ask(`${users}/2`, {
    token,
    now: NOW - 1,
    method: "PATCH",
    json: { role: "member", your_password },
  });
  expect(status).toBe(200);
});

test("the last operator cannot give up the password if it is their only way to sign in", async () => {
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  await rows("DELETE FROM api_tokens WHERE user_id = 2");
  const rejected = await operator.post("/operator/users/2", { sign_in: "sso" }, { env: SINGLE_SIGN_ON });
  expect([rejected.status, rejected.text.includes("You cannot remove the last operator")]).toEqual([
    409,
    true,
  ]);
  expect((await operator.get("/operator/users/2")).status).toBe(200);
});

test("disabling a user invalidates the token immediately, and enabling does not restore it", async () => {
  const list = "/public/v1/partners";
  expect((await ask(list, { token: DEMO.apiToken })).status).toBe(200);
  const { user } = await askUser(`${users}/1`, { method: "PATCH", json: { disabled: true } });
  expect(user).toMatchObject({ token_hint: null, disabled_at: "2026-03-15T12:00:00.000Z" });
  expect((await rejection(list, { token: DEMO.apiToken })).status).toBe(401);
  expect(await rejection(`${users}/1/token`, { token, json: { your_password } })).toMatchObject({
    code: "user_disabled",
  });
  await askUser(`${users}/1`, { method: "PATCH", json: { disabled: false } });
  expect((await rejection(list, { token: DEMO.apiToken })).status).toBe(401);
});

test("a single sign-on user's new API token is returned once and works, and the old one stops working", async () => {
  const list = "/public/v1/partners";
  await askUser(users, { json: { email: "sso@example.com", sign_in: "sso" } });
  const first = (await askUser(`${users}/3/token`, { method: "POST" })).user?.api_token;
  expect((await ask(list, { token: first })).status).toBe(200);
  const { user } = await askUser(`${users}/3/token`, { method: "POST" });
  expect((await ask(list, { token: user?.api_token })).status).toBe(200);
  expect((await rejection(list, { token: first })).status).toBe(401);
  const read = await askUser(`${users}/3`);
  expect(read.user).not.toHaveProperty("api_token");
  expect(read.user?.token_hint).toBe(`ll_api_…${user?.api_token?.slice(-4)}`);
  expect(await rows("SELECT sealed FROM api_tokens WHERE user_id = 3")).toEqual([{ sealed: null }]);
  expect(JSON.stringify(await rows("SELECT * FROM audit_log"))).not.toContain(user?.api_token);
});

test("rejects issuing a token of a user who has a password, and changes nothing", async () => {
  const before = await rows("SELECT * FROM api_tokens ORDER BY user_id");
  for (const id of [1, 2]) {
    expect(await rejection(`${users}/${id}/token`, { token, json: { your_password } })).toEqual({
      status: 409,
      code: "has_password",
      params: [],
    });
  }
  expect(await rows("SELECT * FROM api_tokens ORDER BY user_id")).toEqual(before);
  expect(await rows("SELECT * FROM audit_log")).toEqual([]);
});

test("a token keeps the role under which it was issued, until it is reissued", async () => {
  const promote = { method: "PATCH", json: { role: "operator", your_password } };
  expect((await askUser(`${users}/1`, promote)).status).toBe(200);
  expect((await ask("/public/v1/partners", { token: DEMO.apiToken })).status).toBe(200);
  const { body, status } = await ask<{ code: string; detail: string }>(users, { token: DEMO.apiToken });
  expect([status, body.code]).toEqual([403, "operator_required"]);
  expect(body.detail).toContain("issued when you were a member");
  const member = new Browser();
  await member.signIn();
  const reset = await member.post("/account/token/reset", { password: DEMO.password });
  const reissued = shownToken(reset);
  expect((await ask(users, { token: reissued })).status).toBe(200);
  await askUser(`${users}/1`, { method: "PATCH", json: { role: "member", your_password } });
  expect((await ask(users, { token: reissued })).status).toBe(403);
});

test("a promoted single sign-on user needs a new token for operator paths", async () => {
  await askUser(users, { json: { email: "sso@example.com", sign_in: "sso" } });
  const issue = async () => (await askUser(`${users}/3/token`, { json: { your_password } })).user?.api_token;
  const first = await issue();
  await askUser(`${users}/3`, { method: "PATCH", json: { role: "operator", your_password } });
  expect((await ask(users, { token: first })).status).toBe(403);
  expect((await ask(users, { token: await issue() })).status).toBe(200);
});

test("a wrong password is recorded, and more than 10 a minute are rejected", async () => {
  let used = 0;
  const limiter = { limit: async () => ({ success: ++used <= 10 }) };
  const send = () =>
    rejection(`${users}/2/password`, {
      token,
      json: { your_password: "a wrong password" },
      env: { PASSWORD_ATTEMPTS: limiter },
    });
  for (let attempt = 0; attempt < 10; attempt++) expect((await send()).code).toBe("wrong_password");
  expect((await send()).code).toBe("rate_limited");
  const failed = await rows(
    "SELECT id FROM audit_log WHERE action = 'enter wrong password' AND subject = 'user 2'",
  );
  expect(failed).toHaveLength(10);
});

test.each([
  ["operator", 1],
  ["member", 3],
])(
  "a user who becomes %s is signed out everywhere and no browser stays known, with the same role they stay",
  async (role, id) => {
    await askUser(users, { json: { email: "third@example.com", role: "operator", your_password } });
    await rows(
      "INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('x', ?, 0, 9e15)",
      id,
    );
    await rows("INSERT INTO devices (user_id, id_hash, expires_at) VALUES (?, 'x', 9e15)", id);
    const known = () => rows("SELECT id_hash FROM sessions UNION ALL SELECT id_hash FROM devices");
    const before = role === "operator" ? "member" : "operator";
    const change = (to: string) =>
      askUser(`${users}/${id}`, { method: "PATCH", json: { role: to, your_password } });
    expect((await change(before)).status).toBe(200);
    expect(await known()).toEqual([{ id_hash: "x" }, { id_hash: "x" }]);
    expect((await change(role)).user).toMatchObject({ role });
    expect(await known()).toEqual([]);
  },
);

test("recovering an account replaces the password and deletes the API token in one step", async () => {
  await ask("/public/v1/partners", { token: DEMO.apiToken });
  const json = { revoke_api_token: true };
  const { user } = await askUser(`${users}/1/password`, { method: "POST", json });
  expect(user).toMatchObject({ token_hint: null });
  expect(user?.temporary_password).toMatch(TEMPORARY_PASSWORD);
  expect((await rejection("/public/v1/partners", { token: DEMO.apiToken })).status).toBe(401);
  const [entry] = await rows<{ detail: string }>("SELECT detail FROM audit_log WHERE action = 'update user'");
  expect(JSON.parse(entry?.detail ?? "{}")).toEqual({
    sign_in: { from: "password", to: "new password" },
    api_token: { from: "active", to: "revoked" },
  });
});

test("an operator who gives up role and password in one request loses sessions and sealed token", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator", your_password } });
  await rows("INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('x', 2, 0, 9e15)");
  await rows("UPDATE api_tokens SET sealed = 'sealed' WHERE user_id = 2");
  await askUser(`${users}/2`, { method: "PATCH", json: { role: "member", sign_in: "sso", your_password } });
  expect(await rows("SELECT * FROM sessions")).toEqual([]);
  expect(await rows("SELECT sealed FROM api_tokens WHERE user_id = 2")).toEqual([{ sealed: null }]);
});

test.each([
  ["a token that nobody has", createToken("api"), 401],
  ["a member", DEMO.apiToken, 403],
])("no password is hashed for %s", async (_, token, status) => {
  // Every key derivation begins with a call to normalize.
  const deriving = vi.spyOn(String.prototype, "normalize");
  for (const [path, json] of [
    [users, { email: "x@example.com" }],
    [`${users}/1/password`, undefined],
  ] as const) {
    expect((await rejection(path, { token, method: "POST", json })).status).toBe(status);
  }
  expect(deriving).not.toHaveBeenCalled();
  await askUser(`${users}/1/password`, { method: "POST" });
  expect(deriving).toHaveBeenCalled();
});

test("a password reset ends the sessions", async () => {
  await rows("INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('x', 1, 0, 9e15)");
  const { user } = await askUser(`${users}/1/password`, { method: "POST" });
  expect(user?.temporary_password).toMatch(TEMPORARY_PASSWORD);
  expect(await rows("SELECT * FROM sessions")).toEqual([]);
});

test("switching to single sign-on deletes the password and the sealed token", async () => {
  const { user } = await askUser(`${users}/1`, { method: "PATCH", json: { sign_in: "sso" } });
  expect(user).toMatchObject({ sign_in: "sso" });
  expect(await rows("SELECT sealed FROM api_tokens WHERE user_id = 1")).toEqual([{ sealed: null }]);
});

test("an unknown user is not found", async () => {
  expect((await rejection(`${users}/99`, { token })).status).toBe(404);
  expect((await rejection(`${users}/99`, { token, method: "PATCH", json: { role: "member" } })).status).toBe(
    404,
  );
  expect((await rejection(`${users}/99/token`, { token, method: "POST" })).status).toBe(404);
  expect((await rejection(`${users}/zero`, { token })).status).toBe(400);
});
