import { beforeEach, describe, expect, it, vi } from "vitest";
import { DAY, DEMO, env, freshDemo, NOW, ORIGIN, rows, withMethods } from "../harness.ts";
import {
  accountState,
  Browser,
  checkForLeakedSecrets,
  type Fields,
  signedIn,
  singleSignOnUser,
} from "./support.ts";

beforeEach(async () => {
  await freshDemo();
});
checkForLeakedSecrets();

describe("signing in", () => {
  it("redirects to the start page with an HttpOnly, SameSite=Lax, Secure cookie", async () => {
    const browser = new Browser();
    const { status, headers } = await browser.signIn();
    expect([status, headers.get("location")]).toEqual([303, "/"]);
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const page = await browser.get("/account");
    expect(page.status).toBe(200);
    expect(page.text).toContain(DEMO.email);
  });

  it("accepts the email in any case and with surrounding spaces", async () => {
    expect((await new Browser().signIn(" Demo@Example.COM ")).status).toBe(303);
  });

  it("starts a new session and ends the browser's previous one", async () => {
    const browser = await signedIn();
    const first = browser.session;
    await browser.signIn();
    expect(browser.session).not.toBe(first);
    expect(await rows("SELECT count(*) AS n FROM sessions")).toEqual([{ n: 1 }]);
  });

  it("does not adopt a session ID from the browser", async () => {
    const browser = new Browser();
    const planted = "p".repeat(43);
    browser.cookies.set("__Host-session", planted);
    await browser.signIn();
    expect(browser.session).not.toBe(planted);
  });

  it("deletes the user's expired sessions", async () => {
    await signedIn();
    await new Browser().signIn(DEMO.email, DEMO.password, { now: NOW + DAY });
    expect(await rows("SELECT count(*) AS n FROM sessions")).toEqual([{ n: 1 }]);
  });

  it("redirects from the sign-in page if the user is already signed in", async () => {
    const { status, headers } = await (await signedIn()).get("/login");
    expect([status, headers.get("location")]).toEqual([303, "/"]);
  });
});

describe("a failed sign-in", () => {
  it("gets the same response for every cause", async () => {
    await env.DB.exec("UPDATE users SET disabled_at = 1 WHERE id = 2");
    await singleSignOnUser();
    const pages = await Promise.all([
      new Browser().signIn(DEMO.email, "not-the-password"),
      new Browser().signIn("nobody@example.com", "not-the-password"),
      new Browser().signIn(DEMO.operatorEmail, DEMO.operatorPassword),
      new Browser().signIn("sso@example.com", "not-the-password"),
    ]);
    const responses = pages.map(({ status, text, headers }) => ({
      status,
      text: text.replace(/value="[^"]*@[^"]*"/, ""),
      headers: [...headers].filter(([name]) => name !== "x-request-id"),
    }));
    expect(responses[0]?.status).toBe(401);
    expect(responses[0]?.text).toContain("Incorrect email or password.");
    for (const other of responses.slice(1)) expect(other).toEqual(responses[0]);
    expect(await rows("SELECT count(*) AS n FROM sessions WHERE user_id <> 77")).toEqual([{ n: 0 }]);
  });

  it("does the same work for every cause: it hashes one password and waits for the database once", async () => {
    await env.DB.exec("UPDATE users SET disabled_at = 1 WHERE id = 2");
    await singleSignOnUser();
    // Every key derivation begins with a call to normalize.
    const deriving = vi.spyOn(String.prototype, "normalize");
    for (const email of [DEMO.email, "nobody@example.com", DEMO.operatorEmail, "sso@example.com"]) {
      deriving.mockClear();
      let calls = 0;
      // The failed sign-in of a known user is recorded without waiting for it.
      const batch = (statements: D1PreparedStatement[]) =>
        ++calls === 1 ? env.DB.batch(statements) : new Promise(() => undefined);
      const options = {
        env: { DB: withMethods(env.DB, { batch }) },
        execution: { waitUntil: () => undefined },
      };
      const { status } = await new Browser().signIn(email, "not-the-password", options);
      expect([status, deriving.mock.calls.length], email).toEqual([401, 1]);
    }
  });
});

