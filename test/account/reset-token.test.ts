import { beforeEach, describe, expect, it } from "vitest";
import { hashToken } from "../../src/auth/secrets.ts";
import { rememberToken } from "../../src/auth/tokens.ts";
import { DEMO, env, freshDemo, NOW, rows, withMethods } from "../harness.ts";
import { changedBefore, meeting } from "../support.ts";
import {
  accountState,
  Browser,
  checkForLeakedSecrets,
  type Fields,
  freshSession,
  racedDatabase,
  shownToken,
  signedIn,
  statusLine,
  useToken,
  WRITES_ACCOUNT,
} from "./support.ts";

checkForLeakedSecrets();
let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const PATH = "/account/token/reset";
const right = { password: DEMO.password };
const WITHOUT_TOKEN = "DELETE FROM api_tokens WHERE user_id = 1";

/** KV as another edge location sees it: reads return the first value forever, and writes are not visible. */
function staleKv(): KVNamespace {
  const seen = new Map<string, unknown>();
  return withMethods(env.TOKENS, {
    get: async (key: string) => {
      if (!seen.has(key)) seen.set(key, await env.TOKENS.get(key, "json"));
      return seen.get(key);
    },
    put: async () => undefined,
  });
}

/** KV in which one operation fails. */
const failingKv = (operation: "get" | "put") =>
  withMethods(env.TOKENS, { [operation]: () => Promise.reject(new Error("injected: KV does not work")) });

describe("a reset", () => {
  it("creates a new token that works, and the old one no longer works", async () => {
    expect(await useToken(DEMO.apiToken)).toBe(200);
    const page = await browser.post(PATH, right);
    expect(page.status).toBe(200);
    expect(statusLine(page)).toMatch(/^API token reset\./);
    const token = shownToken(page) ?? "";
    expect(token).not.toBe(DEMO.apiToken);
    expect(await useToken(DEMO.apiToken)).toBe(401);
    expect(await useToken(token)).toBe(200);
    expect(await useToken(DEMO.operatorToken)).toBe(200);
  });

  it("seals the new token so that it can be shown later", async () => {
    const token = shownToken(await browser.post(PATH, right));
    const page = await browser.post("/account/token/show", right);
    expect(shownToken(page)).toBe(token);
    expect(page.text).toContain(`ll_api_…${token?.slice(-4)}`);
  });

  it("renews the session of this browser and ends the user's other sessions", async () => {
    const elsewhere = await signedIn();
    const operator = await signedIn(DEMO.operatorEmail, DEMO.operatorPassword);
    const old = browser.session;
    await browser.post(PATH, right);
    expect(browser.session).not.toBe(old);
    expect((await browser.get("/account")).status).toBe(200);
    expect((await elsewhere.get("/account")).status).toBe(303);
    expect((await operator.get("/account")).status).toBe(200);
    const thief = new Browser();
    thief.cookies.set("__Host-session", old ?? "");
    expect((await thief.get("/account")).status).toBe(303);
  });

  const rejected: [string, Fields, number, string][] = [
    ["a wrong password", { password: "not-the-password" }, 403, "Incorrect password."],
    ["an empty password", { password: "" }, 400, "The password must not be empty."],
    ["a password of 10 KB", { password: "x".repeat(10_240) }, 400, "The password has 10240 characters"],
    [
      "the password twice",
      [
        ["password", DEMO.password],
        ["password", "not-the-password"],
      ],
      400,
      "The password is given more than once.",
    ],
  ];
  it.each(rejected)("rejects %s and changes nothing", async (_name, fields, status, sentence) => {
    const before = await accountState();
    const page = await browser.post(PATH, fields);
    expect(page.status).toBe(status);
    expect(page.text).toContain(sentence);
    expect(page.text).toContain("Token not reset. Fix the error below and try again.");
    expect(await accountState()).toEqual(before);
    expect(await useToken(DEMO.apiToken)).toBe(200);
  });

  it.each([
    ["a wrong password", { password: "not-the-password" }],
    ["an empty password", { password: "" }],
  ])("rejected for %s shows the form again, bound to the same token", async (_name, fields) => {
    const page = await browser.post(PATH, { ...fields, replaces: "ll_api_…x<y" });
    expect(page.text).toContain('name="replaces" value="ll_api_…x&lt;y"');
    expect(page.text).toContain('<li><a href="#password">');
    expect(page.text).not.toContain("not-the-password");
    expect((await browser.post(PATH, { ...right, replaces: "ll_api_…x<y" })).status).toBe(409);
  });

  it("of a token that cannot be shown returns a page on which every button has its dialog", async () => {
    await env.DB.exec("UPDATE api_tokens SET sealed = NULL");
    const before = await browser.get("/account");
    expect(before.text).not.toContain('commandfor="show-dialog" command="show-modal"');
    // The script replaces only this part of the page.
    const [part = ""] = /<div id="token">.*?<dialog/s.exec((await browser.post(PATH, right)).text) ?? [];
    const buttons = [...part.matchAll(/commandfor="([^"]+)"/g)].map(([, id]) => id);
    // The new token is shown, so there is nothing to show again.
    expect(buttons).toEqual(["reset-dialog"]);
    for (const id of buttons) expect(before.text).toContain(`<dialog id="${id}"`);
  });

  it("changes nothing for a visitor who is not signed in", async () => {
    const before = await accountState();
    expect((await new Browser().post(PATH, right)).status).toBe(303);
    expect(await accountState()).toEqual(before);
  });

  it("creates the first token for a user without one", async () => {
    await env.DB.exec(WITHOUT_TOKEN);
    expect((await browser.get("/account")).text).toContain("Create token");
    const page = await browser.post(PATH, right);
    expect(statusLine(page)).toBe("API token created.");
    expect(await useToken(shownToken(page) ?? "")).toBe(200);
  });

  it("submitted again by reloading the page answers 409 and resets nothing", async () => {
    const form = { ...right, replaces: `ll_api_…${DEMO.apiToken.slice(-4)}` };
    const token = shownToken(await browser.post(PATH, form));
    const again = await browser.post(PATH, form);
    expect(again.status).toBe(409);
    expect(await useToken(token ?? "")).toBe(200);
  });
});

