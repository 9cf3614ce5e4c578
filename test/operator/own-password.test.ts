/**
 * Every operation and form of operators that names a user × the user's role before and after × an operator with and without a
 * password. Those that are about an operator, or about oneself, take the operator's own password, and so do those that change how a
 * member signs in. The API and the console ask for it in the same cases, except when a member is created.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { sha256 } from "../../src/domain/hash.ts";
import { type Operation, operationOf } from "../../src/http/operation.ts";
import type { Method } from "../../src/http/router.ts";
import { operatorRoutes } from "../../src/operator/routes.ts";
import { call, DEMO, env, freshDemo, freshState, NOW, ORIGIN, UNLIMITED } from "../harness.ts";
import { oneOf } from "../part.ts";
import { SINGLE_SIGN_ON } from "../support.ts";

type Role = "member" | "operator";
interface User {
  id: number;
  role: Role;
  hasPassword: boolean;
}
const USERS: Record<string, User> = {
  "a member": { id: 1, role: "member", hasPassword: true },
  "a member without a password": { id: 3, role: "member", hasPassword: false },
  "an operator": { id: 4, role: "operator", hasPassword: true },
  "an operator without a password": { id: 5, role: "operator", hasPassword: false },
};

/** Who acts. Each has an API token and the session with this ID. */
interface Actor extends User {
  token: string;
  session: string;
}
const WITH_PASSWORD: Actor = {
  ...{ id: 2, role: "operator", hasPassword: true },
  ...{ token: DEMO.operatorToken, session: "w".repeat(43) },
};
const WITHOUT_PASSWORD: Actor = {
  ...{ id: 6, role: "operator", hasPassword: false },
  ...{ token: createToken("api", "SingleSignOn".padEnd(43, "0")), session: "s".repeat(43) },
};
const ACTORS = { "an operator with a password": WITH_PASSWORD, "one without": WITHOUT_PASSWORD };

/** What an operation or a form can do to a user. */
interface Case {
  path: string | ((user: User) => string);
  body?: Record<string, unknown> | ((user: User) => Record<string, unknown>);
  /** If it works. By default 200 for an operation and 303 for a form. */
  status?: number;
  /** The role afterwards, if that is part of it. */
  becomes?: Role;
  /** There is no such user before. */
  creates?: true;
  /** Only users without a password can have it. */
  onlyWithoutPassword?: true;
  /** It is about an app, and leaves the user unchanged. */
  isAboutApp?: true;
  /** It takes the password about members too. */
  isSensitive?: true;
  /** A statement before it, with the ID of the user and the time. */
  prepare?: string;
}

const api = (tail = "") => ({ path: ({ id }: User) => `/operator/v1/users/${id}${tail}` });
const form = (tail = "") => ({ path: ({ id }: User) => `/operator/users/${id}${tail}` });
const creations = (path: string) =>
  (["member", "operator"] as const).flatMap((role) =>
    ["password", "sso"].map((sign_in) => ({
      ...{ path, body: { email: "new@example.com", role, sign_in } },
      ...{ becomes: role, creates: true as const },
    })),
  );

