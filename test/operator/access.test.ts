/** What operators lose with their role, and the filters of their lists. Who may call what is in `security/access.test.ts`. */
import { beforeEach, expect, test } from "vitest";
import { operationOf } from "../../src/http/operation.ts";
import { operatorRoutes } from "../../src/operator/routes.ts";
import { ask, DEMO, freshDemo, rejection, rows } from "../harness.ts";

beforeEach(freshDemo);

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
