import { beforeEach, describe, expect, test, vi } from "vitest";
import { storeRates } from "../../src/db/operator/stored-rates.ts";
import { Browser, freshSession } from "../account/support.ts";
import { call, DAY, DEMO, env, freshDemo, ledgerOn, NOW, rows, withMethods } from "../harness.ts";
import { SINGLE_SIGN_ON } from "../support.ts";
import { mainOf, tablesOf, textOf } from "../workspace/page-text.ts";

const state = async () => [
  await rows("SELECT * FROM users"),
  await rows("SELECT * FROM api_tokens"),
  await rows("SELECT * FROM apps"),
  await rows("SELECT * FROM memberships"),
  await rows("SELECT * FROM partners"),
  await rows("SELECT * FROM credentials"),
  await rows("SELECT * FROM rounds"),
  await rows("SELECT * FROM audit_log WHERE action <> 'sign in'"),
];

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword);
});

test("says to members that it is only for operators, and takes no API token", async () => {
  const member = new Browser();
  await member.signIn();
  const rejected = await member.get("/operator/apps");
  expect([rejected.status, rejected.text.includes("Operators only")]).toEqual([403, true]);
  expect((await call("/operator/apps", { token: DEMO.operatorToken })).status).toBe(303);
});

test("puts the focus on the notice that confirms what was done", async () => {
  const { text } = await operator.get("/operator/apps?notice=app-created");
  expect(text).toMatch(
    /<div class="notice ok ?"><p role="status" tabindex="-1" autofocus>App created\.<\/p>/,
  );
});

