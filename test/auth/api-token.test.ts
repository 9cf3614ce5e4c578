/** Authorization of the campaign API (spec §5), on every route. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { LINKS } from "../campaign/support.ts";
import {
  ask,
  type Call,
  call,
  countingDatabase,
  DAY,
  DEMO,
  env,
  freshDemo,
  NOW,
  ORIGIN,
  type ProblemBody,
  rows,
  withMethods,
} from "../harness.ts";
import { everyRoute } from "../http/every-route.ts";
import { tableReader } from "../restore.ts";

beforeEach(freshDemo);

const tokenHash = hashToken(DEMO.apiToken, ["api"]) ?? "";
const OPERATIONS = everyRoute
  .filter(({ surface }) => surface === "campaign")
  .flatMap(({ path, methods }) => methods.map((method) => ({ method, path })));
const WRITES: { operation: string; path: string; options: Call }[] = [
  { operation: "create a link", path: LINKS, options: { json: { name: "a" } } },
  {
    operation: "create a sub-link",
    path: LINKS,
    options: { json: { name: "a", parent_token: DEMO.linkToken } },
  },
  {
    operation: "create a link with an Idempotency-Key",
    path: LINKS,
    options: { json: { name: "a" }, headers: { "idempotency-key": "key-0001" } },
  },
  {
    operation: "create links in bulk",
    path: `${LINKS}/bulk`,
    options: { json: { links: [{ name: "a" }, { name: "b", parent_token: DEMO.linkToken }] } },
  },
  {
    operation: "update a link",
    path: `${LINKS}/${DEMO.linkToken}`,
    options: { method: "PATCH", json: { name: "b", archived: true, partner_id: null } },
  },
];

/** A body that some writes accept. */
const withBody = (method: string): Call =>
  method === "GET" ? {} : { method, json: { name: "x", archived: true } };

const everyRow = tableReader(env.DB);

/** Deletes the row of the token, as a reset does. */
const resetInDatabase = () =>
  env.DB.prepare("DELETE FROM api_tokens WHERE token_hash = ?").bind(tokenHash).run();

/** Real KV with one operation replaced. */
const tokensWith = (name: "get" | "put", operation: (...values: unknown[]) => unknown) =>
  withMethods(env.TOKENS, { [name]: operation });

describe("the Authorization header", () => {
  const { apiToken } = DEMO;
  it.each([
    `Token token=${apiToken}`,
    `Token token="${apiToken}"`,
    `token token=${apiToken}`,
    `TOKEN TOKEN=${apiToken}`,
    `Token  token=${apiToken}`,
    `Bearer ${apiToken}`,
    `bearer ${apiToken}`,
    `BEARER   ${apiToken}`,
    `  Bearer ${apiToken}  `,
  ])("is accepted as %s", async (authorization) => {
    expect((await call(LINKS, { headers: { authorization } })).status).toBe(200);
  });

  it.each([
    "",
    "Token",
    "Token token=",
    'Token token=""',
    "Bearer",
    "Bearer ",
    apiToken,
    `Basic ${btoa(`${apiToken}:`)}`,
    `Token ${apiToken}`,
    `Token token='${apiToken}'`,
    `Token token="${apiToken}`,
    `Bearer "${apiToken}"`,
    `Bearer ${apiToken} x`,
    `Bearer ${apiToken}, Bearer ${apiToken}`,
    `Bearer ${apiToken.slice(0, -1)}`,
    `Bearer ${apiToken}0`,
    `Bearer ${apiToken.toUpperCase()}`,
    `Bearer ${apiToken.replace("DemoUser", "demoUser")}`,
    `Bearer ${createToken("api")}`,
    `Bearer ${DEMO.costToken}`,
    `Bearer ${DEMO.testCostToken}`,
    `Bearer ${tokenHash}`,
    `Bearer ${"x".repeat(8_000)}`,
  ])("is rejected with 401 as %s", async (authorization) => {
    const { status, body, headers } = await ask<ProblemBody>(LINKS, { headers: { authorization } });
    expect(status).toBe(401);
    expect(body).toMatchObject({ status: 401, code: "unauthorized" });
    expect(headers.get("www-authenticate")).toBe('Token realm="linkledger", Bearer realm="linkledger"');
    expect(JSON.stringify(body)).not.toContain(tokenHash);
  });

  it.each([
    [
      "without the header",
      undefined,
      "Send an API token (ll_api_…) or an access token (ll_read_… or ll_write_…) as `Authorization: Token token=…`.",
    ],
    [
      "for another scheme",
      `Basic ${btoa(`${apiToken}:`)}`,
      "Send an API token (ll_api_…) or an access token (ll_read_… or ll_write_…) as `Authorization: Token token=…`.",
    ],
    [
      "for a live credential",
      `Bearer ${DEMO.costToken}`,
      "This is a cost credential; this path takes an API token (ll_api_…) or an access token (ll_read_… or ll_write_…).",
    ],
    [
      "for a test credential",
      `Bearer ${DEMO.testCostToken}`,
      "This is a cost credential; this path takes an API token (ll_api_…) or an access token (ll_read_… or ll_write_…).",
    ],
    [
      "for a cut token",
      `Bearer ${apiToken.slice(0, -1)}`,
      "The token is incomplete or mistyped. This path takes an API token (ll_api_…) or an access token (ll_read_… or ll_write_…).",
    ],
    [
      "for noise",
      "Bearer noise",
      "The token is incomplete or mistyped. This path takes an API token (ll_api_…) or an access token (ll_read_… or ll_write_…).",
    ],
    [
      "for an unknown token",
      `Bearer ${createToken("api")}`,
      "This token does not exist, was reset or ended, or has expired. Check that you use the current one.",
    ],
  ])("gets a 401 that says what the path takes %s", async (_, authorization, detail) => {
    const headers = authorization === undefined ? {} : { authorization };
    expect((await ask<ProblemBody>(LINKS, { headers })).body.detail).toBe(detail);
  });

  it("is the only place for a token", async () => {
    const query = `?access_token=${apiToken}&token=${apiToken}&api_token=${apiToken}`;
    const headers = { cookie: `token=${apiToken}`, "x-api-token": apiToken };
    expect((await call(`${LINKS}${query}`, { headers })).status).toBe(401);
  });
});

