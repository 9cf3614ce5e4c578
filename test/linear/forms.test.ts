/**
 * Forms that are read without a contract, after the session was checked, are read in linear time: each field that the code asks for,
 * in each form of a signed-in operator. The routes and the code itself say which fields these are.
 */
import { describe, expect, it, vi } from "vitest";
import type { SessionUser } from "../../src/db/accounts/sessions.ts";
import type { Env } from "../../src/env.ts";
import { AppError } from "../../src/errors.ts";
import { readFields, readMultipart } from "../../src/http/input/form.ts";
import { operationOf } from "../../src/http/operation.ts";
import { serve } from "../../src/index.ts";
import { loadRoutes } from "../../src/surfaces.ts";
import { readSheet } from "../../src/workspace/transfer/sheet.ts";
import { findSlow, judge, type Prepare } from "./attack.ts";

vi.spyOn(console, "error").mockReturnValue();
vi.spyOn(console, "log").mockReturnValue();

const APP = "demoapp00001";
const operator = {
  ...{ userId: 1, email: "operator@example.com", role: "operator", hasPassword: 1, mustChangePassword: 0 },
  ...{ hasTwoFactor: 1, passwordAt: 0, lastSeenAt: 0, createdAt: 0 },
  apps: [{ token: APP, name: "Demo App", archivedAt: null }],
} as unknown as SessionUser;
vi.mock("../../src/db/accounts/sessions.ts", async (load) => ({
  ...(await load<object>()),
  findSession: async () => operator,
}));

/** The names of the fields that the code asks for. */
const asked = new Set<string>();
for (const method of ["get", "getAll", "has"] as const) {
  const original = URLSearchParams.prototype[method] as (name: string) => never;
  URLSearchParams.prototype[method] = function (this: URLSearchParams, name: string) {
    asked.add(name);
    return original.call(this, name);
  };
}

const ORIGIN = "https://linkledger.test";
const statement = { bind: () => statement };
const limiter = { limit: async () => ({ success: true }) };
const env = {
  DB: { prepare: () => statement, batch: () => Promise.reject(new Error("no database")) },
  ...{ TOKENS: {}, LINKS: {}, VERSION: { id: "", tag: "", timestamp: "" } },
  ...{ PASSWORD_ATTEMPTS: limiter, ADDRESS_ATTEMPTS: limiter, ACCOUNT_ATTEMPTS: limiter },
} as unknown as Env;

const post = (path: string, body: string) =>
  new Request(ORIGIN + path, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      cookie: `__Host-session=${"a".repeat(43)}`,
      origin: ORIGIN,
    },
    body,
  });
async function send(request: Request): Promise<Response> {
  const work: Promise<unknown>[] = [];
  const response = await serve(request, env, { waitUntil: (one) => work.push(one) }, () => 0);
  await Promise.all(work);
  return response;
}

/** As a form has it, cut to its length before it was encoded. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, text.length);

const console_ = (await loadRoutes()).filter(
  ({ path, methods }) => path.startsWith("/operator") && methods.POST && !operationOf(methods.POST),
);

describe("a form of the console is read in linear time", () => {
  const read = new Set<string>();

  it.each(console_.map(({ path }) => [path]))("%s", async (pattern) => {
    const path = pattern.replace(":token", APP).replace(/:\w+/g, "1");
    asked.clear();
    const { status } = await send(post(path, ""));
    // Not sent to the sign-in page, and not rejected before it was read.
    expect([303, 403, 415]).not.toContain(status);
    const names = [...asked].filter((name) => name !== "done");
    for (const name of names) {
      read.add(name);
      const prepare: Prepare = (text) => {
        const request = post(path, `${name}=${encode(text)}`);
        return () => send(request);
      };
      expect(await findSlow(name, prepare, [(run) => run])).toEqual([]);
    }
  });

  it("with its lists of lines and its texts", () => {
    const some = [
      "redirect_hosts",
      "redirect_schemes",
      "display_name",
      "click_parameters",
      "reason",
      "email",
    ];
    expect([...some, "cost_types"].filter((name) => !read.has(name))).toEqual([]);
  });
});

it("pasted cells and paths are read in linear time", async () => {
  const read: Prepare = (text) => () => {
    try {
      return readSheet(text, { isFile: false, firstLevel: 1 });
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  };
  for (const separator of ["", "\n", ">", " > ", "\t", '"', '\t"']) {
    const shapes = [(run: string) => run, (run: string) => [...run].join(separator).slice(0, 60_000)];
    expect(await findSlow(`pasted ${JSON.stringify(separator)}`, read, shapes)).toEqual([]);
  }
});

describe("a form with many fields is read in linear time", () => {
  const many = (length: number, toField: (index: number) => string) =>
    Array.from({ length: length / 60 }, (_, index) => toField(10_000 + index)).join("");
  const multipart = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n`;
  const rejecting = (work: Promise<unknown>) => work.catch(() => undefined);
  const contextOf = (type: string, body: string) =>
    ({
      request: new Request(ORIGIN, { method: "POST", headers: { "content-type": type }, body }),
    }) as Parameters<typeof readFields>[0];

  it.each<[string, (index: number) => string]>([
    ["equal", () => "same"],
    ["different", (index) => `a${index}`],
    ["pairs of equal", (index) => `a${index >> 1}`],
  ])("with %s names", async (_, toName) => {
    const urlencoded = (length: number) => {
      const context = contextOf(
        "application/x-www-form-urlencoded",
        many(length * 6, (index) => `${toName(index)}=1&`),
      );
      return () => rejecting(readFields(context, 1024 * 1024));
    };
    expect(await judge(urlencoded)).toBeUndefined();
    const parts = (length: number) => {
      const body = `${many(length * 6, (index) => multipart(toName(index)))}--b--\r\n`;
      const context = contextOf("multipart/form-data; boundary=b", body);
      return () => rejecting(readMultipart(context, 1024 * 1024));
    };
    expect(await judge(parts)).toBeUndefined();
  });
});
