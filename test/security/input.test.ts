/** Hostile input: unknown fields, repeated names, other spellings of a path, large and deep input, control characters. */
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { operationOf } from "../../src/http/operation.ts";
import { LINKS } from "../campaign/support.ts";
import {
  ask,
  type Call,
  call,
  DEMO,
  freshDemo,
  NOW,
  type ProblemBody,
  rejection,
  rows,
  sendCost,
} from "../harness.ts";
import { samplePath } from "../http/every-route.ts";
import { partsOf } from "../linear/fields.ts";
import { isLong, oneOf } from "../part.ts";
import { routes } from "../routes.ts";
import { everyOperation, everything, SESSIONS, startSessions } from "./support.ts";

beforeAll(async () => {
  await freshDemo();
  await startSessions();
});

const TOKENS = {
  api_token: DEMO.operatorToken,
  operator_token: DEMO.operatorToken,
  cost_credential: DEMO.costToken,
  none: undefined,
};
const documented = routes.flatMap(({ path, methods }) =>
  Object.entries(methods).flatMap(([method, handler]) => {
    const operation = operationOf(handler);
    const name = `${method} ${path}`;
    return operation
      ? [{ name, method, path: samplePath(path), operation, token: TOKENS[operation.credentials] }]
      : [];
  }),
);
type Documented = (typeof documented)[number];
const each = (operations: Documented[]): [string, Documented][] => operations.map((one) => [one.name, one]);

describe("a day", () => {
  const END_OF_FEBRUARY = Date.UTC(2026, 1, 28) / 86_400_000;
  const readsDays = (field: z.core.$ZodType) =>
    !(field instanceof z.ZodMiniObject) && z.safeParse(field, "2026-02-28").data === END_OF_FEBRUARY;
  const withDays = documented.flatMap(({ name, operation }): [string, z.core.$ZodType[]][] => {
    const { path, query, body, form } = operation.input;
    const schemas = [path, query, body, form].filter((schema) => schema !== undefined);
    const days = schemas.flatMap(partsOf).filter(readsDays);
    return days.length > 0 ? [[name, days]] : [];
  });

  it.each(withDays)("that does not exist is rejected by %s", (_, days) => {
    for (const day of ["2026-02-29", "2026-02-30", "2026-04-31", "2026-00-10", "2026-13-01", "26-02-28"])
      expect(days.map((field) => z.safeParse(field, day).success)).toEqual(days.map(() => false));
  });
});

const UNKNOWN_FIELDS = {
  id: 999,
  token: "mine00000001",
  app_token: DEMO.otherAppToken,
  level: 1,
  parent_id: 9,
  link_count: 0,
  child_count: 7,
  token_hash: "0".repeat(64),
  password_hash: "x",
  supports_cost_data: true,
  integrated_types: 1,
  created_at: 0,
  revoked_at: null,
  constructor: {},
  toString: "x",
};

/** The rows of every table, without the rejected costs and their counts, which rejections change. */
async function stored() {
  const { daily_rejections: counted, recent_rejections: kept, ...others } = await everything();
  if (!counted || !kept) throw new Error("the rejections were not read");
  return others;
}

