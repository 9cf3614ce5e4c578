/** A body that is slow, endless or cut off, on every operation that reads a body. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { LINKS } from "../campaign/support.ts";
import { ask, type Call, call, DEMO, freshDemo, type ProblemBody, rejection, rows } from "../harness.ts";
import { everyOperation, everything, PAGE_BODIES, sessionFor, startSessions } from "../security/support.ts";

beforeAll(async () => {
  await freshDemo();
  await startSessions();
});

const FORM = "application/x-www-form-urlencoded";
const TOKENS: Partial<Record<string, string>> = {
  api_token: DEMO.apiToken,
  operator_token: DEMO.operatorToken,
  cost_credential: DEMO.costToken,
};

/** A call with valid credentials and this body. */
function validCall({ method, need, pattern }: (typeof everyOperation)[number], body: BodyInit): Call {
  const isForm = TOKENS[need] === undefined || pattern === "/cost";
  const pageBody = PAGE_BODIES[`${method} ${pattern}`];
  return {
    method,
    body,
    token: TOKENS[need],
    headers: {
      "content-type": pageBody ?? (isForm ? FORM : "application/json"),
      cookie: sessionFor(need),
    },
  };
}

/** Operations without a body. They never read one. */
const BODILESS = [
  "POST /logout",
  "POST /partner/sign-out",
  "POST /partner/costs/:cost_id/void",
  "POST /account/sign-out-everywhere",
  "DELETE /operator/v1/apps/:token/members/:user_id",
  "POST /cost/:cost_id/void",
  "POST /operator/v1/users/:id/token",
  "POST /operator/v1/credentials/:id/revoke",
  "DELETE /operator/v1/rounds/:id/dismissals",
  "POST /operator/v1/rounds/:id/close",
];
const reading = everyOperation
  .filter(({ method, name }) => method !== "GET" && !BODILESS.includes(name))
  .map((one): [string, typeof one] => [one.name, one]);

const encode = (text: string) => new TextEncoder().encode(text);

/** A body that sends its pieces and then ends, never ends or fails. */
function bodyOf(pieces: Iterable<string>, end: "ends" | "never ends" | "fails") {
  const remaining = pieces[Symbol.iterator]();
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = remaining.next();
      if (!done) {
        seen.pulled++;
        controller.enqueue(encode(value));
      } else if (end === "ends") controller.close();
      else if (end === "fails") controller.error(new Error("Network connection lost."));
      else return new Promise(() => undefined);
      return undefined;
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { body, seen };
}

function* forever(piece: string) {
  for (;;) yield piece;
}

describe("a body that never ends", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** The response, and the milliseconds after which it came. */
  async function respondIn(path: string, options: Call): Promise<{ response: Response; after: number }> {
    let isDone = false;
    const response = call(path, options).finally(() => {
      isDone = true;
    });
    let after = 0;
    while (!isDone) {
      await scheduler.wait(1);
      if (isDone || vi.getTimerCount() === 0) continue;
      await vi.advanceTimersByTimeAsync(5_000);
      after += 5_000;
    }
    return { response: await response, after };
  }

  it.each(reading)("gets 408 after thirty seconds and changes nothing: %s", async (_, one) => {
    const before = await everything();
    for (const headers of [{}, { "content-length": "50" }]) {
      const options = validCall(one, bodyOf(["{"], "never ends").body);
      const sent = { ...options, headers: { ...options.headers, ...headers } };
      const { response, after } = await respondIn(one.path, sent);
      expect([response.status, after]).toEqual([408, 30_000]);
      expect(response.headers.get("connection")).toBeNull();
      expect(((await response.json()) as ProblemBody).code).toBe("request_timeout");
    }
    expect(await everything()).toEqual(before);
  });

  it("is reported to a browser as a page", async () => {
    const { body } = bodyOf(["email="], "never ends");
    const headers = { "content-type": FORM, accept: "text/html" };
    const { response } = await respondIn("/login", { method: "POST", body, headers });
    expect(response.status).toBe(408);
    expect(await response.text()).toContain("The body did not arrive in time");
  });

  it("gets 401 without a valid token", async () => {
    const token = DEMO.apiToken.replace("DemoUser", "demoUser");
    const headers = { "content-type": "application/json" };
    const { body } = bodyOf(["{"], "never ends");
    const { response } = await respondIn(LINKS, { method: "POST", token, headers, body });
    expect(response.status).toBe(401);
  });

  it("with one byte a second is read only if it is complete within thirty seconds", async () => {
    for (const [bytes, status] of [
      [28, 201],
      [32, 408],
    ] as const) {
      const text = `{"name":"drip"}`.padEnd(bytes, " ");
      const { body } = bodyOf(text, "ends");
      const drip = new TransformStream<Uint8Array, Uint8Array>({
        transform: async (chunk, controller) => {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          controller.enqueue(chunk);
        },
      });
      const headers = { "content-type": "application/json" };
      let isDone = false;
      const sent = call(LINKS, {
        method: "POST",
        token: DEMO.apiToken,
        headers,
        body: body.pipeThrough(drip),
      }).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await scheduler.wait(1);
        if (vi.getTimerCount() > 0) await vi.advanceTimersByTimeAsync(1_000);
      }
      expect((await sent).status).toBe(status);
    }
    expect(await rows("SELECT 1 FROM links WHERE label = 'drip'")).toHaveLength(1);
  });
});