describe.each(OPERATIONS)("$method $path", ({ method, path }) => {
  it("reports invalid input only to a valid token", async () => {
    const bad = path.replace(DEMO.appToken, "bad-app-token");
    const options = { ...withBody(method), ...(method !== "GET" && { json: [] }) };
    const token = createToken("api");
    expect((await call(`${bad}?limit=0`, { ...options, token })).status).toBe(401);
    expect((await call(`${bad}?limit=0`, { ...options, token: DEMO.apiToken })).status).toBe(400);
  });

  it.runIf(path.includes(DEMO.appToken))(
    "returns the same for an app of another user as for one that does not exist",
    async () => {
      const respond = async (appToken: string) => {
        const otherPath = path.replace(DEMO.appToken, appToken).replace(DEMO.linkToken, "demo1nk009");
        const response = await call(otherPath, { ...withBody(method), token: DEMO.apiToken });
        const requestId = response.headers.get("x-request-id") ?? "";
        const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
        return { status: response.status, headers, text: (await response.text()).replaceAll(requestId, "") };
      };
      const before = await everyRow();
      const foreign = await respond(DEMO.otherAppToken);
      const unknown = await respond("nosuchapp001");
      // If the input is invalid for the operation, both get 400 before the app is checked.
      expect(foreign.status).toBe(method === "POST" ? 400 : 404);
      expect(foreign).toEqual(unknown);
      expect(await everyRow()).toEqual(before);
    },
  );
});

describe.each(WRITES)("the request to $operation", ({ path, options }) => {
  it("succeeds with a valid token", async () => {
    const before = await everyRow();
    const status = path === LINKS ? 201 : 200;
    expect((await call(path, { ...options, token: DEMO.apiToken })).status).toBe(status);
    expect(await everyRow()).not.toEqual(before);
  });
});

describe("a token that is reset during its request", () => {
  it.each(WRITES.filter(({ operation }) => operation.includes("Idempotency")))(
    "no longer writes if the request calls D1 twice: $operation",
    async ({ path, options }) => {
      let batches = 0;
      const DB = withMethods(env.DB, {
        batch: async (statements: D1PreparedStatement[]) => {
          const results = await env.DB.batch(statements);
          if (++batches === 1) await resetInDatabase();
          return results;
        },
      });
      const before = await rows("SELECT * FROM links");
      expect((await call(path, { ...options, token: DEMO.apiToken, env: { DB } })).status).toBe(401);
      expect(batches).toBe(3);
      expect(await rows("SELECT * FROM links")).toEqual(before);
    },
  );
});