describe("an invalid sign-in shows the error on the page and starts no session", () => {
  const cases: [string, Fields, string][] = [
    ["no fields", {}, "The email address is required."],
    ["an empty password", { email: DEMO.email, password: "" }, "The password must not be empty."],
    [
      "a password of 10 KB",
      { email: DEMO.email, password: "x".repeat(10_240) },
      "The password has 10240 characters",
    ],
    [
      "an email without @",
      { email: "demo.example.com", password: "secret-password" },
      "must look like name@example.com",
    ],
    [
      "a repeated field",
      [
        ["email", DEMO.email],
        ["password", DEMO.password],
        ["password", "other-password"],
      ],
      "The password is given more than once.",
    ],
    [
      "a control character",
      { email: DEMO.email, password: "demo-pass\u0000word" },
      "The password must not contain control",
    ],
  ];
  it.each(cases)("%s", async (_name, fields, sentence) => {
    const browser = new Browser();
    const { status, text } = await browser.post("/login", fields);
    expect(status).toBe(400);
    expect(text).toContain(sentence);
    expect(text).not.toContain(DEMO.password);
    expect(browser.session).toBeUndefined();
    expect((await accountState()).sessions).toEqual([]);
  });

  it("keeps the destination and the entered email, but not the password", async () => {
    const sent = { email: 'demo"example.com', password: "secret-password", next: "/operator/apps" };
    const { text } = await new Browser().post("/login", sent);
    expect(text).toContain('name="next" value="/operator/apps"');
    expect(text).toContain('value="demo&quot;example.com"');
    expect(text).not.toContain(sent.password);
    const away = await new Browser().post("/login", { ...sent, next: "https://evil.example/account" });
    expect(away.text).toContain('name="next" value="/"');
  });

  it("a body that is not a form: 415", async () => {
    const { status } = await new Browser().post(
      "/login",
      {},
      { headers: { "content-type": "application/json" } },
    );
    expect(status).toBe(415);
  });

  it.each([
    ["a body that is not UTF-8", new Uint8Array([0x65, 0x3d, 0xff]), "must be UTF-8"],
    ["a field that is not percent-encoded UTF-8", "email=%ff&password=x", "must be percent-encoded UTF-8"],
  ])("%s: 400", async (_name, body, message) => {
    const { status, text } = await new Browser().post("/login", {}, { body });
    expect(status).toBe(400);
    expect(text).toContain(message);
  });

  it("a body over 64 KiB: 413", async () => {
    expect((await new Browser().signIn(DEMO.email, "x".repeat(70_000))).status).toBe(413);
  });
});

describe("a notice on the sign-in page", () => {
  it.each([
    ["signed-out", "You&#39;ve been signed out."],
    ["constructor", undefined],
    ["__proto__", undefined],
    ["", undefined],
  ])("named %j shows %j", async (notice, text) => {
    const page = await new Browser().get(`/login?${new URLSearchParams({ notice })}`);
    expect(/class="notice"[^>]*>([^<]*)</.exec(page.text)?.[1]).toBe(text);
  });
});

describe("after the sign-in", () => {
  it.each([
    ["/account", "/account"],
    ["/operator?tab=rounds", "/operator?tab=rounds"],
    ["https://evil.example/account", "/"],
    ["//evil.example/account", "/"],
    ["/\\evil.example/account", "/"],
    ["/.//evil.example", "/"],
    ["/account/../../\\evil.example", "/"],
    ["javascript:alert(1)", "/"],
    ["/accounting", "/"],
    ["/public/v1/partners", "/"],
    ["/apps/demoapp00001/links?q=a", "/apps/demoapp00001/links?q=a"],
    ["/apps2", "/"],
    [`${ORIGIN}/account?x=1`, "/account?x=1"],
  ])("next=%s redirects to %s", async (next, path) => {
    const browser = new Browser();
    const page = await browser.get(`/login?${new URLSearchParams({ next })}`);
    expect(page.text).toContain(`name="next" value="${path}"`);
    const fields = { email: DEMO.email, password: DEMO.password, next };
    expect((await browser.post("/login", fields)).headers.get("location")).toBe(path);
  });
});

describe("a page that needs a session", () => {
  it.each([
    ["no session", {}, ""],
    ["a forged session", { cookie: `__Host-session=${"f".repeat(43)}` }, "&notice=ended"],
    ["an unknown session", { cookie: "__Host-session=' OR 1=1 --" }, "&notice=ended"],
    ["a session under the cookie name for plain http", { cookie: `session=${"f".repeat(43)}` }, ""],
  ])("redirects to the sign-in and back with %s", async (_name, headers, notice) => {
    const { status, headers: response } = await new Browser().get("/account", { headers });
    expect([status, response.get("location")]).toEqual([303, `/login?next=%2Faccount${notice}`]);
  });

  it("answers 401 to a JSON client", async () => {
    const { status, text } = await new Browser().get("/account", { headers: { accept: "application/json" } });
    expect([status, JSON.parse(text).code]).toEqual([401, "session_ended"]);
  });

  it("ignores a form that is sent with an expired session", async () => {
    const browser = await signedIn();
    const before = await accountState();
    const late = { now: NOW + DAY };
    for (const path of ["/account/token/show", "/account/token/reset", "/account/password"]) {
      const { status, headers } = await browser.post(path, { password: DEMO.password }, late);
      expect([status, headers.get("location")]).toEqual([303, "/login?next=%2Faccount&notice=ended"]);
    }
    expect(await accountState()).toEqual(before);
  });
});