describe("an unknown field", () => {
  const strict = documented.filter(({ operation }) => operation.input.body);

  it.each(each(strict))(
    "is rejected by name, and nothing changes: %s",
    async (_, { path, method, token, operation }) => {
      const before = await stored();
      const text = JSON.stringify(UNKNOWN_FIELDS).replace("{", '{"__proto__":{"role":"operator"},');
      const headers = { "content-type": "application/json" };
      const { status, body } = await ask<ProblemBody>(path, { method, token, headers, body: text });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
      const named = body.errors
        ?.filter(({ message }) => message === "is not a known parameter; remove it")
        .map(({ param }) => param);
      const known = Object.keys(UNKNOWN_FIELDS).filter((name) => !named?.includes(name));
      expect(named).toContain("__proto__");
      // These are the only operations with one of these fields.
      const hasApp = [
        "createAdjustment",
        "createAlertRule",
        "createWebhook",
        "createTestLink",
        "decideUrlPrices",
        "voidPartnerCost",
      ].includes(operation.id);
      expect(known).toEqual(hasApp ? ["app_token"] : []);
      expect(await stored()).toEqual(before);
      expect(({} as { role?: string }).role).toBeUndefined();
    },
  );

  it("is ignored in a cost, a batch and a click", async () => {
    const hostile = {
      partner_id: "3",
      source: "url",
      received_at: "0",
      state: "matched",
      link_id: "9",
      mode: "live",
    };
    await sendCost({ cost_id: "assign-cost-0001", ...hostile });
    const item = {
      cost_type: "cpc",
      cost_currency: "USD",
      tag: "t",
      cost_id: "assign-cost-0002",
      ...hostile,
    };
    await ask("/cost/batch", { token: DEMO.costToken, json: { costs: [item] } });
    await call(
      `/${DEMO.linkToken}?s2s=1&cost_id=assign-cost-0003&partner_id=3&link_id=9&app_token=x&occurred_at=0`,
    );
    const stored = await rows<Record<string, unknown>>(
      "SELECT partner_id, source, state FROM cost_states WHERE cost_id LIKE 'assign-%' ORDER BY cost_id",
    );
    expect(stored).toEqual(Array(2).fill({ partner_id: 1, source: "call", state: "pending" }));
    expect(await rows("SELECT received_at FROM costs WHERE cost_id LIKE 'assign-%'")).toEqual(
      Array(2).fill({ received_at: NOW }),
    );
    expect(
      await rows("SELECT partner_id, link_id, app_token FROM engagements WHERE cost_id = 'assign-cost-0003'"),
    ).toEqual([{ partner_id: 1, link_id: 1, app_token: DEMO.appToken }]);
  });
});

describe("a filter of operators", () => {
  const UNKNOWN = { app_token: "nosuchapp001", partner_id: "99" };
  const filters = documented
    // The search of the archive reads only what its ID names.
    .filter(({ path }) => path.startsWith("/operator/v1/") && path !== "/operator/v1/archive")
    .flatMap((one) =>
      Object.keys(UNKNOWN)
        .filter((param) => param in (one.operation.input.query?.shape ?? {}))
        .map((param) => [one.name, param, one] as [string, keyof typeof UNKNOWN, Documented]),
    );

  it("is that of these lists", () => {
    expect(filters.map(([name, param]) => `${name} ${param}`).sort()).toEqual([
      "GET /operator/v1/adjustments app_token",
      "GET /operator/v1/alert-rules app_token",
      "GET /operator/v1/alerts app_token",
      "GET /operator/v1/credentials partner_id",
      "GET /operator/v1/partners/:id/costs app_token",
      "GET /operator/v1/partners/:id/rejections app_token",
      "GET /operator/v1/partners/:id/rejections/recent app_token",
      "GET /operator/v1/rounds partner_id",
      "GET /operator/v1/webhooks app_token",
    ]);
  });

  it.each(filters)("is 400 if it names nothing that exists: %s, %s", async (_, param, { path, token }) => {
    expect(await rejection(`${path}?${param}=${UNKNOWN[param]}`, { token })).toEqual({
      status: 400,
      code: "invalid_request",
      params: [param],
    });
    const known = { app_token: DEMO.otherAppToken, partner_id: "2" }[param];
    expect((await ask(`${path}?${param}=${known}`, { token })).status).toBe(200);
  });
});