describe("a form", () => {
  test.each([
    ["/operator/partners/new", { display_name: "" }, '<a href="#display_name">Name must not be empty.</a>'],
    ["/operator/partners/3", { click_parameters: "a\r\nb" }, '<a href="#click_parameters">Click parameters '],
    [
      "/operator/partners/2/rounds",
      {},
      '<a href="#round-cost_types">Cost types must name at least one cost type.</a>',
    ],
    [
      "/operator/partners/2/credentials",
      { mode: "live", cost_types: "cpx" },
      "<li>Cost types must be one of ",
    ],
    [
      "/operator/apps/new",
      { name: "x", default_url: "data:text/html,x" },
      '<a href="#default_url">Default URL must be an absolute http or https URL.</a>',
    ],
    [
      "/operator/apps/new",
      { name: "x", default_url: "https://{host}/" },
      '<a href="#default_url">Default URL must not have {host} in its scheme, host or port; ',
    ],
    [
      `/operator/apps/${DEMO.appToken}`,
      { redirect_schemes: "https\r\njavascript" },
      '<a href="#redirect_schemes">Allowed redirect URL schemes must not be ',
    ],
    [
      `/operator/apps/${DEMO.appToken}/members`,
      { email: "nobody" },
      '<a href="#email">The email address must look like ',
    ],
    [
      "/operator/users/new",
      { email: "x@example.com", sign_in: "sso" },
      '<a href="#sign_in">Single sign-on isn&#39;t set up. Choose a password.',
    ],
    [
      "/operator/users/new",
      { email: "x@example.com", apps: "nosuchapp000" },
      '<a href="#apps">Apps must be apps that are not archived.',
    ],
    ["/operator/users/1", { sign_in: "sso" }, "Single sign-on isn&#39;t set up. Choose a password."],
    [
      `/operator/apps/${DEMO.appToken}`,
      { max_links: "1e3" },
      '<a href="#max_links">Maximum number of links must be a whole number ',
    ],
    [
      "/operator/users/new",
      { email: "" },
      '<a href="#email">The email address must not be empty.</a></li></ul>',
    ],
    ["/operator/users/new", { email: "nobody" }, '<a href="#email">The email address must look like '],
    [
      "/operator/users/new",
      { email: "demo@example.com" },
      '<a href="#email">Another user has this email address.</a></li></ul>',
    ],
    [
      "/operator/users/1",
      { email: "operator@example.com", sign_in: "sso" },
      'Single sign-on isn&#39;t set up. Choose a password.</li><li><a href="#email">Another user has this email address.',
    ],
    ["/operator/rounds/1/dismissals", { finding: "entry 99" }, "<li>Finding "],
  ])("%s shows the error on its page and changes nothing", async (path, fields, summary) => {
    const before = await state();
    const response = await operator.post(path, fields as Record<string, string>);
    expect(response.status).toBe(400);
    expect(response.text).toContain(summary);
    expect(response.text).toMatch(/<div class="notice error" role="alert" tabindex="-1" autofocus>/);
    expect(response.text).toContain("<title>Error: ");
    expect(await state()).toEqual(before);
  });

  test.each([
    ["/operator/users/2", { role: "member" }, "You cannot remove the last operator"],
    ["/operator/users/2", { disabled: "yes" }, "You cannot remove the last operator"],
    ["/operator/partners/3/rounds", { cost_types: "cpc" }, "The partner has an open round"],
    ["/operator/rounds/1/approve", { cost_types: "cpc" }, "The round cannot be approved yet"],
  ])("%s shows why it is rejected: %j", async (path, fields, title) => {
    const before = await state();
    const response = await operator.post(path, fields as Record<string, string>);
    expect([response.status, response.text.includes(title)]).toEqual([409, true]);
    expect(await state()).toEqual(before);
  });

  test("that approves a round with mismatches says what is missing in the words of the page", async () => {
    const { text } = await operator.post("/operator/rounds/1/approve", { cost_types: "cpc" });
    const [alert = ""] = /<div class="notice error"[\s\S]*?<\/div>/.exec(text) ?? [];
    expect(alert).toContain("Ask the partner to fix the following");
    expect(alert).toMatch(/Cpc has an open mismatch, click \S+: click or impression without a cost\. /);
    expect(alert).not.toMatch(/<code>errors|_without_|\.\./);
  });

  test("for an unknown resource, or with another content type, changes nothing", async () => {
    const before = await state();
    expect((await operator.post("/operator/users/99/token", {})).status).toBe(404);
    expect((await operator.post("/operator/rounds/x/approve", {})).status).toBe(404);
    const json = { headers: { "content-type": "application/json" } };
    expect((await operator.post("/operator/users/new", {}, json)).status).toBe(415);
    expect(await state()).toEqual(before);
  });

  test("shows a secret and stores only its hash", async () => {
    const tokenOf = (kind: string) => new RegExp(`^ll_${kind}_[0-9A-Za-z]{43}[0-9a-f]{6}$`);
    const password = /^[2-9a-hjkmnp-z]{20}$/;
    await operator.post(
      "/operator/users/new",
      { email: "sso@example.com", sign_in: "sso" },
      { env: SINGLE_SIGN_ON },
    );
    const responses: [Awaited<ReturnType<typeof operator.post>>, RegExp][] = [
      [await operator.post("/operator/users/new", { email: "x@example.com", sign_in: "password" }), password],
      [await operator.post("/operator/users/3/token", {}), tokenOf("api")],
      [await operator.post("/operator/users/1/password", {}), password],
      [await operator.post("/operator/partners/2/rounds", { cost_types: "cpc" }), tokenOf("test")],
      [
        await operator.post("/operator/partners/1/credentials", { mode: "live", cost_types: "cpc" }),
        tokenOf("live"),
      ],
    ];
    const kept = JSON.stringify(await state());
    for (const [{ text }, pattern] of responses) {
      const secret = /id="secret"[^>]*>([^<]+)</.exec(text)?.[1] ?? "";
      expect(secret).toMatch(pattern);
      expect(kept).not.toContain(secret);
    }
  });
});

test("a demoted operator is signed out, and is a member after the next sign-in", async () => {
  await env.DB.prepare("UPDATE users SET role = 'member' WHERE id = 2").run();
  expect((await operator.get("/operator")).headers.get("location")).toBe(
    "/login?next=%2Foperator&notice=ended",
  );
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  expect((await operator.get("/operator")).status).toBe(403);
});

test("empty states name the next step", async () => {
  await env.DB.batch(
    [
      "DELETE FROM round_entries",
      "DELETE FROM credentials",
      "DELETE FROM rounds",
      "DELETE FROM links",
      "DELETE FROM ledger_entries",
      "DELETE FROM daily_totals",
      "DELETE FROM partners",
      "DELETE FROM memberships",
      "DELETE FROM apps",
    ].map((statement) => env.DB.prepare(statement)),
  );
  expect((await operator.get("/operator/partners")).text).toContain(
    "Create the first one</a>, then open a round",
  );
  expect((await operator.get("/operator/apps")).text).toContain(
    "Create the first one</a>, then add its members",
  );
  expect((await operator.get("/operator/credentials")).text).toContain("open a round");
});

