import { beforeEach, expect, test, vi } from "vitest";
import { databasesOf, nameOf } from "../../src/db/ledger/shards.ts";
import { LIMITERS } from "../../src/env.ts";
import { purge } from "../../src/purge.ts";
import { Browser, signedIn } from "../account/support.ts";
import { hangingMethod } from "../faults/faulty.ts";
import { ask, type Call, call, DEMO, env, freshDemo, ledgerOn, NOW, withMethods } from "../harness.ts";
import { oneOf } from "../part.ts";
import { type Need, needing } from "../security/support.ts";

beforeEach(freshDemo);

interface Readiness {
  status: string;
  databases: { name: string; size_bytes: number }[];
  checks: Record<string, { ok: boolean; reason?: string; age_seconds?: number }>;
}

async function readiness(options: Call = {}) {
  const { status, body } = await ask<Readiness>("/readyz", options);
  const { database, migrations, shards, tokens, links, cron } = body.checks;
  return { status, overall: body.status, database, migrations, shards, tokens, links, cron };
}

const HOUR = 3600 * 1000;
const OK = { ok: true };

const DEPLOYMENT = "5f0c1f2e-7f5a-4d0e-9b7c-0d5a2b6c8e11";
const running = { VERSION: { id: DEPLOYMENT, tag: "", timestamp: "" } };

const failWithSecret = () => Promise.reject(new Error("secret detail"));

test("/healthz responds without a call to the database or KV", async () => {
  const down = {
    DB: withMethods(env.DB, { batch: failWithSecret }),
    TOKENS: withMethods(env.TOKENS, { get: failWithSecret }),
  };
  const { status, body } = await ask<object>("/healthz", { env: down });
  expect(status).toBe(200);
  expect(body).toEqual({ status: "ok", request_id: expect.any(String) });
});

test.each([
  ["of the running deployment", DEPLOYMENT, true],
  ["of another one", DEPLOYMENT.replace("5", "6"), false],
  ["that has only its beginning", DEPLOYMENT.slice(0, 8), false],
  ["that is empty", "", false],
])("/healthz says whether a deployment runs, asked with an ID %s", async (_, id, answer) => {
  const { body } = await ask<object>(`/healthz?deployment=${id}`, { env: running });
  expect(body).toEqual({ status: "ok", runs_deployment: answer, request_id: expect.any(String) });
});

test("shows the deployment to operators, on each page of the console, and to nobody else", async () => {
  const showing = async (browser: Browser, ...needs: Need[]) => {
    const found = [];
    const pages = needing(...needs).filter(({ method }) => method === "GET");
    const first = pages.filter(({ pattern }) => pattern === "/operator");
    for (const { path, pattern } of [...first, ...oneOf(3, pages, 0)]) {
      const { text, headers } = await browser.get(path, { env: running });
      if (`${text}${JSON.stringify([...headers])}`.includes(DEPLOYMENT.slice(0, 8))) found.push(pattern);
    }
    return found;
  };
  expect(await showing(new Browser(), "none", "public", "partner_session")).toEqual([]);
  expect(await showing(await signedIn(), "public", "session", "operator_session")).toEqual([]);
  const operator = await showing(
    await signedIn(DEMO.operatorEmail, DEMO.operatorPassword),
    ...(["public", "session", "operator_session"] as const),
  );
  expect(operator).toContain("/operator");
  expect(operator.filter((pattern) => !pattern.startsWith("/operator"))).toEqual([]);
});

test("is ready with a new database, and reports that the cron has not run", async () => {
  expect(await readiness()).toEqual({
    status: 200,
    overall: "ready",
    database: OK,
    migrations: OK,
    shards: OK,
    tokens: OK,
    links: OK,
    cron: { ok: true, reason: "Has not run yet." },
  });
});

test("reports the age of the last run of the cron", async () => {
  await purge(ledgerOn(), NOW - 2 * HOUR);
  expect((await readiness()).cron).toEqual({ ok: true, age_seconds: 7200 });
});

test("is ready with a last run three hours ago, and not one millisecond later", async () => {
  await purge(ledgerOn(), NOW - 3 * HOUR);
  expect(await readiness()).toMatchObject({ status: 200, cron: { ok: true } });
  expect(await readiness({ now: NOW + 1 })).toMatchObject({
    status: 503,
    overall: "not ready",
    database: OK,
    cron: { ok: false, reason: "The hourly job is overdue." },
  });
});

test("reports the older of the two tables, so that a purge that always fails for one is visible", async () => {
  await purge(ledgerOn(), NOW - 30 * HOUR);
  await env.DB.exec(`UPDATE purge_positions SET walked_at = ${NOW} WHERE ledger_table = 'costs'`);
  expect((await readiness()).cron).toMatchObject({ ok: false, age_seconds: 30 * 3600 });
});

test("names each migration that is not applied", async () => {
  const names = env.TEST_MIGRATIONS.map((migration) => migration.name);
  for (const name of names) {
    await env.DB.prepare("DELETE FROM d1_migrations WHERE name = ?").bind(name).run();
    const { status, migrations } = await readiness();
    await env.DB.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name).run();
    expect(status).toBe(503);
    expect(migrations?.ok).toBe(false);
    expect(names.filter((other) => migrations?.reason?.includes(other))).toEqual([name]);
  }
});