describe("the old token is rejected as soon as the reset responds", () => {
  it("even if KV still returns its entry", async () => {
    const elsewhere = { env: { TOKENS: staleKv() } };
    await rememberToken(env.TOKENS, hashToken(DEMO.apiToken, ["api"]) ?? "", 1);
    expect(await useToken(DEMO.apiToken, elsewhere)).toBe(200);
    await browser.post(PATH, right);
    expect(await elsewhere.env.TOKENS.get(hashToken(DEMO.apiToken, ["api"]) ?? "", "json")).toMatchObject({
      user_id: 1,
    });
    for (const path of ["/public/v1/partners", `/public/v2/apps/${DEMO.appToken}/trackers`]) {
      const browser = new Browser();
      const response = await browser.get(path, { ...elsewhere, token: DEMO.apiToken, now: NOW + 59_000 });
      expect(response.status, path).toBe(401);
    }
    const created = await new Browser().get(`/public/v1/apps/${DEMO.appToken}/trackers`, {
      ...elsewhere,
      method: "POST",
      token: DEMO.apiToken,
      json: { name: "By the old token" },
    });
    expect(created.status).toBe(401);
    expect(await rows("SELECT id FROM links WHERE label = 'By the old token'")).toEqual([]);
  });

  it.each(["get", "put"] as const)("when KV fails on %s", async (operation) => {
    const failing = { env: { TOKENS: failingKv(operation) } };
    await useToken(DEMO.apiToken);
    const page = await browser.post(PATH, right, failing);
    expect(page.status).toBe(200);
    for (const options of [{}, failing]) {
      expect(await useToken(DEMO.apiToken, options)).toBe(401);
      expect(await useToken(shownToken(page) ?? "", options)).toBe(200);
    }
  });

  it("even with requests in flight during the reset", async () => {
    const calls = Array.from({ length: 10 }, () => useToken(DEMO.apiToken));
    const page = await browser.post(PATH, right);
    await Promise.all(calls);
    expect(await useToken(DEMO.apiToken)).toBe(401);
    expect(await useToken(shownToken(page) ?? "")).toBe(200);
  });
});