test.each([
  [
    "/operator/spend?from=2026-03-14&to=2026-03-01",
    "The To date must be on or after the From date.",
    "Spend by partner",
  ],
  [
    "/operator/spend?from=2026-02-30&to=2026-03-01",
    "The From date must be a calendar date",
    "Spend by partner",
  ],
  ["/operator/spend?period=8d", "The period must be one of 7d", "Spend by partner"],
  ["/operator/spend?partner_id=99", "This partner does not exist.", "Spend by partner"],
  ["/operator/audit?from=2026-02-30", "The From date must be a calendar date", "Audit log"],
  [
    "/operator/audit?from=2026-03-14&to=2026-03-01",
    "The To date must be on or after the from date.",
    "Audit log",
  ],
  ["/operator/audit?action=leave", "The action must be chosen from the list.", "Audit log"],
  ["/operator/partners/1/costs?day=2026-02-30", "The day must be a calendar date", "Costs of Acme Ads"],
  [
    `/operator/partners/1/voids?cost_id=${"x".repeat(257)}`,
    "Cost ID must have 1 to 256 characters.",
    "Find a cost",
  ],
])("%s is 400, on its page", async (path, sentence, heading) => {
  const { status, text } = await operator.get(path);
  expect(status).toBe(400);
  expect(text).toMatch(/<title>Error: /);
  expect(textOf(mainOf(text))).toContain(sentence);
  expect(textOf(/<h1[^>]*>[\s\S]*?<\/h1>/.exec(text)?.[0] ?? "").trim()).toBe(heading);
  const { pathname, searchParams } = new URL(path, "https://linkledger.test");
  expect(text).toContain(`action="${pathname}"`);
  // Fields that show their own error keep what was entered. Other pages show the rest without it.
  const isInField = path.includes("/voids?") || sentence === "The To date must be on or after the From date.";
  expect(textOf(text).includes("The page leaves this out.")).toBe(!isInField);
  if (isInField)
    for (const [name, value] of searchParams)
      expect(text).toMatch(new RegExp(`name="${name}"[^>]*value="${value}"`));
});

test("a file of the audit log with a wrong day is 400", async () => {
  expect((await operator.get("/operator/audit.csv?to=2026-02-30")).status).toBe(400);
});

test("pending costs are shown by partner and currency, with cpm per thousand", async () => {
  const today = Math.floor(NOW / DAY);
  for (const [day, ...total] of [
    [today - 7, "cpm", "EUR", 3, 1_200_000],
    [today, "cpc", "EUR", 1, 50_000],
    // Expired costs are no longer pending.
    [today - 8, "cpc", "EUR", 1, 700_000],
  ]) {
    await rows("INSERT INTO daily_totals VALUES ('', ?, 0, 1, ?, ?, 'pending', ?, ?)", day, ...total);
  }
  const pending = tablesOf((await operator.get("/operator/spend")).text)
    .at(-1)
    ?.at(-1);
  expect(pending).toEqual({
    cells: ["Acme Ads", "4", "€0.51"],
    href: "/operator/partners/1/costs?match=pending",
  });
});

test("more pending costs than a few, and the form of a round of a partner with live types, are closed", async () => {
  const add = (currency: string) =>
    rows(
      "INSERT INTO daily_totals VALUES ('', ?, 0, 1, 'cpc', ?, 'pending', 1, 50000)",
      Math.floor(NOW / DAY),
      currency,
    );
  const text = async (path: string) => (await operator.get(path)).text;
  for (const currency of ["EUR", "USD", "JPY", "GBP", "CHF"]) await add(currency);
  expect(await text("/operator/spend")).not.toContain("<summary>Show");
  await add("SEK");
  expect(await text("/operator/spend")).toContain("<details><summary>6 rows</summary>");
  const round = /<details (open)?>\s*<summary>Open a round/;
  // Beacon Network has no live type.
  expect(round.exec(await text("/operator/partners/2"))?.[1]).toBe("open");
  const [closed, open] = round.exec(await text("/operator/partners/1")) ?? [];
  expect([closed !== undefined, open]).toEqual([true, undefined]);
});

test("the list of partners shows the next step of each, and none if everything is live", async () => {
  const next = async () => {
    const [list = []] = tablesOf((await operator.get("/operator/partners")).text);
    return list.slice(1).map(({ cells }) => cells.at(-1));
  };
  const others = ["Continue setup", "Review round 1", "Resume"];
  expect(await next()).toEqual(["Not calculated", "Not calculated", ...others]);
  await storeRates(ledgerOn(), NOW);
  expect(await next()).toEqual(["None", "None", ...others]);
  await rows("UPDATE credentials SET revoked_at = 1 WHERE partner_id = 1");
  await rows("UPDATE rounds SET state = 'closed'");
  expect(await next()).toEqual([
    "None",
    "Issue a live credential",
    "Continue setup",
    "Continue setup",
    "Resume",
  ]);
});

