/** What a failure shows to the caller and writes to the log. */
import { createExecutionContext } from "cloudflare:test";
import { afterAll, afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { databasesOf } from "../../src/db/ledger/shards.ts";
import type { Env } from "../../src/env.ts";
import { serve } from "../../src/index.ts";
import { LINKS } from "../campaign/support.ts";
import { hangingMethod, withoutPauses } from "../faults/faulty.ts";
import {
  ask,
  type Call,
  call,
  DEMO,
  env,
  forgetMemory,
  freshDemo,
  ledgerOn,
  NOW,
  ORIGIN,
  type ProblemBody,
  resetStorage,
  withMethods,
} from "../harness.ts";
import { CALL_STEP } from "../part.ts";

const CALLS: [string, string, Call][] = [
  ["list partners", "/public/v1/partners", { token: DEMO.apiToken }],
  ["list links", LINKS, { token: DEMO.apiToken }],
  ["create link", LINKS, { token: DEMO.apiToken, json: { name: "a" } }],
  [
    "update link",
    `${LINKS}/${DEMO.linkToken}`,
    { token: DEMO.apiToken, json: { archived: true }, method: "PATCH" },
  ],
  ["reject input", `${LINKS}?limit=0`, { token: DEMO.apiToken }],
  [
    "submit cost",
    "/cost?cost_type=cpc&cost_currency=USD&cost_id=failing-cost-0001&tag=t",
    { token: DEMO.costToken, method: "POST" },
  ],
  ["open link", `/${DEMO.linkToken}`, {}],
  ["open impression", `/impression/${DEMO.linkToken}?s2s=1&cost_id=failing-view-0001`, {}],
];

/** Real D1 whose calls fail. */
const failingDatabase = (error: Error) => withMethods(env.DB, { batch: () => Promise.reject(error) });

let log: MockInstance<typeof console.error>;

function errorLines(): Record<string, unknown>[] {
  return log.mock.calls.map(([line]) => JSON.parse(line));
}

beforeEach(async () => {
  await freshDemo();
  log = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

describe("an unexpected error", () => {
  const secret = 'D1_ERROR: near "SELECT": syntax error in links_by_parent';

  it.each(CALLS)("shows no details to the caller: %s", async (_, path, options) => {
    const DB = failingDatabase(new Error(secret));
    const { status, body, headers } = await ask<ProblemBody>(path, { ...options, env: { DB } });
    expect(status).toBe(500);
    expect(body).toEqual({
      type: "https://linkledger.test/docs/errors#internal_error",
      title: "Something went wrong on our side",
      status: 500,
      detail: expect.stringContaining("request_id"),
      code: "internal_error",
      request_id: headers.get("x-request-id"),
    });
    expect(JSON.stringify([body, ...headers])).not.toMatch(/D1_ERROR|SELECT|links_by/);
  });

  it.each(CALLS)("logs one structured line with the request ID: %s", async (_, path, options) => {
    const DB = failingDatabase(new TypeError(secret));
    const { headers } = await call(path, { ...options, env: { DB } });
    expect(errorLines()).toEqual([
      {
        level: "error",
        request_id: headers.get("x-request-id"),
        error: "TypeError",
        message: secret,
        at: expect.stringContaining("at "),
      },
    ]);
  });

  it("logs only the first line of a message, because query parameters follow it", async () => {
    const DB = failingDatabase(new Error(`Failed query: select 1\nparams: ${DEMO.apiToken}`));
    await call("/public/v1/partners", { token: DEMO.apiToken, env: { DB } });
    expect(errorLines()[0]?.message).toBe("Failed query: select 1");
    expect(JSON.stringify(errorLines())).not.toContain(DEMO.apiToken);
  });

  it.each([
    [{ CLICK_URL: "go.example" }, "CLICK_URL must be an http or https URL."],
    [{ IMPRESSION_URL: "ftp://view.example" }, "IMPRESSION_URL must be an http or https URL."],
    [{ LOG_SAMPLE: "1.1" }, "LOG_SAMPLE must be a number from 0 to 1."],
    ...["ops", "", Array(6).fill("a@b.c").join(), "a@b.c; d@e.f"].map((to): [object, string] => [
      { ALERTS_TO: to },
      "ALERTS_TO must be one to five email addresses, separated by commas.",
    ]),
    [{ ALERTS_FROM: "Ops <ops@example.com>" }, "ALERTS_FROM must be an email address."],
    [{ GROUP_CALLS: "-1" }, "GROUP_CALLS must be a whole number from 0 to 99."],
    [{ GROUP_CALLS: "1.5" }, "GROUP_CALLS must be a whole number from 0 to 99."],
    [{ OPERATOR_MFA: "Required" }, 'OPERATOR_MFA must be "required" or "optional".'],
    [{ SECURITY_CONTACT: "security@example.com" }, "SECURITY_CONTACT must be a mailto:, https: or tel: URI."],
    [
      { SECURITY_CONTACT: "mailto:a@example.com\nContact: mailto:b@example.com" },
      "SECURITY_CONTACT must be a mailto:, https: or tel: URI.",
    ],
    ...["x".repeat(201), "a\nb", "http://example.com/help", "https://", "mailto:ops@example.com"].map(
      (contact): [object, string] => [
        { OPERATOR_CONTACT: contact },
        "OPERATOR_CONTACT must be an email address, an https URL, or a text of at most 200 characters.",
      ],
    ),
    [{ TOKENS: undefined }, "The binding TOKENS (a KV namespace) is missing."],
    [
      { DB: undefined, ACCOUNT_ATTEMPTS: undefined, LOG_SAMPLE: "x" },
      "The binding DB (a D1 database) is missing. The binding ACCOUNT_ATTEMPTS (a rate limiter) is missing. LOG_SAMPLE must be a number from 0 to 1.",
    ],
  ])("names a wrong configuration in the log and at /readyz only: %o", async (wrong, problem) => {
    const request = (path: string) => {
      const bindings = { ...env, ...wrong } as unknown as Env;
      return serve(new Request(`${ORIGIN}${path}`), bindings, createExecutionContext(), () => NOW);
    };
    for (const path of ["/public/v1/partners", "/healthz", "/demo1nk001"]) {
      const response = await request(path);
      const body: ProblemBody = await response.json();
      expect([response.status, response.headers.get("retry-after"), body.code]).toEqual([
        503,
        "5",
        "not_configured",
      ]);
      expect(body.detail).toBe(
        "A binding or a variable in wrangler.toml is missing or wrong. `/readyz` and the log name it.",
      );
    }
    const ready = await request("/readyz");
    const { detail }: ProblemBody = await ready.json();
    const message = `${problem} Check wrangler.toml.`;
    expect([ready.status, detail]).toEqual([503, message]);
    expect(errorLines().map((line) => line.message)).toEqual([message, message, message, message]);
  });

  it("logs no error for a rejected request", async () => {
    for (const [path, status] of [
      ["/nothing/here", 404],
      ["/public/v1/partners", 401],
      ["/cost/batch", 405],
    ] as const) {
      expect((await call(path)).status).toBe(status);
    }
    expect(errorLines()).toEqual([]);
  });
});

describe("a database with a transient error", () => {
  it.each([
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
    "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  ])("is reported as 503 with Retry-After in seconds: %s", async (message) => {
    for (const [, path, options] of CALLS) {
      const DB = failingDatabase(new Error(message));
      const { body, headers } = await withoutPauses(() =>
        ask<ProblemBody>(path, { ...options, env: { DB } }),
      );
      expect(body).toMatchObject({ status: 503, code: "unavailable" });
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(JSON.stringify(body)).not.toContain("D1_ERROR");
    }
  });

  it("is reported as 503 if it has not responded after eight seconds", async () => {
    // The clock too: the deadline of a call is what is left of its request's time.
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    try {
      const { method: batch, called } = hangingMethod();
      const DB = withMethods(env.DB, { batch });
      const response = ask<ProblemBody>("/public/v1/partners", { token: DEMO.apiToken, env: { DB } });
      await called;
      await vi.advanceTimersByTimeAsync(7_999);
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(vi.getTimerCount()).toBe(0);
      expect((await response).body).toMatchObject({ status: 503, code: "unavailable" });
    } finally {
      vi.useRealTimers();
    }
  });
});

it("a database that is not migrated is reported as 503 with the command that migrates it", async () => {
  await resetStorage();
  for (const [name, path, options] of CALLS) {
    const { body, headers } = await ask<ProblemBody>(path, options);
    expect([name, body.status, body.code]).toEqual([name, 503, "not_migrated"]);
    expect(body.detail).toContain("npx wrangler d1 migrations apply DB");
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
});

describe("a database on which only the first migrations ran", () => {
  afterAll(resetStorage);

  it("is reported as 503 where it matters, and nowhere as 500", async () => {
    await resetStorage();
    const migrations = env.TEST_MIGRATIONS.slice(0, -1);
    for (const [index, { name: last, queries }] of migrations.entries()) {
      for (const db of databasesOf(ledgerOn())) await db.batch(queries.map((sql) => db.prepare(sql)));
      // Requests of a new schema plan all of their statements again. The newest is always one of those that are tried.
      if ((migrations.length - 1 - index) % CALL_STEP !== 0) continue;
      forgetMemory();
      for (const [name, path, options] of CALLS) {
        const { status, body, headers } = await ask<ProblemBody>(path, options);
        expect([last, name, status]).not.toEqual([last, name, 500]);
        if (status !== 503) continue;
        expect(body.code).toBe("not_migrated");
        expect(headers.get("retry-after")).toBe("5");
      }
    }
  });

  it("is reported for a missing table, column, column of an insertion, and index", async () => {
    for (const problem of [
      "no such table: partner_activity",
      "no such column: e.click_country at offset 9",
      "table audit_log has no column named request_id",
      "no such index: links_with_target",
    ]) {
      const DB = failingDatabase(new Error(`D1_ERROR: ${problem}: SQLITE_ERROR`));
      const { body } = await ask<ProblemBody>("/public/v1/partners", { token: DEMO.apiToken, env: { DB } });
      expect(body).toMatchObject({ status: 503, code: "not_migrated" });
    }
  });
});