/** By operation ID or, for a form, by method and pattern. */
const CASES: Record<string, Case[]> = {
  createUser: creations("/operator/v1/users").map((one) => ({ ...one, status: 201 })),
  updateUser: [
    { ...api(), body: { role: "member" }, becomes: "member", isSensitive: true },
    { ...api(), body: { role: "operator" }, becomes: "operator", isSensitive: true },
    { ...api(), body: { disabled: true } },
    { ...api(), body: { disabled: false } },
    { ...api(), body: { email: "renamed@example.com" }, isSensitive: true },
    { ...api(), body: { email: "renamed@example.com", disabled: true }, isSensitive: true },
    { ...api(), body: { sign_in: "sso" }, isSensitive: true },
  ],
  resetPassword: [
    { ...api("/password"), isSensitive: true },
    { ...api("/password"), body: { revoke_api_token: true }, isSensitive: true },
  ],
  turnOffTwoFactor: [{ ...api("/two-factor/off"), isSensitive: true }],
  issueToken: [{ ...api("/token"), onlyWithoutPassword: true, isSensitive: true }],
  eraseUser: [{ ...api("/erase"), isSensitive: true }],
  addMember: [
    {
      path: `/operator/v1/apps/${DEMO.otherAppToken}/members`,
      body: ({ id }) => ({ user_id: id }),
      status: 201,
      isAboutApp: true,
    },
  ],
  removeMember: [{ path: ({ id }) => `/operator/v1/apps/${DEMO.appToken}/members/${id}`, isAboutApp: true }],
  "POST /operator/users/new": creations("/operator/users/new").map((one) => ({
    ...one,
    isSensitive: true,
    status: one.body.sign_in === "sso" ? 303 : 200,
  })),
  "POST /operator/users/:id": [
    { ...form(), body: { role: "member" }, becomes: "member", isSensitive: true },
    { ...form(), body: { role: "operator" }, becomes: "operator", isSensitive: true },
    { ...form(), body: { disabled: "yes" } },
    { ...form(), body: { disabled: "no" } },
    { ...form(), body: { email: "renamed@example.com" }, isSensitive: true },
    { ...form(), body: { sign_in: "sso" }, isSensitive: true },
  ],
  "POST /operator/users/:id/apps": [
    { ...form("/apps"), body: { app_token: DEMO.otherAppToken }, isAboutApp: true },
  ],
  "POST /operator/users/:id/password": [{ ...form("/password"), isSensitive: true, status: 200 }],
  "POST /operator/users/:id/two-factor": [{ ...form("/two-factor"), isSensitive: true }],
  "POST /operator/users/:id/token": [
    { ...form("/token"), isSensitive: true, status: 200, onlyWithoutPassword: true },
  ],
  "POST /operator/users/:id/erase": [{ ...form("/erase"), isSensitive: true }],
  "POST /operator/users/:id/identity": [
    {
      ...form("/identity"),
      body: ({ id }) => ({ attempt: String(id) }),
      isSensitive: true,
      onlyWithoutPassword: true,
      prepare: "INSERT INTO sign_in_attempts VALUES (?1, ?1, 'https://login.test', 'new', '', ?2, 1, '')",
    },
  ],
  "POST /operator/users/:id/identity/unlink": [
    {
      ...form("/identity/unlink"),
      isSensitive: true,
      onlyWithoutPassword: true,
      prepare: "INSERT INTO identities VALUES ('https://login.test', 'old', ?1, ?2)",
    },
  ],
  "POST /operator/apps/:token/members": [
    {
      path: `/operator/apps/${DEMO.otherAppToken}/members`,
      body: ({ id }) => ({ email: emailOf(id) }),
      isAboutApp: true,
    },
  ],
  "POST /operator/apps/:token/members/remove": [
    {
      path: `/operator/apps/${DEMO.appToken}/members/remove`,
      body: ({ id }) => ({ user_id: String(id) }),
      isAboutApp: true,
    },
  ],
};

interface Named {
  name: string;
  method: Method;
  isForm: boolean;
}
/** The changes that name a user: in the path, or in the body of an operation. */
const NAMED: Named[] = operatorRoutes.flatMap(({ path, methods }) =>
  Object.entries(methods).flatMap(([method, handler]) => {
    const operation: Operation | undefined = operationOf(handler);
    const body = JSON.stringify(operation?.input.body ?? {});
    const namesUser = /\/(users|members)\b/.test(path) || body.includes('"user_id"');
    if (method === "GET" || !namesUser) return [];
    const name = operation?.id ?? `${method} ${path}`;
    return [{ name, method: method as Method, isForm: operation === undefined }];
  }),
);

it("has cases for every operation and form of operators that names a user, and no others", () => {
  expect(Object.keys(CASES).sort()).toEqual(NAMED.map(({ name }) => name).sort());
});

const bodyOf = ({ body = {} }: Case, user: User) => (typeof body === "function" ? body(user) : body);
const emailOf = (id: number) => `user${id}@example.com`;

const setUp = async () => {
  await freshDemo();
  const insertUser = env.DB.prepare(
    "INSERT INTO users (id, email, role, password_hash, created_at) VALUES (?, ?, ?, iif(?, 'hash', NULL), 0)",
  );
  const insertSession = env.DB.prepare(
    "INSERT INTO sessions (id_hash, user_id, created_at, last_seen_at, password_at, expires_at) VALUES (?1, ?2, ?3, ?3, ?3, ?4)",
  );
  const others = [...Object.values(USERS), WITHOUT_PASSWORD].filter(({ id }) => id > 2);
  await env.DB.batch([
    env.DB.prepare("UPDATE users SET email = 'user' || id || '@example.com'"),
    ...others.map(({ id, role, hasPassword }) => insertUser.bind(id, emailOf(id), role, Number(hasPassword))),
    env.DB.prepare("DELETE FROM memberships"),
    env.DB.prepare("INSERT INTO memberships (user_id, app_token) SELECT id, ? FROM users").bind(
      DEMO.appToken,
    ),
    env.DB.prepare(
      "INSERT INTO api_tokens (token_hash, user_id, hint, created_at, role) VALUES (?, 6, '', 0, 'operator')",
    ).bind(hashToken(WITHOUT_PASSWORD.token, ["api"])),
    ...Object.values(ACTORS).map(({ id, session }) =>
      insertSession.bind(sha256(session), id, NOW, NOW + 3_600_000),
    ),
  ]);
};
beforeEach(() => freshState("own password", setUp));

