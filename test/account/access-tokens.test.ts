import { beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { purge } from "../../src/purge.ts";
import {
  call,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshDemo,
  ledgerOn,
  NOW,
  rows,
  UNLIMITED,
} from "../harness.ts";
import { changedBefore } from "../support.ts";
import {
  type Browser,
  checkForLeakedSecrets,
  type Fields,
  freshSession,
  type PageResponse,
  signedIn,
  singleSignOnUser,
  statusLine,
  useToken,
} from "./support.ts";

checkForLeakedSecrets();
let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const PATH = "/account/tokens";
const right = { name: "Nightly", scope: "read", app_token: "", days: "90", password: DEMO.password };

const tokenIn = ({ text }: PageResponse) => /ll_(?:read|write)_\w{49}/.exec(text)?.[0];
const stored = () =>
  rows<{ token_hash: string; name: string; hint: string; last_used_day: number | null }>(
    "SELECT * FROM access_tokens ORDER BY created_at, name",
  );

async function create(browser: Browser, fields: Fields = right): Promise<string> {
  const page = await browser.post(PATH, fields);
  expect(page.status).toBe(200);
  return tokenIn(page) ?? "";
}

const end = async (browser: Browser, token: string) =>
  browser.post(`${PATH}/end`, { token: (hashToken(token, ["read", "write"]) ?? "").slice(0, 16) });

describe("a new token", () => {
  it("is shown once, works immediately, and is stored only as its hash", async () => {
    const token = await create(browser);
    expect(token).toMatch(/^ll_read_/);
    expect(await useToken(token)).toBe(200);
    const list = (await browser.get(PATH)).text;
    expect(list).toContain(`ll_read_…${token.slice(-4)}`);
    expect(list).not.toContain(token);
    expect(await stored()).toMatchObject([{ token_hash: hashToken(token, ["read"]), name: "Nightly" }]);
    const audit = await rows<{ action: string; detail: string }>(
      "SELECT * FROM audit_log ORDER BY id DESC LIMIT 1",
    );
    expect(audit[0]).toMatchObject({
      action: "create access token",
      subject: "user 1",
      detail: JSON.stringify({
        hint: `ll_read_…${token.slice(-4)}`,
        scope: "read",
        app_token: null,
        expires_at: new Date(NOW + 90 * DAY).toISOString(),
      }),
    });
  });

  it("works until the millisecond in which it expires", async () => {
    const token = await create(browser, { ...right, days: "1" });
    expect(await useToken(token, { now: NOW + DAY - 1 })).toBe(200);
    expect(await useToken(token, { now: NOW + DAY })).toBe(401);
  });

  it("is listed with its scope, app, end and the day of its last use", async () => {
    const token = await create(browser, { ...right, scope: "write", app_token: DEMO.appToken });
    expect((await browser.get(PATH)).text).toMatch(/Write<[\s\S]*Demo App<[\s\S]*13 Jun 2026[\s\S]*Never/);
    expect(await useToken(token)).toBe(200);
    expect((await browser.get(PATH)).text).toContain("Today");
  });

  it("leaves the API token unchanged", async () => {
    const before = await rows("SELECT * FROM api_tokens");
    await create(browser);
    expect(await rows("SELECT * FROM api_tokens")).toEqual(before);
    expect(await useToken(DEMO.apiToken)).toBe(200);
  });
});

describe("a rejected form", () => {
  const wrong: [
    what: string,
    fields: Partial<Record<keyof typeof right, string>>,
    status: number,
    error: string,
  ][] = [
    ["a wrong password", { password: "wrong-password-1" }, 403, "Incorrect password"],
    ["no name", { name: "" }, 400, "must not be empty"],
    ["a name of 101 characters", { name: "n".repeat(101) }, 400, "has 101 characters"],
    ["another scope", { scope: "admin" }, 400, "must be read or write"],
    ["0 days", { days: "0" }, 400, "must be a whole number from 1 to 366"],
    ["367 days", { days: "367" }, 400, "must be a whole number from 1 to 366"],
    ["1.5 days", { days: "1.5" }, 400, "must be a whole number from 1 to 366"],
    ["an app of others", { app_token: DEMO.otherAppToken }, 400, "must be one of your apps"],
    ["what is no app", { app_token: "x" }, 400, "must be one of your apps"],
  ];
  it.each(wrong)("creates nothing: %s", async (_, fields, status, error) => {
    const page = await browser.post(PATH, { ...right, ...fields });
    expect(page.status).toBe(status);
    expect(page.text).toContain(error);
    expect(tokenIn(page)).toBeUndefined();
    expect(await stored()).toEqual([]);
  });

  it("names every problem and keeps what was entered", async () => {
    const page = await browser.post(PATH, { ...right, name: "", days: "400", app_token: DEMO.otherAppToken });
    for (const text of ["must not be empty", "from 1 to 366", "one of your apps", 'value="400"'])
      expect(page.text).toContain(text);
  });

  it.each([
    ["the password changes", "UPDATE users SET password_hash = password_hash || 'x' WHERE id = 1"],
    ["the user is disabled", "UPDATE users SET disabled_at = 1 WHERE id = 1"],
    ["the user leaves the app", "DELETE FROM memberships WHERE user_id = 1"],
  ])("creates nothing if %s before the token is stored", async (_, change) => {
    // The calls before it read the session, the tokens and the account.
    const DB = changedBefore(4, () => env.DB.exec(change));
    const page = await browser.post(PATH, { ...right, app_token: DEMO.appToken }, { env: { DB } });
    expect(page.status).toBe(409);
    expect(await stored()).toEqual([]);
  });

  it("creates nothing without the password", async () => {
    const { password: _, ...rest } = right;
    expect((await browser.post(PATH, rest)).status).toBe(400);
    expect(await stored()).toEqual([]);
  });
});

it("a user has 20 tokens at the same time, not counting those that have expired", async () => {
  const insert = (name: string, expiresAt: number) =>
    env.DB.prepare(
      "INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, role, created_at, expires_at) VALUES (?1, 1, ?1, '', 'read', 'member', 0, ?2)",
    ).bind(name, expiresAt);
  await env.DB.batch([
    ...Array.from({ length: 19 }, (_, index) => insert(`t${index}`, NOW + 1)),
    insert("expired", NOW),
  ]);
  await create(browser);
  const page = await browser.post(PATH, right);
  expect(page.status).toBe(400);
  expect(page.text).toContain("You have 20 access tokens. End one first.");
  expect(await stored()).toHaveLength(21);
  const raced = await Promise.all([0, 1].map(() => browser.post(PATH, right, { now: NOW + 1 })));
  expect(raced.map(({ status }) => status)).toEqual([200, 200]);
});

describe("a user of single sign-on", () => {
  const { password: _, ...withoutPassword } = right;

  it("creates a token shortly after signing in, and not later", async () => {
    const browser = await singleSignOnUser();
    await env.DB.exec("UPDATE sessions SET expires_at = expires_at + 3600000");
    const late = await browser.post(PATH, withoutPassword);
    expect(late.status).toBe(403);
    expect(late.text).toContain("Sign in again to continue.");
    expect(await stored()).toEqual([]);
    await env.DB.exec(`UPDATE sessions SET password_at = ${NOW}`);
    expect(await useToken(await create(browser, withoutPassword))).toBe(200);
  });
});

describe("ending a token", () => {
  it("rejects it in every request that starts afterwards, also with a stale KV", async () => {
    const [token, other] = [await create(browser), await create(browser, { ...right, name: "Other" })];
    const hash = hashToken(token, ["read"]) ?? "";
    const stale = await env.TOKENS.get(hash);
    expect(stale).toBe('{"user_id":1}');
    expect((await end(browser, token)).headers.get("location")).toBe("/account/tokens?notice=ended");
    expect(await useToken(token)).toBe(401);
    await env.TOKENS.put(hash, stale ?? "");
    expect(await useToken(token)).toBe(401);
    expect(await useToken(other)).toBe(200);
    expect(await rows("SELECT * FROM audit_log WHERE action = 'end access token'")).toMatchObject([
      { user_id: 1, subject: "user 1", detail: JSON.stringify({ hint: `ll_read_…${token.slice(-4)}` }) },
    ]);
  });

  it("costs no call to D1 to reject it once KV has its mark", async () => {
    const token = await create(browser);
    await end(browser, token);
    const { database, counts } = countingDatabase();
    expect(await useToken(token, { env: { DB: database } })).toBe(401);
    expect(counts.calls).toBe(0);
  });

  it("that has expired has its entry too, and none is left", async () => {
    const token = await create(browser);
    await rows("UPDATE access_tokens SET expires_at = ?", NOW);
    expect((await end(browser, token)).status).toBe(303);
    expect(await stored()).toEqual([]);
    expect(await rows("SELECT subject FROM audit_log WHERE action = 'end access token'")).toEqual([
      { subject: "user 1" },
    ]);
  });

  it("never ends a token of another user", async () => {
    const token = await create(browser);
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    expect((await end(operator, token)).status).toBe(303);
    expect(await useToken(token)).toBe(200);
    expect(await rows("SELECT * FROM audit_log WHERE action = 'end access token'")).toEqual([]);
  });
});

describe("the tokens of a user", () => {
  const reset = "/account/token/reset";
  const your_password = DEMO.operatorPassword;
  const asOperator = { token: DEMO.operatorToken, env: UNLIMITED };

  it("stay after a reset of the API token, and end with its box", async () => {
    const token = await create(browser);
    expect(statusLine(await browser.post(reset, { password: DEMO.password }))).toMatch(
      /no longer works\. Update/,
    );
    expect(await useToken(token)).toBe(200);
    const page = await browser.post(reset, { password: DEMO.password, end_access_tokens: "yes" });
    expect(statusLine(page)).toContain("and neither do your access tokens");
    expect(await useToken(token)).toBe(401);
    expect(await env.TOKENS.get(hashToken(token, ["read"]) ?? "")).toBe(`{"reset_at":${NOW}}`);
    expect(await rows("SELECT detail FROM audit_log ORDER BY id DESC LIMIT 1")).toMatchObject([
      { detail: expect.stringContaining('"access_tokens":"ended"') },
    ]);
  });

  it("stay, with the box, if the password is wrong, and the box stays checked", async () => {
    const token = await create(browser);
    const page = await browser.post(reset, { password: "wrong-password-1", end_access_tokens: "yes" });
    expect(page.status).toBe(403);
    expect(page.text).toMatch(/name="end_access_tokens" value="yes" checked/);
    expect(await useToken(token)).toBe(200);
  });

  it("stay after the user changes the password", async () => {
    const token = await create(browser);
    const changed = { current_password: DEMO.password, new_password: "another-password-1" };
    await browser.post("/account/password", { ...changed, repeat_password: "another-password-1" });
    expect(await useToken(token)).toBe(200);
  });

  const ENDING: [what: string, path: string, body: object][] = [
    ["an operator resets the password", "/operator/v1/users/1/password", { your_password }],
    ["the user is disabled", "/operator/v1/users/1", { disabled: true }],
    ["the user gets single sign-on", "/operator/v1/users/1", { sign_in: "sso", your_password }],
    ["the user is erased", "/operator/v1/users/1/erase", { your_password }],
  ];
  it.each(ENDING)("end when %s, and those of others stay", async (_, path, body) => {
    const token = await create(browser);
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const other = await create(operator, { ...right, password: DEMO.operatorPassword });
    const method = path.endsWith("/1") ? "PATCH" : "POST";
    expect((await call(path, { method, json: body, ...asOperator })).status).toBe(200);
    expect(await useToken(token)).toBe(401);
    expect(await useToken(other)).toBe(200);
    expect(await stored()).toHaveLength(1);
  });

  it("end when a user of single sign-on gets a password, and stay when nothing changes", async () => {
    await singleSignOnUser();
    const token = createToken("read", "S".repeat(43));
    await env.DB.prepare(
      "INSERT INTO access_tokens (token_hash, user_id, name, hint, scope, role, created_at, expires_at) VALUES (?, 77, '', '', 'read', 'member', 0, ?)",
    )
      .bind(hashToken(token, ["read"]), NOW + DAY)
      .run();
    const json = { sign_in: "sso", your_password };
    expect((await call("/operator/v1/users/77", { method: "PATCH", json, ...asOperator })).status).toBe(200);
    expect(await useToken(token)).toBe(200);
    expect(await rows("SELECT * FROM sessions WHERE user_id = 77")).toHaveLength(1);
    expect(
      (await call("/operator/v1/users/77/password", { json: { your_password }, ...asOperator })).status,
    ).toBe(200);
    expect(await useToken(token)).toBe(401);
  });

  it("are counted in the audit log when a password reset ends them", async () => {
    await create(browser);
    await call("/operator/v1/users/1/password", { json: { your_password }, ...asOperator });
    const [entry] = await rows<{ detail: string }>(
      "SELECT detail FROM audit_log WHERE action = 'update user'",
    );
    expect(JSON.parse(entry?.detail ?? "")).toMatchObject({ access_tokens: { from: 1, to: 0 } });
  });
});

it("the day of the last use is written once a day", async () => {
  const token = await create(browser, { ...right, days: "366" });
  const use = async (now: number) => {
    const { database, counts } = countingDatabase();
    expect(await useToken(token, { now, env: { DB: database } })).toBe(200);
    return counts.written;
  };
  const today = Math.floor(NOW / DAY);
  expect([await use(NOW), await use(NOW + 1000)]).toEqual([1, 0]);
  expect(await stored()).toMatchObject([{ last_used_day: today }]);
  expect([await use(NOW + DAY), await use(NOW + DAY + 1000)]).toEqual([1, 0]);
  expect(await stored()).toMatchObject([{ last_used_day: today + 1 }]);
});

it("a request with an access token reads as many rows as with the API token", async () => {
  const all = await create(browser, { ...right, scope: "write" });
  const one = await create(browser, { ...right, scope: "write", app_token: DEMO.appToken });
  const links = `/public/v1/apps/${DEMO.appToken}/trackers`;
  const counted = async (path: string, token: string, options = {}) => {
    // The isolate then knows the partners, and the day of the last use is written.
    await call(links, { token });
    const { database, counts } = countingDatabase();
    const { status } = await call(path, { token, env: { DB: database }, ...options });
    return { status, calls: counts.calls, read: counts.read };
  };
  for (const [path, options] of [
    [links, {}],
    [`${links}/${DEMO.linkToken}`, {}],
    [links, { json: { name: "same" } }],
    [`/public/v1/apps/${DEMO.appToken}/spend`, {}],
  ] as const) {
    const expected = await counted(path, DEMO.apiToken, options);
    expect(await counted(path, all, options)).toEqual(expected);
    expect(await counted(path, one, options)).toEqual(expected);
  }
});

it("the purge removes a token 30 days after it expired", async () => {
  await create(browser, { ...right, days: "1" });
  const gone = NOW + 31 * DAY;
  await purge(ledgerOn(), gone - 1);
  expect(await stored()).toHaveLength(1);
  await purge(ledgerOn(), gone);
  expect(await stored()).toEqual([]);
});
