/**
 * Every request is read in linear time before anybody is authorized: its path, its query and each header that the code reads. The
 * Worker runs without a database, and with one link in its cache.
 */
import { describe, expect, it, vi } from "vitest";
import type { Destination } from "../../src/domain/engagements/click-target.ts";
import type { Env } from "../../src/env.ts";
import { operationOf } from "../../src/http/operation.ts";
import { serve } from "../../src/index.ts";
import { loadRoutes } from "../../src/surfaces.ts";
import { findSlow, isLong, type Prepare } from "./attack.ts";
import { fieldsOf } from "./fields.ts";

vi.spyOn(console, "error").mockReturnValue();
vi.spyOn(console, "log").mockReturnValue();

const ORIGIN = "https://linkledger.test";
const LINK = "demo1nk001";
const destination: Destination = {
  defaultUrl: "https://example.com/",
  iosUrl: null,
  androidUrl: "https://play.google.com/store/apps/details?id=com.example.demo",
  redirectHosts: ["example.com"],
  redirectSchemes: ["https", "intent", "demoapp"],
};
const CACHED: Record<string, unknown> = { [`link:${LINK}`]: "demoapp00001", "app:demoapp00001": destination };
const statement = { bind: () => statement };
const limiter = { limit: async () => ({ success: true }) };
const env = {
  DB: { prepare: () => statement, batch: () => Promise.reject(new Error("no database")) },
  TOKENS: { get: async () => null },
  LINKS: { get: async (key: string) => CACHED[key] ?? null },
  ENGAGEMENTS: { send: async () => undefined },
  VERSION: { id: "", tag: "", timestamp: "" },
  ...{ PASSWORD_ATTEMPTS: limiter, ADDRESS_ATTEMPTS: limiter, ACCOUNT_ATTEMPTS: limiter },
} as unknown as Env;

/** Sends a request and waits for the work after its response. */
async function send(request: Request): Promise<Response> {
  const work: Promise<unknown>[] = [];
  const response = await serve(request, env, { waitUntil: (one) => work.push(one) }, () => 0);
  await Promise.all(work);
  return response;
}

const routes = (await loadRoutes()).flatMap(({ path, methods, surface }) =>
  Object.entries(methods).map(([method, handler]) => ({
    name: `${method} ${path}`,
    method,
    surface,
    parameters: path.match(/:\w+/g) ?? [],
    /** With a text in the place of a parameter. */
    pathOf: (text = "", place = "") =>
      path.replace(/:\w+/g, (parameter) => (parameter === place ? text : LINK)),
    query: operationOf(handler)?.credentials === "none" ? operationOf(handler)?.input.query : undefined,
  })),
);

/** As a URL has it, cut to its length before it was encoded. What is no character becomes bytes that are no UTF-8. */
const encode = (text: string) =>
  text.isWellFormed()
    ? encodeURIComponent(text).slice(0, text.length)
    : text.replaceAll("\ud800", "%ED%A0%80").slice(0, text.length);

const sending =
  (method: string, toPath: (text: string) => string): Prepare =>
  (text) => {
    const request = new Request(ORIGIN + toPath(encode(text)), { method });
    return () => send(request);
  };

/** Runs one request, and notes the names of the headers that the code asks for. */
async function readNames(method: string, path: string): Promise<string[]> {
  const names = new Set<string>();
  const request = new Request(ORIGIN + path, { method });
  const headers = new Proxy(request.headers, {
    get: (target, key) => (name: string) => {
      names.add(name);
      return Reflect.get(target, key).call(target, name);
    },
  });
  await send(Object.defineProperty(request, "headers", { value: headers }));
  return [...names].sort();
}

const read = await Promise.all(
  routes.map(async (route) => ({ ...route, names: await readNames(route.method, route.pathOf()) })),
);
/** Routes of one surface that read the same headers share the code that does, and what comes before the database. */
const distinctBy = (keyOf: (route: (typeof read)[number]) => string) =>
  [...Map.groupBy(read, (route) => `${route.surface}: ${route.names}: ${keyOf(route)}`).values()].flatMap(
    ([route]) => route ?? [],
  );

describe("a path is read in linear time", () => {
  const withParameter = (isLong ? read : distinctBy(({ parameters }) => parameters.join())).filter(
    ({ parameters }) => parameters.length > 0,
  );
  it.each(withParameter.map((route) => [route.name, route]))(
    "%s",
    async (_, { method, parameters, pathOf }) => {
      for (const place of parameters)
        expect(
          await findSlow(
            place,
            sending(method, (text) => pathOf(text, place)),
          ),
        ).toEqual([]);
    },
  );
});

describe("a query is read in linear time", () => {
  const withQuery = routes.flatMap(({ query, ...route }) => (query ? [{ ...route, query }] : []));
  it.each(withQuery.map((route) => [route.name, route]))("%s", async (_, { method, pathOf, query }) => {
    for (const [name] of fieldsOf(query))
      expect(
        await findSlow(
          name,
          sending(method, (text) => `${pathOf()}?${name}=${text}`),
        ),
      ).toEqual([]);
  });
});

describe("a request is read in linear time", () => {
  const cases = distinctBy(() => "").map((route) => [route.name, route] as const);

  it.each(cases)("with a long query: %s", async (_, { method, pathOf }) => {
    const path = pathOf();
    expect(
      await findSlow(
        "query",
        sending(method, (text) => `${path}?${text}`),
      ),
    ).toEqual([]);
  });

  const MORE: Record<string, ((run: string) => string)[]> = {
    authorization: [(run) => `Bearer ${run} x`, (run) => `Token token="${run}`],
    cookie: [(run) => `__Host-session=${run}; __Host-partner=${run}`, (run) => `a=${run};`],
    accept: [(run) => `text/html;${run},text/csv;q=${run}`],
  };
  it.each(cases)("with long headers: %s", async (_, { method, pathOf, names }) => {
    for (const name of names) {
      const prepare: Prepare = (text) => {
        const request = new Request(ORIGIN + pathOf(), { method });
        // A header has bytes, and no control characters.
        const value = Buffer.from(text).toString("latin1");
        request.headers.set(name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "x"));
        return () => send(request);
      };
      const shapes = [(run: string) => run, (run: string) => `x${run}x`, ...(MORE[name] ?? [])];
      expect(await findSlow(name, prepare, shapes)).toEqual([]);
    }
  });

  it("is read with the headers that decide about people", () => {
    const all = new Set(read.flatMap(({ names }) => names));
    const known = [
      "accept",
      "authorization",
      "cookie",
      "origin",
      "sec-fetch-site",
      "sec-purpose",
      "user-agent",
    ];
    expect(known.filter((name) => !all.has(name))).toEqual([]);
  });
});