/** What these operations can change, without when something was last used. */
const state = async () =>
  (
    await env.DB.batch(
      [
        "SELECT * FROM users ORDER BY id",
        "SELECT user_id, token_hash, role FROM api_tokens ORDER BY user_id",
        "SELECT id_hash FROM sessions ORDER BY id_hash",
        "SELECT * FROM memberships ORDER BY user_id, app_token",
      ].map((sql) => env.DB.prepare(sql)),
    )
  ).map(({ results }) => results);

/** The password was entered in the session at `NOW`. */
const STALE = NOW + 10 * 60_000;

async function send(
  actor: Actor,
  { method, isForm }: Named,
  one: Case,
  user: User,
  { password, now = STALE }: { password?: string; now?: number },
) {
  const fields = { ...bodyOf(one, user), ...(password !== undefined && { your_password: password }) };
  const sent = isForm
    ? {
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: ORIGIN,
          cookie: `__Host-session=${actor.session}`,
        },
        body: new URLSearchParams(fields as Record<string, string>).toString(),
      }
    : { token: actor.token, ...(method !== "DELETE" && { json: fields }) };
  const to = typeof one.path === "function" ? one.path(user) : one.path;
  const response = await call(to, { method, now, env: { ...UNLIMITED, ...SINGLE_SIGN_ON }, ...sent });
  const text = await response.text();
  return { status: response.status, code: isForm ? undefined : (JSON.parse(text) as { code?: string }).code };
}

const RIGHT = DEMO.operatorPassword;
const WRONG = DEMO.password;

describe.each(NAMED.map((one, place) => ({ ...one, place })))("$name", ({ place: first, ...operation }) => {
  const { isForm } = operation;
  const cases = (CASES[operation.name] ?? []).flatMap((one, place) => {
    const all = Object.entries(ACTORS).flatMap(([actorName, actor]) => {
      const targets = one.creates ? { nobody: { id: 0, role: "member", hasPassword: false } as User } : USERS;
      return Object.entries({ ...targets, ...(!one.creates && { oneself: actor }) })
        .filter(([, user]) => !one.onlyWithoutPassword || !user.hasPassword)
        .map(([userName, user]) => ({
          ...{ one, actor, actorName, user, userName },
          sent: JSON.stringify(bodyOf(one, user)),
        }));
    });
    // A quarter of the users and actors, other ones for each case.
    return oneOf(4, all, first + place);
  });

  it.each(cases)("$sent by $actorName for $userName", async ({ one, actor, user }) => {
    const works = { status: one.status ?? (isForm ? 303 : 200), code: undefined };
    const isAboutOperator = user.role === "operator" || one.becomes === "operator";
    const needsPassword = !one.isAboutApp && (isAboutOperator || one.isSensitive === true);
    if (one.prepare) await env.DB.prepare(one.prepare).bind(user.id, NOW).run();
    const act = (more: Parameters<typeof send>[4]) => send(actor, operation, one, user, more);
    if (!needsPassword) return expect(await act({})).toEqual(works);
    const before = await state();
    const rejected = (code: string) => ({ status: 403, code: isForm ? undefined : code });
    expect(await act({})).toEqual(rejected("password_required"));
    const wrong = actor.hasPassword ? "wrong_password" : "password_required";
    expect(await act({ password: WRONG })).toEqual(rejected(wrong));
    if (!actor.hasPassword) expect(await act({ password: RIGHT })).toEqual(rejected("password_required"));
    expect(await state()).toEqual(before);
    if (actor.hasPassword) expect(await act({ password: RIGHT })).toEqual(works);
    else if (isForm) expect(await act({ now: STALE - 1 })).toEqual(works);
  });
});
