/** Work is limited: which requests are reports, how often a user may ask for one, and how much one may cover. */
import { beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/domain/hash.ts";
import {
  ask,
  call,
  countingDatabase,
  DEMO,
  env,
  freshDemo,
  ORIGIN,
  type ProblemBody,
  rows,
  withMethods,
  wrapDatabases,
} from "../harness.ts";
import { type EveryOperation, everyOperation, SESSIONS, startSessions } from "./support.ts";

beforeAll(async () => {
  await freshDemo();
  await startSessions();
});

/** A limiter that allows `limit` uses of each key, and the keys that it was asked for. `/readyz` only checks that it answers. */
function allowing(limit: number): { limiter: RateLimit; keys: string[] } {
  const keys: string[] = [];
  const limiter: RateLimit = {
    limit: async ({ key }) => {
      if (key !== "readyz") keys.push(key);
      return { success: keys.filter((one) => one === key).length <= limit };
    },
  };
  return { limiter, keys };
}

/** D1 that remembers the text of its statements. */
function readingDatabase(): { database: D1Database; read: string[] } {
  const read: string[] = [];
  const database = wrapDatabases((real) =>
    withMethods(real, {
      prepare: (text: string) => {
        read.push(text);
        return real.prepare(text);
      },
    }),
  );
  return { database, read };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Headers with which the operation answers as much as it can. */
function access({ need, pattern }: EveryOperation): Record<string, string> {
  const ofRound = pattern.endsWith("/round");
  switch (need) {
    case "api_token":
      return bearer(DEMO.apiToken);
    case "operator_token":
      return bearer(DEMO.operatorToken);
    case "cost_credential":
      return bearer(ofRound ? DEMO.testCostToken : DEMO.costToken);
    // The operator has several apps, whose figures /apps shows.
    case "session":
    case "operator_session":
      return { cookie: SESSIONS.operator };
    case "partner_session":
      return { cookie: ofRound ? SESSIONS.partnerInRound : SESSIONS.partner };
    default:
      return {};
  }
}

/** The From date of an app is one row of its key. */
const FIRST_DAY =
  /\(SELECT min\(daily_engagements\.day\) FROM daily_engagements WHERE daily_engagements\.app_token = \w+\.token\)/g;
/** Lists of costs that read several pages of IDs or sort them. The one of the cost API, with the credential, reads one page. */
const COST_PAGES = /^(?!.*\bcredentials\b).*'lapsed'.* OFFSET \S+ - 1\b|'newest'/s;
/** Daily totals, the engagements of a round, and several pages of IDs. */
const readsMuch = (text: string) =>
  /\bdaily_\w+|\bOFFSET 20000\b/.test(text.replace(FIRST_DAY, "")) || COST_PAGES.test(text);
/** The reports. */
const LIMITED = [
  ...["spend", "engagements", "performance", "performance/changes", "partners/:partner_id"].map(
    (report) => `/public/v1/apps/:app_token/${report}`,
  ),
  "/apps",
  ...[
    "",
    "/ignored",
    "/links",
    "/links.csv",
    "/links/:link_token",
    "/links/:link_token/test",
    "/performance",
    "/performance.csv",
    "/partners",
    "/partners/:partner_id",
  ].map((page) => `/apps/:app_token${page}`),
  ...["/cost/round", "/partner", "/partner/costs", "/partner/costs.csv", "/partner/round"],
  ...["/partner/missing.csv", "/partner/totals", "/partner/totals.csv"],
  ...[
    "/operator/v1/rounds/:id",
    "/operator/v1/partners/:id/costs",
    "/operator/v1/partners/:id/url-prices",
    "/operator/v1/partners/:id/rates",
    "/operator/v1/partners/:id/rejections",
  ],
  ...[
    "/operator",
    "/operator/partners",
    "/operator/rounds",
    "/operator/rounds/:id",
    "/operator/rounds/:id/link",
  ],
  ...["", "/costs", "/setup", "/url-prices"].map((page) => `/operator/partners/:id${page}`),
  ...["/operator/apps/:token", "/operator/spend", "/operator/audit.csv"],
];
const reads = everyOperation.filter(({ method }) => method === "GET");

it.each(reads.map((operation): [string, EveryOperation] => [operation.name, operation]))(
  "%s is limited if it adds up totals, reads much or returns a file, and otherwise not",
  async (_, operation) => {
    const headers = { accept: "text/html, application/json", ...access(operation) };
    const { database, read } = readingDatabase();
    const { limiter: REPORTS, keys } = allowing(1);
    const response = await call(operation.path, { headers, env: { DB: database, REPORTS } });
    const isFile = response.headers.get("content-type")?.startsWith("text/csv") === true;
    const isReport = isFile || read.some((text) => readsMuch(text));
    expect(isReport).toBe(LIMITED.includes(operation.pattern));
    expect(keys).toHaveLength(isReport ? 1 : 0);
    expect(response.status).not.toBe(429);
    if (!isReport) return;
    const { limiter } = allowing(0);
    expect((await call(operation.path, { headers, env: { REPORTS: limiter } })).status).toBe(429);
  },
);

it("has a path for each report", () => {
  expect(LIMITED.filter((report) => !reads.some(({ pattern }) => pattern === report))).toEqual([]);
});

describe("above the limit of REPORTS", () => {
  const SPEND = `/public/v1/apps/${DEMO.appToken}/spend`;
  const PAGE = `/apps/${DEMO.appToken}/performance`;
  const member = { cookie: SESSIONS.member, accept: "text/html" };

  it("a user gets 429 in all sessions and with the API token, and another user does not", async () => {
    const { limiter, keys } = allowing(3);
    const bindings = { env: { REPORTS: limiter } };
    await env.TOKENS.put(sha256(DEMO.apiToken), '{"user_id":1}');
    await env.TOKENS.put(sha256(DEMO.operatorToken), '{"user_id":2}');
    const send = async (path: string, headers: Record<string, string>) =>
      (await call(path, { headers, ...bindings })).status;
    expect(await send(SPEND, bearer(DEMO.apiToken))).toBe(200);
    expect(await send(PAGE, member)).toBe(200);
    const second = SESSIONS.member.replace("member", "second");
    expect(await send(PAGE, { ...member, cookie: second })).toBe(200);
    expect(await send(SPEND, bearer(DEMO.apiToken))).toBe(429);
    expect(await send(PAGE, member)).toBe(429);
    expect(await send(SPEND, bearer(DEMO.operatorToken))).toBe(200);
    expect(await send("/operator/spend", { ...member, cookie: SESSIONS.operator })).toBe(200);
    expect(new Set(keys)).toEqual(new Set(["user 1", "user 2"]));
  });

  it("a token that KV does not know is counted by its hash", async () => {
    await env.TOKENS.delete(sha256(DEMO.apiToken));
    const { limiter, keys } = allowing(1);
    await call(SPEND, { token: DEMO.apiToken, env: { REPORTS: limiter } });
    expect(keys).toEqual([sha256(DEMO.apiToken)]);
  });

  it("the API returns a problem document with Retry-After, without a call to the database", async () => {
    const { database, counts } = countingDatabase();
    const bindings = { REPORTS: allowing(0).limiter, DB: database };
    const { status, body, headers } = await ask<ProblemBody>(SPEND, { token: DEMO.apiToken, env: bindings });
    expect([status, body.code, headers.get("retry-after")]).toEqual([429, "rate_limited", "60"]);
    expect(counts.calls).toBe(0);
  });

  it.each([
    [PAGE, member, "Back to performance"],
    ["/operator/spend", { ...member, cookie: SESSIONS.operator }, "Back to home"],
    ["/partner", { ...member, cookie: SESSIONS.partner }, "Back to overview"],
  ])("%s is a page with Retry-After and a way back", async (path, headers, back) => {
    const response = await call(path, { headers, env: { REPORTS: allowing(0).limiter } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "60"]);
    const text = await response.text();
    expect(text).toContain("Too many requests");
    expect(text).toContain(back);
  });

  it("a rejected form of a page with totals is rejected too, and changes nothing", async () => {
    const headers = {
      ...member,
      cookie: SESSIONS.operator,
      origin: ORIGIN,
      "content-type": "application/x-www-form-urlencoded",
    };
    const response = await call("/operator/partners/1", {
      headers,
      body: "display_name=&max_url_amount=1",
      env: { REPORTS: allowing(0).limiter },
    });
    expect(response.status).toBe(429);
    expect(await rows("SELECT 1 FROM partners WHERE max_url_amount = 100000")).toEqual([]);
  });
});