test.each([
  [23, "has the 23 migrations before 0100_tables.sql", "migrations/README.md"],
  [6, "has 6 of the 23 migrations before 0100_tables.sql", "an empty database"],
])(
  "says how a database with %s of the migrations that 0100_tables.sql replaced continues",
  async (number, ...texts) => {
    const replaced = Array.from(
      { length: number },
      (_, index) => `('${String(index).padStart(4, "0")}_x.sql')`,
    );
    await env.DB.exec(`DELETE FROM d1_migrations; INSERT INTO d1_migrations (name) VALUES ${replaced}`);
    const { status, migrations } = await readiness();
    expect(status).toBe(503);
    for (const text of texts) expect(migrations?.reason).toContain(text);
    expect(migrations?.reason).not.toContain("migrations apply");
  },
);

test("is ready with a database that is ahead of the code, as after a rollback", async () => {
  await env.DB.exec("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
  expect((await readiness()).status).toBe(200);
});

test("names every migration for an empty database", async () => {
  await env.DB.exec("DROP TABLE d1_migrations");
  const { status, database, migrations } = await readiness();
  expect({ status, database }).toEqual({ status: 503, database: OK });
  for (const { name } of env.TEST_MIGRATIONS) expect(migrations?.reason).toContain(name);
});

test.each<[string, () => Partial<typeof env>, string[]]>([
  [
    "database",
    () => ({ DB: withMethods(env.DB, { batch: failWithSecret }) }),
    ["database", "migrations", "shards", "cron"],
  ],
  ["tokens", () => ({ TOKENS: withMethods(env.TOKENS, { get: failWithSecret }) }), ["tokens"]],
  ["links", () => ({ LINKS: withMethods(env.LINKS, { get: failWithSecret }) }), ["links"]],
])("is not ready while %s fails, and does not show the error", async (_, fail, failing) => {
  const response = await call("/readyz", { env: fail() });
  const text = await response.text();
  const { checks } = JSON.parse(text) as Readiness;
  expect(response.status).toBe(503);
  expect(Object.keys(checks).filter((name) => !checks[name]?.ok)).toEqual(failing);
  for (const name of failing) expect(checks[name]?.reason).toContain("does not respond");
  expect(text).not.toContain("secret");
});

test("is not ready after three seconds if a namespace never answers", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { method: get } = hangingMethod();
    const response = readiness({ env: { LINKS: withMethods(env.LINKS, { get }) } });
    // Until each other check has answered.
    do await scheduler.wait(1);
    while (vi.getTimerCount() !== 1);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    const { status, links, tokens } = await response;
    expect({ status, tokens }).toEqual({ status: 503, tokens: OK });
    expect(links?.ok).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test("has the size of each database, which grows with its rows", async () => {
  const sizes = async (options: Call = {}) => (await ask<Readiness>("/readyz", options)).body.databases;
  const before = await sizes();
  expect(before.map(({ name }) => name)).toEqual(databasesOf(ledgerOn()).map((db) => nameOf(ledgerOn(), db)));
  for (const { size_bytes } of before) expect(size_bytes).toBeGreaterThan(100_000);
  await env.DB.exec("CREATE TABLE filler (a); INSERT INTO filler VALUES (zeroblob(1000000))");
  const [after] = await sizes();
  expect(Number(after?.size_bytes) - Number(before[0]?.size_bytes)).toBeGreaterThan(1_000_000);
  await env.DB.exec("DROP TABLE filler");
});

test("is not ready if a rate limiter fails, and names each that does; one whose limit is reached is ready", async () => {
  const limiters = async (bindings: Partial<typeof env>) => {
    const { status, body } = await ask<Readiness>("/readyz", { env: bindings });
    return [status, body.checks.limiters];
  };
  const full = { limit: async () => ({ success: false }) };
  expect(await limiters({ PASSWORD_ATTEMPTS: full })).toEqual([200, OK]);
  const broken = { limit: failWithSecret };
  expect(await limiters({ REPORTS: broken })).toEqual([
    503,
    {
      ok: false,
      reason: "The rate limiter REPORTS does not respond, so what it limits is not limited.",
    },
  ]);
  const names = Object.keys(LIMITERS);
  expect(await limiters(Object.fromEntries(names.map((name) => [name, broken])) as object)).toEqual([
    503,
    {
      ok: false,
      reason: `The rate limiters ${names.join(", ")} do not respond, so what they limit is not limited.`,
    },
  ]);
});

test("checks every rate limiter in wrangler.toml", () => {
  const bound = Object.entries(env).flatMap(([name, value]) =>
    typeof (value as { limit?: unknown })?.limit === "function" && !/^(__VITEST|TEST_)/.test(name)
      ? [name]
      : [],
  );
  expect(bound.sort()).toEqual(Object.keys(LIMITERS).sort());
});

test("answers HEAD and is not cached", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const response = await call(path, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
  }
});