describe("a repeated parameter", () => {
  const lists = documented.filter(
    ({ operation }) => operation.input.query && operation.credentials !== "none",
  );

  it.each(each(lists))(
    "is rejected with another value in every encoding of its name: %s",
    async (_, { path, method, operation, token }) => {
      const names = Object.keys(operation.input.query?.shape ?? {});
      const encoded = (name: string) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      const places = isLong ? [0, 1] : [operation.id.length];
      for (const place of places) {
        const query = names.map((name, index) => {
          const second = (place + index) % 2 === 0 ? name : encoded(name);
          return `${name}=1&${second}=2`;
        });
        const { status, body } = await ask<ProblemBody>(`${path}?${query.join("&")}`, { method, token });
        expect(status).toBe(400);
        const message = "is given twice with different values; send it once";
        for (const name of names) expect(body.errors).toContainEqual({ param: name, message });
      }
    },
  );

  it("is not a list: names with brackets and semicolons as separators are ignored", async () => {
    const read = async (query: string) => {
      const { body } = await ask<{ data: { items: unknown[] } }>(LINKS + query, { token: DEMO.apiToken });
      return body.data.items;
    };
    const all = await read("");
    expect(await read("?limit[]=1&limit%5B0%5D=1&x=1;limit=1")).toEqual(all);
    expect(await read("?limit=1")).not.toEqual(all);
  });
});

describe("another spelling of a path", () => {
  // The address of an impression is open to everybody, in each of these spellings of a link (test/field/links.tsv).
  const guarded = everyOperation.filter(
    ({ pattern }) => pattern.split("/").length > 2 && pattern !== "/impression/:link_token",
  );
  const spellings = (path: string): string[] => {
    const last = path.lastIndexOf("/");
    return [
      path.toUpperCase(),
      `/${path}`,
      `/x/%2e%2e%2f${path.slice(1)}`,
      `/${path.slice(1).replaceAll("/", "%2F")}`,
      `${path.slice(0, last)}%2F${path.slice(last + 1)}`,
      path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      `${path};a=b`,
      `${path}%00`,
      `${path}.json`,
      `/${path.slice(1).replaceAll("/", "%5c")}`,
    ];
  };

  it.each(guarded.map((one) => [one.name, one] as const))(
    "gives no access that the path itself does not give: %s",
    async (_, operation) => {
      const before = await everything();
      const senders = [{}, { cookie: SESSIONS.member }, { authorization: `Bearer ${DEMO.apiToken}` }];
      const sent = spellings(operation.path).flatMap((path) => senders.map((headers) => ({ path, headers })));
      for (const { path, headers } of oneOf(11, sent, operation.path.length)) {
        const isPublic = operation.need === "public" || operation.need === "none";
        const options: Call = operation.method === "GET" ? {} : { method: operation.method, json: {} };
        const { status } = await call(path, { ...options, headers });
        expect(status).toBeLessThan(500);
        const isFound = status !== 404 && status !== 405;
        if (isFound && !isPublic && operation.need !== "api_token" && operation.need !== "session") {
          expect([path, status]).toEqual([
            path,
            (await call(operation.path, { ...options, headers })).status,
          ]);
        }
      }
      expect(await everything()).toEqual(before);
    },
  );

  it.each([
    [`/public/v1/apps/${DEMO.otherAppToken}/../${DEMO.appToken}/trackers`, 200],
    [`/public/v1/apps/${DEMO.appToken}/../${DEMO.otherAppToken}/trackers`, 404],
    [`/public/v1/apps/${DEMO.appToken}/%2e%2e/${DEMO.otherAppToken}/trackers`, 404],
    [`/public/v1/apps/${DEMO.appToken}%2f..%2f${DEMO.otherAppToken}/trackers`, 400],
    [`/public/v1/apps/${DEMO.appToken}%00/trackers`, 400],
    [`/public/v1/apps/${DEMO.appToken}%0a/trackers`, 400],
    [`/public/v1/apps/${DEMO.appToken.toUpperCase()}/trackers`, 404],
    [`${LINKS}/demo1nk009%2f..%2f${DEMO.linkToken}`, 404],
    [`${LINKS}/${DEMO.linkToken}%00`, 404],
    [`${LINKS}/${DEMO.linkToken}%20`, 404],
    [`${LINKS}/%ff%fe`, 404],
    [`${LINKS}/..%2f..%2f${DEMO.otherAppToken}%2ftrackers`, 404],
    [`${LINKS}/'%20OR%20'1'='1`, 404],
    ["/operator/v1/apps/../../../operator/v1/users", 403],
    ["/public/v1/../../operator/v1/users", 403],
  ])("%s is resolved to the app that it finally names, or to none", async (path, status) => {
    expect((await call(path, { token: DEMO.apiToken })).status).toBe(status);
  });
});

