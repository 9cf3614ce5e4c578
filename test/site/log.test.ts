import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { credentialIds } from "../../src/db/isolate-memory.ts";
import worker, { serve } from "../../src/index.ts";
import { signedIn } from "../account/support.ts";
import {
  type Call,
  call,
  countingDatabase,
  DEMO,
  env,
  freshDemo,
  IPHONE,
  NOW,
  ORIGIN,
  withMethods,
} from "../harness.ts";

beforeAll(freshDemo);

let output: string[] = [];

beforeEach(() => {
  output = [];
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((...values) => {
      const line = values.join(" ");
      // The line about shared calls can be about requests of other tests.
      if (!line.includes('"group":')) output.push(line);
    });
  }
});
afterEach(() => vi.restoreAllMocks());

async function linesOf(path: string, options?: Call) {
  output = [];
  const response = await call(path, options);
  return { response, lines: output.map((line) => JSON.parse(line)) };
}

const partner = { token: DEMO.costToken, method: "POST" };
const member = { token: DEMO.apiToken };
const FORM = "cost_type=cpc&cost_currency=USD&tag=july";

test.each<[string, string, Call, object]>([
  [
    "a list",
    "/public/v1/partners",
    member,
    { surface: "campaign", route: "/public/v1/partners", user_id: 1 },
  ],
  [
    "a rejected update",
    `/public/v1/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}`,
    { ...member, method: "PATCH", json: {} },
    { route: "/public/v1/apps/:app_token/trackers/:link_token", status: 400, outcome: "invalid_request" },
  ],
  [
    "an unknown token",
    "/public/v1/partners",
    { token: "ll_api_forged" },
    { surface: "campaign", status: 401, outcome: "unauthorized" },
  ],
  [
    "a cost",
    `/cost?${FORM}&cost_id=acme-secret-0001`,
    partner,
    {
      surface: "cost",
      route: "/cost",
      method: "POST",
      status: 200,
      outcome: "ok",
      partner_id: 1,
      credential_id: 1,
      tag: "july",
    },
  ],
  [
    "a cost read back",
    "/cost/acme-secret-0001",
    { token: DEMO.costToken },
    { surface: "cost", route: "/cost/:cost_id", status: 200, partner_id: 1, credential_id: 1 },
  ],
  [
    "a rejected cost",
    "/cost/batch",
    { ...partner, json: {} },
    { surface: "cost", route: "/cost/batch", status: 400, partner_id: 1, credential_id: 1 },
  ],
  [
    "a click",
    `/${DEMO.linkToken}?cost_id=acme-secret-0002`,
    { headers: { "user-agent": IPHONE } },
    { surface: "engagement", route: "/:link_token", method: "GET", status: 302, outcome: "ok" },
  ],
  [
    "an impression",
    `/impression/${DEMO.linkToken}?cost_id=acme-secret-0003`,
    { headers: { "user-agent": IPHONE }, method: "HEAD" },
    { surface: "engagement", route: "/impression/:link_token", method: "HEAD", status: 200 },
  ],
  [
    "a list for operators",
    "/operator/v1/partners",
    { token: DEMO.operatorToken },
    { surface: "operator", route: "/operator/v1/partners", status: 200, user_id: 2 },
  ],
  [
    "a cost sent with a test credential",
    `/cost?${FORM}&cost_id=corsair-secret-1`,
    { method: "POST", token: DEMO.testCostToken },
    { surface: "cost", status: 200, partner_id: 3, credential_id: 4 },
  ],
  ["a page", "/docs/errors", {}, { surface: "site", route: "/docs/errors", status: 200, outcome: "ok" }],
  [
    "an unknown path",
    "/acme-secret-0001/x/y",
    {},
    { surface: null, route: null, status: 404, outcome: "not_found" },
  ],
  [
    "an error on a page",
    "/nowhere/acme-secret-0001",
    { headers: { accept: "text/html" } },
    { status: 404, outcome: "not_found" },
  ],
])("writes one line for %s", async (_, path, options, expected) => {
  const { response, lines } = await linesOf(path, options);
  expect(lines).toEqual([expect.objectContaining({ level: "info", ...expected })]);
  expect(lines[0].request_id).toBe(response.headers.get("x-request-id"));
});

