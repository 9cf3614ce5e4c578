import { beforeEach, describe, expect, test } from "vitest";
import { createToken } from "../../src/auth/secrets.ts";
import { operationOf } from "../../src/http/operation.ts";
import { operatorRoutes } from "../../src/operator/routes.ts";
import { ask, DEMO, freshDemo, rejection, rows } from "../harness.ts";

const calls = operatorRoutes
  .filter(({ path }) => path.startsWith("/operator/v1/"))
  .flatMap(({ path, methods }) =>
    Object.keys(methods).map((method) => ({
      method,
      path: path.replace(":token", DEMO.appToken).replace(/:\w+/g, "1"),
    })),
  );
const body = (method: string) => (method === "POST" || method === "PATCH" ? { json: {} } : {});

beforeEach(freshDemo);

describe.each(calls)("$method $path", ({ method, path }) => {
  test("answers operator_required to a member, whatever the request contains", async () => {
    expect(await rejection(path, { method, token: DEMO.apiToken, ...body(method) })).toEqual({
      status: 403,
      code: "operator_required",
      params: [],
    });
  });

  test.each([
    ["nothing", undefined],
    ["a live credential", DEMO.costToken],
    ["a test credential", DEMO.testCostToken],
    ["an unknown token", createToken("api", "x".repeat(43))],
  ])("answers 401 to %s", async (_, token) => {
    const { status, code } = await rejection(path, { method, token, ...body(method) });
    expect({ status, code }).toEqual({ status: 401, code: "unauthorized" });
  });
});

test("a demoted operator loses access immediately, even if KV still has the token", async () => {
  const token = DEMO.operatorToken;
  await ask("/operator/v1/apps", { token });
  const created = await ask<{ data: { items: { id: number }[] } }>("/operator/v1/users", {
    token,
    json: {
      email: "second@example.com",
      role: "operator",
      your_password: DEMO.operatorPassword,
    },
  });
  expect(created.body.data.items[0]?.id).toBe(3);
  const json = { role: "member", your_password: DEMO.operatorPassword };
  expect((await ask("/operator/v1/users/2", { token, method: "PATCH", json })).status).toBe(200);
  expect((await rejection("/operator/v1/apps", { token })).code).toBe("operator_required");
  const before = await rows("SELECT count(*) AS n FROM audit_log");
  const rejected = await rejection("/operator/v1/partners", { token, json: { display_name: "Mine" } });
  expect(rejected.code).toBe("operator_required");
  expect(await rows("SELECT * FROM partners WHERE display_name = 'Mine'")).toEqual([]);
  expect(await rows("SELECT count(*) AS n FROM audit_log")).toEqual(before);
});

const lists = operatorRoutes.flatMap(({ path, methods }) =>
  methods.GET && operationOf(methods.GET)?.input.paged
    ? [path.replace(":token", DEMO.appToken).replace(/:\w+/g, "1")]
    : [],
);
test.each(lists)("%s rejects a filter that it does not know", async (path) => {
  expect(await rejection(`${path}?limit=1&since=2026-03-01`, { token: DEMO.operatorToken })).toEqual({
    status: 400,
    code: "invalid_request",
    params: ["since"],
  });
});