describe("exactly one of several simultaneous resets wins", () => {
  it.each([2, 5])("%i resets", async (count) => {
    const browsers = await Promise.all(Array.from({ length: count }, () => signedIn()));
    // All of them have read the account before one writes it.
    const meet = meeting(count);
    const pages = await Promise.all(
      browsers.map((browser) =>
        browser.post(PATH, right, { env: { DB: changedBefore(WRITES_ACCOUNT, meet) } }),
      ),
    );
    const [winner, ...lost] = pages.toSorted((one, other) => one.status - other.status);
    expect(winner?.status).toBe(200);
    for (const page of lost) {
      expect([page.status, shownToken(page)]).toEqual([409, undefined]);
      expect(page.headers.getSetCookie()).toEqual([]);
    }
    expect(winner && (await useToken(shownToken(winner) ?? ""))).toBe(200);
    expect(await rows("SELECT count(*) AS n FROM api_tokens WHERE user_id = 1")).toEqual([{ n: 1 }]);
    expect(await rows("SELECT count(*) AS n FROM sessions")).toEqual([{ n: 1 }]);
  });

  it("the loser gets 409, as a page or as a problem document", async () => {
    const raced = () =>
      racedDatabase("UPDATE api_tokens SET token_hash = token_hash || 'x' WHERE user_id = 1");
    const sessions = (await accountState()).sessions;
    const page = await browser.post(PATH, right, { env: { DB: raced() } });
    expect(page.status).toBe(409);
    expect(page.text).toContain("The account changed in the meantime");
    const problem = await browser.post(PATH, right, {
      env: { DB: raced() },
      headers: { accept: "application/json" },
    });
    expect([problem.status, JSON.parse(problem.text).code]).toEqual([409, "account_changed"]);
    expect((await accountState()).sessions).toEqual(sessions);
    expect(await env.TOKENS.get(hashToken(DEMO.apiToken, ["api"]) ?? "")).toBeNull();
  });

  const OTHER_PASSWORD = "UPDATE users SET password_hash = password_hash || 'A' WHERE id = 1";
  it.each([
    [
      "the password is reset",
      "UPDATE api_tokens SET hint = 'kept' WHERE user_id = 1",
      OTHER_PASSWORD,
      ["kept"],
      1,
    ],
    ["the password of a user without a token is reset", WITHOUT_TOKEN, OTHER_PASSWORD, [], 1],
    [
      "a user without a token is disabled",
      WITHOUT_TOKEN,
      "UPDATE users SET disabled_at = 1 WHERE id = 1",
      [],
      0,
    ],
    [
      "another window creates the first token",
      WITHOUT_TOKEN,
      "INSERT INTO api_tokens (token_hash, user_id, hint, created_at) VALUES ('x', 1, 'first', 0)",
      ["first"],
      1,
    ],
  ])(
    "answers 409 and changes nothing if %s at the same moment",
    async (_name, start, change, hints, sessions) => {
      await env.DB.exec(start);
      const before = (await accountState()).sessions;
      const page = await browser.post(PATH, right, { env: { DB: racedDatabase(change) } });
      expect([page.status, shownToken(page)]).toEqual([409, undefined]);
      expect(page.headers.getSetCookie()).toEqual([]);
      expect(await rows("SELECT hint FROM api_tokens WHERE user_id = 1")).toEqual(
        hints.map((hint) => ({ hint })),
      );
      expect((await accountState()).sessions).toEqual(before.slice(0, sessions));
    },
  );

  it("exactly one of a reset and a simultaneous password change is applied", async () => {
    const [first, second] = [browser, await signedIn()];
    const change = {
      current_password: DEMO.password,
      new_password: "another-password",
      repeat_password: "another-password",
    };
    const [reset, changed] = await Promise.all([
      first.post(PATH, right),
      second.post("/account/password", change),
    ]);
    expect([reset, changed].filter(({ status }) => status === 200).length).toBe(1);
    const password = changed.status === 200 ? change.new_password : DEMO.password;
    const winner = changed.status === 200 ? second : first;
    const shown = shownToken(await winner.post("/account/token/show", { password }));
    expect(await useToken(shown ?? "")).toBe(200);
  });
});
