import { beforeEach, describe, expect, it, test } from "vitest";
import { Browser, signedIn } from "../account/support.ts";
import { ask, call, DEMO, env, freshDemo, NOW, rejection, rows, UNLIMITED } from "../harness.ts";
import { readTables, tableNames } from "../restore.ts";
import { tablesOf } from "../workspace/page-text.ts";

const token = DEMO.operatorToken;
const users = "/operator/v1/users";
const your_password = DEMO.operatorPassword;

beforeEach(freshDemo);

const erase = (id: number, json: object = { your_password }) =>
  ask(`${users}/${id}/erase`, { token, json, env: UNLIMITED });

/** The tables with rows of a user, and how many. */
async function rowsOf(id: number): Promise<Record<string, number>> {
  const tables = Object.entries(await readTables(env.DB, await tableNames(env.DB)));
  return Object.fromEntries(
    tables.flatMap(([name, found]) => {
      const count = found.filter(({ user_id }) => user_id === id).length;
      return count > 0 ? [[name, count]] : [];
    }),
  );
}

test("erasing a user ends everything that they can sign in with, and leaves the ID, the time and the audit log", async () => {
  const member = await signedIn();
  await new Browser().signIn(DEMO.email, "a wrong password");
  await env.DB.batch(
    [
      "INSERT INTO authenticators (user_id, sealed, created_at, last_step) VALUES (1, 'x', 0, 0)",
      "INSERT INTO recovery_codes (user_id, code_hash) VALUES (1, 'x')",
      "INSERT INTO devices (user_id, id_hash, expires_at) VALUES (1, 'x', 9e15)",
      "INSERT INTO views (app_token, user_id, name, query) VALUES ('demoapp00001', 1, 'Mine', '')",
      "INSERT INTO views (app_token, user_id, name, query) VALUES ('demoapp00001', NULL, 'Of all', '')",
    ].map((sql) => env.DB.prepare(sql)),
  );
  const others = await rowsOf(2);
  expect(await rowsOf(1)).toEqual({
    ...{ api_tokens: 1, audit_log: 1, authenticators: 1, devices: 1, failed_sign_ins: 1 },
    ...{ memberships: 1, recovery_codes: 1, sessions: 1, views: 1 },
  });
  const [before] = await rows<{ created_at: number }>("SELECT created_at FROM users WHERE id = 1");
  const { status, body } = await erase(1);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: {
      items: [
        {
          ...{ id: 1, email: "erased user 1", role: "member", sign_in: "sso", erased: true },
          ...{ token_hint: null, disabled_at: new Date(NOW).toISOString() },
        },
      ],
    },
  });
  expect(await rowsOf(1)).toEqual({ audit_log: 1 });
  expect(await rows("SELECT name FROM views")).toEqual([{ name: "Of all" }]);
  expect(await rows("SELECT * FROM users WHERE id = 1")).toEqual([
    {
      ...{ id: 1, email: "erased user 1", role: "member", password_hash: null, disabled_at: NOW },
      ...{ created_at: before?.created_at, password_expires_at: null },
    },
  ]);
  expect(await rowsOf(2)).toEqual({ ...others, audit_log: 1 });
  const [entry] = await rows(
    "SELECT user_id, action, subject, detail FROM audit_log ORDER BY id DESC LIMIT 1",
  );
  expect(entry).toEqual({ user_id: 2, action: "erase user", subject: "user 1", detail: "{}" });
  expect((await member.get("/account")).headers.get("location")).toContain("/login");
  expect((await call("/public/v1/partners", { token: DEMO.apiToken })).status).toBe(401);
  expect((await new Browser().signIn()).status).toBe(401);
  expect((await new Browser().signIn("erased user 1", DEMO.password)).status).toBe(400);
});

test("erasing a user of single sign-on ends their token and known browsers", async () => {
  await env.DB.batch(
    [
      "INSERT INTO users (id, email, role, created_at) VALUES (5, 'sso@example.com', 'member', 0)",
      "INSERT INTO api_tokens (token_hash, user_id, hint, created_at) VALUES ('x', 5, '', 0)",
      "INSERT INTO devices (user_id, id_hash, expires_at) VALUES (5, 'x', 9e15)",
    ].map((sql) => env.DB.prepare(sql)),
  );
  expect(await rowsOf(5)).toEqual({ api_tokens: 1, devices: 1 });
  await erase(5);
  expect(await rowsOf(5)).toEqual({});
});