test("the list of credentials shows their partners and the state of an ended round", async () => {
  const list = async () => tablesOf((await operator.get("/operator/credentials")).text)[0] ?? [];
  expect((await list())[1]?.cells.slice(0, 3)).toEqual(["Corsair Media", "ll_test_…a36b", "Test, round 1"]);
  await rows("UPDATE rounds SET state = 'closed'");
  expect((await list())[1]?.cells[2]).toBe("Test, round 1 , closed");
});

describe("a list of more than 100 items", () => {
  const numbers = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, number]) => Number(number));
  const downFrom = (first: number, length = 100) => Array.from({ length }, (_, index) => first - index);
  const insert = (statement: string, ids: number[]) =>
    rows(`INSERT INTO ${statement} FROM json_each(?) ORDER BY value`, JSON.stringify(ids));

  test("shows the newest rounds and credentials on a partner's page, and how to list the others", async () => {
    const { text: before } = await operator.get("/operator/partners/2");
    expect(before).not.toContain("Showing the newest");
    await rows("DELETE FROM credentials");
    await insert(
      `credentials (token_hash, partner_id, mode, cost_types, hint, created_at)
       SELECT value, 2, 'live', 1, 'hint ' || value || ' of it', 0`,
      downFrom(101, 101),
    );
    await insert(
      "rounds (id, partner_id, cost_types, state, opened_at) SELECT value, 2, 1, 'closed', 0",
      downFrom(1001, 101),
    );
    const { text } = await operator.get("/operator/partners/2");
    expect(numbers(text, /<code>hint (\d+) of it<\/code><\/div>/g)).toEqual(downFrom(101));
    expect(numbers(text, /rounds\/(\d+)">Round/g)).toEqual(downFrom(1001));
    for (const list of ["rounds", "credentials"]) {
      expect(text).toContain(
        `Showing the newest 100 of 101. To list all of them, use <code>GET /operator/v1/${list}?partner_id=2</code>`,
      );
    }
  });

  test("links from an app's page to every member, even after a rejected form", async () => {
    await insert(
      "users (id, email, role, created_at) SELECT value, value || '@example.com', 'member', 0",
      downFrom(600, 501),
    );
    await rows("INSERT INTO memberships SELECT id, ? FROM users WHERE id >= 100", DEMO.appToken);
    const shown: number[] = [];
    const rejected = await operator.post(`/operator/apps/${DEMO.appToken}/members`, {
      email: "x",
    });
    for (let page = rejected.text; ; ) {
      shown.push(...numbers(page, /<th scope="row"><a href="\/operator\/users\/(\d+)">/g));
      const [, next] = /<a href="([^"]+)">Next page</.exec(page) ?? [];
      if (!next) break;
      const response = await operator.get(next);
      expect(response.status).toBe(200);
      page = response.text;
    }
    expect(shown).toEqual([1, 2, ...downFrom(600, 501).reverse()]);
  });
});

test("a partner's costs are stopped and resumed only by their own form", async () => {
  const accepted = () => rows("SELECT stopped_at IS NULL AS accepted FROM partners WHERE id = 1");
  await operator.post("/operator/partners/1/costs", { stopped: "yes" });
  expect(await accepted()).toEqual([{ accepted: 0 }]);
  expect((await operator.get("/operator/partners/1")).text).toContain("Resume accepting costs");
  await operator.post("/operator/partners/1", { display_name: "Acme Ads", stopped: "no" });
  expect(await accepted()).toEqual([{ accepted: 0 }]);
  await operator.post("/operator/partners/1/costs", { stopped: "no" });
  expect((await operator.post("/operator/partners/1", { display_name: "Acme Ads" })).status).toBe(303);
  expect(await accepted()).toEqual([{ accepted: 1 }]);
  expect((await operator.post("/operator/partners/1/costs", {})).status).toBe(400);
});

test("an error page renders the backticks of its text as code", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const overloaded = () => Promise.reject(new Error("D1_ERROR: D1 DB is overloaded."));
  const DB = withMethods(env.DB, { batch: overloaded });
  const rejected = await operator.get("/operator", { env: { DB } });
  expect(rejected.text).toContain("Resend it after <code>Retry-After</code> seconds.");
  const form = await operator.post(`/operator/apps/${DEMO.appToken}/members`, {
    email: "nobody",
  });
  expect(form.text).toContain("<strong>Not saved.</strong> Fix the errors below and try again.");
});
