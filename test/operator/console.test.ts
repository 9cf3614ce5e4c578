import { beforeEach, describe, expect, test, vi } from "vitest";
import { operatorRoutes } from "../../src/operator/routes.ts";
import { Browser } from "../account/support.ts";
import { call, DAY, DEMO, env, freshDemo, NOW, rows, withMethods } from "../harness.ts";

const pages = operatorRoutes
  .filter(({ path }) => !path.startsWith("/operator/v1/"))
  .map(({ path, methods }) => ({
    path: path.replace(":token", DEMO.appToken).replace(/:\w+/g, "1"),
    methods: Object.keys(methods),
  }));
const reading = pages.filter(({ methods }) => methods.includes("GET")).map(({ path }) => path);
const posting = pages.filter(({ methods }) => methods.includes("POST")).map(({ path }) => path);
const state = async () => [
  await rows("SELECT * FROM users"),
  await rows("SELECT * FROM api_tokens"),
  await rows("SELECT * FROM apps"),
  await rows("SELECT * FROM memberships"),
  await rows("SELECT * FROM partners"),
  await rows("SELECT * FROM credentials"),
  await rows("SELECT * FROM rounds"),
  await rows("SELECT * FROM audit_log"),
];

let operator: Browser;
beforeEach(async () => {
  await freshDemo();
  operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
});

describe.each(reading)("GET %s", (path) => {
  test("is a page for an operator alone", async () => {
    expect((await operator.get(path)).status).toBe(200);
    const nobody = await new Browser().get(path);
    expect([nobody.status, nobody.headers.get("location")]).toEqual([
      303,
      `/login?next=${encodeURIComponent(path)}`,
    ]);
    const member = new Browser();
    await member.signIn();
    const rejected = await member.get(path);
    expect([rejected.status, rejected.text.includes("This is for operators")]).toEqual([403, true]);
    expect((await call(path, { token: DEMO.operatorToken })).status).toBe(303);
  });
});

describe.each(posting)("POST %s", (path) => {
  test("changes nothing for another site, a member or nobody", async () => {
    const before = await state();
    const fields = { display_name: "x", email: "x@example.com", role: "member", cost_types: "cpc" };
    const foreign = await operator.post(path, fields, { headers: { "sec-fetch-site": "cross-site" } });
    expect(foreign.status).toBe(403);
    const member = new Browser();
    await member.signIn();
    expect((await member.post(path, fields)).status).toBe(403);
    expect((await new Browser().post(path, fields)).status).toBe(303);
    expect(await state()).toEqual(before);
  });
});

describe("a form", () => {
  test.each([
    ["/operator/partners", { display_name: "" }, "display_name"],
    ["/operator/partners/3", { click_parameters: "a\r\nb" }, "click_parameters"],
    ["/operator/partners/2/rounds", {}, "cost_types"],
    ["/operator/partners/2/credentials", { mode: "live", cost_types: "cpx" }, "cost_types"],
    ["/operator/apps", { name: "x", default_url: "data:text/html,x" }, "default_url"],
    [`/operator/apps/${DEMO.appToken}`, { redirect_schemes: "https\r\njavascript" }, "redirect_schemes"],
    [`/operator/apps/${DEMO.appToken}/members`, { email: "nobody@example.com" }, "email"],
    ["/operator/users", { email: "nobody" }, "email"],
    ["/operator/rounds/1/dismissals", { finding: "entry 99" }, "finding"],
  ])("%s tells in place what is wrong, and changes nothing", async (path, fields, param) => {
    const before = await state();
    const answer = await operator.post(path, fields as Record<string, string>);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(`<code>${param}`);
    expect(await state()).toEqual(before);
  });

  test.each([
    ["/operator/users/2", { role: "member" }, "The last operator stays"],
    ["/operator/users/2", { disabled: "yes" }, "The last operator stays"],
    ["/operator/partners/3/rounds", { cost_types: "cpc" }, "The partner has an open round"],
    ["/operator/rounds/1/approve", {}, "A mismatch is open"],
    ["/operator/users", { email: "demo@example.com" }, "Another user has this e-mail address"],
  ])("%s that is refused says why: %j", async (path, fields, title) => {
    const before = await state();
    const answer = await operator.post(path, fields as Record<string, string>);
    expect([answer.status, answer.text.includes(title)]).toEqual([409, true]);
    expect(await state()).toEqual(before);
  });

  test("that is not there, or not a form, changes nothing", async () => {
    const before = await state();
    expect((await operator.post("/operator/users/99/token", {})).status).toBe(404);
    expect((await operator.post("/operator/rounds/x/approve", {})).status).toBe(404);
    const json = { headers: { "content-type": "application/json" } };
    expect((await operator.post("/operator/users", {}, json)).status).toBe(415);
    expect((await operator.get("/operator/rounds/1/approve")).status).toBe(405);
    expect(await state()).toEqual(before);
  });

  test("tells a secret once, and keeps none", async () => {
    const tokenOf = (kind: string) => new RegExp(`^ll_${kind}_[0-9A-Za-z]{43}[0-9a-f]{6}$`);
    const password = /^[2-9a-hjkmnp-z]{20}$/;
    const answers: [Awaited<ReturnType<typeof operator.post>>, RegExp][] = [
      [await operator.post("/operator/users", { email: "x@example.com", sign_in: "password" }), password],
      [await operator.post("/operator/users/1/token", {}), tokenOf("api")],
      [await operator.post("/operator/users/1/password", {}), password],
      [await operator.post("/operator/partners/2/rounds", { cost_types: "cpc" }), tokenOf("test")],
      [
        await operator.post("/operator/partners/1/credentials", { mode: "live", cost_types: "cpc" }),
        tokenOf("live"),
      ],
    ];
    const kept = JSON.stringify(await state());
    for (const [{ text }, form] of answers) {
      const secret = /id="secret">([^<]+)</.exec(text)?.[1] ?? "";
      expect(secret).toMatch(form);
      expect(kept).not.toContain(secret);
    }
  });
});

