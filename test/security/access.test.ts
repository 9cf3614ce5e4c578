/** Every route with every kind of missing access. The routes come from the router, so that new ones are covered too. */
import { beforeAll, describe, expect, it } from "vitest";
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { call, DEMO, env, freshDemo, type ProblemBody } from "../harness.ts";
import { RULE } from "../http/every-route.ts";
import { oneOf } from "../part.ts";
import {
  acceptedStatus,
  type EveryOperation,
  everyOperation,
  everything,
  NO_CREDENTIALS,
  needing,
  plainCall,
  rejectedInput,
  SESSIONS,
  startSessions,
} from "./support.ts";

const REVOKED = { live: createToken("live", "R".repeat(43)), test: createToken("test", "R".repeat(43)) };
const RESET = createToken("api", "S".repeat(43));

beforeAll(async () => {
  await freshDemo();
  await startSessions();
  for (const mode of ["live", "test"] as const) {
    await env.DB.prepare(
      `INSERT INTO credentials (token_hash, partner_id, mode, cost_types, round_id, hint, created_at, revoked_at)
       SELECT ?, 3, ?, 1, min(id), '', 0, 1 FROM rounds`,
    )
      .bind(hashToken(REVOKED[mode], [mode]), mode)
      .run();
  }
  // A reset leaves no row, only the mark in KV.
  await env.TOKENS.put(hashToken(RESET, ["api"]) ?? "", '{"reset_at":1}');
});

/** The rejection of a request with each of these headers. Checks that nothing changed. */
async function rejectedUnchanged(operation: EveryOperation, ...sent: Record<string, string>[]) {
  const before = await everything();
  const errorCodes = [];
  for (const headers of sent) errorCodes.push(await rejected(operation, headers));
  expect(await everything()).toEqual(before);
  return errorCodes;
}

