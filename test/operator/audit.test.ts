import { beforeEach, expect, test } from "vitest";
import { Browser } from "../account/support.ts";
import { ask, DEMO, freshDemo, rows } from "../harness.ts";

const token = DEMO.operatorToken;
const send = (path: string, json?: object, method = "POST") =>
  ask<{ data: { items: { id: number; token: string }[] } }>(`/operator/v1${path}`, { token, method, json });

beforeEach(freshDemo);

test.each([
  ["user", "/users", { email: "new@example.com", sign_in: "sso" }],
  ["partner", "/partners", { display_name: "New" }],
  ["credential", "/credentials", { partner_id: 1, mode: "live", cost_types: ["cpc"] }],
  ["round", "/rounds", { partner_id: 2, cost_types: ["cpc"] }],
])("an entry names the ID of the new %s, also after other entries", async (noun, path, json) => {
  for (const name of ["one", "two"]) await send(`/apps/${DEMO.appToken}`, { name }, "PATCH");
  const { status, body } = await send(path, json);
  expect(status).toBe(201);
  const [entry] = await rows<{ subject: string }>("SELECT subject FROM audit_log ORDER BY id DESC LIMIT 1");
  expect(entry?.subject).toBe(`${noun} ${body.data.items[0]?.id}`);
});

test("a change of something that does not exist writes no entry", async () => {
  const statuses = [
    await send("/apps/nosuchapp000", { name: "x" }, "PATCH"),
    await send("/apps/nosuchapp000/members", { user_id: 1 }),
    await send(`/apps/${DEMO.appToken}/members`, { user_id: 99 }),
    await send(`/apps/${DEMO.appToken}/members/99`, undefined, "DELETE"),
    await send("/users/99", { role: "member" }, "PATCH"),
    await send("/users/99/password"),
    await send("/users/99/token"),
    await send("/partners/99", { display_name: "x" }, "PATCH"),
    await send("/partners/1/voids", { cost_id: "no-such-cost-id", reason: "fraud" }),
    await send("/credentials/99/revoke"),
    await send("/credentials", { partner_id: 99, mode: "test", cost_types: ["cpc"] }),
    await send("/rounds", { partner_id: 99, cost_types: ["cpc"] }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([404, 404, 400, 404, 404, 404, 404, 404, 404, 404, 400, 400]);
  expect(await rows("SELECT * FROM audit_log")).toEqual([]);
});

test("an entry names the operator of the console's session", async () => {
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  await operator.post("/operator/partners", { display_name: "New" });
  expect(await rows("SELECT user_id, action, subject FROM audit_log")).toEqual([
    { user_id: 2, action: "sign in", subject: "user 2" },
    { user_id: 2, action: "create partner", subject: "partner 4" },
  ]);
});