test("an operator who is demoted is a member on the next page", async () => {
  await env.DB.prepare("UPDATE users SET role = 'member' WHERE id = 2").run();
  expect((await operator.get("/operator")).status).toBe(403);
});

test("what others typed is text on every page", async () => {
  const markup = `"><img src=x onerror=alert(1)>`;
  await env.DB.prepare("UPDATE partners SET display_name = ?, click_parameters = ?")
    .bind(markup, markup)
    .run();
  await env.DB.prepare("UPDATE apps SET name = ?").bind(markup).run();
  await env.DB.prepare("UPDATE links SET label = ?").bind(markup).run();
  await operator.post("/operator/partners/3", { display_name: markup });
  for (const path of reading) expect((await operator.get(path)).text).not.toContain("<img");
});

test("empty states say the next step", async () => {
  await env.DB.batch(
    [
      "DELETE FROM round_entries",
      "DELETE FROM credentials",
      "DELETE FROM rounds",
      "DELETE FROM links",
      "DELETE FROM engagements",
      "DELETE FROM costs",
      "DELETE FROM daily_totals",
      "DELETE FROM partners",
      "DELETE FROM memberships",
      "DELETE FROM apps",
    ].map((statement) => env.DB.prepare(statement)),
  );
  expect((await operator.get("/operator")).text).toContain("Make the first one below");
  expect((await operator.get("/operator/apps")).text).toContain("Make the first one below");
  expect((await operator.get("/operator/credentials")).text).toContain("open a round");
  expect((await operator.get("/operator/audit")).text).toContain("Nothing was changed yet");
});

test("spend that waits for its engagement is told by partner and currency, cpm by the thousand", async () => {
  const today = Math.floor(NOW / DAY);
  for (const [day, ...total] of [
    [today - 7, "cpm", "EUR", 3, 1_200_000],
    [today, "cpc", "EUR", 1, 50_000],
    // They have lapsed, and wait no more.
    [today - 8, "cpc", "EUR", 1, 700_000],
  ]) {
    await rows("INSERT INTO daily_totals VALUES ('', ?, 0, 1, ?, ?, 'pending', ?, ?)", day, ...total);
  }
  const { text } = await operator.get("/operator");
  expect(text).toMatch(/Acme Ads<\/a><\/th><td class="number">4<\/td><td class="number">EUR 0\.512/);
});

test("the list of partners says what to do next for each, and nothing where all is live", async () => {
  const next = async () =>
    [
      ...(await operator.get("/operator")).text.matchAll(
        /<td>(?:<[^>]*>)?([^<]*)(?:<\/\w+>)?<\/td>\s*<\/tr>/g,
      ),
    ].map(([, text]) => text);
  expect(await next()).toEqual(["none", "Open a round", "Read round 1"]);
  await rows("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 1");
  await rows("UPDATE rounds SET state = 'closed'");
  expect(await next()).toEqual(["Issue a live credential", "Open a round", "Open a round"]);
});

