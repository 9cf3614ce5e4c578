/** Limits on the use of a credential and on rejected credentials from an address. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { blockedAddresses } from "../../src/db/isolate-memory.ts";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import { sha256 } from "../../src/domain/hash.ts";
import { LINKS, PARTNERS } from "../campaign/support.ts";
import { silence, withoutPauses } from "../faults/faulty.ts";
import {
  ask,
  type Call,
  call,
  click,
  countingDatabase,
  DEMO,
  env,
  freshDemo,
  rejection,
  sendCost,
  view,
} from "../harness.ts";

beforeEach(async () => {
  blockedAddresses.clear();
  await freshDemo();
});

/** A limiter that allows `limit` uses of each key. */
function allowing(limit: number): { limiter: RateLimit; keys: string[] } {
  const keys: string[] = [];
  const limiter: RateLimit = {
    limit: async ({ key }) => {
      keys.push(key);
      return { success: keys.filter((one) => one === key).length <= limit };
    },
  };
  return { limiter, keys };
}

const from = (address: string, options: Call = {}): Call => ({
  ...options,
  headers: { "cf-connecting-ip": address, ...options.headers },
});
const LIMITED = { status: 429, code: "rate_limited", params: [] };

describe("a credential", () => {
  it("gets 429 without a database call if it is used too often, and other credentials do not", async () => {
    const { limiter, keys } = allowing(2);
    const { database, counts } = countingDatabase();
    const bindings = { CREDENTIAL_REQUESTS: limiter, DB: database };
    for (const _ of [1, 2]) {
      expect((await call(LINKS, { token: DEMO.apiToken, env: bindings })).status).toBe(200);
    }
    const { calls } = counts;
    expect(await rejection(LINKS, { token: DEMO.apiToken, env: bindings })).toEqual(LIMITED);
    const { headers } = await ask(LINKS, { token: DEMO.apiToken, json: { name: "a" }, env: bindings });
    expect(headers.get("retry-after")).toBe("60");
    expect(counts.calls).toBe(calls);
    expect((await call(LINKS, { token: DEMO.operatorToken, env: bindings })).status).toBe(200);
    expect((await sendCost({ cost_id: "limited-cost-001" }, { env: bindings })).status).toBe(200);
    expect(keys.join()).not.toMatch(/ll_(api|live)_/);
  });

  it("is counted as one in every form of its header", async () => {
    const { limiter } = allowing(1);
    const send = async (authorization: string) => {
      const response = await call(LINKS, {
        headers: { authorization },
        env: { CREDENTIAL_REQUESTS: limiter },
      });
      return response.status;
    };
    const token = DEMO.apiToken;
    expect(await send(`Bearer ${token}`)).toBe(200);
    for (const written of [`bearer   ${token}`, `Token token=${token}`, `TOKEN  token="${token}"`]) {
      expect(await send(written)).toBe(429);
    }
  });

  it("is not counted on a click or an impression", async () => {
    const { limiter, keys } = allowing(0);
    const options = { token: DEMO.costToken, env: { CREDENTIAL_REQUESTS: limiter } };
    expect((await click("limited-click-02", options)).status).toBe(302);
    expect((await view("limited-view-0002", options)).status).toBe(200);
    expect(keys).toEqual([]);
  });

  it("is counted on every operation that needs one, and nothing is stored above the limit", async () => {
    const { limiter } = allowing(0);
    const bindings = { CREDENTIAL_REQUESTS: limiter };
    const cost = { cost_id: "limited-cost-002" };
    expect((await sendCost(cost, { env: bindings })).status).toBe(429);
    expect((await call("/operator/v1/apps", { token: DEMO.operatorToken, env: bindings })).status).toBe(429);
    expect((await call(`/cost/${cost.cost_id}`, { token: DEMO.costToken })).status).toBe(404);
  });
});