describe("a large input", () => {
  it("in headers causes no failure", async () => {
    const long = "x".repeat(100_000);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-header-${index}`, "v"]));
    const all: Record<string, string>[] = [
      { authorization: `Bearer ${long}` },
      { cookie: `__Host-session=${long}; ${"a=b; ".repeat(5_000)}` },
      { accept: `${"text/csv,".repeat(10_000)}` },
    ];
    for (const [index, { path, method }] of oneOf(3, everyOperation, 0).entries()) {
      const { status } = await call(path, { method });
      for (const headers of oneOf(3, all, index)) {
        expect((await call(path, { method, headers })).status, `${method} ${path}`).toBe(status);
      }
    }
    expect((await call(LINKS, { headers: many, token: DEMO.apiToken })).status).toBe(200);
    expect(
      (await call(LINKS, { headers: { "idempotency-key": long }, token: DEMO.apiToken, json: { name: "a" } }))
        .status,
    ).toBe(400);
  });

  it("in a query causes no failure", async () => {
    for (const [query, status] of [
      ["a=1&".repeat(20_000), 200],
      [`${"%".repeat(20_000)}`, 200],
      [`limit=${"9".repeat(20_000)}`, 200],
      [`after=${"A".repeat(20_000)}`, 400],
    ] as const) {
      expect((await call(`${LINKS}?${query}`, { token: DEMO.apiToken })).status).toBe(status);
      expect((await call(`/${DEMO.linkToken}?${query}`)).status).toBe(302);
    }
  });
});

describe("JSON as deep as the body size allows", () => {
  beforeAll(freshDemo);
  const nest = (levels: number, open = "[", close = "]") => open.repeat(levels) + close.repeat(levels);
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  // Numeric names keep JSON.stringify from its path that needs no stack.
  const numbered = (levels: number) => `${'{"5":'.repeat(levels)}1${"}".repeat(levels)}`;
  const headers = { "content-type": "application/json" };
  const bodies = [30_000, 1_000, 100].flatMap((levels) => [nest(levels), objects(Math.min(levels, 10_000))]);

  it.each(each(documented.filter(({ operation }) => operation.input.body)))(
    "is rejected with 400: %s",
    async (name, one) => {
      const all = bodies.flatMap((deep) => [deep, `{"name":${deep}}`, `{"a":${deep}}`]);
      for (const body of oneOf(9, all, name.length)) {
        expect((await call(one.path, { method: one.method, token: one.token, headers, body })).status).toBe(
          400,
        );
      }
    },
  );

  // One operation requires a key. The others ignore it, or accept it.
  const withKey = { ...headers, "idempotency-key": "deep-key-0000" };
  it.each(each(documented.filter(({ operation }) => operation.input.body)))(
    "is parsed up to 20 levels, and the whole body is rejected with 21: %s",
    async (_, one) => {
      for (const part of oneOf(2, [nest, objects], one.name.length)) {
        const paramsWith = async (levels: number) => {
          // The object around the nested part is the first level.
          const body = `{"unknown":${part(levels - 1)}}`;
          const response = await ask<ProblemBody>(one.path, { ...one, headers: withKey, body });
          return [response.status, response.body.errors?.map(({ param }) => param)];
        };
        expect(await paramsWith(20)).toEqual([400, expect.arrayContaining(["unknown"])]);
        expect(await paramsWith(21)).toEqual([400, ["body"]]);
      }
    },
  );

  it("fails one item of a batch of costs with 18 levels in it, and the whole batch with 19", async () => {
    const send = (levels: number) =>
      ask<ProblemBody & { results?: { status: number }[] }>("/cost/batch", {
        token: DEMO.costToken,
        headers,
        body: `{"costs":[${nest(levels)}]}`,
      });
    const parsed = await send(18);
    expect([parsed.status, parsed.body.results?.map(({ status }) => status)]).toEqual([200, [400]]);
    expect((await send(19)).status).toBe(400);
  });

  it("causes no failure in a bulk request, with and without an Idempotency-Key", async () => {
    for (const key of [{}, { "idempotency-key": "deep-key-0001" }]) {
      for (const deep of [nest(30_000), numbered(9_000)]) {
        const response = await call(`${LINKS}/bulk`, {
          token: DEMO.apiToken,
          headers: { ...headers, ...key },
          body: `{"links":[${deep},{"name":"beside"}]}`,
        });
        expect(response.status).toBe(400);
      }
    }
  });

  it("of 100,000 levels causes no failure in a batch of costs, with a live and a test credential", async () => {
    for (const [token, body] of [
      [DEMO.costToken, `{"costs":[${nest(100_000)}]}`],
      [DEMO.testCostToken, `{"costs":[{"cost_id":${nest(100_000)},"tag":${nest(100_000)}}]}`],
      [DEMO.costToken, `{"costs":${nest(100_000)}}`],
      [DEMO.testCostToken, nest(100_000)],
      [DEMO.costToken, objects(100_000)],
      [DEMO.testCostToken, `{"costs":[{"cost_id":${numbered(100_000)}}]}`],
    ] as const)
      expect((await call("/cost/batch", { token, headers, body })).status).toBe(400);
  });
});

describe("characters that can end a string early", () => {
  const ENDS = ["\u0000", "\r\n", "\n", "\u001b[2J", "\u007f", "\u0085", "\ud800"];

  it.each(ENDS.map((end) => [JSON.stringify(end), end]))(
    "%s is rejected in every stored text",
    async (_, end) => {
      const text = `good${end}bad`;
      const tries: [string, Call & { json: Record<string, unknown> }][] = [
        [LINKS, { json: { name: text } }],
        [`${LINKS}/${DEMO.linkToken}`, { method: "PATCH", json: { name: text } }],
        ["/operator/v1/apps", { json: { name: text, default_url: "https://example.com/" } }],
        ["/operator/v1/apps", { json: { name: "good", default_url: `https://example.com/${text}` } }],
        ...["ios_url", "android_url"].map((field): [string, Call & { json: Record<string, unknown> }] => [
          "/operator/v1/apps",
          {
            json: {
              name: "good",
              default_url: "https://example.com/",
              [field]: `https://example.com/${text}`,
            },
          },
        ]),
        ...["redirect_hosts", "redirect_schemes"].map(
          (field): [string, Call & { json: Record<string, unknown> }] => [
            `/operator/v1/apps/${DEMO.appToken}`,
            { method: "PATCH", json: { [field]: [text] } },
          ],
        ),
        ["/operator/v1/rounds/1/dismissals", { json: { finding: text } }],
        ["/operator/v1/users", { json: { email: `${text}@example.com` } }],
        ["/operator/v1/partners", { json: { display_name: text } }],
        ["/operator/v1/partners", { json: { display_name: "good", click_parameters: text } }],
        ["/operator/v1/partners/1", { method: "PATCH", json: { cost_parameters: text } }],
      ];
      const before = await stored();
      for (const [path, options] of tries) {
        expect((await call(path, { token: DEMO.operatorToken, ...options })).status).toBe(400);
      }
      const item = { cost_type: "cpc", cost_currency: "USD", tag: "t", cost_id: "ends-cost-000001" };
      for (const wrong of [{ tag: text }, { cost_id: `${text}-000000001` }]) {
        const json = { costs: [{ ...item, ...wrong }] };
        const { body } = await ask<{ results: { status: number }[] }>("/cost/batch", {
          token: DEMO.costToken,
          json,
        });
        expect(body.results[0]?.status).toBe(400);
      }
      expect(await stored()).toEqual(before);
    },
  );
});
