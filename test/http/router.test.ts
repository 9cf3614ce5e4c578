import { beforeAll, describe, expect, it } from "vitest";
import { call, DEMO, freshDemo, IPHONE, rejection, rows } from "../harness.ts";
import { everyRoute } from "./every-route.ts";

beforeAll(freshDemo);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(everyRoute)("$pattern", ({ path, methods }) => {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const rejected = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
    (method) => !allowed.includes(method),
  );

  it(`answers 405 with Allow: ${allowed.join(", ")} to any other method`, async () => {
    expect(rejected.length).toBeGreaterThan(0);
    for (const method of rejected) {
      const response = await call(path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe(allowed.join(", "));
    }
  });

  it.runIf(methods.includes("GET"))("answers HEAD as GET, without the body", async () => {
    for (const token of [undefined, DEMO.apiToken, DEMO.operatorToken, DEMO.costToken]) {
      const get = await call(path, { token });
      const head = await call(path, { token, method: "HEAD" });
      expect(head.status).toBe(get.status);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(await head.text()).toBe("");
    }
  });

  it("carries an X-Request-Id of its own on every answer, and is never taken for another type", async () => {
    const ids = new Set<string | null>();
    for (const method of [...methods, "DELETE"]) {
      for (const token of [undefined, DEMO.apiToken]) {
        const headers = { "x-request-id": "chosen-by-the-caller" };
        const answer = await call(path, { method, token, headers });
        const id = answer.headers.get("x-request-id");
        expect(id).toMatch(UUID);
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
        ids.add(id);
      }
    }
    expect(ids.size).toBe(2 * (methods.length + 1));
  });
});

describe("a path that is not there", () => {
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
    "/favicon.ico",
    "/%00",
    "/..%2f..%2fetc",
  ])("%s is answered with 404", async (path) => {
    expect(await rejection(path, { token: DEMO.apiToken })).toEqual({
      status: 404,
      code: "not_found",
      params: [],
    });
  });

  it("is answered with 404 whatever the method", async () => {
    for (const method of ["HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]) {
      expect((await call("/public/v1/nothing", { method })).status).toBe(404);
    }
  });
});

describe("a problem document", () => {
  it("has exactly the members of a refusal, its own type, and the id of X-Request-Id", async () => {
    const response = await call("/public/v1/partners?limit=0", { token: DEMO.apiToken });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      type: "https://linkledger.test/docs/errors#invalid_request",
      title: "The request is malformed",
      status: 400,
      detail: "Mend limit and send the request again.",
      code: "invalid_request",
      request_id: response.headers.get("x-request-id"),
      errors: [{ param: "limit", message: "must be a positive integer" }],
    });
  });

  it("names the id of X-Request-Id wherever an answer names one", async () => {
    const cost = "/cost?cost_type=cpc&cost_currency=USD&cost_id=demo-click-recent-0001&tag=t";
    const answers = [
      await call("/public/v1/partners"),
      await call("/nothing/here"),
      await call("/cost", { method: "POST" }),
      await call(cost, { method: "POST", token: DEMO.costToken }),
      await call(`/${DEMO.linkToken}?s2s=1&cost_id=request-id-0001`),
      await call("/nosuchlink"),
      await call("/public/v1/partners", { method: "DELETE" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 401, 200, 200, 404, 405]);
    for (const answer of answers) {
      expect(((await answer.json()) as { request_id: string }).request_id).toBe(
        answer.headers.get("x-request-id"),
      );
    }
  });
});

it("records nothing for HEAD on a link or its impression", async () => {
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