describe("an address", () => {
  it("gets 429 after too many rejected credentials, and another address does not", async () => {
    const { limiter } = allowing(2);
    const bindings = { ADDRESS_REJECTIONS: limiter };
    const guess = (address: string) =>
      call(LINKS, from(address, { token: createToken("api"), env: bindings })).then(({ status }) => status);
    expect([await guess("192.0.2.1"), await guess("192.0.2.1"), await guess("192.0.2.1")]).toEqual([
      401, 401, 429,
    ]);
    expect(await guess("192.0.2.2")).toBe(401);
  });

  it("of IPv6 is counted by its first half in any notation", async () => {
    const { limiter } = allowing(1);
    const bindings = { ADDRESS_REJECTIONS: limiter };
    const guess = (address: string) =>
      call(LINKS, from(address, { token: createToken("api"), env: bindings })).then(({ status }) => status);
    expect(await guess("2001:db8:0:1:2:3:4:5")).toBe(401);
    expect([await guess("2001:db8:0:1:ffff::1"), await guess("2001:db8::1:0:0:0:7")]).toEqual([429, 429]);
    expect([await guess("2001:db8:0:2::1"), await guess("2001:db8::2")]).toEqual([401, 401]);
    expect(await guess("1:2:3:4:5:6:7:8:9:::")).toBe(401);
  });

  it("is the one that Cloudflare names, whatever other headers say", async () => {
    const { limiter, keys } = allowing(0);
    const others = ["x-forwarded-for", "forwarded", "x-real-ip", "true-client-ip", "x-client-ip", "via"];
    const headers = Object.fromEntries(others.map((name) => [name, "192.0.2.9"]));
    const options = { headers, token: createToken("api"), env: { ADDRESS_REJECTIONS: limiter } };
    expect(await rejection(LINKS, from("192.0.2.4", options))).toEqual(LIMITED);
    expect(keys).toEqual(["192.0.2.4"]);
  });

  it("is not counted for a valid credential, another error, a click or an impression", async () => {
    const { limiter, keys } = allowing(0);
    const bindings = { ADDRESS_REJECTIONS: limiter, CREDENTIAL_REQUESTS: allowing(9).limiter };
    const options = from("192.0.2.3", { env: bindings });
    expect((await call(LINKS, { ...options, token: DEMO.apiToken })).status).toBe(200);
    expect((await call(`${LINKS}?limit=0`, { ...options, token: DEMO.apiToken })).status).toBe(400);
    expect((await call("/nothing/here", options)).status).toBe(404);
    expect((await click("limited-click-01", options)).status).toBe(302);
    expect(keys).toEqual([]);
  });
});

it.each<[string, () => Promise<never>]>([
  ["fails", () => Promise.reject(new Error("limiter down"))],
  ["never responds", () => silence()],
])("a limiter that %s blocks no request", async (_, limit) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const broken = { limit };
  const bindings = {
    CREDENTIAL_REQUESTS: broken,
    REPORTS: broken,
    ADDRESS_REJECTIONS: broken,
    PASSWORD_ATTEMPTS: broken,
    ADDRESS_ATTEMPTS: broken,
    ACCOUNT_ATTEMPTS: broken,
  };
  await withoutPauses(async () => {
    expect((await call(LINKS, { token: DEMO.apiToken, env: bindings })).status).toBe(200);
    const spend = `/public/v1/apps/${DEMO.appToken}/spend`;
    expect((await call(spend, { token: DEMO.apiToken, env: bindings })).status).toBe(200);
    expect((await call(LINKS, from("192.0.2.4", { env: bindings }))).status).toBe(401);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ email: DEMO.email, password: DEMO.password }).toString();
    expect((await call("/login", { headers, body, env: bindings })).status).toBe(303);
  });
  vi.restoreAllMocks();
});

describe("the limits of wrangler.toml", () => {
  /** Wraps a bound limiter and records its result for each key. */
  function recording(real: RateLimit | undefined): { limiter: RateLimit; results: [string, boolean][] } {
    const results: [string, boolean][] = [];
    const limit: RateLimit["limit"] = async (options) => {
      const outcome = await expectDefined(real).limit(options);
      results.push([options.key, outcome.success]);
      return outcome;
    };
    return { limiter: { limit }, results };
  }

  it("allow 30,000 uses of a credential, 3,000 rejections and 60,000 engagements of an address, 100 steps of single sign-on, 120 reports of a user, and 10, 100 and 100 passwords per minute", () => {
    const files = import.meta.glob("../../wrangler.toml", { query: "?raw", import: "default", eager: true });
    const limits = String(files["../../wrangler.toml"]).matchAll(
      /^name = "(\w+)"\nnamespace_id = "\d+"\nsimple = { limit = (\d+), period = (\d+) }$/gm,
    );
    expect([...limits].map(([, name, limit, period]) => `${name} ${limit} / ${period} s`)).toEqual([
      "PASSWORD_ATTEMPTS 10 / 60 s",
      "ACCOUNT_ATTEMPTS 100 / 60 s",
      "ADDRESS_ATTEMPTS 100 / 60 s",
      "CREDENTIAL_REQUESTS 30000 / 60 s",
      "ADDRESS_REJECTIONS 3000 / 60 s",
      "SERVER_ENGAGEMENTS 60000 / 60 s",
      "NEW_SUB_LINKS 100 / 60 s",
      "SERVER_SUB_LINKS 1000 / 60 s",
      "SINGLE_SIGN_ON 100 / 60 s",
      "REPORTS 120 / 60 s",
    ]);
  });

  it("count every request with a credential once and allow it", async () => {
    const { limiter, results } = recording(env.CREDENTIAL_REQUESTS);
    const send = () => call(PARTNERS, { token: DEMO.apiToken, env: { CREDENTIAL_REQUESTS: limiter } });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    expect(results).toEqual(Array(2).fill([sha256(DEMO.apiToken), true]));
  });

  it("count every rejection of an address once and allow it", async () => {
    const { limiter, results } = recording(env.ADDRESS_REJECTIONS);
    const send = () => call(PARTNERS, from("192.0.2.9", { env: { ADDRESS_REJECTIONS: limiter } }));
    expect([(await send()).status, (await send()).status]).toEqual([401, 401]);
    expect(results).toEqual(Array(2).fill(["192.0.2.9", true]));
  });
});