describe("KV", () => {
  // An isolate records the use of a token once a day, so each test has its own day.
  let now = NOW;
  beforeEach(() => {
    now += DAY;
  });

  it("stores on a miss only the user and the day under the hash of the token", async () => {
    expect(await env.TOKENS.get(tokenHash)).toBeNull();
    expect((await call(LINKS, { token: DEMO.apiToken, now })).status).toBe(200);
    const used_day = Math.floor(now / DAY);
    expect(await env.TOKENS.get(tokenHash, "json")).toEqual({ user_id: 1, used_day });
    expect((await env.TOKENS.list()).keys.map(({ name }) => name)).toEqual([tokenHash]);
  });

  it("stores the token for invalid input too, but not an unknown token", async () => {
    await call(`${LINKS}?limit=0`, { token: DEMO.apiToken, now });
    await call(LINKS, { token: createToken("api"), now });
    expect((await env.TOKENS.list()).keys.map(({ name }) => name)).toEqual([tokenHash]);
  });

  it("is written only once a day for a token", async () => {
    let written = 0;
    const TOKENS = tokensWith("put", async () => void written++);
    const used_day = Math.floor(now / DAY);
    await env.TOKENS.put(tokenHash, JSON.stringify({ user_id: 1, used_day: used_day - 1 }));
    await call(LINKS, { token: DEMO.apiToken, now, env: { TOKENS } });
    expect(written).toBe(1);
    await env.TOKENS.put(tokenHash, JSON.stringify({ user_id: 1, used_day }));
    await call(LINKS, { token: DEMO.apiToken, now, env: { TOKENS } });
    expect(written).toBe(1);
  });

  it("is written on the first use of a day in an isolate, like D1, unless another isolate recorded that day", async () => {
    const writesOnNewDay = async (recordedDay: "today" | "yesterday") => {
      now += DAY;
      const today = Math.floor(now / DAY);
      const used_day = recordedDay === "today" ? today : today - 1;
      await env.TOKENS.put(tokenHash, JSON.stringify({ user_id: 1, used_day }));
      let written = 0;
      const TOKENS = tokensWith("put", async () => void written++);
      const { database, counts } = countingDatabase();
      await call(LINKS, { token: DEMO.apiToken, now, env: { TOKENS, DB: database } });
      return { kv: written, d1: counts.written };
    };
    expect(await writesOnNewDay("today")).toEqual({ kv: 0, d1: 0 });
    expect(await writesOnNewDay("yesterday")).toEqual({ kv: 1, d1: 1 });
    expect(await writesOnNewDay("today")).toEqual({ kv: 0, d1: 0 });
  });

  it("rejects a token with a reset mark without a D1 call", async () => {
    await env.TOKENS.put(tokenHash, '{"reset_at":1}');
    for (const { method, path } of OPERATIONS) {
      const { database, counts } = countingDatabase();
      const response = await call(path, { ...withBody(method), token: DEMO.apiToken, env: { DB: database } });
      expect(response.status).toBe(401);
      expect(counts.calls).toBe(0);
    }
  });

  it("is asked only about a token that D1 did not accept in the last five minutes, and for each report", async () => {
    let asked = 0;
    const TOKENS = tokensWith("get", (...values) => {
      asked++;
      return Reflect.apply(env.TOKENS.get, env.TOKENS, values);
    });
    const costOf = async (path: string, at: number, token = DEMO.apiToken) => {
      const before = asked;
      const { status } = await call(path, { token, now: at, env: { TOKENS } });
      return [status, asked - before];
    };
    const MINUTES = 60_000;
    expect(await costOf(LINKS, now)).toEqual([200, 1]);
    expect(await costOf(LINKS, now + 5 * MINUTES - 1)).toEqual([200, 0]);
    expect(await costOf(LINKS, now + 10 * MINUTES - 2)).toEqual([200, 0]);
    expect(await costOf(LINKS, now + 15 * MINUTES - 2)).toEqual([200, 1]);
    expect(await costOf(`/public/v1/apps/${DEMO.appToken}/spend`, now + 15 * MINUTES)).toEqual([200, 1]);
    await resetInDatabase();
    expect(await costOf(LINKS, now + 15 * MINUTES)).toEqual([401, 0]);
    expect(await costOf(LINKS, now + 15 * MINUTES)).toEqual([401, 1]);
    const unknown = createToken("api");
    expect(await costOf(LINKS, now, unknown)).toEqual([401, 1]);
    expect(await costOf(LINKS, now, unknown)).toEqual([401, 1]);
  });

  it("that fails leaves the decision to D1", async () => {
    const TOKENS = tokensWith("get", async () => Promise.reject(new Error("KV GET failed: 503")));
    expect((await call(LINKS, { token: DEMO.apiToken, env: { TOKENS } })).status).toBe(200);
    expect((await call(LINKS, { token: createToken("api"), env: { TOKENS } })).status).toBe(401);
    await resetInDatabase();
    expect((await call(LINKS, { token: DEMO.apiToken, env: { TOKENS } })).status).toBe(401);
  });

  it("that cannot be written does not fail a request", async () => {
    const TOKENS = tokensWith("put", async () => Promise.reject(new Error("KV PUT failed: 429")));
    expect((await call(LINKS, { token: DEMO.apiToken, now, env: { TOKENS } })).status).toBe(200);
    expect(await env.TOKENS.get(tokenHash)).toBeNull();
  });

  it.each(["not json", "null", "5", '"text"', "[]", "{}", '{"user_id":2}'])(
    "that holds %s for a token neither grants nor rejects anything",
    async (entry) => {
      await env.TOKENS.put(tokenHash, entry);
      const { status, body } = await ask<{ data: { items: { url: string }[] } }>(LINKS, {
        token: DEMO.apiToken,
      });
      expect(status).toBe(200);
      expect(body.data.items[0]?.url).toBe(`${ORIGIN}/${DEMO.linkToken}`);
      const other = LINKS.replace(DEMO.appToken, DEMO.otherAppToken);
      expect((await call(other, { token: DEMO.apiToken })).status).toBe(404);
    },
  );
});

it("stores only the hash and a hint of a token", async () => {
  const stored = JSON.stringify(await everyRow());
  expect(stored).toContain(tokenHash);
  for (const token of [DEMO.apiToken, DEMO.operatorToken, DEMO.costToken]) {
    expect(stored).not.toContain(token.slice(8, 20));
  }
});