test("the list of credentials names their partners, and says where a round has ended", async () => {
  expect((await operator.get("/operator/credentials")).text).toMatch(
    /round 1<\/a><\/td>\s*<td><a[^>]*>Corsair Media</,
  );
  await rows("UPDATE rounds SET state = 'closed'");
  const { text } = await operator.get("/operator/credentials");
  expect(text).toMatch(/round 1<\/a>, closed<\/td>\s*<td><a[^>]*>Corsair Media</);
});

describe("where there are more than a hundred", () => {
  const numbers = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, number]) => Number(number));
  const downFrom = (first: number, length = 100) => Array.from({ length }, (_, index) => first - index);
  const insert = (statement: string, ids: number[]) =>
    rows(`INSERT INTO ${statement} FROM json_each(?) ORDER BY value`, JSON.stringify(ids));

  test("a partner's page shows its newest rounds and credentials, and says where the rest is", async () => {
    const { text: before } = await operator.get("/operator/partners/2");
    expect(before).not.toContain("These are the newest");
    await rows("DELETE FROM credentials");
    await insert(
      `credentials (token_hash, partner_id, mode, cost_types, hint, created_at)
       SELECT value, 2, 'live', 'cpc', 'hint ' || value || ' of it', 0`,
      downFrom(101, 101),
    );
    await insert(
      "rounds (id, partner_id, cost_types, state, opened_at) SELECT value, 2, 'cpc', 'closed', 0",
      downFrom(1001, 101),
    );
    const { text } = await operator.get("/operator/partners/2");
    expect(numbers(text, /<code>hint (\d+) of it<\/code><\/th>/g)).toEqual(downFrom(101));
    expect(numbers(text, /rounds\/(\d+)">Round/g)).toEqual(downFrom(1001));
    for (const list of ["rounds", "credentials"]) {
      expect(text).toContain(
        `These are the newest 100 of 101. All: <code>GET /operator/v1/${list}?partner_id=2</code>`,
      );
    }
  });

  test("an app's page leads to every member, from a form that was refused too", async () => {
    await insert(
      "users (id, email, role, created_at) SELECT value, value || '@example.com', 'member', 0",
      downFrom(600, 501),
    );
    await rows("INSERT INTO memberships SELECT id, ? FROM users WHERE id >= 100", DEMO.appToken);
    const shown: number[] = [];
    const rejected = await operator.post(`/operator/apps/${DEMO.appToken}/members`, {
      email: "x@example.com",
    });
    for (let page = rejected.text; ; ) {
      shown.push(...numbers(page, /<th scope="row"><a href="\/operator\/users\/(\d+)">/g));
      const [, next] = /<a href="([^"]+)">Next page</.exec(page) ?? [];
      if (!next) break;
      const answer = await operator.get(next);
      expect(answer.status).toBe(200);
      page = answer.text;
    }
    expect(shown).toEqual([1, 2, ...downFrom(600, 501).reverse()]);
  });
});

test("a partner's costs are stopped and taken again, and no other form of its page touches that", async () => {
  const taken = () => rows("SELECT supports_cost_data AS taken FROM partners WHERE id = 1");
  await operator.post("/operator/partners/1/costs", { take: "no" });
  expect(await taken()).toEqual([{ taken: 0 }]);
  expect((await operator.get("/operator/partners/1")).text).toContain("Take costs again");
  await operator.post("/operator/partners/1", { display_name: "Acme Ads", supports_cost_data: "on" });
  expect(await taken()).toEqual([{ taken: 0 }]);
  await operator.post("/operator/partners/1/costs", { take: "yes" });
  expect((await operator.post("/operator/partners/1", { display_name: "Acme Ads" })).status).toBe(303);
  expect(await taken()).toEqual([{ taken: 1 }]);
  expect((await operator.post("/operator/partners/1/costs", {})).status).toBe(400);
  expect((await operator.post("/operator/partners/2/costs", { take: "yes" })).status).toBe(409);
});

test("a refusal is told without the marks of its text", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const overloaded = () => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded."));
  const DB = withMethods(env.DB, { batch: overloaded });
  const rejected = await operator.get("/operator", { env: { DB } });
  expect(rejected.text).toContain("again after <code>Retry-After</code> seconds");
  const form = await operator.post(`/operator/apps/${DEMO.appToken}/members`, {
    email: "nobody@example.com",
  });
  expect(form.text).toContain("<strong>Nothing was changed.</strong> Mend what is named here");
});
