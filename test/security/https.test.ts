/** Plain http on other hosts than this machine: nothing that needs a secret works, and links still do. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { serve } from "../../src/index.ts";
import { DEMO, env, freshDemo, IPHONE, NOW, UNLIMITED } from "../harness.ts";
import { everything } from "./support.ts";

beforeAll(freshDemo);

async function send(url: string, init: RequestInit = {}) {
  const context = createExecutionContext();
  const request = new Request(url, { redirect: "manual", ...init });
  const response = await serve(request, { ...env, ...UNLIMITED }, context, () => NOW);
  await waitOnExecutionContext(context);
  return response;
}

const HOST = "http://links.example.com:8080";
const form = (fields: Record<string, string>) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
  body: new URLSearchParams(fields).toString(),
});

it.each(["/", "/login", "/account?a=b", "/operator", "/docs", "/openapi.json"])(
  "redirects the page %s to https",
  async (path) => {
    const { status, headers } = await send(HOST + path);
    expect([status, headers.get("location")]).toEqual([308, `https://links.example.com${path}`]);
    expect(headers.get("strict-transport-security")).toBeNull();
  },
);

it("accepts no password, and sets no cookie", async () => {
  const before = await everything();
  const fields = { email: DEMO.email, password: DEMO.password };
  const response = await send(`${HOST}/login`, form(fields));
  expect([response.status, response.headers.get("set-cookie")]).toEqual([403, null]);
  expect(await response.text()).toContain("Use https");
  expect(await everything()).toEqual(before);
});

it.each([
  ["GET", "/public/v1/partners", DEMO.apiToken],
  ["GET", "/operator/v1/users", DEMO.operatorToken],
  ["GET", "/cost", DEMO.costToken],
  ["POST", "/operator/v1/users/1/password", DEMO.operatorToken],
])("answers 403 https_required to %s %s with a valid token", async (method, path, token) => {
  const before = await everything();
  const response = await send(HOST + path, { method, headers: { authorization: `Bearer ${token}` } });
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
    403,
    "https_required",
  ]);
  expect(await everything()).toEqual(before);
});

it("opens links and answers impressions", async () => {
  const headers = { "user-agent": IPHONE };
  expect((await send(`${HOST}/${DEMO.linkToken}`, { headers })).status).toBe(302);
  expect((await send(`${HOST}/impression/${DEMO.linkToken}`, { headers })).status).toBe(200);
});

it.each(["localhost", "app.localhost", "127.0.0.1", "127.1.2.3", "[::1]"])(
  "serves this machine over http: %s",
  async (host) => {
    expect((await send(`http://${host}:8787/login`)).status).toBe(200);
    const response = await send(
      `http://${host}:8787/login`,
      form({ email: DEMO.email, password: DEMO.password }),
    );
    expect(response.status).toBe(303);
    const cookie = response.headers.getSetCookie().join();
    expect([cookie.includes("session="), cookie.includes("Secure")]).toEqual([true, false]);
  },
);

it.each(["localhost.evil.test", "127.0.0.1.evil.test", "notlocalhost", "128.0.0.1", "[::2]", "10.0.0.1"])(
  "does not take another host for this machine: %s",
  async (host) => {
    expect((await send(`http://${host}/login`)).status).toBe(308);
  },
);

it.each([
  "/login",
  "/healthz",
  "/page.css",
  "/nothing/here",
  "/public/v1/partners",
  `/${DEMO.linkToken}`,
  "/account",
])("sends HSTS with every response over https: %s", async (path) => {
  const { headers } = await send(`https://links.example.com${path}`);
  expect(headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
});