describe("a body that is cut off", () => {
  it.each(reading)("gets 400 and changes nothing: %s", async (_, one) => {
    const before = await everything();
    for (const headers of [{}, { "content-length": "50" }]) {
      const options = validCall(one, bodyOf(["{"], "fails").body);
      const { status, body } = await ask<ProblemBody>(one.path, {
        ...options,
        headers: { ...options.headers, accept: "application/json", ...headers },
      });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
      expect(body.errors).toEqual([
        { param: "body", message: "did not arrive completely; resend the request" },
      ]);
    }
    expect(await everything()).toEqual(before);
  });
});

/** In KiB, where it is not 64. */
const LIMITS: [pattern: string, limit: number][] = [
  ["/cost/batch", 1024],
  ["/partner/upload", 1280],
  ["/apps/:app_token/links/new", 2048],
  ["/apps/:app_token/links/import", 1280],
];

describe("an endless body that exceeds its limit", () => {
  it.each(reading)("gets 413 and is not read further: %s", async (_, one) => {
    const limit = LIMITS.find(([pattern]) => one.pattern.startsWith(pattern))?.[1] ?? 64;
    const { body, seen } = bodyOf(forever("x".repeat(1024)), "never ends");
    const options = validCall(one, body);
    const result = await rejection(one.path, {
      ...options,
      headers: { ...options.headers, accept: "application/json" },
    });
    expect(result).toEqual({ status: 413, code: "payload_too_large", params: [] });
    expect(seen.pulled).toBeGreaterThan(limit);
    expect(seen.pulled).toBeLessThan(limit + 8);
    expect(seen.cancelled).toBe(true);
  });

  it("is not read at all if Content-Length exceeds 16 MiB", async () => {
    const { body, seen } = bodyOf(forever("x"), "never ends");
    const headers = { "content-type": "application/json", "content-length": String(16 * 1024 * 1024 + 1) };
    const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
    expect(result.status).toBe(413);
    expect(seen.pulled).toBeLessThan(3);
    expect(seen.cancelled).toBe(true);
  });

  it("is dropped for at most 16 MiB if Content-Length exceeds the limit", async () => {
    const { body, seen } = bodyOf(forever("x".repeat(1024 * 1024)), "never ends");
    const headers = { "content-type": "application/json", "content-length": "65537" };
    const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
    expect(result.status).toBe(413);
    expect(seen.pulled).toBeGreaterThan(16);
    expect(seen.pulled).toBeLessThan(20);
    expect(seen.cancelled).toBe(true);
  });

  it("gets 413 after two seconds if Content-Length exceeds the limit and nothing arrives", async () => {
    const { body } = bodyOf(["{"], "never ends");
    const headers = { "content-type": "application/json", "content-length": "65537" };
    const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
    expect(result.status).toBe(413);
  });

  it.each(["many", "-1", "1e3", "", "0x10", "5, 5"])(
    "is limited by its size if Content-Length is not a number: %j",
    async (length) => {
      const { body, seen } = bodyOf(forever("x".repeat(1024)), "never ends");
      const headers = { "content-type": "application/json", "content-length": length };
      const result = await rejection(LINKS, { method: "POST", token: DEMO.apiToken, headers, body });
      expect(result.status).toBe(413);
      expect(seen.pulled).toBeLessThan(72);
    },
  );
});

it("an operation without a body does not wait for one", async () => {
  for (const name of BODILESS) {
    const one = everyOperation.find((operation) => operation.name === name);
    if (!one) throw new Error(`there is no ${name}`);
    const path = one.path.replace(/\b1$|\/1\//, (id) => id.replace("1", "999999"));
    const { status } = await call(path, validCall(one, bodyOf(["{"], "never ends").body));
    expect([303, 400, 404], name).toContain(status);
  }
});