async function rejected(operation: EveryOperation, headers: Record<string, string>) {
  const options = plainCall(operation);
  const response = await call(operation.path, { ...options, headers: { ...options.headers, ...headers } });
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  const code = isProblem ? ((await response.json()) as ProblemBody).code : undefined;
  return { status: response.status, code, headers: response.headers };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const named = (operations: EveryOperation[]): [string, EveryOperation][] =>
  operations.map((operation) => [operation.name, operation]);

it("knows the access that every route needs", () => {
  const guarded = everyOperation.filter(({ need }) => need !== "public" && need !== "none");
  const areas = guarded.map(({ pattern, need }) => `${need}: ${/^\/\w+(\/v\d)?/.exec(pattern)?.[0]}`);
  expect([...new Set(areas)].sort()).toEqual([
    "api_token: /mcp",
    "api_token: /public/v1",
    "api_token: /public/v2",
    "cost_credential: /cost",
    "operator_session: /operator",
    "operator_token: /operator/v1",
    "partner_session: /partner",
    "session: /account",
    "session: /apps",
    "session: /logout",
  ]);
  // Apart from pages, only clicks, impressions and the health checks are public.
  expect(needing("none").map(({ pattern }) => pattern)).toEqual([
    "/healthz",
    "/readyz",
    "/impression/:link_token",
    "/:link_token",
  ]);
});

describe.each(named(needing("api_token", "operator_token", "cost_credential")))("%s", (_, operation) => {
  const { need, pattern } = operation;
  it("returns 401 with WWW-Authenticate without a valid credential of its kind, and 403 for a revoked one", async () => {
    const [nothing, ...invalid] = Object.values(NO_CREDENTIALS);
    const isCost = need === "cost_credential";
    const others = isCost ? [DEMO.apiToken, DEMO.operatorToken] : [DEMO.costToken, DEMO.testCostToken, RESET];
    const cookies = [SESSIONS.member, SESSIONS.operator, SESSIONS.partner].map((cookie) => ({ cookie }));
    const sent = [
      ...[nothing ?? {}, ...oneOf(invalid.length, invalid, operation.name.length)],
      ...oneOf(others.length, others, operation.name.length).map(bearer),
      ...oneOf(cookies.length, cookies, operation.name.length),
    ];
    for (const rejection of await rejectedUnchanged(operation, ...sent)) {
      expect(rejection).toMatchObject({ status: 401, code: "unauthorized" });
      expect(rejection.headers.get("www-authenticate")).toContain("Bearer");
    }
    const revoked = isCost ? [REVOKED.live, REVOKED.test] : [];
    for (const rejection of await rejectedUnchanged(operation, ...revoked.map(bearer)))
      expect(rejection).toMatchObject({ status: 403, code: "credential_revoked" });
  });

  it.runIf(need === "operator_token")("returns 403 for a member", async () => {
    const [rejection] = await rejectedUnchanged(operation, bearer(DEMO.apiToken));
    expect(rejection).toMatchObject({ status: 403, code: "operator_required" });
  });

  it.runIf(pattern.includes(":app_token"))("returns 404 for an app of another user", async () => {
    const path = operation.path
      .replace(DEMO.appToken, DEMO.otherAppToken)
      .replace(DEMO.linkToken, "demo1nk009");
    const json = { name: "x" };
    const body = pattern.endsWith("/bulk") ? { links: [json] } : json;
    const before = await everything();
    const options = operation.method === "GET" ? {} : { method: operation.method, json: body };
    const response = await call(path, { ...options, token: DEMO.apiToken });
    expect(response.status).toBe(404);
    expect(await everything()).toEqual(before);
    const own = await call(path, { ...options, token: DEMO.operatorToken });
    expect(own.status).toBe(operation.method === "POST" && !pattern.endsWith("/bulk") ? 201 : 200);
  });

  it("accepts the right credential", async () => {
    const right = {
      api_token: DEMO.apiToken,
      operator_token: DEMO.operatorToken,
      cost_credential: DEMO.costToken,
    };
    const { path, ...options } = rejectedInput(operation);
    const response = await call(path, { ...options, token: right[need as keyof typeof right] });
    expect(response.status).toBe(acceptedStatus(operation));
  });
});

/** The queries of pages that show no days, by the end of their pattern. */
const QUERIES: Record<string, string> = {
  "/history": "",
  "/test": "",
  "/settings": "",
  "/settings/name": "",
  "/settings/archived": "",
  "/settings/partner": "",
  "/settings/target": "",
  "/links/bulk": "",
  "/links/unused": "?network=",
  "/attention/hide": "",
  "/attention/show": "",
  "/performance/views": "",
  "/performance/views/:view_id/delete": "",
};

/** The patterns with a page: a form with the same address needs no request for it. */
const pages = new Set(everyOperation.flatMap(({ method, pattern }) => (method === "GET" ? [pattern] : [])));

describe.each(named(needing("session", "operator_session")))("%s", (_, operation) => {
  it("redirects to the sign-in and changes nothing without a valid session", async () => {
    const others = [
      { cookie: "__Host-session=" },
      { cookie: SESSIONS.partner },
      { cookie: SESSIONS.partner.replace("partner=", "session=") },
      { cookie: SESSIONS.operator.replace("__Host-session", "session") },
      { cookie: SESSIONS.operator.replace("__Host-session", "__host-session") },
      bearer(DEMO.operatorToken),
      bearer(DEMO.costToken),
    ];
    const ended = [SESSIONS.expired, SESSIONS.unknown, SESSIONS.waiting].map((cookie) => ({ cookie }));
    const headers = [
      ...[{}, ...oneOf(3, ended, operation.name.length)],
      ...oneOf(others.length, others, operation.name.length),
    ];
    const pageHeaders = headers.map((sent) => ({ accept: "text/html", ...sent }));
    for (const rejection of await rejectedUnchanged(operation, ...pageHeaders)) {
      expect(rejection.status).toBe(303);
      expect(rejection.headers.get("location")).toMatch(/^\/login\?/);
    }
    const [program] = await rejectedUnchanged(operation, { accept: "application/json" });
    expect(program).toMatchObject({ status: 401, code: "session_ended" });
  });

  it.runIf(operation.need === "operator_session")("returns 403 for a member", async () => {
    const [rejection] = await rejectedUnchanged(operation, { accept: "text/html", cookie: SESSIONS.member });
    expect(rejection?.status).toBe(403);
  });

  const hasPage = operation.method === "GET" || !pages.has(operation.pattern);
  it.runIf(hasPage && operation.pattern.includes(":app_token"))(
    "returns 404 for an app of another user",
    async () => {
      const path = operation.path
        .replace(DEMO.appToken, DEMO.otherAppToken)
        .replace(DEMO.linkToken, "demo1nk009")
        .replace(`/rules/${RULE}`, `/rules/${RULE + 1}`)
        .replace(`/webhooks/${RULE}`, `/webhooks/${RULE + 1}`);
      const [, query = "?from=2026-03-01&to=2026-03-02"] =
        Object.entries(QUERIES).find(([end]) => operation.pattern.endsWith(end)) ?? [];
      expect((await call(path + query, { headers: { cookie: SESSIONS.member } })).status).toBe(404);
      // A GET of a form's path leads back to the page with the form.
      const isForm = query === "" && everyOperation.some(({ name }) => name === `POST ${operation.pattern}`);
      const own = await call(path + query, { headers: { cookie: SESSIONS.operator } });
      expect(own.status).toBe(isForm ? 303 : 200);
    },
  );

  it.runIf(operation.method === "POST" && operation.pattern.includes(":app_token"))(
    "changes nothing in an app of another user",
    async () => {
      const path = operation.path.replace(DEMO.appToken, DEMO.otherAppToken);
      const before = await everything();
      const options = plainCall(operation);
      const headers = { ...options.headers, cookie: SESSIONS.member };
      expect((await call(path, { ...options, headers })).status).toBe(404);
      expect(await everything()).toEqual(before);
    },
  );
});

describe.each(named(needing("partner_session")))("%s", (_, operation) => {
  it("redirects to the sign-in and changes nothing without a valid session and credential", async () => {
    const cookies = [
      SESSIONS.partnerExpired,
      SESSIONS.partnerRevoked,
      SESSIONS.partnerUnknown,
      SESSIONS.member.replace("session=", "partner="),
      "__Host-partner=",
    ];
    const sent = cookies.map((cookie) => ({ accept: "text/html", cookie }));
    for (const rejection of await rejectedUnchanged(operation, ...sent)) {
      expect(rejection.status).toBe(303);
      expect(rejection.headers.get("location")).toBe("/partner?notice=ended");
      expect(rejection.headers.get("set-cookie")).toMatch(/^__Host-partner=; Max-Age=0;/);
    }
    const others = [
      {},
      { cookie: SESSIONS.operator },
      { cookie: SESSIONS.partner.replace("__Host-partner", "partner") },
      bearer(DEMO.costToken),
      bearer(DEMO.operatorToken),
    ];
    const pageHeaders = others.map((headers) => ({ accept: "text/html", ...headers }));
    for (const rejection of await rejectedUnchanged(operation, ...pageHeaders)) {
      // The sign-in page itself has the address of the overview.
      const isSignIn = operation.name === "GET /partner";
      expect([rejection.status, rejection.headers.get("location")]).toEqual(
        isSignIn ? [200, null] : [303, "/partner"],
      );
    }
    const program = { accept: "application/json", cookie: SESSIONS.partnerRevoked };
    const [rejection] = await rejectedUnchanged(operation, program);
    expect(rejection).toMatchObject({ status: 401, code: "session_ended" });
  });

  it("shows or changes nothing of the ledger with a test credential", async () => {
    const sent = { accept: "text/html", cookie: SESSIONS.partnerInRound };
    if (/\/(missing|totals|upload|void)\b/.test(operation.pattern)) {
      for (const rejection of await rejectedUnchanged(operation, sent)) expect(rejection.status).toBe(403);
    } else if (operation.method === "GET") {
      const page = await call(operation.path, { headers: sent });
      expect(await page.text()).not.toContain("demo-spend");
    }
  });
});

describe("a form from another site", () => {
  const forms = needing("session", "operator_session", "partner_session", "public").filter(
    ({ method }) => method === "POST",
  );

  it.each(named(forms))("is rejected and changes nothing: %s", async (_, operation) => {
    const others = [
      { origin: "null" },
      { origin: "https://linkledger.test.evil.test" },
      { origin: "http://linkledger.test" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "" },
    ];
    const cookie = `${SESSIONS.operator}; ${SESSIONS.partner}`;
    const elsewhere = [
      { origin: "https://evil.test" },
      ...oneOf(others.length, others, operation.name.length),
    ];
    const sent = elsewhere.map((headers) => ({ cookie, ...headers }));
    for (const rejection of await rejectedUnchanged(operation, ...sent)) {
      expect(rejection).toMatchObject({ status: 403, code: "cross_site" });
    }
  });
});