test("reads the ID of a credential in the call of its first cost in an isolate, and not again", async () => {
  credentialIds.clear();
  const read = async (cost_id: string) => {
    const { database, counts } = countingDatabase();
    const path = `/cost?${FORM}&cost_id=${cost_id}`;
    const { lines } = await linesOf(path, { ...partner, env: { DB: database } });
    expect([lines[0].credential_id, counts.calls]).toEqual([1, 1]);
    return counts.read;
  };
  const first = await read("acme-logged-0001");
  const second = await read("acme-logged-0002");
  expect(await read("acme-logged-0003")).toBe(second);
  expect(first - second).toBe(2);
});

test("logs the user id of a session, and neither the password nor the session id", async () => {
  const browser = await signedIn();
  await browser.get("/account");
  expect(output.map((line) => JSON.parse(line))).toMatchObject([
    { surface: "account", route: "/login", method: "POST", status: 303 },
    { surface: "account", route: "/account", method: "GET", status: 200, user_id: 1 },
  ]);
  for (const secret of [DEMO.email, DEMO.password, browser.session ?? "no session"]) {
    expect(output.join("\n")).not.toContain(secret);
  }
});

const COST = { cost_type: "cpc", cost_currency: "USD", cost_id: "acme-secret-0006" };
const costWith = (tag: string, more = {}) => `/cost?${new URLSearchParams({ ...COST, tag, ...more })}`;
const batchOf = (...tags: string[]): Call => ({
  ...partner,
  json: { costs: tags.map((tag) => ({ ...COST, tag })) },
});

test.each<[string, string, Call, string | undefined]>([
  ["one cost", costWith("mytag"), partner, "mytag"],
  ["an invalid cost", costWith("mytag", { cost_type: "x" }), partner, "mytag"],
  ["a batch with one tag", "/cost/batch", batchOf("t", "t"), "t"],
  ["a batch with two tags", "/cost/batch", batchOf("t", "u"), undefined],
  ["invisible characters", costWith("a\u202eb\u0007"), partner, "a\\u202Eb\ufffd"],
  ["a long tag", costWith("x".repeat(500)), partner, "x".repeat(128)],
  ["a cost without a tag", "/cost", partner, undefined],
])("writes the tag of %s", async (_, path, options, tag) => {
  const { lines } = await linesOf(path, options);
  expect(lines.map((line) => line.tag)).toEqual([tag]);
});

const broken = withMethods(env.DB, {
  batch: () => Promise.reject(new Error(`cannot bind ${DEMO.apiToken}\nparams: acme-secret-0001`)),
});

const SECRETS = [DEMO.apiToken, DEMO.costToken, "secret", "0".repeat(30), "ll_api_D"];

test.each<[string, string, Call, number?]>([
  ["an API token as Bearer", "/public/v1/partners?after=secret", member],
  [
    "an API token in the Token form",
    "/public/v1/partners",
    { headers: { authorization: `Token token="${DEMO.apiToken}"` } },
  ],
  ["a token in the wrong place", `/public/v1/partners?token=${DEMO.apiToken}`, {}],
  ["a token as a path", `/${DEMO.apiToken}`, {}],
  ["a cookie", "/docs/errors", { headers: { cookie: "__Host-session=secret" } }],
  ["a cost ID in the query", `/cost?${FORM}&cost_id=acme-secret-0001&cost_amount=1`, partner],
  [
    "a cost ID in a form",
    "/cost",
    { ...partner, body: new URLSearchParams(`${FORM}&cost_id=acme-secret-0004`) },
  ],
  ["a cost ID in JSON", "/cost/batch", { ...partner, json: { costs: [{ cost_id: "acme-secret-0001" }] } }],
  ["a cost ID in the path", "/cost/acme-secret-0001", { token: DEMO.costToken }],
  ["a cost ID in an unknown path", "/cost/acme-secret-0001/secret", {}],
  [
    "JSON with a syntax error",
    "/cost/batch",
    { ...partner, headers: { "content-type": "application/json" }, body: "{secret" },
  ],
  ["an unexpected error", "/public/v1/partners", { ...member, env: { DB: broken } }, 2],
  [
    "a click that cannot be recorded",
    `/${DEMO.linkToken}?cost_id=acme-secret-0005`,
    { headers: { "user-agent": IPHONE }, env: { DB: broken } },
    2,
  ],
])("does not log %s", async (_, path, options, count = 1) => {
  await linesOf(path, options);
  expect(output).toHaveLength(count);
  for (const secret of SECRETS) expect(output.join("\n")).not.toContain(secret);
});

