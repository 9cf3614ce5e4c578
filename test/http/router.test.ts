import { beforeAll, describe, expect, it } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { ask, call, DEMO, freshDemo, IPHONE, type ProblemBody, rejection, rows } from "../harness.ts";
import { everyRoute } from "./every-route.ts";

beforeAll(freshDemo);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

describe.each(everyRoute)("$pattern", ({ path, methods }) => {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));

  it(`returns 405 with Allow: ${allowed.join(", ")} for any other method, handles HEAD as GET without the body, and has its own X-Request-Id and nosniff on every response`, async () => {
    const ids: string[] = [];
    const send = async (method: string, token: string | undefined) => {
      const headers = { "x-request-id": "chosen-by-the-caller" };
      const response = await call(path, { method, token, headers });
      const id = response.headers.get("x-request-id") ?? "";
      expect(id).toMatch(UUID);
      expect(ids).not.toContain(id);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      ids.push(id);
      return response;
    };
    for (const [index, method] of METHODS.entries()) {
      if (allowed.includes("HEAD") && /GET|HEAD/.test(method)) continue;
      const response = await send(method, index % 2 ? DEMO.apiToken : undefined);
      if (allowed.includes(method)) continue;
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe(allowed.join(", "));
    }
    if (!allowed.includes("HEAD")) return;
    // Without access, and with it. Pages take no token.
    const tokens = [undefined, /^\/cost\b/.test(path) ? DEMO.costToken : DEMO.operatorToken];
    for (const token of /^\/(cost|mcp|public|operator\/v1)\b/.test(path) ? tokens : [undefined]) {
      const get = await send("GET", token);
      const head = await send("HEAD", token);
      expect(head.status).toBe(get.status);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(await head.text()).toBe("");
    }
  });
});

describe("a path that does not exist", () => {
  it.each([
    "/public",
    "/public/v1",
    "/public/v3/partners",
    "/public/v2/partners",
    "/PUBLIC/v1/partners",
    `/public/v1/apps/${DEMO.appToken}`,
    `/public/v2/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}`,
    `/public/v1/apps/${DEMO.appToken}/trackers/${DEMO.linkToken}/children/more`,
    "/v1/partners",
    "//public/v1/partners",
    "/impression",
    "/impression/",
    "/favicon.png",
    "/%00",
    "/..%2f..%2fetc",
  ])("%s returns 404", async (path) => {
    expect(await rejection(path, { token: DEMO.apiToken })).toEqual({
      status: 404,
      code: "not_found",
      params: [],
    });
  });

  it("returns 404 for any method", async () => {
    for (const method of ["HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]) {
      expect((await call("/public/v1/nothing", { method })).status).toBe(404);
    }
  });
});

describe("a problem document", () => {
  it("has exactly the documented members and the ID of X-Request-Id", async () => {
    const response = await call("/public/v1/partners?limit=0", { token: DEMO.apiToken });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      type: "https://linkledger.test/docs/errors#invalid_request",
      title: "The request is invalid",
      status: 400,
      detail: "limit must be a positive integer.",
      code: "invalid_request",
      request_id: response.headers.get("x-request-id"),
      errors: [{ param: "limit", message: "must be a positive integer" }],
    });
  });

  it.each([
    ["one error", "", { cost_id: "short" }, "cost_id has 5 characters; it needs at least 12."],
    ["an empty parameter", "", { tag: "" }, "tag must not be empty."],
    [
      "two errors",
      "",
      { cost_type: "x", cost_id: "1" },
      "Fix cost_type and cost_id, then resend the request.",
    ],
    [
      "three errors",
      "",
      { cost_type: "x", cost_id: "1", tag: "" },
      "Fix cost_type, cost_id, and tag, then resend the request.",
    ],
    ["a repeated parameter", "&tag=u", {}, "tag is given twice with different values; send it once."],
    [
      "two errors of one parameter",
      "&cost_id=2",
      { cost_id: "1" },
      "cost_id is given twice with different values; send it once. cost_id has 1 character; it needs at least 12.",
    ],
  ])("says in detail what to fix for %s", async (_, more, changes, detail) => {
    const good = { cost_type: "cpc", cost_currency: "USD", cost_id: "detail-cost-0001", tag: "t" };
    const query = new URLSearchParams({ ...good, ...changes });
    const options = { method: "POST", token: DEMO.costToken };
    const { status, body } = await ask<ProblemBody>(`/cost?${query}${more}`, options);
    expect([status, body.detail]).toEqual([400, detail]);
  });

  it("says in detail that a body is invalid", async () => {
    const headers = { "content-type": "application/json" };
    const { body } = await ask<ProblemBody>(LINKS, { token: DEMO.apiToken, headers, body: "{" });
    expect(body.detail).toBe("The body must be JSON in UTF-8.");
  });

  it("has the ID of X-Request-Id in every body with a request_id", async () => {
    const cost = "/cost?cost_type=cpc&cost_currency=USD&cost_id=demo-click-recent-0001&tag=t";
    const responses = [
      await call("/public/v1/partners"),
      await call("/nothing/here"),
      await call("/cost", { method: "POST" }),
      await call(cost, { method: "POST", token: DEMO.costToken }),
      await call(`/${DEMO.linkToken}?s2s=1&cost_id=request-id-0001`),
      await call("/nosuchlink"),
      await call("/public/v1/partners", { method: "DELETE" }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 404, 401, 200, 200, 404, 405]);
    for (const response of responses) {
      expect(((await response.json()) as { request_id: string }).request_id).toBe(
        response.headers.get("x-request-id"),
      );
    }
  });
});

it("does not record HEAD on a link or its impression", async () => {
  const before = await rows("SELECT count(*) AS n FROM engagements");
  const headers = { "user-agent": IPHONE };
  const click = await call(`/${DEMO.linkToken}?cost_id=head-click-0001`, { method: "HEAD", headers });
  const view = await call(`/impression/${DEMO.linkToken}?cost_id=head-view-0001`, {
    method: "HEAD",
    headers,
  });
  expect([click.status, view.status]).toEqual([302, 200]);
  expect(await rows("SELECT count(*) AS n FROM engagements")).toEqual(before);
});
