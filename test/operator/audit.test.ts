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
  await operator.post("/operator/partners/new", { display_name: "New" });
  expect(await rows("SELECT user_id, action, subject FROM audit_log")).toEqual([
    { user_id: 2, action: "sign in", subject: "user 2" },
    { user_id: 2, action: "create partner", subject: "partner 4" },
  ]);
});

test("an update has the old and the new value of each field that differs, and none if nothing does", async () => {
  const update = (json: object) => send(`/apps/${DEMO.appToken}`, json, "PATCH");
  const before = (await ask<{ data: { items: object[] } }>(`/operator/v1/apps/${DEMO.appToken}`, { token }))
    .body.data.items[0];
  await update({ name: "Shop", max_links: 7, redirect_hosts: ["shop.example.com"], ios_url: null });
  await update({ name: "Shop", max_links: 7 });
  const entries = await rows<{ subject: string; detail: string }>(
    "SELECT user_id, subject, detail FROM audit_log WHERE action = 'update app'",
  );
  expect(entries.map(({ detail, ...entry }) => ({ ...entry, detail: JSON.parse(detail) }))).toEqual([
    {
      user_id: 2,
      subject: `app ${DEMO.appToken}`,
      detail: {
        name: { from: "Demo App", to: "Shop" },
        max_links: { from: 100_000, to: 7 },
        redirect_hosts: { from: expect.any(Array), to: ["shop.example.com"] },
        ios_url: { from: "https://apps.apple.com/app/id1234567890", to: null },
      },
    },
  ]);
  expect(before).toMatchObject({ redirect_hosts: JSON.parse(entries[0]?.detail ?? "").redirect_hosts.from });
  expect(entries[0]?.detail).not.toContain("7.0");
});

test("the API lists the entries of one object, a page at a time, with their number", async () => {
  for (const name of ["one", "two", "three"]) await send(`/apps/${DEMO.appToken}`, { name }, "PATCH");
  await send("/partners", { display_name: "New" });
  type Page = { data: { items: { detail: object }[]; paging: { next: string; total: string } } };
  const list = (query: string) => ask<Page>(`/operator/v1/audit?${query}`, { token });
  const subject = `app ${DEMO.appToken}`;
  const first = (await list(`subject=${encodeURIComponent(subject)}&limit=2`)).body;
  const second = (await list(new URL(first.data.paging.next).search.slice(1))).body;
  expect([first, second].map(({ data }) => data.items.length)).toEqual([2, 1]);
  expect(second.data.items).toMatchObject([{ subject, detail: { name: { from: "two", to: "three" } } }]);
  expect(first.data.paging.total).toBe("3");
  expect((await list("subject=partner+4")).body.data.items).toHaveLength(1);
  expect((await list("subject=partner+5")).body.data.items).toEqual([]);
  expect((await list("subject=")).status).toBe(400);
});
