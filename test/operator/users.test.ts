import { beforeEach, expect, test, vi } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";
import { createToken } from "../../src/auth/secrets.ts";
import { Browser } from "../account/support.ts";
import { ask, DEMO, freshDemo, rejection, rows } from "../harness.ts";

const token = DEMO.operatorToken;
const users = "/operator/v1/users";

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
const askUser = async (path: string, options: object = {}) => {
  const { status, body } = await ask<{ data: { items: User[] } }>(path, { token, ...options });
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

test.each(["demo", "", "a@b@c", "a b@example.com"])("rejects %j as an email", async (email) => {
  const { status, params } = await rejection(users, {
    token,
    json: { email, role: "admin", sign_in: "key" },
  });
  expect([status, new Set(params)]).toEqual([400, new Set(["email", "role", "sign_in"])]);
});

test.each([
  ["demoting", { role: "member" }],
  ["disabling", { disabled: true }],
])("rejects %s the last operator", async (_, json) => {
  expect(await rejection(`${users}/2`, { token, method: "PATCH", json })).toMatchObject({
    status: 409,
    code: "last_operator",
  });
  expect((await askUser(`${users}/2`)).user).toMatchObject({ role: "operator", disabled_at: null });
  expect(await rows("SELECT * FROM audit_log")).toEqual([]);
});

test("a disabled operator does not count as a remaining operator", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator" } });
  await askUser(`${users}/3`, { method: "PATCH", json: { disabled: true } });
  const json = { role: "member" };
  expect((await rejection(`${users}/2`, { token, method: "PATCH", json })).code).toBe("last_operator");
});

test("an operator without password and token does not count as a remaining operator", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator", sign_in: "sso" } });
  const demote = { token, method: "PATCH", json: { role: "member" } };
  expect((await rejection(`${users}/2`, demote)).code).toBe("last_operator");
  await askUser(`${users}/3/token`, { method: "POST" });
  expect((await askUser(`${users}/2`, demote)).user).toMatchObject({ role: "member" });
});

test("two operators who demote each other in concurrent requests do not both lose the role", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator" } });
  const { user } = await askUser(`${users}/3/token`, { method: "POST" });
  const demote = (id: number, as: string | undefined) =>
    ask(`${users}/${id}`, { token: as, method: "PATCH", json: { role: "member" } });
  const responses = await Promise.all([demote(2, user?.api_token), demote(3, token)]);
  expect(responses.map(({ status }) => status)).toContain(200);
  expect(await rows("SELECT id FROM users WHERE role = 'operator'")).toHaveLength(1);
  expect(await rows("SELECT id FROM audit_log WHERE action = 'update user'")).toHaveLength(1);
});

test("the last operator cannot give up the password if it is their only way to sign in", async () => {
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  await rows("DELETE FROM api_tokens WHERE user_id = 2");
  const rejected = await operator.post("/operator/users/2", { sign_in: "sso" });
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
  expect(await rejection(`${users}/1/token`, { token, method: "POST" })).toMatchObject({
    code: "user_disabled",
  });
  await askUser(`${users}/1`, { method: "PATCH", json: { disabled: false } });
  expect((await rejection(list, { token: DEMO.apiToken })).status).toBe(401);
});

test("a new API token is returned once and works, and the old one stops working", async () => {
  const list = "/public/v1/partners";
  await ask(list, { token: DEMO.apiToken });
  const { user } = await askUser(`${users}/1/token`, { method: "POST" });
  expect((await ask(list, { token: user?.api_token })).status).toBe(200);
  expect((await rejection(list, { token: DEMO.apiToken })).status).toBe(401);
  const read = await askUser(`${users}/1`);
  expect(read.user).not.toHaveProperty("api_token");
  expect(read.user?.token_hint).toBe(`ll_api_…${user?.api_token?.slice(-4)}`);
  expect(await rows("SELECT sealed FROM api_tokens WHERE user_id = 1")).toEqual([{ sealed: null }]);
  expect(JSON.stringify(await rows("SELECT * FROM audit_log"))).not.toContain(user?.api_token);
});

test("a new API token ends only the sessions of its user", async () => {
  await rows(
    "INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('x', 1, 0, 9e15), ('y', 2, 0, 9e15)",
  );
  await askUser(`${users}/1/token`, { method: "POST" });
  expect(await rows("SELECT id_hash FROM sessions")).toEqual([{ id_hash: "y" }]);
});

test("an operator who gives up role and password in one request loses sessions and sealed token", async () => {
  await askUser(users, { json: { email: "second@example.com", role: "operator" } });
  await rows("INSERT INTO sessions (id_hash, user_id, created_at, expires_at) VALUES ('x', 2, 0, 9e15)");
  await rows("UPDATE api_tokens SET sealed = 'sealed' WHERE user_id = 2");
  await askUser(`${users}/2`, { method: "PATCH", json: { role: "member", sign_in: "sso" } });
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
