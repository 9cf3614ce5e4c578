/** The settings of single sign-on: what is missing or wrong is named, and nothing else stops. */
import { beforeEach, describe, expect, it } from "vitest";
import { findSingleSignOn } from "../../src/auth/single-sign-on/settings.ts";
import type { Env } from "../../src/env.ts";
import { ask, call, env, freshDemo, ORIGIN } from "../harness.ts";

beforeEach(freshDemo);

const RIGHT: Partial<Env> = {
  ORIGIN,
  OIDC_ISSUER: "https://login.test/tenant",
  OIDC_CLIENT_ID: "client",
  OIDC_CLIENT_SECRET: "secret",
};
const LOCAL: Partial<Env> = {
  ...RIGHT,
  ORIGIN: "http://127.0.0.1:8787",
  OIDC_ISSUER: "http://127.0.0.1:9000",
  LOCAL_INSECURE: "1",
};

/** A limiter that allows nothing, and what was counted. */
function exhausted() {
  const keys: string[] = [];
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) === 0 });
  return { limiter: { limit }, keys };
}

interface Readiness {
  status: string;
  checks: { single_sign_on: { ok: boolean; reason?: string } };
}
const readiness = (settings: Partial<Env>) => ask<Readiness>("/readyz", { env: settings });
const page = async (path: string, settings: Partial<Env>) => {
  const response = await call(path, { headers: { accept: "text/html" }, env: settings });
  return { status: response.status, text: await response.text() };
};

describe("without settings", () => {
  it("there is no link and no route, and the service is ready", async () => {
    expect((await page("/login", {})).text).not.toContain("/login/sso");
    expect((await page("/login/sso", {})).status).toBe(404);
    expect((await page("/login/sso/callback?code=x&state=y", {})).status).toBe(404);
    expect((await readiness({})).body.checks.single_sign_on).toEqual({ ok: true, reason: "Not set up." });
  });

  it("ORIGIN without the others changes nothing", async () => {
    expect((await page("/login/sso", { ORIGIN })).status).toBe(404);
  });
});

describe("with all settings", () => {
  it("the sign-in page has a link with the name of the provider, which keeps the page to return to", async () => {
    const { text } = await page("/login?next=/account/tokens", { ...RIGHT, OIDC_NAME: "Acme <login>" });
    expect(text).toContain('href="/login/sso?next=%2Faccount%2Ftokens"');
    expect(text).toContain("Sign in with Acme &lt;login&gt;");
    expect((await page("/login", RIGHT)).text).toContain("Sign in with single sign-on");
    expect((await readiness(RIGHT)).body.checks.single_sign_on).toEqual({ ok: true });
  });

  it("another origin leads to ORIGIN", async () => {
    const response = await call("/login/sso?next=/account", {
      env: { ...RIGHT, ORIGIN: "https://pages.test" },
    });
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      "https://pages.test/login/sso?next=/account",
    ]);
  });

  it("the 101st step a minute from an address gets 429, and the provider is not asked", async () => {
    expect((await page("/login/sso", { ...RIGHT, SINGLE_SIGN_ON: exhausted().limiter })).status).toBe(429);
  });

  it("what other sites start, and callbacks that nobody began, count neither as steps nor as passwords", async () => {
    const [steps, passwords] = [exhausted(), exhausted()];
    const env = { ...RIGHT, SINGLE_SIGN_ON: steps.limiter, ADDRESS_ATTEMPTS: passwords.limiter };
    for (const site of ["cross-site", "same-site"])
      expect((await call("/login/sso", { env, headers: { "sec-fetch-site": site } })).status).toBe(200);
    expect((await call("/login/sso/callback?code=x&state=y", { env })).status).toBe(400);
    await call("/login/sso", { env });
    expect([steps.keys.length, passwords.keys.length]).toEqual([1, 0]);
  });

  it("a callback that nobody began signs nobody in", async () => {
    const response = await call("/login/sso/callback?code=x&state=y", { env: RIGHT });
    expect(response.status).toBe(400);
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-sso=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });
});

const WRONG: [what: string, settings: Partial<Env>, problem: string][] = [
  ["no ORIGIN", { ...RIGHT, ORIGIN: "" }, "ORIGIN must be the https origin"],
  ["an http ORIGIN", { ...RIGHT, ORIGIN: "http://links.test" }, "ORIGIN must be the https origin"],
  ["an ORIGIN with a path", { ...RIGHT, ORIGIN: `${ORIGIN}/app` }, "ORIGIN must be the https origin"],
  ["no issuer", { ...RIGHT, OIDC_ISSUER: "" }, "OIDC_ISSUER must be an https URL"],
  ["an http issuer", { ...RIGHT, OIDC_ISSUER: "http://127.0.0.1:9000" }, "OIDC_ISSUER must be an https URL"],
  [
    "an issuer with a query",
    { ...RIGHT, OIDC_ISSUER: "https://login.test/?a" },
    "OIDC_ISSUER must be an https URL",
  ],
  ["no client ID", { ...RIGHT, OIDC_CLIENT_ID: "" }, "OIDC_CLIENT_ID is missing"],
  ["no secret", { ...RIGHT, OIDC_CLIENT_SECRET: "" }, "OIDC_CLIENT_SECRET is missing"],
  [
    "LOCAL_INSECURE on a public ORIGIN",
    { ...RIGHT, LOCAL_INSECURE: "1" },
    "LOCAL_INSECURE is only for tests",
  ],
  [
    "LOCAL_INSECURE on a public ORIGIN, with an http issuer",
    { ...LOCAL, ORIGIN },
    "OIDC_ISSUER must be an https URL",
  ],
  [
    "LOCAL_INSECURE with an http issuer elsewhere",
    { ...LOCAL, OIDC_ISSUER: "http://login.test" },
    "OIDC_ISSUER must be an https URL",
  ],
];
describe.each(WRONG)("with %s", (_, settings, problem) => {
  it("/readyz says so, /login/sso does not work, and everything else does", async () => {
    const { status, body } = await readiness(settings);
    expect([status, body.checks.single_sign_on.ok]).toEqual([503, false]);
    expect(body.checks.single_sign_on.reason).toContain(problem);
    expect(JSON.stringify(body)).not.toContain('"secret"');
    expect((await page("/login/sso", settings)).status).toBe(503);
    const signIn = await page("/login", settings);
    expect([signIn.status, signIn.text.includes("/login/sso")]).toEqual([200, false]);
  });
});

it("several problems are named together", () => {
  expect(() => findSingleSignOn({ OIDC_ISSUER: "x" })).toThrow(
    /ORIGIN must .*OIDC_ISSUER must .*ID is missing.*SECRET is missing/,
  );
});

it("LOCAL_INSECURE allows an http issuer on 127.0.0.1 with a local ORIGIN", () => {
  expect(findSingleSignOn(LOCAL)).toMatchObject({ allowsHttp: true, origin: "http://127.0.0.1:8787" });
  expect(findSingleSignOn({ ...RIGHT, ORIGIN: "http://localhost:8787" })).toMatchObject({
    allowsHttp: false,
  });
  expect(env.OIDC_ISSUER).toBeUndefined();
});