test("after that, no table and no key has an address that the user ever had, and another user can get it", async () => {
  const addresses = ["ana@first.example", "ana@second.example"];
  await ask(users, { token, json: { email: addresses[0] } });
  await ask(`${users}/3`, { token, method: "PATCH", json: { email: addresses[1], your_password } });
  await ask(`${users}/3`, {
    token,
    method: "PATCH",
    json: { role: "operator", your_password },
    env: UNLIMITED,
  });
  await new Browser().signIn(addresses[1], "a wrong password");
  await erase(3, { your_password });
  const stored = JSON.stringify(await readTables(env.DB, await tableNames(env.DB)));
  expect(stored).toContain("erased user 3");
  for (const address of addresses) expect(stored).not.toContain(address);
  for (const kv of [env.TOKENS, env.LINKS])
    expect(JSON.stringify((await kv.list()).keys)).not.toContain("ana@");
  const again = await ask(users, { token, json: { email: addresses[1] } });
  expect(again.body).toMatchObject({ data: { items: [{ id: 4, erased: false }] } });
});

test("the audit log names users by ID, shows the address of today, and after the erasure none", async () => {
  await ask(users, { token, json: { email: "ana@first.example" } });
  await ask(`${users}/3`, { token, method: "PATCH", json: { email: "ana@second.example", your_password } });
  const details = await rows("SELECT action, subject, detail FROM audit_log ORDER BY id");
  expect(details).toEqual([
    { action: "create user", subject: "user 3", detail: '{"role":"member","sign_in":"password"}' },
    { action: "update user", subject: "user 3", detail: '{"email":"changed"}' },
  ]);
  const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const sentences = async () =>
    [
      ...(await operator.get("/operator/audit?object=user%203")).text.matchAll(
        /<th scope="row"[^>]*>([\s\S]*?)<\/th>/g,
      ),
    ].map(([, text = ""]) =>
      text
        .replace(/<[^>]*>/g, "")
        .replace(/\s+/g, " ")
        .trim(),
    );
  const who = DEMO.operatorEmail;
  expect(await sentences()).toEqual([
    `${who} changed the email of ana@second.example`,
    `${who} created the user ana@second.example as a member`,
  ]);
  await erase(3);
  expect(await sentences()).toEqual([
    `${who} erased the account of erased user 3`,
    `${who} changed the email of erased user 3`,
    `${who} created the user erased user 3 as a member`,
  ]);
});

describe("an erased user", () => {
  beforeEach(async () => {
    expect((await erase(1)).status).toBe(200);
  });

  it.each([
    ["gets no address", "PATCH", `${users}/1`, { email: "new@example.com" }],
    ["is not enabled", "PATCH", `${users}/1`, { disabled: false }],
    ["gets no role", "PATCH", `${users}/1`, { role: "operator", your_password }],
    ["gets no password", "POST", `${users}/1/password`, {}],
    ["gets no token", "POST", `${users}/1/token`, {}],
    ["is not erased again", "POST", `${users}/1/erase`, {}],
    ["joins no app", "POST", `/operator/v1/apps/${DEMO.otherAppToken}/members`, { user_id: 1 }],
  ])("%s", async (_, method, path, json) => {
    const state = () =>
      Promise.all([rows("SELECT * FROM users"), rowsOf(1), rows("SELECT id FROM audit_log")]);
    const before = await state();
    expect(await rejection(path, { token, method, json, env: UNLIMITED })).toEqual({
      ...{ status: 409, code: "user_erased", params: [] },
    });
    expect(await state()).toEqual(before);
  });

  it("is in the console, without forms", async () => {
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const [list = []] = tablesOf((await operator.get("/operator/users")).text);
    expect(list.find(({ href }) => href === "/operator/users/1")?.cells).toEqual([
      "erased user 1",
      "Member",
      "Single sign-on",
      "At the provider",
      "None",
      "Erased",
    ]);
    const { text } = await operator.get("/operator/users/1");
    expect(text).toContain('<a href="/operator/audit?who=erased%20user%201">');
    expect(text.match(/<form[^>]*action="\/operator[^"]*"/g)).toBeNull();
  });
});

test("the last operator who can sign in is not erased", async () => {
  const before = await rows("SELECT * FROM users");
  const { status, body } = await erase(2, { your_password });
  expect([status, body]).toMatchObject([409, { code: "last_operator" }]);
  expect(await rows("SELECT * FROM users")).toEqual(before);
});

test("the console asks before it erases a user, and says that it did", async () => {
  const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
  expect((await operator.get("/operator/users/1")).text).toContain("<summary>Erase user</summary>");
  const erased = await operator.post("/operator/users/1/erase", {});
  expect([erased.status, erased.headers.get("location")]).toEqual([
    303,
    "/operator/users/1?notice=user-erased",
  ]);
  expect((await operator.get("/operator/users/1?notice=user-erased")).text).toContain("User erased.");
});
