import { beforeEach, describe, expect, it } from "vitest";
import { DEMO, env, freshDemo, ORIGIN, UNLIMITED } from "../harness.ts";
import { accountState, type Browser, checkForLeakedSecrets, freshSession, shownToken } from "./support.ts";

checkForLeakedSecrets();
let browser: Browser;
beforeEach(async () => {
  browser = await freshSession(freshDemo);
});

const NEW = "a new and long password";
const FORMS: [string, Record<string, string>][] = [
  ["/login", { email: DEMO.email, password: DEMO.password }],
  ["/logout", {}],
  ["/account/token/show", { password: DEMO.password }],
  ["/account/token/reset", { password: DEMO.password }],
  ["/account/password", { current_password: DEMO.password, new_password: NEW, repeat_password: NEW }],
  ["/account/sign-out-everywhere", { password: DEMO.password }],
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
    const before = await accountState();
    const page = await browser.get(`${path}?${new URLSearchParams(fields)}`);
    // A reloaded form leads back to its page.
    if (path !== "/login" && path !== "/account/password") {
      expect([page.status, page.headers.get("location")]).toEqual([303, "/account"]);
    }
    expect(await accountState()).toEqual(before);
  });

  it.each<Record<string, string>>([
    { "sec-fetch-site": "same-origin", origin: ORIGIN },
    { "sec-fetch-site": "same-origin", origin: "null" },
    { origin: ORIGIN },
  ])("accepts a same-origin request with the headers %j", async (headers) => {
    const { status } = await browser.post(path, fields, { headers });
    expect(status).toBe(/token|password/.test(path) ? 200 : 303);
  });
});

describe("the cookies of the session and the browser", () => {
  const signInAt = async (url: string) => {
    const { serve } = await import("../../src/index.ts");
    const body = new URLSearchParams({ email: DEMO.email, password: DEMO.password });
    const request = new Request(`${url}/login`, { method: "POST", body, redirect: "manual" });
    const { headers } = await serve(
      request,
      { ...env, ...UNLIMITED },
      { waitUntil: () => undefined },
      () => 0,
    );
    return headers.getSetCookie();
  };

  it.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"])(
    "have plain names on localhost: %s",
    async (url) => {
      expect(await signInAt(url)).toEqual([
        expect.stringMatching(/^session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/),
        expect.stringMatching(
          /^device-[0-9a-f]{16}=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
        ),
      ]);
    },
  );

  it.each(["http://linkledger.test", "http://localhost.evil.example"])(
    "are not set over http on another host: %s",
    async (url) => {
      expect(await signInAt(url)).toEqual([]);
    },
  );

  it.each(["https://linkledger.test", "https://localhost.evil.example", "https://localhost"])(
    "are secure and have the __Host- prefix everywhere else: %s",
    async (url) => {
      expect(await signInAt(url)).toEqual([
        expect.stringMatching(/^__Host-session=.*; Secure; SameSite=Lax$/),
        expect.stringMatching(/^__Host-device-[0-9a-f]{16}=.*; Secure; SameSite=Lax$/),
      ]);
    },
  );
});
