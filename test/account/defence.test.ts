import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, env, freshDemo, ORIGIN } from "../harness.ts";
import { accountState, Browser, checkForLeakedSecrets, shownToken, signedIn } from "./support.ts";

beforeEach(freshDemo);
checkForLeakedSecrets();

const NEW = "a new and long password";
const FORMS: [string, Record<string, string>][] = [
  ["/login", { email: DEMO.email, password: DEMO.password }],
  ["/logout", {}],
  ["/account/token/show", { password: DEMO.password }],
  ["/account/token/reset", { password: DEMO.password }],
  ["/account/password", { current_password: DEMO.password, new_password: NEW, repeat_password: NEW }],
  ["/account/sign-out-everywhere", {}],
];

const CROSS_SITE: Record<string, string>[] = [
  { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  { "sec-fetch-site": "same-site", origin: "https://other.linkledger.test" },
  // Browsers without Sec-Fetch-Site.
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: ORIGIN.replace("https", "http") },
];

describe.each(FORMS)("POST %s", (path, fields) => {
  it("rejects a cross-site request with a page and changes nothing", async () => {
    const browser = await signedIn();
    const before = await accountState();
    for (const headers of CROSS_SITE) {
      const page = await browser.post(path, fields, { headers });
      expect(page.status, JSON.stringify(headers)).toBe(403);
      expect(page.text).toContain("The request came from another site");
      expect(page.headers.getSetCookie()).toEqual([]);
      expect(shownToken(page)).toBeUndefined();
    }
    expect(await accountState()).toEqual(before);
  });

  it("changes nothing when sent as GET", async () => {
    const browser = await signedIn();
    const before = await accountState();
    const page = await browser.get(`${path}?${new URLSearchParams(fields)}`);
    if (path !== "/login") {
      expect([page.status, page.headers.get("allow")]).toEqual([405, "POST"]);
      expect(page.text).toContain("Method not allowed");
    }
    expect(await accountState()).toEqual(before);
  });

  it.each<Record<string, string>>([
    { "sec-fetch-site": "same-origin", origin: ORIGIN },
    { "sec-fetch-site": "same-origin", origin: "null" },
    { origin: ORIGIN },
  ])("accepts a same-origin request with the headers %j", async (headers) => {
    const { status } = await (await signedIn()).post(path, fields, { headers });
    expect(status).toBe(/token|password/.test(path) ? 200 : 303);
  });
});

describe("the limit on passwords per minute", () => {
  /** The local limiter resets at every full minute. A test that would run past one waits for it. */
  beforeEach(async () => {
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 12_000) await scheduler.wait(left);
  }, 20_000);

  /** A real limiter in which each attempt counts several times. */
  const counting = (limiter: RateLimit, times: number): RateLimit => ({
    limit: async ({ key }) => {
      for (let count = 1; count < times; count++) await limiter.limit({ key });
      return limiter.limit({ key });
    },
  });
  const limiters = {
    ACCOUNT_ATTEMPTS: counting(env.ACCOUNT_ATTEMPTS, 20 / 2),
    ADDRESS_ATTEMPTS: counting(env.ADDRESS_ATTEMPTS, 100 / 2),
  };
  const wrong = "not-the-password";
  const from = (address: string, headers = {}) => ({
    env: limiters,
    headers: { "cf-connecting-ip": address, ...headers },
  });

  it("answers 429 with Retry-After to one address with too many attempts, as a page and as a problem document", async () => {
    const browser = new Browser();
    for (const email of ["one@example.com", "two@example.com"]) {
      expect((await browser.signIn(email, wrong, from("192.0.2.1"))).status).toBe(401);
    }
    const page = await browser.signIn(DEMO.email, DEMO.password, from("192.0.2.1"));
    expect([page.status, page.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(page.text).toContain("Too many requests");
    const program = from("192.0.2.1", { accept: "application/json" });
    const problem = await browser.signIn(DEMO.email, DEMO.password, program);
    expect([problem.status, JSON.parse(problem.text).code]).toEqual([429, "rate_limited"]);
  });

  it.each([DEMO.operatorEmail, "nobody@example.com"])(
    "rejects further attempts for %s from every address",
    async (email) => {
      const statuses: number[] = [];
      for (const address of ["198.51.100.1", "198.51.100.2", "198.51.100.3"]) {
        statuses.push((await new Browser().signIn(email, wrong, from(address + email.length))).status);
      }
      expect(statuses).toEqual([401, 401, 429]);
    },
  );

  it.each(["/account/token/show", "/account/token/reset", "/account/password"])(
    "rejects further passwords at %s, even the correct one",
    async (path) => {
      const email = `${path.replaceAll("/", "-")}@example.com`;
      await env.DB.prepare("UPDATE users SET email = ? WHERE id = 1").bind(email).run();
      const browser = await signedIn(email);
      const before = await accountState();
      const fields = (password: string) => ({
        password,
        current_password: password,
        new_password: NEW,
        repeat_password: NEW,
      });
      for (const address of ["1", "2"]) {
        expect((await browser.post(path, fields(wrong), from(email + address))).status).toBe(403);
      }
      expect((await browser.post(path, fields(DEMO.password), from(`${email}3`))).status).toBe(429);
      expect(await accountState()).toEqual(before);
    },
  );

  it("lets a signed-in owner reset the token while the sign-in is limited for their email", async () => {
    const email = "owner@example.com";
    await env.DB.prepare("UPDATE users SET email = ? WHERE id = 1").bind(email).run();
    const owner = await signedIn(email);
    for (const address of ["203.0.113.1", "203.0.113.2", "203.0.113.3"]) {
      await new Browser().signIn(email, wrong, from(address));
    }
    expect((await new Browser().signIn(email, DEMO.password, from("203.0.113.4"))).status).toBe(429);
    const reset = await owner.post("/account/token/reset", { password: DEMO.password }, from("203.0.113.5"));
    expect(reset.status).toBe(200);
  });

  it("allows attempts when the limiter fails", async () => {
    const broken = { limit: () => Promise.reject(new Error("injected: no limiter")) };
    expect(
      (
        await new Browser().signIn(DEMO.email, DEMO.password, {
          env: { ACCOUNT_ATTEMPTS: broken, ADDRESS_ATTEMPTS: broken },
        })
      ).status,
    ).toBe(303);
  });
});

describe("the cookie", () => {
  const signInAt = async (url: string) => {
    const { serve } = await import("../../src/index.ts");
    const body = new URLSearchParams({ email: DEMO.email, password: DEMO.password });
    const request = new Request(`${url}/login`, { method: "POST", body, redirect: "manual" });
    const limiter = { limit: async () => ({ success: true }) };
    const allowed = { ...env, ACCOUNT_ATTEMPTS: limiter, ADDRESS_ATTEMPTS: limiter };
    return (
      (await serve(request, allowed, { waitUntil: () => undefined }, () => 0)).headers.get("set-cookie") ?? ""
    );
  };

  it.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"])(
    "has a plain name on localhost: %s",
    async (url) => {
      expect(await signInAt(url)).toMatch(
        /^session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
      );
    },
  );

  it.each(["http://linkledger.test", "http://localhost.evil.example", "https://localhost"])(
    "is secure and has the __Host- prefix everywhere else: %s",
    async (url) => {
      expect(await signInAt(url)).toMatch(/^__Host-session=.*; Secure; SameSite=Lax$/);
    },
  );
});
