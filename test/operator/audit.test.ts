import { beforeEach, expect, test } from "vitest";
import { Browser } from "../account/support.ts";
import { ask, call, DAY, DEMO, freshDemo, NOW, rejection, rows, sendCost } from "../harness.ts";
import { textOf } from "../workspace/page-text.ts";

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
    { user_id: 2, action: "create partner", subject: "partner 6" },
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
  expect(second.data.items).toMatchObject([{ subject, detail: { name: { to: "one" } } }]);
  expect(first.data.paging.total).toBe("3");
  expect((await list("subject=partner+6")).body.data.items).toHaveLength(1);
  expect((await list("subject=partner+7")).body.data.items).toEqual([]);
  expect((await list("subject=")).status).toBe(400);
});

test("times in the details of an entry are in ISO 8601, as everywhere in the API", async () => {
  for (const archived of [true, false]) await send(`/apps/${DEMO.appToken}`, { archived }, "PATCH");
  type Page = { data: { items: { detail: object }[] } };
  const { body } = await ask<Page>("/operator/v1/audit?action=update+app&limit=2", { token });
  expect(body.data.items.map(({ detail }) => detail)).toEqual([
    { archived_at: { from: "2026-03-15T12:00:00.000Z", to: null } },
    { archived_at: { from: null, to: "2026-03-15T12:00:00.000Z" } },
  ]);
});

test("the API lists the newest entries first, forward and backward, with its filters", async () => {
  for (const name of ["one", "two", "three", "four", "five"])
    await send(`/apps/${DEMO.appToken}`, { name }, "PATCH");
  await send("/partners", { display_name: "New" });
  await rows(
    "INSERT INTO audit_log (happened_at, user_id, action, subject, detail) VALUES (?, 1, 'sign out', 'user 1', '{}')",
    NOW + DAY,
  );
  type Page = {
    data: {
      items: { id: number; request_id: string | null }[];
      paging: Record<"next" | "previous" | "total", string>;
    };
  };
  const list = async (query: string) => (await ask<Page>(`/operator/v1/audit?${query}`, { token })).body.data;
  const idsOf = ({ items }: Page["data"]) => items.map(({ id }) => id);
  expect(idsOf(await list(""))).toEqual([7, 6, 5, 4, 3, 2, 1]);
  const first = await list("limit=3");
  const second = await list(new URL(first.paging.next).search.slice(1));
  const third = await list(new URL(second.paging.next).search.slice(1));
  expect([first, second, third].map(idsOf)).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  expect([third.paging.next, first.paging.previous, third.paging.total]).toEqual([null, null, "7"]);
  expect(idsOf(await list(new URL(third.paging.previous).search.slice(1)))).toEqual([4, 3, 2]);
  for (const [query, ids] of [
    ["action=create+partner", [6]],
    ["user=1", [7]],
    ["user=2&action=update+app&limit=2", [5, 4]],
    ["from=2026-03-16", [7]],
    ["to=2026-03-15&action=create+partner", [6]],
    ["from=2026-03-16&to=2026-03-16&user=2", []],
    ["subject=user+1", [7]],
  ] as const) {
    expect([query, idsOf(await list(query))]).toEqual([query, ids]);
  }
  expect((await list("user=2&action=update+app&limit=2")).paging.total).toBe("5");
  expect(
    await rejection("/operator/v1/audit?action=paint&user=x&from=2026-03-16&to=2026-03-15&when=1", { token }),
  ).toEqual({
    status: 400,
    code: "invalid_request",
    params: ["action", "user", "when", "to"],
  });
});

test("the entries of a request have its ID, and one line on the page that leads to all of them", async () => {
  const items = Array.from({ length: 45 }, (_, index) => ({ name: `Bulk ${index}` }));
  const path = `/public/v1/apps/${DEMO.appToken}/trackers`;
  const created = await call(`${path}/bulk`, { token: DEMO.apiToken, json: { links: items } });
  expect(created.status).toBe(200);
  await send("/partners", { display_name: "New" });
  const found = await rows<{ request_id: string; n: number }>(
    "SELECT request_id, count(*) AS n FROM audit_log GROUP BY request_id ORDER BY n DESC",
  );
  expect(found.map(({ n }) => n)).toEqual([45, 1]);
  expect(found[0]?.request_id).toBe(created.headers.get("x-request-id"));
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const lines = async (query: string) => {
    const { text } = await operator.get(query);
    const [, body = ""] = /<tbody>([\s\S]*?)<\/tbody>/.exec(text) ?? [];
    const heads = [...body.matchAll(/<th[^>]*>([\s\S]*?)<\/th>/g)].map(([, head = ""]) => textOf(head));
    return { heads, show: /href="([^"]*request=[^"]*)"/.exec(body)?.[1]?.replaceAll("&amp;", "&") ?? "" };
  };
  const { heads, show } = await lines("/operator/audit?to=2026-03-15");
  expect(heads).toEqual([
    expect.stringContaining("signed in"),
    `${DEMO.operatorEmail} created the partner New`,
    `${DEMO.email} created 45 links in Demo App . Show`,
  ]);
  const all = await lines(show);
  expect(all.heads).toHaveLength(45);
  expect(all.heads[44]).toMatch(new RegExp(`^${DEMO.email} created the link Bulk 0 `));
  expect((await lines("/operator/audit?action=create+link")).heads).toEqual([
    `${DEMO.email} created 45 links in Demo App . Show`,
  ]);
});

test("the changes of a partner have its rounds, approvals, credentials, voids and adjustments, and no others", async () => {
  const round = await send("/rounds", { partner_id: 2, cost_types: ["cpc"] });
  await send(`/rounds/${round.body.data.items[0]?.id}/close`);
  await send("/credentials", { partner_id: 1, mode: "live", cost_types: ["cpc"] });
  await sendCost({ cost_id: "audited-cost-0001", cost_amount: "2" });
  await send("/partners/1/voids", { cost_id: "audited-cost-0001", reason: "fraud" });
  await ask("/operator/v1/adjustments", {
    token,
    headers: { "idempotency-key": "audited-adjustment" },
    json: {
      ...{ app_token: DEMO.appToken, link_token: DEMO.linkToken, day: "2026-03-14", partner_id: 1 },
      ...{ cost_type: "cpc", currency: "USD", amount: "-1", reason: "Credit note" },
    },
  });
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const sentences = async (object: string) => {
    const { text } = await operator.get(`/operator/audit?object=${encodeURIComponent(object)}`);
    return [...text.matchAll(/class="sentence">([\s\S]*?)(?:<div class="change">|<\/th>)/g)].map(
      ([, head = ""]) => textOf(head).replace(`${DEMO.operatorEmail} `, ""),
    );
  };
  for (const object of ["partner 1", "acme ads"])
    expect(await sentences(object)).toEqual([
      `added adjustment 1 of −$1.00 in Demo App: Credit note`,
      "voided cost audited-cost-0001 of Acme Ads (cpc, $2.00): fraud",
      expect.stringMatching(/^issued the credential ll_live_….{4} of Acme Ads \(live: cpc\)$/),
    ]);
  const number = round.body.data.items[0]?.id;
  expect(await sentences("partner 2")).toEqual([
    `closed round ${number} of Beacon Network without approval`,
    `opened round ${number} of Beacon Network for cpc`,
  ]);
});