test("an unexpected error has a second line with the same request id", async () => {
  const { response, lines } = await linesOf("/public/v1/partners", { ...member, env: { DB: broken } });
  expect(lines).toMatchObject([
    { level: "error", error: "Error", message: "cannot bind ll_api_…" },
    { level: "error", status: 500, outcome: "internal_error" },
  ]);
  expect(new Set(lines.map((line) => line.request_id))).toEqual(
    new Set([response.headers.get("x-request-id")]),
  );
});

test.each(["api", "read", "write", "live", "test"])(
  "an error that quotes a token of ll_%s_ is logged without it",
  async (kind) => {
    const database = withMethods(env.DB, {
      batch: () => Promise.reject(new Error(`cannot bind ll_${kind}_secret00, twice: ll_${kind}_secret00`)),
    });
    const { lines } = await linesOf("/public/v1/partners", { ...member, env: { DB: database } });
    expect(lines[0]).toMatchObject({ message: `cannot bind ll_${kind}_…, twice: ll_${kind}_…` });
  },
);

test("each failed job of the cron writes a line, and the run throws", async () => {
  const controller = createScheduledController({ scheduledTime: new Date(NOW), cron: "17 * * * *" });
  await expect(worker.scheduled(controller, { ...env, DB: broken })).rejects.toThrow("cannot bind");
  const line = { level: "error", request_id: "cron", message: "cannot bind ll_api_…" };
  // The purge, the audit of sub-links, the rates and the activity of partners, and alerts. With one database, there are no copies of credentials.
  expect(output.map((line) => JSON.parse(line))).toMatchObject([line, line, line, line, line]);
});

test("logs the milliseconds from request to response", async () => {
  const times = [NOW, NOW + 42];
  const execution = createExecutionContext();
  await serve(new Request(`${ORIGIN}/docs/errors`), env, execution, () => times.shift() ?? 0);
  await waitOnExecutionContext(execution);
  expect(output.map((line) => JSON.parse(line).milliseconds)).toEqual([42]);
});

test.each([
  ["0", 0],
  ["0.5", 0x80000000],
  ["1", 2 ** 32],
  [undefined, 2 ** 32],
])("LOG_SAMPLE %s logs the requests with an ID below this share of all IDs", async (sample, bound) => {
  const configured = sample === undefined ? {} : { LOG_SAMPLE: sample };
  const ids: string[] = [];
  for (let request = 0; request < 100; request++) {
    ids.push((await call("/page.css", { env: configured })).headers.get("x-request-id") ?? "");
  }
  const logged = ids.filter((id) => Number.parseInt(id.slice(0, 8), 16) < bound);
  expect(output.map((line) => JSON.parse(line).request_id)).toEqual(logged);
});

test("logs status 500 with LOG_SAMPLE 0", async () => {
  const { lines } = await linesOf("/public/v1/partners", { ...member, env: { DB: broken, LOG_SAMPLE: "0" } });
  expect(lines).toContainEqual(expect.objectContaining({ status: 500, route: "/public/v1/partners" }));
});

test.each(["-0.1", "1.1", "half"])("does not serve with LOG_SAMPLE %s", async (sample) => {
  const { response, lines } = await linesOf("/page.css", { env: { LOG_SAMPLE: sample } });
  expect(response.status).toBe(503);
  expect(lines[0].message).toContain("LOG_SAMPLE");
});
